// What `shardbits sql --dialect clickhouse --as SYSTEM --keys KINDS` writes, run in ClickHouse over random keys of each kind and of
// several columns, with NULLs, and compared with the partitioner row by row.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PLACING_WORDS, placingSql } from '../../src/engines/sql/index.js';
import {
  KEY_KINDS,
  type KeyKind,
  type Partitioner,
  type PartitionKeys,
  partitionerNamed,
  systems,
} from '../../src/partitioners/index.js';
import { randomKeys } from '../../test/partitioners/random-keys.js';
import { bytesColumn } from '../../test/partitioners/samples.js';
import type { ClickHouse } from './clickhouse.js';

type Report = (same: boolean, what: string) => void;

const SHARDS = 1000;

/** The columns of the table, and random values for them as text. */
const COLUMNS: { readonly [kind in KeyKind]?: readonly [type: string, textOf: (value: bigint) => string] } = {
  int8: ['Int8', (value) => `${BigInt.asIntN(8, value)}`],
  int16: ['Int16', (value) => `${BigInt.asIntN(16, value)}`],
  int32: ['Int32', (value) => `${BigInt.asIntN(32, value)}`],
  int64: ['Int64', String],
  uint8: ['UInt8', (value) => `${BigInt.asUintN(8, value)}`],
  uint16: ['UInt16', (value) => `${BigInt.asUintN(16, value)}`],
  uint32: ['UInt32', (value) => `${BigInt.asUintN(32, value)}`],
  u64: ['UInt64', (value) => `${BigInt.asUintN(64, value)}`],
  date: ['Date32', (value) => new Date(Number(value % 25_000n) * 86_400_000).toISOString().slice(0, 10)],
  timestamp: [
    "DateTime64(6, 'UTC')",
    (value) => {
      const ms = Number(value % 2_000_000_000_000n);
      return `${new Date(ms).toISOString().slice(0, 23)}${BigInt.asUintN(64, value) % 10n}00`.replace('T', ' ');
    },
  ],
  decimal: [
    'Decimal(38, 2)',
    (value) =>
      `${value < 0n ? '-' : ''}${(value < 0n ? -value : value) / 100n}.${(value < 0n ? -value : value) % 100n < 10n ? '0' : ''}${(value < 0n ? -value : value) % 100n}`,
  ],
};

interface Column {
  readonly texts: readonly string[];
  readonly nulls: Uint8Array;
}

function load(clickhouse: ClickHouse, rows: number): { readonly [kind in KeyKind]?: Column } {
  const { keys: integers } = randomKeys('int64', Math.max(rows, 1000)) as { keys: BigInt64Array };
  const texts = randomKeys('text', Math.max(rows, 1000)).keys as readonly string[];
  const uuids = randomKeys('uuid', Math.max(rows, 1000)).keys as readonly string[];
  const textOf = (kind: KeyKind, row: number, salt: number): string => {
    if (kind === 'uuid') return uuids[row] as string;
    // ClickHouse and UTF-8 have no lone surrogates.
    if (kind === 'text' || kind === 'bytes') return Buffer.from(texts[row] as string).toString();
    return COLUMNS[kind]?.[1](integers[(row + salt) % integers.length] as bigint) as string;
  };
  const kinds = [...Object.keys(COLUMNS), 'text', 'bytes', 'uuid'] as KeyKind[];
  const columns = Object.fromEntries(
    kinds.map((kind, i): [string, Column] => [
      kind,
      {
        texts: Array.from({ length: rows }, (_, row) => textOf(kind, row, 17 * i)),
        nulls: Uint8Array.from({ length: rows }, (_, row) => Number(Math.imul(row + i, 2654435769) >>> 29 === 0)),
      },
    ]),
  );
  const folder = mkdtempSync(join(tmpdir(), 'shardbits-kinds-'));
  const file = join(folder, 'rows.json');
  const lines = Array.from({ length: rows }, (_, row) =>
    JSON.stringify(
      Object.fromEntries(kinds.map((kind) => [kind, columns[kind]?.nulls[row] ? null : columns[kind]?.texts[row]])),
    ),
  );
  writeFileSync(file, lines.join('\n'));
  const types = kinds.map((kind) => `${kind} Nullable(${COLUMNS[kind]?.[0] ?? (kind === 'uuid' ? 'UUID' : 'String')})`);
  clickhouse.lines(
    `CREATE TABLE bench.kinds ENGINE = Memory AS SELECT * FROM file('${file}', 'JSONEachRow', '${types
      .join(', ')
      .replaceAll("'", "\\'")}') SETTINGS max_threads = 1`,
  );
  rmSync(folder, { recursive: true });
  return columns;
}

