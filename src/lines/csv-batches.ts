import { type Column, type Kernels, PIECE_ROWS } from '../kernels/contract.js';
import { type CsvColumns, Fault, Stop } from '../kernels/record-contract.js';
import { recordKernels } from '../kernels/records.js';
import { LONGEST_LINE, READ_BYTES, ReadBuffer } from './read-buffer.js';
import { KeyWriter, newlinesIn, RecordBatch, RecordError, type RecordSource } from './record-batch.js';

/** Which fields of a record are its key, in the order in which they are hashed. */
export interface CsvKeys {
  /** A byte that is no quote, `\r` or `\n`. */
  readonly delimiter: number;
  /** 1 to 255 of them, counted from 0, each once. */
  readonly fields: readonly number[];
}

/**
 * Records of CSV. A malformed one ends with the line in which that shows; one whose quotes are never closed, with its
 * first line. A record of more than 256 KiB may have to wait until as much again has come. Memory is a fixed size, or a
 * few times the longest record if that is more.
 */
export class CsvBatches implements RecordSource {
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
  readonly #writer: KeyWriter;
  /** So many bytes hold no whole record. They are looked at again when there are twice as many: no quadratic time. */
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
    this.#writer = new KeyWriter(kernels, PIECE_ROWS);
    const slots = this.#columns.slots.array;
    for (const [i, field] of keys.fields.entries()) slots[field] = i + 1;
  }

  restart(isStart = true): void {
    this.#read.restart(isStart);
    this.#tried = 0;
    this.#isEnd = false;
  }

  room(): Uint8Array {
    return this.#read.room();
  }

  filled(byteLength: number): void {
    this.#read.filled(byteLength);
  }

  ended(): void {
    this.#isEnd = true;
  }

  next(): RecordBatch | undefined {
    const { data, start, end, longest } = this.#read;
    const waiting = end - start;
    const isSoon = waiting > READ_BYTES && waiting <= longest && waiting < 2 * this.#tried;
    if (waiting === 0 || (isSoon && !this.#isEnd)) return undefined;
    const found = this.#found();
    const { delimiter } = this.#keys;
    const bytes = { data: data.array, from: start, to: end, isEnd: this.#isEnd, delimiter };
    const count = recordKernels(this.#kernels).csvRecords(bytes, found);
    this.#tried = 0;
    if (count > 0) return this.#take(count, found);
    if (found.stop[Stop.FAULT] !== Fault.NONE) throw this.#malformed(found.stop);
    this.#tried = waiting;
    return undefined;
  }

  free(): void {
    this.#read.free();
    for (const column of Object.values(this.#columns)) column.free();
    this.#writer.free();
  }

  #found(): CsvColumns {
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

  #take(count: number, found: CsvColumns): RecordBatch {
    const { start, data } = this.#read;
    const most = this.#read.countUpToTooLong(count, found.starts, found.ends);
    if (most === count) return this.#batch(count, count + (found.stop[Stop.BREAKS] as number), found);
    return this.#batch(most, newlinesIn(data.array, start, found.starts[most] as number), found);
  }

  /** @param lines how many of them the records take */
  #batch(count: number, lines: number, { starts }: CsvColumns): RecordBatch {
    const { line, data } = this.#read;
    const next = starts[count] as number;
    const keys = this.#writer.write(data, () => this.#found(), count);
    this.#read.start = next;
    this.#read.line += lines;
    return new RecordBatch(count, line, { data, keys, ...this.#columns });
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
