// The 32-bit bitmaps that sets are made of.
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

/** What roaring-wasm deserialises at once; it has no more memory in one piece. */
export const MAX_BITMAP_BYTES = 2 ** 28 - 1;

/**
 * roaring-wasm 1.1 keeps writing where its memory was, if that grows in the midst of more values than 983,040.
 */
const PIECE = 2 ** 19;

// The most that things take in memory, in bytes.
const A_BITMAP = 400;
const A_CONTAINER = 100;
const CONTAINERS = 2 ** 16;
const A_CHANGE = 2 ** 14; // an array of 4,096 values becomes a bitset, or a bitset an array
const ALL_BITSETS = 2 ** 29;

const roomOf = (bitmap: Bitmap): number => A_BITMAP + 2 * bitmap.getSerializationSizeInBytes('portable');

/**
 * Resolves when sets can be made. In Node and Bun they can at once, and nobody need call it; the roaring-wasm for
 * browsers and Deno compiles its WebAssembly asynchronously, from when it is imported.
 * @returns a promise of nothing
 * @throws WebAssembly.RuntimeError (the promise rejects) where WebAssembly is missing or forbidden
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

/** A bitmap of values that ascend. */
export function bitmapOf(values: Uint32Array): Bitmap {
  takeRoom(A_BITMAP + A_CONTAINER * Math.min(values.length, CONTAINERS) + 4 * values.length);
  const bitmap = kept(new RoaringBitmap32());
  for (let from = 0; from < values.length; from += PIECE) bitmap.addMany(values.subarray(from, from + PIECE));
  return bitmap;
}

/** A bitmap of one value; 1.7 times as fast as of an array of one. */
export function bitmapOfOne(value: number): Bitmap {
  takeRoom(A_BITMAP + A_CONTAINER);
  return kept(new RoaringBitmap32().add(value));
}

/** Adds a value; whether it was not there yet. */
export function addTo(bitmap: Bitmap, value: number): boolean {
  takeRoom(A_CHANGE);
  return bitmap.tryAdd(value);
}

/** Takes a value out; whether it was there. */
export function deleteFrom(bitmap: Bitmap, value: number): boolean {
  takeRoom(A_CHANGE);
  return bitmap.delete(value);
}

export function copyOf(bitmap: Bitmap): Bitmap {
  takeRoom(roomOf(bitmap));
  return kept(bitmap.clone());
}

/** What two bitmaps give, as a new one. Not in place: there `xor` moves all containers for each that it adds. */
export function combine(a: Bitmap, operation: Operation, b: Bitmap): Bitmap {
  takeRoom(roomOf(a) + roomOf(b));
  return kept(RoaringBitmap32[operation](a, b));
}

/** Out of the program's own arena of roaring-wasm, if there is one: it would dispose of the bitmap. */
function kept(bitmap: Bitmap): Bitmap {
  RoaringArenaAllocator.current?.unregister(bitmap);
  return bitmap;
}

/**
 * Gives a bitmap the containers that its values call for, so that one with the same values has the same bytes:
 * runs where they are smaller. Runs that there are already would stay if only just as large, so they go first.
 */
export function canonicalize(bitmap: Bitmap): Bitmap {
  takeRoom(roomOf(bitmap) + Math.min(2 * bitmap.size, ALL_BITSETS));
  bitmap.removeRunCompression();
  bitmap.runOptimize();
  return bitmap;
}

/** Reads bitmaps of at most so many bytes each, that are known to be good. */
export class BitmapReader {
  readonly #memory: RoaringUint8Array;

  constructor(maxBytes: number) {
    takeRoom(maxBytes);
    this.#memory = new RoaringUint8Array(maxBytes);
  }

  read(bytes: Uint8Array): Bitmap {
    takeRoom(A_BITMAP + 2 * bytes.length);
    // One piece of memory for all: what lies behind a bitmap is not looked at.
    return kept(RoaringBitmap32.deserialize(this.#memory.set(bytes), 'portable'));
  }

  free(): void {
    this.#memory.dispose();
  }
}
