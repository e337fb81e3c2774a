import type { Column, Kernels } from '../kernels/contract.js';
import { type KeyColumns, Stop } from '../kernels/record-contract.js';
import { recordKernels } from '../kernels/records.js';
import type { KeyPlaces } from './batch.js';

/** A byte length in decimal and two colons, for each field of a key except the last. */
const LENGTH_BYTES = 12;

/** Writes keys that are hashed in another form than their records have: keys with escapes, and keys of several fields. */
export class KeyWriter {
  readonly #kernels: Kernels;
  readonly #offsets: Column<'u32'>;
  #text: Column<'u8'> | undefined;

  /** @param most the most keys at a time */
  constructor(kernels: Kernels, most: number) {
    this.#kernels = kernels;
    this.#offsets = kernels.column('u32', most + 1);
  }

  /**
   * The keys of some records, valid until the next call; undefined if the records have them as they are hashed. This may
   * grow the memory.
   * @param found returns the current arrays
   * @throws RangeError if there is no room
   */
  write(data: Column<'u8'>, found: () => KeyColumns, rows: number): KeyPlaces | undefined {
    const { stop, fields } = found();
    if (stop[Stop.ESCAPED] === 0 && fields === 1) return undefined;
    const needed = bytesOfKeys(found(), rows);
    if (this.#text === undefined || this.#text.length < needed) {
      this.#text?.free();
      this.#text = undefined;
      this.#text = this.#kernels.column('u8', 2 * needed);
    }
    recordKernels(this.#kernels).keyColumn(data.array, found(), rows, this.#text.array, this.#offsets.array);
    return { data: this.#text, starts: this.#offsets, ends: this.#offsets, shift: 1 };
  }

  free(): void {
    this.#offsets.free();
    this.#text?.free();
  }
}

/** An upper bound of the bytes that keys take when they are written. */
function bytesOfKeys({ keyStarts, keyEnds, most, fields }: KeyColumns, rows: number): number {
  let bytes = LENGTH_BYTES * rows * (fields - 1);
  for (let field = 0; field < fields; field++) {
    for (let at = field * most; at < field * most + rows; at++) {
      bytes += (keyEnds[at] as number) - (keyStarts[at] as number);
    }
  }
  return bytes;
}
