import { describe, expect, it } from 'vitest';
import { xxh64 } from '../../src/index.js';
import { partitioner } from '../../src/partitioners/index.js';
import { onBothBackends } from '../support/backends.js';
import type { PartitionerVector } from '../vectors/partitioner-vector.js';
import { MONGODB_BOUNDS } from '../vectors/partitioners/databases.js';
import { KEYED_VECTORS } from '../vectors/partitioners/keyed.js';
import { PARTITIONER_VECTORS, SPARK_XXHASH64, TOKENS_BY_LENGTH } from '../vectors/partitioners.js';
import { keysOf } from './random-rows.js';
import { bigints, bytesColumn, columnsOf, formsOf, make } from './samples.js';

const KINDS = ['text', 'bytes', 'int32', 'int64', 'uuid'] as const;

/** Vectors with a value of this name, in every form of a column. */
function check(
  { system, options }: { system: string; options: object },
  vectors: readonly PartitionerVector[],
  value: 'token' | 'shard',
): void {
  const [first] = vectors;
  const known = vectors.filter((vector) => vector[value] !== undefined);
  if (first === undefined || known.length === 0) return;
  const made = make(system, { ...options, key: first.kind });
  const expected = known.map((vector) => BigInt(vector[value] as number | bigint));
  const keys = known.map(({ key }) => key);
  for (const column of columnsOf(first.kind, keys)) {
    expect(bigints(value === 'token' ? made.tokens(column) : made.routeMany(column))).toEqual(expected);
  }
}

const nameOf = ({ kind, key }: PartitionerVector): string =>
  `${kind} ${typeof key === 'object' ? [...key].map((byte) => byte.toString(16).padStart(2, '0')).join('') : key}`;

onBothBackends('a partitioner places keys like its system', () => {
  const groups = PARTITIONER_VECTORS.map(
    (group) => [`${group.system} ${JSON.stringify(group.options)}`, group] as const,
  );

  describe.each(groups)('%s', (_, group) => {
    it.each(group.vectors.map((vector) => [nameOf(vector), vector] as const))('one key: %s', (_, vector) => {
      const { kind, key, shard } = vector;
      if (shard !== undefined) {
        const made = make(group.system, { ...group.options, key: kind });
        expect(formsOf(kind, key).map((form) => made.route(form))).toEqual(formsOf(kind, key).map(() => shard));
      }
      check(group, [vector], 'shard');
      check(group, [vector], 'token');
    });

    it.each(KINDS.filter((kind) => group.vectors.some((vector) => vector.kind === kind)))('a column: %s', (kind) => {
      const vectors = group.vectors.filter((vector) => vector.kind === kind);
      check(group, vectors, 'shard');
      check(group, vectors, 'token');
    });
  });

  it.each(SPARK_XXHASH64)("Spark's xxhash64() is xxh64 with the seed 42: $hash", ({ key, hash }) => {
    expect(BigInt.asIntN(64, xxh64(key, 42n))).toBe(hash);
  });

  // ClickHouse 26.7: sipHash64('a', 1::Int64), and so on.
  it.each([
    ['sipHash64', 'int64', 1n, 10001612335311982739n],
    ['cityHash64', 'int64', 1n, 11051256024482834174n],
    ['xxHash64', 'int64', 1n, 10165952018042588633n],
    ['murmurHash3_64', 'int64', 1n, 4860178512256548264n],
    ['murmurHash3_64', 'uint8', 1, 8357035955791297655n],
  ] as const)('two columns: %s of a text and %s', (hash, kind, key, token) => {
    const made = partitioner('clickhouse', { hash, shards: 1000, key: ['text', kind] });
    expect(made.tokens([['a'], [key]])).toEqual(BigUint64Array.of(token));
    expect(made.route(['a', key] as never)).toBe(Number(token % 1000n));
  });

  it.each(
    KEYED_VECTORS.map((group) => [`${group.system} ${JSON.stringify(group.options)}`, group] as const),
  )('other kinds of keys, and several columns: %s', (_, { system, options, vectors }) => {
    const made = make(system, options);
    const keys = vectors.map(([key]) => key);
    expect(keys.map((key) => made.route(key))).toEqual(Array.from(made.routeMany(columnsOfKeys(options.key, keys))));
    for (const [key, token, shard] of vectors) {
      const column = columnsOfKeys(options.key, [key]);
      if (token !== undefined) expect(bigints(made.tokens(column))).toEqual([BigInt(token)]);
      if (shard !== undefined) expect(made.route(key)).toBe(shard);
    }
  });

  it.each(TOKENS_BY_LENGTH)('bytes of every length: $system $options', ({
    system,
    options,
    lengths,
    xxh64: expected,
  }) => {
    const keys = Array.from({ length: lengths }, (_, length) => {
      return Uint8Array.from({ length }, (_, place) => 7 * place + length);
    });
    const tokens = make(system, { ...options, shards: 12, key: 'bytes' }).tokens(bytesColumn(keys));
    expect(xxh64(new Uint8Array(tokens.buffer, tokens.byteOffset, tokens.byteLength))).toBe(expected);
  });

  it("ClickHouse's farmHash64 of more than 256 bytes is refused, and nothing is written", () => {
    const made = make('clickhouse', { hash: 'farmHash64', shards: 12 });
    const long = 'é'.repeat(129);
    const out = new Uint32Array(20_001).fill(7);
    const keys = [...new Array<string>(20_000).fill('a'), long];
    expect(() => made.routeMany(keys, { out })).toThrow(expect.objectContaining({ argument: 'keys', row: 20_000 }));
    expect(new Set(out)).toEqual(new Set([7]));
    expect(() => made.route(long)).toThrow(expect.objectContaining({ name: 'RangeError', argument: 'key', got: 258 }));
    expect(made.route(long.slice(1))).toBe(made.routeMany([long.slice(1)])[0]);
  });

  it.each(
    MONGODB_BOUNDS.map((bounds) => [bounds.length + 1, bounds] as const),
  )('MongoDB: %i chunks of an empty collection have these bounds', (shards, bounds) => {
    const keys = Array.from({ length: 1000 }, (_, i) => `user:${i}`);
    const chunks = BigInt64Array.from(bounds);
    const given = make('mongodb', { chunks });
    expect(make('mongodb', { shards }).routeMany(keys)).toEqual(given.routeMany(keys));
    const tokens = bigints(given.tokens(keys));
    const expected = tokens.map((token) => bounds.filter((bound) => bound <= token).length);
    expect(Array.from(given.routeMany(keys))).toEqual(expected);
    expect(given.shards).toBe(shards);
  });
});

/** A column of one kind, or a list of columns. */
function columnsOfKeys(kind: string | readonly string[], keys: readonly unknown[]): unknown {
  if (typeof kind === 'object') return keysOfRows(kind, keys as readonly (readonly unknown[])[]);
  return typeof keys[0] === 'string'
    ? keys
    : keysOfRows(
        [kind],
        keys.map((key) => [key]),
      )[0];
}

function keysOfRows(kinds: readonly string[], rows: readonly (readonly unknown[])[]): readonly unknown[] {
  const columns = kinds.map((_, column) => rows.map((row) => row[column]));
  return keysOf({ kinds, columns } as never) as readonly unknown[];
}
