/** The primes of XXH64. Source: Cyan4973/xxHash, doc/xxhash_spec.md, "XXH64 Algorithm Description". */
export const [PRIME_1, PRIME_2, PRIME_3, PRIME_4, PRIME_5] = [
  0x9e3779b185ebca87n,
  0xc2b2ae3d27d4eb4fn,
  0x165667b19e3779f9n,
  0x85ebca77c2b2ae63n,
  0x27d4eb2f165667c5n,
] as const;

/** What the accumulators of a long key begin with, added to the seed. Source: the same, step 1. */
export const LANES = [BigInt.asUintN(64, PRIME_1 + PRIME_2), PRIME_2, 0n, BigInt.asUintN(64, -PRIME_1)] as const;

/** By how many bits each accumulator is rotated before they are added. Source: the same, step 3. */
export const ROTATIONS = [1, 7, 12, 18] as const;

/** The multiplier of jump hash. Source: Lamping and Veach (2014), figure 1. */
export const JUMP_FACTOR = 2862933555777941757n;

export const TWO_64 = 2n ** 64n;
export const LOW_32 = 2n ** 32n - 1n;
