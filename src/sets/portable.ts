import { wrongValue } from '../arguments.js';
import { type Bitmap, canonicalize, MAX_BITMAP_BYTES, readBitmaps } from './bitmaps.js';

// Checks a 32-bit bitmap in the portable format completely. roaring-wasm checks only sizes, and unsorted values or a
// wrong cardinality give it an invalid set. After RoaringFormatSpec, "Standard 32-bit Roaring Bitmap"
// (https://github.com/RoaringBitmap/RoaringFormatSpec); all words are little-endian:
//
//   cookie      12346, then n as a u32; or 12347 + (n - 1) * 2^16, then a bit for each container: does it have runs?
//   descriptive for each container two u16s: its key, which is the upper half of its values, and its
//               cardinality - 1
//   offsets     for each container its place as a u32; missing if there are runs and n < 4
//   containers  runs: their number as a u16, then for each its first value and its length - 1; up to 4096 values:
//               a u16 for each; more values: 65536 bits

const COOKIE_NO_RUNS = 12346;
const COOKIE = 12347;
const NO_OFFSET_THRESHOLD = 4;
const MAX_CONTAINERS = 2 ** 16;
const MAX_ARRAY = 4096;
const BITSET_BYTES = 8192;

function badBytes(expected: string, got: string | number, at: number): RangeError {
  return wrongValue('bytes', expected, got, undefined, `${got} at byte ${at}`);
}

function checkEnd(view: DataView, end: number): void {
  if (end > view.byteLength) throw wrongValue('bytes', `at least ${end} bytes`, view.byteLength);
}

/**
 * The end of the bitmap that begins at `from`.
 * @throws RangeError if it is not a valid bitmap
 */
function endOfBitmap(view: DataView, from: number): number {
  checkEnd(view, from + 8); // an empty bitmap has 8 bytes
  const cookie = view.getUint32(from, true);
  const hasRuns = (cookie & 0xffff) === COOKIE;
  if (!hasRuns && cookie !== COOKIE_NO_RUNS) throw badBytes(`a cookie of ${COOKIE_NO_RUNS} or ${COOKIE}`, cookie, from);
  const count = hasRuns ? (cookie >>> 16) + 1 : view.getUint32(from + 4, true);
  if (count > MAX_CONTAINERS) throw badBytes(`at most ${MAX_CONTAINERS} containers`, count, from + 4);
  const runFlags = from + 4;
  const described = from + (hasRuns ? 4 + Math.ceil(count / 8) : 8);
  const offsets = described + 4 * count;
  const hasOffsets = !hasRuns || count >= NO_OFFSET_THRESHOLD;
  let at = offsets + (hasOffsets ? 4 * count : 0);
  checkEnd(view, at);

  let nextKey = 0;
  for (let i = 0; i < count; i++) {
    const key = view.getUint16(described + 4 * i, true);
    const cardinality = view.getUint16(described + 4 * i + 2, true) + 1;
    if (key < nextKey) throw badBytes(`keys that ascend, from ${nextKey} on`, key, described + 4 * i);
    nextKey = key + 1;
    if (hasOffsets && view.getUint32(offsets + 4 * i, true) !== at - from) {
      throw badBytes(`an offset of ${at - from}`, view.getUint32(offsets + 4 * i, true), offsets + 4 * i);
    }
    const isRuns = hasRuns && ((view.getUint8(runFlags + (i >> 3)) >> (i & 7)) & 1) === 1;
    at = (isRuns ? endOfRuns : cardinality <= MAX_ARRAY ? endOfArray : endOfBitset)(view, at, cardinality);
  }
  return at;
}

function endOfArray(view: DataView, from: number, cardinality: number): number {
  const end = from + 2 * cardinality;
  checkEnd(view, end);
  let next = 0;
  for (let at = from; at < end; at += 2) {
    const value = view.getUint16(at, true);
    if (value < next) throw badBytes(`values that ascend, from ${next} on`, value, at);
    next = value + 1;
  }
  return end;
}

