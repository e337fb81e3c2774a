// `node query-clickhouse.mjs STATEMENT`: runs a statement in ClickHouse, on one thread, with a clause SETTINGS added.
import { createRequire } from 'node:module';

const { query } = createRequire(import.meta.url)('chdb');
query(
  `${process.argv[2]}
  SETTINGS max_threads = 1, input_format_parallel_parsing = 0, output_format_parallel_formatting = 0,
    formatdatetime_f_prints_scale_number_of_digits = 1`,
);
process.exit(0); // its threads keep the process alive
