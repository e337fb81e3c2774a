import { describe, expect, it } from 'vitest';
import { xxh64 } from '../../src/index.js';
import { partitioner } from '../../src/partitioners/index.js';
import { onBothBackends } from '../support/backends.js';
import type { PartitionerVector } from '../vectors/partitioner-vector.js';
import { PARTITIONER_VECTORS, SPARK_XXHASH64 } from '../vectors/partitioners.js';
import { bigints, columnsOf, formsOf, make } from './samples.js';

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
});
