// Keys of two and three columns, with every kind in each place, in each of the ways in which they come to a partitioner:
// compared with ClickHouse and cassandra-driver. The tests compare them with PostgreSQL.
import { mkdtempSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setBackend } from '../../src/index.js';
import {
  type KeyKind,
  type Partitioner,
  type PartitionValue,
  partitioner,
  systems,
} from '../../src/partitioners/index.js';
import {
  columnNames,
  keysOf,
  type RandomRows,
  randomRows,
  signaturesOf,
  textOf,
} from '../../test/partitioners/random-rows.js';
import { inPlaces, type RowsInPlaces, WAYS } from '../../test/partitioners/ways-of-rows.js';
import type { ClickHouse } from './clickhouse.js';
import { ROWS } from './rows.js';
import { loadRows } from './sql-kinds.js';

/** So many rows of two columns, and as many of three. */
const COUNT = Math.min(ROWS / 10, 100_000);
const SHARDS = 12;
const RING = BigInt64Array.of(-(2n ** 62n), -1n, 2n ** 40n, 2n ** 62n);
const HASHES = ['sipHash64', 'cityHash64', 'murmurHash3_64', 'xxHash64', 'murmurHash2_64'] as const;

type Report = (same: boolean, what: string) => void;

/** What has been compared, for a line of the report: rows by the number of their columns. */
class Compared {
  readonly #rows = new Map<number, number>();
  readonly #wrong: string[] = [];

  constructor(private readonly what: string) {}

  /** Compares the results for all rows. */
  add(rows: RandomRows, how: string, ours: ArrayLike<unknown>, theirs: ArrayLike<unknown>): void {
    const { length } = rows.columns[0];
    if (ours.length !== length || theirs.length !== length)
      throw new Error(`${length} rows have ${ours.length} results`);
    const different = Array.from({ length }, (_, row) => row).filter((row) => ours[row] !== theirs[row]);
    if (different.length === 0) return;
    const [row] = different;
    const key = rows.kinds.map((kind, i) => `${kind} ${shown(kind, rows.columns[i][row])}`).join(', ');
    this.#wrong.push(`${how}: ${different.length} rows, the first (${key}): expected ${theirs[row]}, got ${ours[row]}`);
  }

  count({ kinds, columns }: RandomRows): void {
    this.#rows.set(kinds.length, (this.#rows.get(kinds.length) ?? 0) + columns[0].length);
  }

