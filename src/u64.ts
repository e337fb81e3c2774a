export const MAX_U64 = 0xffffffffffffffffn;

/**
 * Modulo 2^64. Unlike `value & MAX_U64`, V8 compiles `asUintN` to a machine word, which makes the jump loop 3 to 4
 * times as fast.
 */
export const u64 = (value: bigint): bigint => BigInt.asUintN(64, value);
