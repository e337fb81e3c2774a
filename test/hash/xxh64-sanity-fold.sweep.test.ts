import { expect, it } from 'vitest';
import { Xxh64, xxh64, xxh64Many } from '../../src/index.js';
import { onBothBackends } from '../support/backends.js';
import { IS_FULL } from '../support/scale.js';
import { FOLD_FACTOR, SANITY_FOLDS, SANITY_SEED, sanityBuffer } from '../vectors/xxh64.js';

const TABLE = SANITY_FOLDS[IS_FULL ? 1 : 0];
const LENGTHS = TABLE.lastLength + 1; // with 0
const SEEDS = [0n, SANITY_SEED] as const;

/** Folds the official table: hashes[0] with seed 0, hashes[1] with PRIME32, a hash for each length. */
function fold([zero, prime]: readonly [BigUint64Array, BigUint64Array]): { fold: string; xor: string } {
  let folded = 0n;
  let xor = 0n;
  for (let length = 0; length < LENGTHS; length++) {
    for (const hash of [zero[length], prime[length]]) {
      folded = BigInt.asUintN(64, folded * FOLD_FACTOR + hash);
      xor ^= hash;
    }
  }
  return { fold: folded.toString(16), xor: xor.toString(16) };
}

onBothBackends(`XXH64 of every length from 0 to ${TABLE.lastLength}, as the reference's own test suite`, () => {
  const buffer = sanityBuffer();
  const expected = { fold: TABLE.fold.toString(16), xor: TABLE.xor.toString(16) };
  const forEachSeed = (hashes: (seed: bigint) => BigUint64Array) => [hashes(SEEDS[0]), hashes(SEEDS[1])] as const;

  it('by xxh64', () => {
    const hashes = forEachSeed((seed) =>
      BigUint64Array.from({ length: LENGTHS }, (_, length) => xxh64(buffer.subarray(0, length), seed)),
    );
    expect(fold(hashes)).toEqual(expected);
  });

  it('by xxh64Many of one column', () => {
    const offsets = new Uint32Array(LENGTHS + 1);
    for (let length = 0; length < LENGTHS; length++) offsets[length + 1] = offsets[length] + length;
    const data = new Uint8Array(offsets[LENGTHS]);
    for (let length = 0; length < LENGTHS; length++) data.set(buffer.subarray(0, length), offsets[length]);
    expect(fold(forEachSeed((seed) => xxh64Many({ data, offsets }, { seed })))).toEqual(expected);
  });

  it('by one stream, a byte at a time, asked for its digest after each', () => {
    const hashes = forEachSeed((seed) => {
      const stream = new Xxh64(seed);
      return BigUint64Array.from({ length: LENGTHS }, (_, length) => {
        const digest = stream.digest();
        stream.update(buffer.subarray(length, length + 1));
        return digest;
      });
    });
    expect(fold(hashes)).toEqual(expected);
  });

  it('by a new stream for each length', () => {
    const hashes = forEachSeed((seed) =>
      BigUint64Array.from({ length: LENGTHS }, (_, length) =>
        new Xxh64(seed).update(buffer.subarray(0, length)).digest(),
      ),
    );
    expect(fold(hashes)).toEqual(expected);
  });
});
