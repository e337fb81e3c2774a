// Room in roaring-wasm's memory. Where it ends, roaring-wasm goes on: operations give bitmaps of nothing, and
// containers that could not be had are written to all the same. So memory is asked for before it is needed.
import { RoaringUint8Array } from 'roaring-wasm';

const MAX_MEMORY = 2 ** 31;
const PIECE = 2 ** 26; // roaring-wasm gives no piece of 2^28 or more
const GRANT = 2 ** 24;

/** Bytes that there is known to be room for. */
let granted = 0;

/**
 * To be called with the most that is about to be taken.
 * @throws RangeError if there is no room for it
 */
export function takeRoom(bytes: number): void {
  granted -= bytes;
  if (granted >= 0) return;
  granted = 0;
  const wanted = Math.max(bytes, GRANT);
  checkRoom(wanted);
  granted = wanted - bytes;
}

/** 1 µs as long as memory can grow so far; otherwise it is looked for among what is free, at 0.2 ms a MB. */
function checkRoom(bytes: number): void {
  const pieces: RoaringUint8Array[] = [];
  try {
    const one = new RoaringUint8Array(1);
    pieces.push(one);
    if (MAX_MEMORY - one.asTypedArray().buffer.byteLength >= bytes) return;
    for (let left = bytes; left > 0; left -= PIECE) pieces.push(new RoaringUint8Array(Math.min(left, PIECE)));
  } catch (cause) {
    throw new RangeError(`roaring-wasm: no room for ${bytes} bytes in its 2 GB; free sets that are not needed`, {
      cause,
    });
  } finally {
    for (const piece of pieces) piece.dispose();
  }
}
