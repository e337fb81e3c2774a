// Room in roaring-wasm's memory. roaring-wasm does not notice when it has no room: operations give empty bitmaps, and it
// writes to containers that it could not allocate. So memory is requested before it is needed.
import { RoaringUint8Array } from 'roaring-wasm';

const MAX_MEMORY = 2 ** 31;
const PIECE = 2 ** 26; // roaring-wasm cannot allocate 2^28 bytes or more in one piece
const GRANT = 2 ** 24;

/** There is known to be room for this many bytes. */
let granted = 0;

/**
 * Makes sure that there is room before it is used.
 * @param bytes the most that will be used
 * @throws RangeError if there is no room for them
 */
export function takeRoom(bytes: number): void {
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
    for (let left = bytes; left > 0; left -= PIECE) pieces.push(new RoaringUint8Array(Math.min(left, PIECE)));
  } catch (cause) {
    throw new RangeError(`roaring-wasm: no room for ${bytes} bytes in its 2 GB; free sets that are not needed`, {
      cause,
    });
  } finally {
    for (const piece of pieces) piece.dispose();
  }
}
