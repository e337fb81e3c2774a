import {
  RoaringArenaAllocator,
  RoaringBitmap32,
  RoaringUint8Array,
  roaringLibraryInitialize,
  roaringLibraryIsReady,
} from 'roaring-wasm';
import { wordsOf } from '../arguments.js';

// Groups columns of ids by their upper 32 bits, and back. Works on words, so that no id becomes a bigint.

/** Groups of the lower words of ids with the same high word. Groups and words are ascending. */
export function* groupsOf(ids: BigUint64Array): Generator<readonly [high: number, lows: Uint32Array]> {
  // Sorting takes 70 ns an id. Adding an id to a bitmap takes 20 ns in ascending order, and 500 to 1,700 ns otherwise.
  const words = wordsOf(ascend(wordsOf(ids)) ? ids : new BigUint64Array(ids).sort());
  const lows = new Uint32Array(ids.length);
  let first = 0;
  let high = words[1] ?? 0;
  for (let row = 0; row < ids.length; row++) {
    const next = words[2 * row + 1];
    if (next !== high) {
      yield [high, lows.subarray(first, row)];
      first = row;
      high = next;
    }
    lows[row] = words[2 * row];
  }
  if (ids.length > 0) yield [high, lows.subarray(first)];
}

function ascend(words: Uint32Array): boolean {
  let low = 0;
  let high = 0;
  for (let i = 0; i < words.length; i += 2) {
    const nextLow = words[i];
    const nextHigh = words[i + 1];
    if (nextHigh < high || (nextHigh === high && nextLow < low)) return false;
    low = nextLow;
    high = nextHigh;
  }
  return true;
}

export function writeGroup(words: Uint32Array, row: number, high: number, lows: Uint32Array): void {
  for (let i = 0; i < lows.length; i++) {
    words[2 * (row + i)] = lows[i];
    words[2 * (row + i) + 1] = high;
  }
}

// Room in roaring-wasm's memory. roaring-wasm does not notice when it has no room: operations give empty bitmaps, and it
// writes to containers that it could not allocate. So memory is requested before it is needed.

const MAX_MEMORY = 2 ** 31;
const ROOM_PIECE = 2 ** 26; // roaring-wasm cannot allocate 2^28 bytes or more in one piece
const GRANT = 2 ** 24;

/** There is known to be room for this many bytes. */
let granted = 0;

/**
 * Makes sure that there is room before it is used.
 * @param bytes the most that will be used
 * @throws RangeError if there is no room for them
 */
function takeRoom(bytes: number): void {
  granted -= bytes;
  if (granted >= 0) return;
  granted = 0;
  const wanted = Math.max(bytes, GRANT);
  checkRoom(wanted);
  granted = wanted - bytes;
}

/** Takes 1 µs if memory can still grow; otherwise it searches the free memory, which takes 0.2 ms a MB. */
function checkRoom(bytes: number): void {
  const pieces: RoaringUint8Array[] = [];
  try {
    const one = new RoaringUint8Array(1);
    pieces.push(one);
    if (MAX_MEMORY - one.asTypedArray().buffer.byteLength >= bytes) return;
    for (let left = bytes; left > 0; left -= ROOM_PIECE) pieces.push(new RoaringUint8Array(Math.min(left, ROOM_PIECE)));
  } catch (cause) {
    const message = `roaring-wasm: no room for ${bytes} bytes in its 2 GB; free sets that are not needed`;
    throw new RangeError(message, { cause });
  } finally {
    for (const piece of pieces) piece.dispose();
  }
}

// 32-bit bitmaps, the parts of sets.

export type Bitmap = RoaringBitmap32;
export type SetOperation = 'and' | 'or' | 'andNot' | 'xor';

/** The most bytes that roaring-wasm deserialises at once, because it has no larger piece of memory. */
export const MAX_BITMAP_BYTES = 2 ** 28 - 1;

