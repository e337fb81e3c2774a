import { type Column, type Kernels, PIECE_ROWS, type Spans } from '../kernels/contract.js';
import { Fault, type RecordColumns, Stop } from '../kernels/record-contract.js';
import { recordKernels } from '../kernels/records.js';
import { LineError } from './line-hasher.js';
import { LONGEST_LINE, READ_BYTES, ReadBuffer } from './read-buffer.js';

const NEWLINE = 0x0a;
/** A byte length in decimal and two colons, with each but the last field of a key. */
const LENGTH_BYTES = 12;

/** Which fields of a record are its key, in the order in which they are hashed. */
export interface CsvKeys {
  /** A byte that is no quote and no line end. */
  readonly delimiter: number;
  /** Counted from 0, each once. */
  readonly fields: readonly number[];
}

/** Records without their line ends, in the kernels' memory, with their keys; good until the next call to their source. */
export interface Records extends Spans {
  readonly count: number;
  /** Where each record starts, and the next one after them. */
  readonly starts: Uint32Array;
  readonly keys: Spans;
  /** The number of the line in which a record starts, from 1. */
  lineOf(row: number): number;
}

/** A record that is malformed. */
export class RecordError extends LineError {
  /** @param bytes the record without its line end, in memory of its own */
  constructor(
    line: number,
    expected: string,
    readonly bytes: Uint8Array,
  ) {
    super(line, expected, new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes.subarray(0, SHOWN_BYTES)));
  }
}

// Of a malformed record: not more than is of use.
const SHOWN_BYTES = 4096;

/**
 * Cuts a byte stream into records of CSV, in batches. Its memory is a fixed size, or a few times the longest record if
 * that is more.
 *
 * Read into `room()`, tell `filled()`, take `next()` until there is none; at the end tell `ended()` and do so again. A
 * malformed record is thrown, after the records before it, and the next call goes on behind it.
 */