  report(report: Report): void {
    const counts = Array.from(
      this.#rows,
      ([columns, rows]) => `${rows.toLocaleString('en')} rows of ${columns} columns`,
    );
    report(this.#wrong.length === 0, [`${counts.join(', ')}: ${this.what}`, ...this.#wrong].join('\n  '));
  }
}

const shown = (kind: KeyKind, value: PartitionValue): string =>
  value === null ? 'NULL' : JSON.stringify(textOf(kind, value));

/** Compares rows of all signatures of some kinds. */
async function eachSignature(
  kinds: readonly KeyKind[],
  compare: (rows: RandomRows, folder: string) => Promise<void>,
): Promise<void> {
  const signatures = signaturesOf(kinds);
  for (const signature of signatures) {
    const folder = mkdtempSync(join(tmpdir(), 'shardbits-columns-'));
    try {
      await compare(randomRows(signature, Math.ceil((2 * COUNT) / signatures.length)), folder);
    } finally {
      rmSync(folder, { recursive: true });
    }
  }
}

/** Compares the shards of all ways on both backends. */
async function compareWays(
  compared: Compared,
  rows: RandomRows,
  places: RowsInPlaces,
  by: Partitioner,
  theirs: Uint32Array,
) {
  for (const backend of ['wasm', 'bigint'] as const) {
    setBackend(backend);
    for (const way of WAYS) {
      const shards = await places.shards(way, by);
      if (shards !== undefined) compared.add(rows, `${rows.kinds} by ${way}, ${backend}`, shards, theirs);
    }
  }
  setBackend('auto');
}

function compareTokens(compared: Compared, rows: RandomRows, by: Partitioner, theirs: ArrayLike<unknown>): void {
  for (const backend of ['wasm', 'bigint'] as const) {
    setBackend(backend);
    compared.add(rows, `token of ${rows.kinds}, ${backend}`, by.tokens(keysOf(rows)), theirs);
  }
  setBackend('auto');
}

/** ClickHouse by its own functions, of several arguments. */
export async function compareColumnsWithClickHouse(clickhouse: ClickHouse, report: Report): Promise<void> {
  const all = HASHES.map((hash) => new Compared(`as ClickHouse ${hash}`));
  await eachSignature(systems['clickhouse:sipHash64'].keys, async (rows, folder) => {
    const routers = HASHES.map((hash) => partitioner('clickhouse', { hash, shards: SHARDS, key: rows.kinds }));
    const places = await inPlaces(rows, folder, routers as Partitioner[]);
    loadRows(clickhouse, rows.kinds, places.ndjson);
    for (const [i, hash] of HASHES.entries()) {
      const sql = `SELECT toUInt64(${hash}(${columnNames(rows)})) FROM bench.rows ORDER BY row`;
      const tokens = new BigUint64Array(await clickhouse.rowBinary(sql));
      const shards = Uint32Array.from(tokens, (token) => Number(token % BigInt(SHARDS)));
      compareTokens(all[i], rows, routers[i] as Partitioner, tokens);
      await compareWays(all[i], rows, places, routers[i] as Partitioner, shards);
      const inDuckDb = await places.inDuckDb((key) => `clickhouse_shard(${key}, ${SHARDS}, '${hash}')`);
      all[i].add(rows, `${rows.kinds} by clickhouse_shard`, inDuckDb, shards);
      all[i].count(rows);
    }
    clickhouse.drop('rows');
    places.close();
  });
  for (const compared of all) compared.report(report);
  compareNull(clickhouse, report);
}

/** A sharding key cannot be NULL: the hash of several arguments then is, and a table with such a key cannot be made. */
function compareNull(clickhouse: ClickHouse, report: Report): void {
  for (const hash of HASHES) {
    const isNull = clickhouse.lines(`SELECT isNull(${hash}(NULL, 'a')), isNull(${hash}(1, NULL))`) === '1\t1\n';
    const by = partitioner('clickhouse', { hash, shards: SHARDS, key: ['int64', 'text'] });
    const refused = [
      [null, 'a'],
      [1n, null],
    ].every((key) => throws(() => by.route(key as never), /a string|a bigint/));
    report(isNull && refused, `NULL in a column has no hash: ClickHouse ${hash}`);
  }
  clickhouse.lines('CREATE TABLE bench.nullable (a Nullable(Int64), b String) ENGINE = Memory');
  const create = (key: string) => () =>
    clickhouse.lines(
      `CREATE TABLE bench.sharded AS bench.nullable ENGINE = Distributed(none, bench, nullable, ${key})`,
    );
  report(throws(create('sipHash64(a, b)'), /TYPE_MISMATCH/), 'Distributed refuses a sharding key that may be NULL');
  report(
    throws(create('sipHash64(b)'), /CLUSTER_DOESNT_EXIST/),
    'Distributed has nothing against the type of another one',
  );
  clickhouse.drop('nullable');
}

function throws(run: () => unknown, message: RegExp): boolean {
  try {
    run();
  } catch (error) {
    if (message.test(String(error))) return true;
    throw error;
  }
  return false;
}

interface CassandraDriver {
  readonly types: { readonly dataTypes: { readonly [name: string]: number } } & { readonly [name: string]: any };
}

/** cassandra-driver by the types of the columns of a partition key. */
export async function compareColumnsWithCassandra(report: Report): Promise<void> {
  const compared = new Compared('as cassandra-driver');
  const tokensOf = cassandraTokens();
  await eachSignature(systems.cassandra.keys, async (rows, folder) => {
    const by = partitioner('cassandra', { tokens: RING, key: rows.kinds }) as Partitioner;
    const places = await inPlaces(rows, folder, [by]);
    const tokens = tokensOf(rows);
    const shards = Uint32Array.from(tokens, (token) => RING.filter((end) => end < token).length % RING.length);
    compareTokens(compared, rows, by, tokens);
    await compareWays(compared, rows, places, by, shards);
    compared.count(rows);
    places.close();
  });
  compared.report(report);
}

function cassandraTokens(): (rows: RandomRows) => BigInt64Array {
  const require = createRequire(import.meta.url);
  const { types } = require('cassandra-driver') as CassandraDriver;
  const Encoder = require('cassandra-driver/lib/encoder.js');
  const { Murmur3Tokenizer } = require('cassandra-driver/lib/tokenizer.js');
  const { dataTypes: type, Long, Uuid, LocalDate, LocalTime } = types;
  const encoder = new Encoder(4, { encoding: {} });
  const tokenizer = new Murmur3Tokenizer();
  const long = (value: PartitionValue) => Long.fromString(String(BigInt.asIntN(64, value as bigint)));
  const written: { readonly [kind in KeyKind]?: readonly [type: number, value: (value: any) => unknown] } = {
    text: [type.varchar, String],
    bytes: [type.blob, Buffer.from],
    int8: [type.tinyint, Number],
    int16: [type.smallint, Number],
    int32: [type.int, Number],
    int64: [type.bigint, long],
    u64: [type.bigint, long],
    uuid: [type.uuid, (value) => Uuid.fromString(value)],
    date: [type.date, (value) => LocalDate.fromString(textOf('date', value))],
    time: [type.time, (value) => LocalTime.fromString(textOf('time', value))],
    timestamp: [type.timestamp, (value) => new Date(`${textOf('timestamp', value).slice(0, 23)}Z`)],
  };
  return ({ kinds, columns }) =>
    BigInt64Array.from(columns[0], (_, row) => {
      const parts = kinds.map((kind, i) => {
        const [code, asGiven] = written[kind] as NonNullable<(typeof written)[KeyKind]>;
        return encoder.encode(asGiven(columns[i][row]), { code });
      });
      const execution = {
        key: parts,
        getRoutingKey: () => execution.key,
        setRoutingKey: (key: Buffer[]) => {
          execution.key = key;
        },
      };
      encoder.setRoutingKeyFromUser([], execution);
      return BigInt(String(tokenizer.hash(execution.key).getValue()));
    });
}
