/** What SplitMix64 adds to its state for each value. */
export const SPLIT_MIX_STEP = 0x9e3779b97f4a7c15n;

/** SplitMix64 as a source of test data. */
export function splitMix64(length: number, seed: number | bigint = 0): BigUint64Array {
  const values = new BigUint64Array(length);
  let state = BigInt.asUintN(64, BigInt(seed));
  for (let i = 0; i < length; i++) {
    state = BigInt.asUintN(64, state + SPLIT_MIX_STEP);
    let z = state;
    z = BigInt.asUintN(64, (z ^ (z >> 30n)) * 0xbf58476d1ce4e5b9n);
    z = BigInt.asUintN(64, (z ^ (z >> 27n)) * 0x94d049bb133111ebn);
    values[i] = z ^ (z >> 31n);
  }
  return values;
}