export class RecordBatches {
  readonly #kernels: Kernels;
  readonly #read: ReadBuffer;
  readonly #keys: CsvKeys;
  readonly #columns: {
    readonly starts: Column<'u32'>;
    readonly ends: Column<'u32'>;
    readonly slots: Column<'u8'>;
    readonly keyStarts: Column<'u32'>;
    readonly keyEnds: Column<'u32'>;
    readonly stop: Column<'u32'>;
  };
  readonly #offsets: Column<'u32'>;
  /** The keys, where they are not what lies in the records. */
  #text: Column<'u8'> | undefined;
  /** So many bytes hold no whole record. */
  #tried = 0;
  #isEnd = false;

  /** @param longest in bytes, 256 KiB or more */
  constructor(kernels: Kernels, keys: CsvKeys, longest = LONGEST_LINE) {
    this.#kernels = kernels;
    this.#keys = keys;
    this.#read = new ReadBuffer(kernels, 'record', longest);
    this.#columns = {
      starts: kernels.column('u32', PIECE_ROWS + 1),
      ends: kernels.column('u32', PIECE_ROWS),
      slots: kernels.column('u8', Math.max(...keys.fields) + 1),
      keyStarts: kernels.column('u32', PIECE_ROWS * keys.fields.length),
      keyEnds: kernels.column('u32', PIECE_ROWS * keys.fields.length),
      stop: kernels.column('u32', Stop.LENGTH),
    };
    this.#offsets = kernels.column('u32', PIECE_ROWS + 1);
    const slots = this.#columns.slots.array;
    for (const [i, field] of keys.fields.entries()) slots[field] = i + 1;
  }

  /**
   * Makes ready for other bytes, whose first line is number 1.
   * @param isStart whether they are the first of a file
   */
  restart(isStart = true): void {
    this.#read.restart(isStart);
    this.#tried = 0;
    this.#isEnd = false;
  }

  /**
   * Where the next bytes go: 256 KiB or more, good until the next call to this.
   * @throws LineError for a record that is too long
   */
  room(): Uint8Array {
    return this.#read.room();
  }

  /** Says how many bytes have come. */
  filled(byteLength: number): void {
    this.#read.filled(byteLength);
  }

  /** Says that no more will come. */
  ended(): void {
    this.#isEnd = true;
  }

  /**
   * The next records that have ended, or nothing until more bytes come.
   * @throws RecordError for the next one, if that is malformed
   * @throws LineError for one that is too long
   */
  next(): Records | undefined {
    const { data, start, end } = this.#read;
    // A record that is long is looked at again when there is twice as much of it, so that none takes quadratic time.
    const isSoon = end - start > READ_BYTES && end - start < 2 * this.#tried;
    if (start === end || (isSoon && !this.#isEnd)) return undefined;
    const found = this.#found();
    const count = recordKernels(this.#kernels).csvRecords(
      { data: data.array, from: start, to: end, isEnd: this.#isEnd, delimiter: this.#keys.delimiter },
      found,
    );
    this.#tried = count === 0 ? end - start : 0;
    if (count > 0) return this.#take(count, found);
    if (found.stop[Stop.FAULT] !== Fault.NONE) throw this.#malformed(found.stop);
    return undefined;
  }

  free(): void {
    this.#read.free();
    for (const column of Object.values(this.#columns)) column.free();
    this.#offsets.free();
    this.#text?.free();
  }

  #found(): RecordColumns {
    const { starts, ends, slots, keyStarts, keyEnds, stop } = this.#columns;
    return {
      format: 'csv',
      most: PIECE_ROWS,
      fields: this.#keys.fields.length,
      starts: starts.array,
      ends: ends.array,
      slots: slots.array,
      keyStarts: keyStarts.array,
      keyEnds: keyEnds.array,
      stop: stop.array,
    };
  }

  #take(count: number, found: RecordColumns): Records {
    const { start, longest, data } = this.#read;
    const next = found.starts[count] as number;
    if (next - start <= longest) return this.#batch(count, count + (found.stop[Stop.BREAKS] as number), found);
    const lengths = found.ends.subarray(0, count).map((end, i) => end - (found.starts[i] as number));
    const tooLong = lengths.findIndex((byteLength) => byteLength > longest);
    if (tooLong === 0) throw this.#read.tooLong(lengths[0] as number);
    const most = tooLong < 0 ? count : tooLong;
    return this.#batch(most, newlinesIn(data.array, start, found.starts[most] as number), found);
  }

  #batch(count: number, lines: number, { starts, stop }: RecordColumns): Records {
    const [next, isDoubled] = [starts[count] as number, stop[Stop.DOUBLED] !== 0];
    const keys = isDoubled || this.#keys.fields.length > 1 ? this.#written(count) : undefined;
    const { line, data } = this.#read;
    this.#read.start = next;
    this.#read.line += lines;
    return new RecordBatch(count, line, { data, keys, ...this.#columns });
  }

  /** The keys, written one after the other. */
  #written(count: number): WrittenKeys {
    const { data, start } = this.#read;
    const byteLength = (this.#columns.starts.array[count] as number) - start;
    const needed = byteLength + LENGTH_BYTES * count * (this.#keys.fields.length - 1);
    if (this.#text === undefined || this.#text.length < needed) {
      this.#text?.free();
      this.#text = this.#kernels.column('u8', 2 * needed);
    }
    const found = this.#found(); // anew, as memory may have grown
    recordKernels(this.#kernels).keyColumn(data.array, found, count, this.#text.array, this.#offsets.array);
    return { text: this.#text, offsets: this.#offsets };
  }

  #malformed(stop: Uint32Array): RecordError {
    const { data, start, line } = this.#read;
    const bytes = data.array.slice(start, stop[Stop.END]);
    const next = stop[Stop.NEXT] as number;
    this.#read.start = next;
    this.#read.line += newlinesIn(data.array, start, next);
    return new RecordError(line, this.#expected(stop[Stop.FAULT] as number), bytes);
  }

  #expected(fault: number): string {
    switch (fault) {
      case Fault.QUOTE_IN_FIELD:
        return 'quotes around a field that has a quote in it';
      case Fault.TEXT_AFTER_QUOTE:
        return 'a delimiter or the end of the record after a closing quote';
      case Fault.OPEN_QUOTE:
        return 'a closing quote';
      default:
        return `at least ${this.#columns.slots.length} fields`;
    }
  }
}

/** Keys that were written, as they do not lie in the records. */
interface WrittenKeys {
  readonly text: Column<'u8'>;
  readonly offsets: Column<'u32'>;
}

interface BatchParts {
  readonly data: Column<'u8'>;
  readonly starts: Column<'u32'>;
  readonly ends: Column<'u32'>;
  readonly keyStarts: Column<'u32'>;
  readonly keyEnds: Column<'u32'>;
  readonly keys: WrittenKeys | undefined;
}

class RecordBatch implements Records {
  readonly #columns: BatchParts;

  constructor(
    readonly count: number,
    readonly firstLine: number,
    columns: BatchParts,
  ) {
    this.#columns = columns;
  }

  get data(): Uint8Array {
    return this.#columns.data.array;
  }

  get starts(): Uint32Array {
    return this.#columns.starts.array.subarray(0, this.count + 1);
  }

  get ends(): Uint32Array {
    return this.#columns.ends.array.subarray(0, this.count);
  }

  get keys(): Spans {
    const { keys, data, keyStarts, keyEnds } = this.#columns;
    const rows = [0, this.count] as const;
    if (keys === undefined)
      return { data: data.array, starts: keyStarts.array.subarray(...rows), ends: keyEnds.array.subarray(...rows) };
    const offsets = keys.offsets.array;
    return { data: keys.text.array, starts: offsets.subarray(...rows), ends: offsets.subarray(1, this.count + 1) };
  }

  lineOf(row: number): number {
    const starts = this.#columns.starts.array;
    return this.firstLine + newlinesIn(this.data, starts[0] as number, starts[row] as number);
  }
}

function newlinesIn(data: Uint8Array, from: number, to: number): number {
  const bytes = data.subarray(from, to);
  let count = 0;
  for (let at = bytes.indexOf(NEWLINE); at >= 0; at = bytes.indexOf(NEWLINE, at + 1)) count++;
  return count;
}
