import { DuckDBInstance } from '@duckdb/node-api';

let opened: Promise<DuckDBInstance> | undefined;

/** The rows of a query in DuckDB, as objects of plain JSON: large integers are texts. */
export async function duckdb(sql: string): Promise<{ [column: string]: unknown }[]> {
  opened ??= DuckDBInstance.create(':memory:', { threads: '2' });
  const connection = await (await opened).connect();
  try {
    return (await connection.runAndReadAll(sql)).getRowObjectsJson();
  } finally {
    connection.closeSync();
  }
}

/** Writes the rows of a query to a Parquet file. */
export async function writeParquet(path: string, query: string, options = ''): Promise<void> {
  await duckdb(`copy (${query}) to '${path.replaceAll("'", "''")}' (format parquet${options})`);
}

/** One column of Parquet files, in the order of their rows. */
export async function parquetColumn(path: string, column = 'shard'): Promise<unknown[]> {
  const rows = await duckdb(`select ${column} as value from '${path}'`);
  return rows.map(({ value }) => value);
}

/** The types of the columns of Parquet files. */
export async function parquetTypes(path: string): Promise<{ [column: string]: unknown }> {
  const rows = await duckdb(`select column_name, column_type from (describe from '${path}')`);
  return Object.fromEntries(rows.map(({ column_name, column_type }) => [column_name, column_type]));
}

/** How many rows are in one of two tables only, equal rows counted. */
export async function differentRows(one: string, other: string): Promise<number> {
  const [{ count }] = await duckdb(`select count(*)::integer as count from (
    (from ${one} except all from ${other}) union all (from ${other} except all from ${one}))`);
  return Number(count);
}
