// `node route-clickhouse.mjs FILE SHARDS OUT`: what one would ask ClickHouse for, on one thread.
import { createRequire } from 'node:module';

const { query } = createRequire(import.meta.url)('chdb');
const [path, shards, out] = process.argv.slice(2);
query(
  `SELECT toUInt32(jumpConsistentHash(xxHash64(line), ${shards})) FROM file('${path}', 'LineAsString')
  INTO OUTFILE '${out}' TRUNCATE FORMAT RowBinary
  SETTINGS max_threads = 1, input_format_parallel_parsing = 0, output_format_parallel_formatting = 0`,
);
process.exit(0); // its threads would go on
