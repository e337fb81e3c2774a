// `node query-duckdb.mjs THREADS STATEMENT`: runs a statement in DuckDB; on all threads if THREADS is empty.
import { DuckDBInstance } from '@duckdb/node-api';

const [threads, statement] = process.argv.slice(2);
const connection = await (await DuckDBInstance.create(':memory:', threads ? { threads } : {})).connect();
await connection.run(statement);