/** The arrays of integers of each kind. */
const ARRAYS = {
  ...{ int8: Int8Array, int16: Int16Array, int32: Int32Array, int64: BigInt64Array },
  ...{ uint8: Uint8Array, uint16: Uint16Array, uint32: Uint32Array, u64: BigUint64Array },
} as const;

/** A column for a partitioner: an array of keys, or of a kind alone also integers or bytes. */
function keysOf(kind: KeyKind, { texts, nulls }: Column, isArray: boolean, takesNull: boolean): unknown {
  const array = (ARRAYS as { readonly [kind in KeyKind]?: { from(keys: readonly unknown[]): unknown } })[kind];
  const toKey = (text: string): unknown => {
    if (kind === 'bytes') return Buffer.from(text);
    if (array === undefined) return text;
    return kind === 'int64' || kind === 'u64' ? BigInt(text) : Number(text);
  };
  const keys = texts.map((text, row) => (takesNull && nulls[row] === 1 ? null : toKey(text)));
  if (isArray) return keys;
  return kind === 'bytes' ? bytesColumn(keys as Uint8Array[]) : (array?.from(keys) ?? keys);
}

export function hasRuleForNull(made: Partitioner): boolean {
  try {
    const isOne = typeof made.key === 'string';
    made.route((isOne ? null : Array.from(made.key, () => null)) as never);
    return true;
  } catch (error) {
    if (error instanceof TypeError) return false;
    throw error;
  }
}

const readModule = () => readFileSync('build/clickhouse.wasm');

/** The statements, or undefined for keys that the system does not have or for which there is no SQL. */
function statementsFor(word: string, key: KeyKind | readonly KeyKind[]) {
  try {
    const made = partitionerNamed(word, { shards: Math.min(SHARDS, systems[word]?.most ?? 1), key });
    return { made, sql: placingSql(systems[word] as never, made, readModule) };
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

/** Compares every kind of keys and, where a key may have several columns, pairs and triples of them. */
export function compareKinds(clickhouse: ClickHouse, rows: number, report: Report): void {
  const columns = load(clickhouse, rows);
  for (const word of PLACING_WORDS) {
    const single = KEY_KINDS.filter((kind) => statementsFor(word, kind) !== undefined);
    const at = (i: number) => single[i % single.length] as KeyKind;
    const several = single.flatMap((kind, i) => [
      [kind, at(i + 1)],
      [kind, at(i + 3), at(i + 5)],
    ]);
    const wanted = [...single, ...((systems[word]?.columns ?? 1) > 1 ? several : [])];
    const wrong = wanted.flatMap((key) => {
      const count = wrongRows(clickhouse, columns, word, key, rows);
      return count === 0 ? [] : [`${[key].flat()}: ${count} rows`];
    });
    const what = `${rows} keys of ${single.join(', ')}${wanted.length > single.length ? ', pairs and triples' : ''}: ${word}`;
    report(wrong.length === 0, [what, ...wrong].join('\n  '));
  }
  clickhouse.drop('kinds');
}

function wrongRows(
  clickhouse: ClickHouse,
  columns: { readonly [kind in KeyKind]?: Column },
  word: string,
  key: KeyKind | readonly KeyKind[],
  rows: number,
): number {
  const { made, sql } = statementsFor(word, key) as NonNullable<ReturnType<typeof statementsFor>>;
  clickhouse.lines(sql);
  const [, name, parameters = ''] = /^create or replace function (\w+) as \(([^)]*)\)/m.exec(sql) ?? [];
  const [, example, expected] = /To check it: select (.*); gives (\d+)\./.exec(sql) ?? [];
  if (clickhouse.lines(`select ${example}`).trim() !== expected) return rows;
  const kinds = [key].flat() as readonly KeyKind[];
  const given = [...kinds, ...(parameters.endsWith('shards') ? [made.shards] : [])];
  const theirs = clickhouse.lines(`SELECT ${name}(${given.join(', ')}) FROM bench.kinds SETTINGS max_threads = 1`);
  const takesNull = hasRuleForNull(made);
  const read = kinds.map((kind) => columns[kind] as Column);
  const isArray = takesNull || kinds.length > 1;
  const ofColumns = read.map((column, i) => keysOf(kinds[i] as KeyKind, column, isArray, takesNull));
  const ours = made.routeMany((typeof key === 'string' ? ofColumns[0] : ofColumns) as PartitionKeys);
  const isNull = (row: number) => !takesNull && read.some(({ nulls }) => nulls[row] === 1);
  const lines = theirs.split('\n');
  return ours.filter((shard, row) => lines[row] !== (isNull(row) ? '\\N' : String(shard))).length;
}
