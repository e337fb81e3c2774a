/** Cyan4973/xxHash tests/sanity_test.c: PRIME32, the second seed of its tables. */
export const SANITY_SEED = 2654435761n;

/** Cyan4973/xxHash tests/sanity_test.c, fillTestBuffer: 4161 bytes. */
export function sanityBuffer(): Uint8Array<ArrayBuffer> {
  const buffer = new Uint8Array(4161);
  let generator = SANITY_SEED;
  for (let i = 0; i < buffer.length; i++) {
    buffer[i] = Number(generator >> 56n);
    generator = BigInt.asUintN(64, generator * 11400714785074694797n);
  }
  return buffer;
}

/** Cyan4973/xxHash tests/sanity_test_vectors.h: hashes of the first `length` bytes of the buffer. */
export const SANITY_HASHES: readonly { length: number; seedZero: bigint; seedPrime: bigint }[] = [
  { length: 0, seedZero: 0xef46db3751d8e999n, seedPrime: 0xac75fda2929b17efn },
  { length: 1, seedZero: 0xe934a84adb052768n, seedPrime: 0x5014607643a9b4c3n },
  { length: 4, seedZero: 0x9136a0dca57457een, seedPrime: 0xcaab286bd8e9fdb5n },
  { length: 8, seedZero: 0xcdbcf538e71d1348n, seedPrime: 0xfe0c047a5353cdacn },
  { length: 14, seedZero: 0x8282dcc4994e35c8n, seedPrime: 0xc3bd6bf63deb6df0n },
  { length: 31, seedZero: 0x299b39a290e6d783n, seedPrime: 0xda673d5feb5c1d79n },
  { length: 32, seedZero: 0x18b216492bb44b70n, seedPrime: 0xb3f33bdf93ade409n },
  { length: 33, seedZero: 0x55c8dc3e578f5b59n, seedPrime: 0xe92c292f64bc3071n },
  { length: 222, seedZero: 0xb641ae8cb691c174n, seedPrime: 0x20cb8ab7ae10c14an },
  { length: 4160, seedZero: 0xeee6a4e2ac952a5en, seedPrime: 0xa4cb59e19d6a35f9n },
];

/**
 * The XXH64 table of Cyan4973/xxHash tests/sanity_test_vectors.h in two numbers: its 8,322 hashes in
 * the order (length 0, seed 0), (0, PRIME32), (1, 0), … up to length 4160, folded by
 * `fold = fold * FOLD_FACTOR + hash` modulo 2^64 from 0, and xor-ed. The same of its first quarter.
 */
export const FOLD_FACTOR = 11400714785074694797n;
export const SANITY_FOLDS = [
  { lastLength: 1040, fold: 0x8e46dc6dab05ea7fn, xor: 0xce11467bd79dda39n },
  { lastLength: 4160, fold: 0x682d1128177e3257n, xor: 0xe806003e302a98a7n },
] as const;

const U64_MAX = 0xffffffffffffffffn;

/**
 * Texts. "a" and "abc": ziglang/zig lib/std/hash/xxhash.zig; "abc" with seed 1: polkadot-js/common
 * xxhashAsHex; "你好": apache/iotdb IoTDBXXHash64ColumnFunctionIT; "Nobody inspects…":
 * ifduyue/python-xxhash README. The rest by python-xxhash 4.0.1, which wraps the reference C code.
 */
export const TEXT_HASHES: readonly { text: string; seed: bigint; hash: bigint }[] = [
  { text: 'a', seed: 0n, hash: 0xd24ec4f1a98c6e5bn },
  { text: 'abc', seed: 0n, hash: 0x44bc2cf5ad770999n },
  { text: 'abc', seed: 1n, hash: 0xbea9ca8199328908n },
  { text: 'abc', seed: U64_MAX, hash: 0x28306e589cc02176n },
  { text: '你好', seed: 0n, hash: 0x8b7c90cd33d92633n },
  { text: 'Nobody inspects the spammish repetition', seed: 0n, hash: 0xfbcea83c8a378bf1n },
  { text: 'z'.repeat(65537), seed: 0n, hash: 0x68278ba56dc14510n },
];

/** u64s as their 8 bytes, little-endian, by python-xxhash 4.0.1: `xxh64(struct.pack('<Q', key))`. */
export const U64_HASHES: readonly { key: bigint; hash: bigint }[] = [
  { key: 1n, hash: 0x9f29cb17a2a49995n },
  { key: 42n, hash: 0xb556806fb6d14353n },
];
