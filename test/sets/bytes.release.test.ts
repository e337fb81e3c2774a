// docs/arrow-and-sets.md has how many bytes an id takes in a set that is serialized.
import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { IdSet } from '../../src/sets/index.js';
import { randomU64s } from '../support/random.js';

const MILLION = 1_000_000;

/** Ids of shard 5, so many in each millisecond. */
function minted(perMs: number): BigUint64Array {
  return BigUint64Array.from({ length: MILLION }, (_, i) => {
    const ms = BigInt(Math.floor(i / perMs)) + 60_000_000_000n;
    return (ms << 22n) | (5n << 12n) | BigInt(i % perMs);
  });
}

/** Ids of 2^14 prefixes, which have equally many. */
const interned = (): BigUint64Array =>
  BigUint64Array.from(
    { length: MILLION },
    (_, i) => (BigInt(i % 2 ** 14) << 50n) | BigInt(Math.floor(i / 2 ** 14) + 1),
  );

const COLUMNS: readonly (readonly [what: string, ids: () => BigUint64Array])[] = [
  ['a million ids minted, 100 in a millisecond', () => minted(100)],
  ['a million ids minted, 1 in a millisecond', () => minted(1)],
  ['a million interned strings, 2^14 prefixes', interned],
  ['a million random ids below 2^42', () => randomU64s(MILLION).map((id) => id >> 22n)],
  ['a million hashes', () => randomU64s(MILLION)],
];

it.each(COLUMNS)('the bytes an id in docs/arrow-and-sets.md: %s', (what, ids) => {
  using set = IdSet.from(ids());
  const bytes = set.serialize().length / set.size;
  const short = bytes.toFixed(bytes < 0.995 ? 2 : bytes < 9.95 ? 1 : 0);
  expect(readFileSync('docs/arrow-and-sets.md', 'utf8')).toContain(`| ${what} | ${short} |`);
});