function endOfBitset(view: DataView, from: number, cardinality: number): number {
  const end = from + BITSET_BYTES;
  checkEnd(view, end);
  let bits = 0;
  for (let at = from; at < end; at += 4) bits += popcount(view.getUint32(at, true));
  if (bits !== cardinality) throw badBytes(`${cardinality} values`, bits, from);
  return end;
}

/** Refuses adjacent runs, which should be one run: CRoaring refuses them, too, and would compare such sets as different. */
function endOfRuns(view: DataView, from: number, cardinality: number): number {
  checkEnd(view, from + 2);
  const end = from + 2 + 4 * view.getUint16(from, true);
  checkEnd(view, end);
  let values = 0;
  let next = 0;
  for (let at = from + 2; at < end; at += 4) {
    const first = view.getUint16(at, true);
    const last = first + view.getUint16(at + 2, true);
    if (first < next || last > 0xffff) {
      throw badBytes(`ascending runs with gaps, from ${next} to 65535`, `${first} to ${last}`, at);
    }
    values += last - first + 1;
    next = last + 2;
  }
  if (values !== cardinality) throw badBytes(`${cardinality} values`, values, from);
  return end;
}

function popcount(word: number): number {
  const pairs = word - ((word >>> 1) & 0x55555555);
  const nibbles = (pairs & 0x33333333) + ((pairs >>> 2) & 0x33333333);
  return Math.imul((nibbles + (nibbles >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
}

// The portable format of 64-bit Roaring bitmaps, after RoaringFormatSpec, "Extention for 64-bit implementations"
// (https://github.com/RoaringBitmap/RoaringFormatSpec), little-endian:
//
//   u64 number of bitmaps, then for each, by ascending high words: u32 high word, 32-bit bitmap

/** The bytes of bitmaps, which must be in ascending order of their high words. */
export function serializeBitmaps(bitmaps: readonly (readonly [high: number, bitmap: Bitmap])[]): Uint8Array {
  const sizes = bitmaps.map(([, bitmap]) => canonicalize(bitmap).getSerializationSizeInBytes('portable'));
  const bytes = new Uint8Array(sizes.reduce((total, size) => total + 4 + size, 8));
  const view = new DataView(bytes.buffer);
  view.setBigUint64(0, BigInt(bitmaps.length), true);
  let at = 8;
  for (const [i, [high, bitmap]] of bitmaps.entries()) {
    view.setUint32(at, high, true);
    at += 4;
    bitmap.serialize('portable', bytes.subarray(at, at + sizes[i]));
    at += sizes[i];
  }
  return bytes;
}

/**
 * Reads bitmaps, by their high words. Empty ones, which other libraries write, are left out.
 * @throws RangeError if the bytes are not in this format, from the first to the last
 */
export function deserializeBitmaps(bytes: Uint8Array): Map<number, Bitmap> {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  checkEnd(view, 8);
  const count = view.getBigUint64(0, true);
  const parts = new Map<number, Uint8Array>();
  let at = 8;
  let nextHigh = 0;
  for (let i = 0n; i < count; i++) {
    checkEnd(view, at + 4);
    const high = view.getUint32(at, true);
    if (high < nextHigh) throw badBytes(`high words that ascend, from ${nextHigh} on`, high, at);
    nextHigh = high + 1;
    const from = at + 4;
    at = endOfBitmap(view, from);
    if (at - from > MAX_BITMAP_BYTES) {
      throw badBytes(`bitmaps of at most ${MAX_BITMAP_BYTES} bytes, the limit of roaring-wasm`, at - from, from);
    }
    if (at - from > 8) parts.set(high, bytes.subarray(from, at)); // an empty bitmap has 8 bytes
  }
  if (at !== view.byteLength) throw wrongValue('bytes', `${at} bytes, which ${count} bitmaps take`, view.byteLength);
  const bitmaps = readBitmaps([...parts.values()]);
  return new Map([...parts.keys()].map((high, i) => [high, bitmaps[i]]));
}
