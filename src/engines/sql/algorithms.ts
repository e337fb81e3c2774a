import { PRIME_1, PRIME_2 } from '../../kernels/js/xxh64.js';

/** What the accumulators of a long key begin with, added to the seed. Source: Cyan4973/xxHash, doc/xxhash_spec.md, step 1. */
export const LANES = [BigInt.asUintN(64, PRIME_1 + PRIME_2), PRIME_2, 0n, BigInt.asUintN(64, -PRIME_1)] as const;

/** By how many bits each accumulator is rotated before they are added. Source: the same, step 3. */
export const ROTATIONS = [1, 7, 12, 18] as const;

/** The multiplier of jump hash. Source: Lamping and Veach (2014), figure 1. */
export const JUMP_FACTOR = 2862933555777941757n;

export const TWO_64 = 2n ** 64n;
export const LOW_32 = 2n ** 32n - 1n;
