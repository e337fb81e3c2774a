// `node query-clickhouse.mjs STATEMENT`: runs it in ClickHouse, on one thread. Its last clause is SETTINGS.
import { createRequire } from 'node:module';

const { query } = createRequire(import.meta.url)('chdb');
query(
  `${process.argv[2]}
  SETTINGS max_threads = 1, input_format_parallel_parsing = 0, output_format_parallel_formatting = 0,
    formatdatetime_f_prints_scale_number_of_digits = 1`,
);
process.exit(0); // its threads would go on
