import type { Column, Kernels, Spans } from '../kernels/contract.js';
import { type AppendedRecords, type KeyColumns, Stop } from '../kernels/record-contract.js';
import { recordKernels } from '../kernels/records.js';
import { LineError, shownText } from './line-hasher.js';

const NEWLINE = 0x0a;
/** A byte length in decimal and two colons, with each but the last field of a key. */
const LENGTH_BYTES = 12;

/** Where records of a stream of bytes come from, in batches. */
export interface RecordSource {
  /**
   * Makes ready for other bytes, whose first line is number 1.
   * @param isStart whether they are the first of a file
   */
  restart(isStart?: boolean): void;
  /**
   * Where the next bytes go: 256 KiB or more, good until the next call to this.
   * @throws LineError for a record that is too long
   */
  room(): Uint8Array;
  /** Says how many bytes have come. */
  filled(byteLength: number): void;
  /** Says that no more will come. */
  ended(): void;
  /**
   * The next records that have ended, or nothing until more bytes come.
   * @throws RecordError for the next one, if that is malformed; the call after that goes on behind it
   * @throws LineError for one that is too long
   */
  next(): RecordBatch | undefined;
  free(): void;
}

/** A record that is malformed. */
export class RecordError extends LineError {
  /** @param bytes the record without its line end, in memory of its own */
  constructor(
    line: number,
    expected: string,
    readonly bytes: Uint8Array,
  ) {
    super(line, expected, shownText(bytes));
  }
}

/** The columns of a batch. */
interface RecordParts {
  readonly data: Column<'u8'>;
  readonly starts: Column<'u32'>;
  readonly ends: Column<'u32'>;
  readonly keyStarts: Column<'u32'>;
  readonly keyEnds: Column<'u32'>;
  /** Of keys that do not lie in the records. */
  readonly keys: WrittenKeys | undefined;
  readonly closes?: Column<'u32'>;
}

/**
 * Records without their line ends, in the kernels' memory, with their keys; good until the next call to their source. Ask
 * for the arrays anew after making a column, as that may grow the memory.
 */
export class RecordBatch implements AppendedRecords {
  readonly #parts: RecordParts;
  readonly #first: number;

  /**
   * @param firstLine the line in which the first record starts, from 1
   * @param first where that stands in the columns of starts and ends
   */
  constructor(
    readonly count: number,
    readonly firstLine: number,
    parts: RecordParts,
    first = 0,
  ) {
    this.#parts = parts;
    this.#first = first;
  }

  get data(): Uint8Array {
    return this.#parts.data.array;
  }

  /** Where each record starts, and the next one after them. */
  get starts(): Uint32Array {
    return this.#parts.starts.array.subarray(this.#first, this.#first + this.count + 1);
  }

  get ends(): Uint32Array {
    return this.#parts.ends.array.subarray(this.#first, this.#first + this.count);
  }

  get keys(): Spans {
    const { keys, data, keyStarts, keyEnds } = this.#parts;
    const { count } = this;
    if (keys !== undefined) {
      const offsets = keys.offsets.array;
      return { data: keys.text.array, starts: offsets.subarray(0, count), ends: offsets.subarray(1, count + 1) };
    }
    const [starts, ends] = [keyStarts.array.subarray(0, count), keyEnds.array.subarray(0, count)];
    return { data: data.array, starts, ends };
  }

  /** The last brace of each record of NDJSON. */
  get closes(): Uint32Array | undefined {
    return this.#parts.closes?.array.subarray(0, this.count);
  }

  /** The number of the line in which a record starts, from 1. Counted anew each time: for errors. */
  lineOf(row: number): number {
    const { starts } = this;
    return this.firstLine + newlinesIn(this.data, starts[0] as number, starts[row] as number);
  }
}

/** Keys one after the other, in memory of their own. */
export interface WrittenKeys {
  readonly text: Column<'u8'>;
  readonly offsets: Column<'u32'>;
}

/** Writes keys that do not lie in their records as they are hashed: those with escapes, and those of several fields. */
export class KeyWriter {
  readonly #kernels: Kernels;
  readonly #offsets: Column<'u32'>;
  #text: Column<'u8'> | undefined;

  /** @param most keys at a time */
  constructor(kernels: Kernels, most: number) {
    this.#kernels = kernels;
    this.#offsets = kernels.column('u32', most + 1);
  }

  /**
   * The keys of some records, good until the next call; nothing if they lie in the records. This may grow the memory.
   * @param found the current arrays
   * @throws RangeError if there is no room
   */
  write(data: Column<'u8'>, found: () => KeyColumns, rows: number): WrittenKeys | undefined {
    const { stop, fields } = found();
    if (stop[Stop.ESCAPED] === 0 && fields === 1) return undefined;
    const needed = bytesOfKeys(found(), rows);
    if (this.#text === undefined || this.#text.length < needed) {
      this.#text?.free();
      this.#text = undefined;
      this.#text = this.#kernels.column('u8', 2 * needed);
    }
    recordKernels(this.#kernels).keyColumn(data.array, found(), rows, this.#text.array, this.#offsets.array);
    return { text: this.#text, offsets: this.#offsets };
  }

  free(): void {
    this.#offsets.free();
    this.#text?.free();
  }
}

/** Not less than keys take when they are written. */
function bytesOfKeys({ keyStarts, keyEnds, most, fields }: KeyColumns, rows: number): number {
  let bytes = LENGTH_BYTES * rows * (fields - 1);
  for (let field = 0; field < fields; field++) {
    for (let at = field * most; at < field * most + rows; at++) {
      bytes += (keyEnds[at] as number) - (keyStarts[at] as number);
    }
  }
  return bytes;
}

export function newlinesIn(data: Uint8Array, from: number, to: number): number {
  const bytes = data.subarray(from, to);
  let count = 0;
  for (let at = bytes.indexOf(NEWLINE); at >= 0; at = bytes.indexOf(NEWLINE, at + 1)) count++;
  return count;
}
