// Every way in which keys of several columns come to a partitioner: columns in memory, files and SQL.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';
import { register } from '../../src/engines/duckdb/index.js';
import { type RecordFormat, routeFile } from '../../src/node/index.js';
import type { KeyKind, Partitioner } from '../../src/partitioners/index.js';
import { columnNames, keysOf, type RandomRows, textRows } from './random-rows.js';

const INTEGERS = /^u?int|^u64$/;

/** How many rows are also routed one by one. */
const ONE_BY_ONE = 200;

const IN_DUCKDB: { readonly [kind in KeyKind]?: string } = {
  ...{ text: 'varchar', bytes: 'blob', uuid: 'uuid', date: 'date', time: 'time', timestamp: 'timestamp' },
  ...{ int8: 'tinyint', int16: 'smallint', int32: 'integer', int64: 'bigint' },
  ...{ uint8: 'utinyint', uint16: 'usmallint', uint32: 'uinteger', u64: 'ubigint' },
};

export const WAYS = ['columns', 'one by one', 'CSV', 'NDJSON', 'Parquet', 'DuckDB'] as const;

/** Rows in files and in a table of DuckDB. */
export interface RowsInPlaces {
  /** The shards of all rows in one of the ways; undefined if there is none for them. */
  shards(way: (typeof WAYS)[number], by: Partitioner): Promise<Uint32Array | undefined>;
  /** What a function of SQL gives for all rows in DuckDB. @param call makes the call for a key, which is a STRUCT */
  inDuckDb(call: (key: string) => string): Promise<Uint32Array>;
  /** NDJSON of the rows, with bytes in hex. */
  readonly ndjson: string;
  close(): void;
}

/**
 * Writes rows to an empty folder, and to DuckDB.
 * @param routers the partitioners that `shards` will take
 */
export async function inPlaces(
  rows: RandomRows,
  folder: string,
  routers: readonly Partitioner[],
): Promise<RowsInPlaces> {
  const { kinds, columns } = rows;
  const names = columnNames(rows);
  const [csv, ndjson, parquet, out] = ['csv', 'ndjson', 'parquet', 'out'].map((end) => join(folder, `rows.${end}`));
  writeFileSync(csv, csvOf(rows), 'latin1');
  writeFileSync(ndjson, ndjsonOf(rows));
  const instance = await DuckDBInstance.create(':memory:', { threads: '1' });
  const connection = await instance.connect();
  await register(connection, { routers: Object.fromEntries(routers.entries()) });
  const typed = kinds.map((kind, i) => {
    return kind === 'bytes' ? `unhex(${names[i]}) as ${names[i]}` : `${names[i]}::${IN_DUCKDB[kind]} as ${names[i]}`;
  });
  const read = `read_ndjson('${ndjson}', columns = {row: 'integer', ${names.map((name) => `${name}: 'varchar'`)}})`;
  await connection.run(`create table keys as select row, ${typed} from ${read}`);
  await connection.run(`copy (select ${names} from keys order by row) to '${parquet}' (format parquet)`);

  async function column(sql: string): Promise<Uint32Array> {
    const [values] = (await connection.runAndReadAll(sql)).getColumns();
    return Uint32Array.from(values as number[]);
  }
  const inDuckDb: RowsInPlaces['inDuckDb'] = (call) => {
    return column(`select ${call(`{${names.map((name) => `'${name}': ${name}`)}}`)} from keys order by row`);
  };
  async function ofFile(router: Partitioner, path: string, records: RecordFormat): Promise<Uint32Array> {
    await routeFile(path, { router, records, out, format: 'u32' });
    return new Uint32Array(new Uint8Array(readFileSync(out)).buffer);
  }
  return {
    ndjson,
    inDuckDb,
    async shards(way, router) {
      switch (way) {
        case 'columns':
          return router.routeMany(keysOf(rows));
        case 'one by one': {
          const shards = router.routeMany(keysOf(rows));
          const few = shards.subarray(0, ONE_BY_ONE);
          few.set(few.map((_, row) => router.route(columns.map((values) => values[row]))));
          return shards;
        }
        case 'CSV':
          return ofFile(router, csv, { format: 'csv', key: names, escape: '\\' });
        case 'NDJSON':
          return kinds.includes('bytes') ? undefined : ofFile(router, ndjson, { format: 'ndjson', key: names }); // JSON has no bytes
        case 'Parquet':
          await routeFile(parquet, { router, records: { format: 'parquet', key: names }, out });
          return column(`select shard from read_parquet('${out}')`);
        case 'DuckDB':
          return inDuckDb((key) => `route_by(${key}, '${routers.indexOf(router)}')`);
      }
    },
    close() {
      connection.closeSync();
      instance.closeSync();
    },
  };
}

/** With the escape character `\`, as `latin1` of its bytes. */
function csvOf(rows: RandomRows): string {
  const { kinds } = rows;
  const fieldOf = (text: string | null, i: number) => {
    if (text === null) return '\\N';
    const bytes = kinds[i] === 'bytes' ? Buffer.from(text, 'hex') : Buffer.from(text);
    const escaped = bytes.toString('latin1').replaceAll('\\', '\\\\');
    return /[",\r\n]/.test(escaped) ? `"${escaped.replaceAll('"', '""')}"` : escaped;
  };
  return [columnNames(rows), ...textRows(rows).map((texts) => texts.map(fieldOf))]
    .map((fields) => `${fields.join()}\n`)
    .join('');
}

/** With the numbers of rows, and bytes in hex. */
export function ndjsonOf(rows: RandomRows): string {
  const { kinds } = rows;
  const lines = textRows(rows).map((texts, row) => {
    const values = texts.map((text, i) => {
      const isNumber = text !== null && INTEGERS.test(kinds[i]) && row % 2 === 0;
      return `"k${i}":${isNumber ? text : JSON.stringify(text)}`;
    });
    return `{"row":${row},${values}}\n`;
  });
  return lines.join('');
}
