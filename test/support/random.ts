import { SEED } from './seed.js';
import { splitMix64 } from './split-mix.js';

/** Random test data, the same on every run with the same `SEED`. */
export function randomU64s(length: number, seed = SEED): BigUint64Array {
  return splitMix64(length, seed);
}

export function randomBytes(length: number, seed = SEED): Uint8Array<ArrayBuffer> {
  return new Uint8Array(randomU64s(Math.ceil(length / 8), seed).buffer as ArrayBuffer, 0, length);
}
