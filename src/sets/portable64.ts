// The portable format of 64-bit Roaring bitmaps, after RoaringFormatSpec, "Extention for 64-bit implementations"
// (https://github.com/RoaringBitmap/RoaringFormatSpec), little-endian:
//
//   u64 number of bitmaps, then for each, by ascending high words: u32 high word, 32-bit bitmap
import { wrongValue } from '../arguments.js';
import { type Bitmap, BitmapReader, canonicalize, MAX_BITMAP_BYTES } from './bitmaps.js';
import { badBytes, checkEnd, endOfBitmap } from './portable32.js';

const EMPTY_BYTES = 8;

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
    bitmap.serialize('portable', bytes.subarray(at, at + (sizes[i] as number)));
    at += sizes[i] as number;
  }
  return bytes;
}

/**
 * Reads bitmaps. Empty ones, which other libraries write, are left out.
 * @throws RangeError if the bytes are not in this format, from the first to the last
 */
export function deserializeBitmaps(bytes: Uint8Array): Map<number, Bitmap> {
  const parts = partsOf(new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength));
  const reader = new BitmapReader(parts.reduce((max, { from, to }) => Math.max(max, to - from), 0));
  try {
    return new Map(parts.map(({ high, from, to }) => [high, reader.read(bytes.subarray(from, to))]));
  } finally {
    reader.free();
  }
}

interface Part {
  readonly high: number;
  readonly from: number;
  readonly to: number;
}

function partsOf(view: DataView): Part[] {
  checkEnd(view, 8);
  const count = view.getBigUint64(0, true);
  const parts: Part[] = [];
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
    if (at - from > EMPTY_BYTES) parts.push({ high, from, to: at });
  }
  if (at !== view.byteLength) throw wrongValue('bytes', `${at} bytes, which ${count} bitmaps take`, view.byteLength);
  return parts;
}
