// 32-bit bitmaps, the parts of sets.
import {
  RoaringArenaAllocator,
  RoaringBitmap32,
  RoaringUint8Array,
  roaringLibraryInitialize,
  roaringLibraryIsReady,
} from 'roaring-wasm';
import { takeRoom } from './room.js';

export type Bitmap = RoaringBitmap32;
export type Operation = 'and' | 'or' | 'andNot' | 'xor';

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

/** A bitmap of ascending values. */
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

/** Adds a value. Returns whether it was new. */
export function addTo(bitmap: Bitmap, value: number): boolean {
  takeRoom(A_CHANGE);
  return bitmap.tryAdd(value);
}

/** Deletes a value. Returns whether it was there. */
export function deleteFrom(bitmap: Bitmap, value: number): boolean {
  takeRoom(A_CHANGE);
  return bitmap.delete(value);
}

export function copyOf(bitmap: Bitmap): Bitmap {
  takeRoom(roomOf(bitmap));
  return kept(bitmap.clone());
}

/** Combines two bitmaps into a new one. It is not done in place, because `xor` then moves all containers for each new one. */
export function combine(a: Bitmap, operation: Operation, b: Bitmap): Bitmap {
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

/** Reads bitmaps that have been checked, up to a number of bytes each. */
export class BitmapReader {
  readonly #memory: RoaringUint8Array;

  constructor(maxBytes: number) {
    takeRoom(maxBytes);
    this.#memory = new RoaringUint8Array(maxBytes);
  }

  read(bytes: Uint8Array): Bitmap {
    takeRoom(A_BITMAP + 2 * bytes.length);
    // All bitmaps share one piece of memory: bytes after a bitmap are ignored.
    return kept(RoaringBitmap32.deserialize(this.#memory.set(bytes), 'portable'));
  }

  free(): void {
    this.#memory.dispose();
  }
}
