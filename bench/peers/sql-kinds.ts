// What `shardbits sql --dialect clickhouse --as SYSTEM --keys KINDS` writes, run in ClickHouse over random keys of each kind and of
// several columns, with NULLs, and compared with the partitioner row by row.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PLACING_WORDS, placingSql } from '../../src/engines/sql/index.js';
import {
  type KeyKind,
  type Partitioner,
  type PartitionKeys,
  partitionerNamed,
  systems,
} from '../../src/partitioners/index.js';
import { keysOf, type RandomRows, randomRows, signaturesOf } from '../../test/partitioners/random-rows.js';
import { ndjsonOf } from '../../test/partitioners/ways-of-rows.js';
import type { ClickHouse } from './clickhouse.js';

type Report = (same: boolean, what: string) => void;

const SHARDS = 1000;

const TYPES = {
  ...{ text: 'String', bytes: 'String', uuid: 'UUID', decimal: 'Decimal(38, 2)' },
  ...{ int8: 'Int8', int16: 'Int16', int32: 'Int32', int64: 'Int64' },
  ...{ uint8: 'UInt8', uint16: 'UInt16', uint32: 'UInt32', u64: 'UInt64' },
  ...{ date: 'Date32', timestamp: "DateTime64(6, 'UTC')" },
} satisfies { readonly [kind in KeyKind]?: string };

const KINDS = Object.keys(TYPES) as readonly (keyof typeof TYPES)[];

/** The days that these types have: those of the years 1900 to 2299. */
const DAYS = [-25_567, 120_529] as const;

/** Makes the table `bench.rows`, with the columns k0, k1, and so on. @param ndjson a file of {@link ndjsonOf} */
export function loadRows(clickhouse: ClickHouse, kinds: readonly KeyKind[], ndjson: string, hasNull = false): void {
  const types = kinds.map((kind) => TYPES[kind as keyof typeof TYPES]);
  const given = types
    .map((type, i) => `k${i} ${hasNull ? `Nullable(${type})` : type}`)
    .join()
    .replaceAll("'", "\\'");
  const read = kinds.map((kind, i) => (kind === 'bytes' ? `unhex(k${i}) AS k${i}` : `k${i}`));
  clickhouse.lines(`CREATE TABLE bench.rows ENGINE = Memory AS SELECT row, ${read}
    FROM file('${ndjson}', 'JSONEachRow', 'row UInt32, ${given}') SETTINGS max_threads = 1`);
}

const readModule = () => readFileSync('build/clickhouse.wasm');

/** The statements, or undefined for keys that the system does not have or for which there is no SQL. */
function statementsFor(word: string, key: KeyKind | readonly KeyKind[]) {
  try {
    const made = partitionerNamed(word, { shards: Math.min(SHARDS, systems[word].most), key });
    return { made, sql: placingSql(systems[word], made, readModule) };
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

/** Compares every kind of keys and, where a key may have several columns, pairs and triples of them. */
export function compareKinds(clickhouse: ClickHouse, count: number, report: Report): void {
  const rows = randomRows(KINDS, count, { hasNull: true, days: DAYS });
  const folder = mkdtempSync(join(tmpdir(), 'shardbits-kinds-'));
  const file = join(folder, 'rows.ndjson');
  writeFileSync(file, ndjsonOf(rows));
  loadRows(clickhouse, KINDS, file, true);
  rmSync(folder, { recursive: true });
  for (const word of PLACING_WORDS) {
    const single = KINDS.filter((kind) => statementsFor(word, kind) !== undefined);
    const wanted = [...single, ...(systems[word].columns > 1 ? signaturesOf(single) : [])];
    const wrong = wanted.flatMap((key) => {
      const count = wrongRows(clickhouse, rows, word, key);
      return count === 0 ? [] : [`${[key].flat()}: ${count} rows`];
    });
    const what = `${count} keys of ${single.join(', ')}${wanted.length > single.length ? ', pairs and triples' : ''}: ${word}`;
    report(wrong.length === 0, [what, ...wrong].join('\n  '));
  }
  clickhouse.drop('rows');
}

export function hasRuleForNull(made: Partitioner): boolean {
  try {
    made.route(typeof made.key === 'string' ? null : made.key.map(() => null));
    return true;
  } catch (error) {
    if (error instanceof TypeError) return false;
    throw error;
  }
}

function wrongRows(clickhouse: ClickHouse, all: RandomRows, word: string, key: KeyKind | readonly KeyKind[]): number {
  const { made, sql } = statementsFor(word, key) as NonNullable<ReturnType<typeof statementsFor>>;
  clickhouse.lines(sql);
  const [, name, parameters = ''] = /^create or replace function (\w+) as \(([^)]*)\)/m.exec(sql) ?? [];
  const [, example, expected] = /To check it: select (.*); gives (\d+)\./.exec(sql) ?? [];
  if (clickhouse.lines(`select ${example}`).trim() !== expected) return all.columns[0].length;
  const kinds = [key].flat() as readonly (typeof KINDS)[number][];
  const places = kinds.map((kind) => KINDS.indexOf(kind));
  const given = [...places.map((place) => `k${place}`), ...(parameters.endsWith('shards') ? [made.shards] : [])];
  const theirs = clickhouse.lines(`SELECT ${name}(${given}) FROM bench.rows ORDER BY row`).split('\n');
  const columns = places.map((place) => all.columns[place]);
  // Without a rule for NULL, it gives NULL.
  const takesNull = hasRuleForNull(made);
  const isNull = (row: number) => !takesNull && columns.some((values) => values[row] === null);
  const withoutNull = columns.map((values) =>
    values.map((value) => value ?? (values.find((one) => one !== null) as string)),
  );
  const keys = keysOf({ kinds, columns: takesNull ? columns : withoutNull });
  const ours = made.routeMany(typeof key === 'string' ? (keys as readonly PartitionKeys[])[0] : keys);
  return ours.filter((shard, row) => theirs[row] !== (isNull(row) ? '\\N' : String(shard))).length;
}