/**
 * Values are added in pieces: if its memory grows during a call with more than 983,040 values, roaring-wasm 1.1 keeps
 * writing to the old memory.
 */
const PIECE = 2 ** 19;

// Upper bounds of memory use, in bytes.
const A_BITMAP = 400;
const A_CONTAINER = 100;
const CONTAINERS = 2 ** 16;
const A_CHANGE = 2 ** 14; // an array of 4,096 values becomes a bitset, or a bitset an array
const ALL_BITSETS = 2 ** 29;

const roomOf = (bitmap: Bitmap): number => A_BITMAP + 2 * bitmap.getSerializationSizeInBytes('portable');

/**
 * Resolves when sets can be made. Node and Bun do not need this call; in browsers and Deno, roaring-wasm compiles its
 * WebAssembly asynchronously after it is imported.
 * @returns a promise of undefined
 * @throws WebAssembly.RuntimeError (as a rejection) if WebAssembly is missing or forbidden
 * @example
 * await loadSets();
 * const set = IdSet.from(ids);
 */
export async function loadSets(): Promise<void> {
  await roaringLibraryInitialize();
}

export function checkLoaded(): void {
  if (!roaringLibraryIsReady()) throw new Error('roaring-wasm is not compiled yet: await loadSets() first');
}

export function bitmapOf(values: Uint32Array): Bitmap {
  takeRoom(A_BITMAP + A_CONTAINER * Math.min(values.length, CONTAINERS) + 4 * values.length);
  const bitmap = kept(new RoaringBitmap32());
  for (let from = 0; from < values.length; from += PIECE) bitmap.addMany(values.subarray(from, from + PIECE));
  return bitmap;
}

/** A bitmap of one value; 1.7 times as fast as from an array of one value. */
export function bitmapOfOne(value: number): Bitmap {
  takeRoom(A_BITMAP + A_CONTAINER);
  return kept(new RoaringBitmap32().add(value));
}

export function addTo(bitmap: Bitmap, value: number): boolean {
  takeRoom(A_CHANGE);
  return bitmap.tryAdd(value);
}

export function deleteFrom(bitmap: Bitmap, value: number): boolean {
  takeRoom(A_CHANGE);
  return bitmap.delete(value);
}

export function copyOf(bitmap: Bitmap): Bitmap {
  takeRoom(roomOf(bitmap));
  return kept(bitmap.clone());
}

/** Combines two bitmaps into a new one. It is not done in place, because `xor` then moves all containers for each new one. */
export function combine(a: Bitmap, operation: SetOperation, b: Bitmap): Bitmap {
  takeRoom(roomOf(a) + roomOf(b));
  return kept(RoaringBitmap32[operation](a, b));
}

/** Removes a bitmap from the user's arena of roaring-wasm, if there is one, because the arena would dispose of it. */
function kept(bitmap: Bitmap): Bitmap {
  RoaringArenaAllocator.current?.unregister(bitmap);
  return bitmap;
}

/**
 * Gives a bitmap the containers that only its values determine (runs where they are smaller), so that equal bitmaps have
 * equal bytes. Existing runs are removed first, because those of equal size would stay.
 */
export function canonicalize(bitmap: Bitmap): Bitmap {
  takeRoom(roomOf(bitmap) + Math.min(2 * bitmap.size, ALL_BITSETS));
  bitmap.removeRunCompression();
  bitmap.runOptimize();
  return bitmap;
}

/** Reads bitmaps that have been checked. */
export function readBitmaps(all: readonly Uint8Array[]): Bitmap[] {
  const most = all.reduce((max, { length }) => Math.max(max, length), 0);
  takeRoom(most);
  // All bitmaps share one piece of memory: bytes after a bitmap are ignored.
  const memory = new RoaringUint8Array(most);
  try {
    return all.map((bytes) => {
      takeRoom(A_BITMAP + 2 * bytes.length);
      return kept(RoaringBitmap32.deserialize(memory.set(bytes), 'portable'));
    });
  } finally {
    memory.dispose();
  }
}
