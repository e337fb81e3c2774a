import fc from 'fast-check';
import { expect, it } from 'vitest';
import { type Key, type Keys, Xxh64, xxh64, xxh64Many } from '../../src/index.js';
import { onBothBackends } from '../support/backends.js';
import { randomBytes } from '../support/random.js';

const TWO_64 = 1n << 64n;
const short = randomBytes(7);
const long = randomBytes(100);

/** Every way to a hash, of inputs shorter and longer than a stripe. */
const PATHS: readonly [string, (seed: bigint) => unknown][] = [
  ...([short, long, 'abc', 'ж'.repeat(50), 42n] satisfies Key[]).map(
    (key, i) => [`xxh64 of key ${i}`, (seed: bigint) => xxh64(key, seed)] as [string, (seed: bigint) => unknown],
  ),
  ...(
    [
      ['abc', 'ж'.repeat(50)],
      { data: long, offsets: Uint32Array.of(0, 7, 7, 100) },
      BigUint64Array.of(1n, 2n, 3n, 4n, 5n),
      BigInt64Array.of(-1n, 1n),
    ] satisfies Keys[]
  ).map(
    (keys, i) =>
      [`xxh64Many of keys ${i}`, (seed: bigint) => xxh64Many(keys, { seed })] as [string, (seed: bigint) => unknown],
  ),
  ['a stream', (seed) => new Xxh64(seed).update(long).digest()],
  ['a short stream', (seed) => new Xxh64(seed).update(short).digest()],
  ['a stream begun again', (seed) => new Xxh64(5n).update(short).reset(seed).update(long).digest()],
  ['a cloned stream', (seed) => new Xxh64(seed).update(short).clone().update(long).digest()],
  ['a clone begun again', (seed) => new Xxh64(seed).clone().reset().update(long).digest()],
];

onBothBackends('a seed is taken modulo 2^64', () => {
  it.each(PATHS)('%s', (_, hash) => {
    expect(hash(-1n)).toEqual(hash(TWO_64 - 1n));
    expect(hash(TWO_64)).toEqual(hash(0n));
    expect(hash(TWO_64 + 1n)).toEqual(hash(1n));
    expect(hash(-(1n << 63n))).toEqual(hash(1n << 63n));
    expect(hash(1n - (TWO_64 << 70n))).toEqual(hash(1n));
    expect(hash(1n)).not.toEqual(hash(0n));
    expect(hash(TWO_64 - 1n)).not.toEqual(hash(0n));
  });

  it('whatever it is', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: -(1n << 130n), max: 1n << 130n }), (seed) => {
        const wrapped = BigInt.asUintN(64, seed);
        for (const [, hash] of PATHS) expect(hash(seed)).toEqual(hash(wrapped));
      }),
      { numRuns: 50 },
    );
  });
});
