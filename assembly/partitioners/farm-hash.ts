// Fingerprint64 of FarmHash (Google, 2014), after google/farmhash `src/farmhash.cc`, farmhashna. It has the words and steps
// of CityHash64, in other places and with other factors.

import { combine, K0, K1, K2, weakHigh, weakLow } from './city-hash';
import { shiftMix } from './words';

function to16(at: usize, length: u32): u64 {
  const factor = K2 + <u64>length * 2;
  if (length >= 8) {
    const a = load<u64>(at) + K2;
    const b = load<u64>(at + length - 8);
    return combine(rotr(b, 37) * factor + a, (rotr(a, 25) + b) * factor, factor);
  }
  if (length >= 4) return combine(<u64>length + (<u64>load<u32>(at) << 3), load<u32>(at + length - 4), factor);
  if (length == 0) return K2;
  const y = <u64>load<u8>(at) + (<u64>load<u8>(at + (length >>> 1)) << 8);
  const z = <u64>length + (<u64>load<u8>(at + length - 1) << 2);
  return shiftMix((y * K2) ^ (z * K0)) * K2;
}

function to64(at: usize, length: u32): u64 {
  const end = at + length;
  const factor = K2 + <u64>length * 2;
  const a = load<u64>(at) * (length <= 32 ? K1 : K2);
  const b = load<u64>(at, 8);
  const c = load<u64>(end - 8) * factor;
  const y = rotr(a + b, 43) + rotr(c, 30) + load<u64>(end - 16) * K2;
  const z = combine(y, a + rotr(b + K2, 18) + c, factor);
  if (length <= 32) return z;
  const e = load<u64>(at, 16) * factor;
  const f = load<u64>(at, 24);
  const g = (y + load<u64>(end - 32)) * factor;
  const h = (z + load<u64>(end - 24)) * factor;
  return combine(rotr(e + f, 43) + rotr(g, 30) + h, e + rotr(f + a, 18) + g, factor);
}

function longer(at: usize, length: u32): u64 {
  const last = at + ((length - 1) & ~63);
  let x = 81 * K2 + load<u64>(at);
  let y = 81 * K1 + 113;
  let z = shiftMix(y * K2 + 113) * K2;
  let v1: u64 = 0;
  let v2: u64 = 0;
  let w1: u64 = 0;
  let w2: u64 = 0;
  let factor = K1;
  for (let times: u64 = 1; ; at += 64) {
    const isLast = at == last;
    if (isLast) {
      // The last 64 bytes, of which some have been mixed in already.
      const left = (length - 1) & 63;
      at += left - 63;
      factor += (z & 0xff) << 1;
      times = 9;
      w1 += left;
      v1 += w1;
      w1 += v1;
    }
    x = rotr(x + y + v1 + load<u64>(at, 8), 37) * factor ^ (w2 * times);
    y = rotr(y + v2 + load<u64>(at, 48), 42) * factor + v1 * times + load<u64>(at, 40);
    z = rotr(z + w1, 33) * factor;
    const seed = v2 * factor;
    v2 = weakHigh(at, seed, x + w1);
    v1 = weakLow(at, seed);
    const other = z + w2;
    w2 = weakHigh(at + 32, other, y + load<u64>(at, 16));
    w1 = weakLow(at + 32, other);
    const swapped = z;
    z = x;
    x = swapped;
    if (isLast) break;
  }
  return combine(combine(v1, w1, factor) + shiftMix(y) * K0 + z, combine(v2, w2, factor) + x, factor);
}

function mix32(at: usize, factor: u64, seed1: u64, seed2: u64): u64 {
  const a = load<u64>(at) * K1;
  const b = load<u64>(at, 8);
  const c = load<u64>(at, 24) * factor;
  const u = rotr(a + b, 43) + rotr(c, 30) + load<u64>(at, 16) * K2 + seed1;
  const v = a + rotr(b + K2, 18) + c + seed2;
  return shiftMix((v ^ shiftMix((u ^ v) * factor)) * factor);
}

// 33 to 96 bytes in farmhashxo.
function xo(at: usize, length: u32): u64 {
  const end = at + length - 32;
  const first = K2 - (length <= 64 ? 30 : 114);
  const factor = first + <u64>length * 2;
  const h1 = mix32(at, first, 0, 0);
  if (length <= 64) return (mix32(end, factor, 0, 0) * factor + h1) * factor;
  const h2 = mix32(at + 32, factor, 0, 0);
  return (mix32(end, factor, h1, h2) * 9 + (h1 >>> 17) + (h2 >>> 21)) * factor;
}

// Hash64 of FarmHash, farmhashxo, for rows of up to 256 bytes. Longer ones have other steps, which from 512 on depend on the
// processor.
export function farmHashXo(data: usize, starts: usize, ends: usize, hashes: usize, rows: u32): void {
  for (let i: u32 = 0; i < rows; i++, starts += 4, ends += 4, hashes += 8) {
    const start = load<u32>(starts);
    const length = load<u32>(ends) - start;
    if (length > 32 && length <= 96) store<u64>(hashes, xo(data + start, length));
    else farmHash(data, starts, ends, hashes, 1);
  }
}

export function farmHash(data: usize, starts: usize, ends: usize, hashes: usize, rows: u32): void {
  for (let i: u32 = 0; i < rows; i++, starts += 4, ends += 4, hashes += 8) {
    const start = load<u32>(starts);
    const length = load<u32>(ends) - start;
    const at = data + start;
    store<u64>(hashes, length <= 16 ? to16(at, length) : length <= 64 ? to64(at, length) : longer(at, length));
  }
}
