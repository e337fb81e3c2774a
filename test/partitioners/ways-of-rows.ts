// Every way in which keys of several columns come to a partitioner: columns in memory, files and SQL.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type RecordFormat, routeFile } from '../../src/node/index.js';
import type { KeyKind, Partitioner } from '../../src/partitioners/index.js';
import { columnNames, keysOf, type RandomRows, textRows } from './random-rows.js';

const INTEGERS = /^u?int|^u64$/;

/** How many rows are also routed one by one. */
const ONE_BY_ONE = 200;

type Way = (by: Partitioner) => Uint32Array | Promise<Uint32Array>;

/** Writes rows to files in an empty folder. @returns the shards of all rows in each way that there is for them */
export function waysOf(rows: RandomRows, folder: string): { readonly [way: string]: Way } {
  const { kinds, columns } = rows;
  const texts = textRows(rows);
  const key = columnNames(rows);
  const csv = join(folder, 'rows.csv');
  const ndjson = join(folder, 'rows.ndjson');
  writeFileSync(csv, csvOf(key, kinds, texts), 'latin1');
  writeFileSync(ndjson, ndjsonOf(key, kinds, texts));

  const fromFile =
    (path: string, records: RecordFormat): Way =>
    async (router) => {
      const out = join(folder, 'shards');
      await routeFile(path, { router, records, out, format: 'u32' });
      return new Uint32Array(new Uint8Array(readFileSync(out)).buffer);
    };
  return {
    columns: (by) => by.routeMany(keysOf(rows)),
    'one by one': (by) => {
      const shards = by.routeMany(keysOf(rows));
      const few = shards.subarray(0, ONE_BY_ONE);
      few.set(few.map((_, row) => by.route(columns.map((values) => values[row]))));
      return shards;
    },
    CSV: fromFile(csv, { format: 'csv', key, escape: '\\' }),
    // JSON has no bytes.
    ...(!kinds.includes('bytes') && { NDJSON: fromFile(ndjson, { format: 'ndjson', key }) }),
  };
}

type TextRows = ReturnType<typeof textRows>;

/** With the escape character `\`, as `latin1` of its bytes. */
function csvOf(names: readonly string[], kinds: readonly KeyKind[], rows: TextRows): string {
  const fieldOf = (text: string | null, i: number) => {
    if (text === null) return '\\N';
    const bytes = kinds[i] === 'bytes' ? Buffer.from(text, 'hex') : Buffer.from(text);
    const escaped = bytes.toString('latin1').replaceAll('\\', '\\\\');
    return /[",\r\n]/.test(escaped) ? `"${escaped.replaceAll('"', '""')}"` : escaped;
  };
  return [names, ...rows.map((row) => row.map(fieldOf))].map((fields) => `${fields.join()}\n`).join('');
}

/** With bytes in hex. */
function ndjsonOf(names: readonly string[], kinds: readonly KeyKind[], rows: TextRows): string {
  const lines = rows.map((row, at) => {
    const values = row.map((text, i) => {
      const isNumber = text !== null && INTEGERS.test(kinds[i]) && at % 2 === 0;
      return `"${names[i]}":${isNumber ? text : JSON.stringify(text)}`;
    });
    return `{"row":${at},${values}}\n`;
  });
  return lines.join('');
}
