// Spark is not run here. Its hash is compared with the values in its documentation, and the expressions are computed by the
// rules of its functions: integers have 64 bits and a sign.
import { describe, expect, it } from 'vitest';
import { layoutSql, routingSql } from '../../../src/engines/sql/index.js';
import { expressionsOf } from '../../../src/engines/sql/layouts.js';
import { type Layout, layouts, Router, xxh64 } from '../../../src/index.js';
import { randomKeys } from '../../partitioners/random-keys.js';
import { numberTimeMask } from '../../support/number-times.js';
import { randomU64s } from '../../support/random.js';

const signed = (value: bigint) => BigInt.asIntN(64, value);
const unsigned = (value: bigint) => BigInt.asUintN(64, value);

const int32 = (value: number) => new Int32Array([value]);

const FUNCTIONS: { readonly [name: string]: (...values: bigint[]) => bigint } = {
  pmod: (value, divisor = 1n) => ((value % divisor) + divisor) % divisor,
  shiftrightunsigned: (value, bits) => signed(unsigned(value) >> (bits as bigint)),
  shiftright: (value, bits) => value >> (bits as bigint),
};

/** A function of an expression, in which integers overflow nowhere. */
function compute(expression: string, ...parameters: readonly string[]): (...values: unknown[]) => bigint {
  const inJs = expression.replace(/\b\d+\b/g, '$&n').replaceAll('xxhash64(key)', 'hash');
  const names = Object.keys(FUNCTIONS);
  const made = Function(...names, ...parameters, `return ${inJs}`);
  return (...values) => made(...Object.values(FUNCTIONS), ...values);
}

describe('Spark', () => {
  // https://spark.apache.org/docs/latest/api/sql/#xxhash64 and the examples of pyspark.sql.functions.xxhash64. The hash of a
  // column is the seed of the next one's; an array has the hash of its elements, and an integer is its 4 bytes.
  it('hashes as XXH64 with seed 42', () => {
    expect(signed(xxh64('ABC', 42n))).toBe(4105715581806190027n);
    expect(signed(xxh64('DEF', xxh64('ABC', 42n)))).toBe(3233247871021311208n);
    expect(signed(xxh64(int32(2), xxh64(int32(123), xxh64('Spark', 42n))))).toBe(5602566077635097486n);
  });

  it.each(['modulo', 'fastrange'] as const)('routes as a Router: %s', (strategy) => {
    const text = routingSql('spark', { strategy, shards: 10 });
    const [, expression = ''] = /return case when key is not null then cast\((.*) as int\) end;/.exec(text) ?? [];
    const route = compute(expression, 'hash', 'shards');
    const { keys } = randomKeys('text', 10_000);
    const hashes = (keys as string[]).map((key) => signed(xxh64(key, 42n)));
    for (const shards of [1, 2, 1000, 65536, 2 ** 31 - 1]) {
      const ours = new Router({ shards, strategy, seed: 42n }).routeMany(keys as string[]);
      const theirs = hashes.map((hash) => Number(route(hash, BigInt(shards))));
      expect(theirs).toEqual([...ours]);
    }
  });

  it.each(Object.entries(layouts as unknown as { [name: string]: Layout }))('reads the ids of %s', (_, layout) => {
    const mins = layout.pack(Object.fromEntries(layout.places.map(({ name, min }) => [name, BigInt(min)])));
    const ids = randomU64s(1000).map((id) => (id & numberTimeMask(layout)) | mins);
    const wide = layout.unpackMany(ids, { wide: true }) as { [field: string]: BigUint64Array };
    const text = layoutSql('spark', layout, 'x');
    for (const { name } of layout.places.filter((place) => place.name !== layout.time?.name)) {
      const expression = expressionsOf(layout, 'spark')[name] as string;
      expect(text).toContain(`return ${expression};`);
      const read = compute(expression, 'id');
      expect(Array.from(ids, (id) => read(signed(id)))).toEqual([...(wide[name] ?? [])]);
    }
  });
});
