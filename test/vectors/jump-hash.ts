export interface JumpVector {
  key: bigint;
  buckets: number;
  bucket: number;
}

/** google/guava HashingTest, golden100 of its …linearCongruentialGeneratorCompatibility: keys 0 to 19, 100 buckets. */
export const GOLDEN_100: readonly number[] = [
  0, 55, 62, 8, 45, 59, 86, 97, 82, 59, 73, 37, 17, 56, 86, 21, 90, 37, 38, 83,
];

/** google/guava HashingTest, after golden100. */
export const GUAVA: readonly JumpVector[] = [
  { key: 10863919174838991n, buckets: 11, bucket: 6 },
  { key: 2016238256797177309n, buckets: 11, bucket: 3 },
  { key: 1673758223894951030n, buckets: 11, bucket: 5 },
  { key: 2n, buckets: 100001, bucket: 80343 },
  { key: 2201n, buckets: 100001, bucket: 22152 },
  { key: 2202n, buckets: 100001, bucket: 15018 },
];

/** dgryski/go-jump jump_test.go, "generated from the reference C++ code": buckets for n = 1, 2, 3, … */
export const GO_JUMP: readonly { key: bigint; buckets: readonly number[] }[] = [
  { key: 0n, buckets: [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0] },
  { key: 1n, buckets: [0, 0, 0, 0, 0, 0, 6, 6, 6, 6, 6, 6, 6, 6, 6, 6, 6, 17, 17] },
  { key: 0xdeadbeefn, buckets: [0, 1, 2, 3, 3, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 16, 16, 16] },
  { key: 0x0ddc0ffeebadf00dn, buckets: [0, 1, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 15, 15, 15, 15] },
];

/** lithammer/go-jump-consistent-hash jump_test.go, and the same in lithammer/python-jump-consistent-hash. */
export const LITHAMMER: readonly JumpVector[] = [
  { key: 1n, buckets: 1, bucket: 0 },
  { key: 42n, buckets: 57, bucket: 43 },
  { key: 0xdead10ccn, buckets: 1, bucket: 0 },
  { key: 0xdead10ccn, buckets: 666, bucket: 361 },
  { key: 256n, buckets: 1024, bucket: 520 },
];

/** ClickHouse/ClickHouse tests/queries/0_stateless/00580_consistent_hashing_functions.sql. */
export const CLICKHOUSE: readonly JumpVector[] = [{ key: 16045690984833335023n, buckets: 255, bucket: 237 }];

/** The C++ code printed in Lamping and Veach (2014), compiled with g++ for x86-64, at the largest n. */
export const MAX_N: readonly JumpVector[] = [
  { key: 1n, buckets: 2147483647, bucket: 262355607 },
  { key: 2n, buckets: 2147483647, bucket: 736532115 },
  { key: 0xffffffffffffffffn, buckets: 2147483647, bucket: 699554662 },
  // (key >>> 33) + 1 is 1: the jump goes to 2^31, just past the end.
  { key: 8675870503570123068n, buckets: 2147483647, bucket: 0 },
];

/**
 * Keys where the order of rounding shows. `bucket` is what the C++ code printed in Lamping and Veach
 * (2014) gives; `roundedOnce` is what google/guava Hashing.consistentHash gives, and with it most
 * ports to JavaScript.
 */
export const ROUNDING: readonly (JumpVector & { roundedOnce: number })[] = [
  { key: 1673232497983283878n, buckets: 64, bucket: 63, roundedOnce: 48 },
  { key: 1673232497983283878n, buckets: 65, bucket: 63, roundedOnce: 64 },
  { key: 16621869120614541160n, buckets: 129, bucket: 127, roundedOnce: 128 },
  { key: 102506782327794043n, buckets: 64, bucket: 63, roundedOnce: 48 },
  { key: 15598117387991954531n, buckets: 256, bucket: 255, roundedOnce: 48 },
  { key: 17904753847406098230n, buckets: 1024, bucket: 1023, roundedOnce: 48 },
  { key: 15185177581706253580n, buckets: 4194304, bucket: 4194303, roundedOnce: 48 },
];

/** A key with (key >>> 33) + 1 = 2^31, which Guava's 32-bit arithmetic turns negative: it gives 0. */
export const MAX_DIVISOR: readonly JumpVector[] = [
  { key: 18063469494497682072n, buckets: 2, bucket: 1 },
  { key: 18063469494497682072n, buckets: 10, bucket: 7 },
  { key: 18063469494497682072n, buckets: 1000, bucket: 222 },
];

interface JumpChecksum {
  readonly rows: number;
  /** Of jump(i, 1024), i = 0, 1, … */
  readonly in1024: bigint;
  /** Of jump(i * 0x9e3779b97f4a7c15 mod 2^64, i + 1), i = 0, 1, … */
  readonly growing: bigint;
}

/** FNV-1a 64 of so many buckets as little-endian u32, from the C++ code printed in Lamping and Veach (2014). */
export const CHECKSUMS: readonly JumpChecksum[] = [
  { rows: 50_000, in1024: 0x222975aa098a4a3an, growing: 0x75d9561cf70907bbn },
  { rows: 1_000_000, in1024: 0x0b75a7ecd7bc4713n, growing: 0x0a682bebbf78c478n },
];
