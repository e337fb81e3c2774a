import { describeValue, visible } from '../arguments.js';
import { type BytesColumn, type RowValues, valuesBetween } from '../columns/keys.js';
import { detailsOf, type LineDetails } from '../errors.js';
import type { AppendedRecords } from '../kernels/record-types.js';
import { type Column, PIECE_ROWS, type Spans } from '../kernels/types.js';

/**
 * Lines or records without their line ends, in the kernels' memory; valid until the next call of their source. Read the
 * arrays again after making a column, because that may grow the memory (see `Column.array`).
 */
export interface Lines extends Spans {
  readonly count: number;
  /** The number of the input's line in which the first one starts, from 1. */
  readonly firstLine: number;
  /** What is hashed: whole lines, or the keys of records. */
  readonly keys: Spans;
}

/** The columns of a batch. Hashes and shards begin with its first line. */
interface BatchColumns {
  readonly data: Column<'u8'>;
  /** Where each line starts, and where the next one after them starts; for rows of a table, their own places. */
  readonly starts: Pick<Column<'u32'>, 'array'>;
  readonly ends: Pick<Column<'u32'>, 'array'>;
  readonly found?: FoundFields;
  /** Keys that take the place of those in the lines: row i of the batch is row i of them. */
  readonly keys?: WrittenKeys;
  readonly hashes?: Column<'u64'>;
  readonly shards?: Column<'u32'>;
  /** The numbers of the labels of shards, if they have any. */
  readonly labels?: Column<'u32'> | undefined;
}

/** The fields that have been found in records: PIECE_ROWS places of the first one, then of the second, and so on. */
export interface FoundFields {
  readonly starts: Column<'u32'>;
  readonly ends: Column<'u32'>;
  /** The keys, if they are not the first field as the records have it. */
  readonly written?: WrittenKeys | undefined;
  /** The number of the field that is the shard, for records that say it. */
  readonly shard?: number;
  /** For NDJSON: the places of the last braces. */
  readonly closes?: Column<'u32'>;
  /** The columns of the key, if it has several, or the values of a table; undefined: it is one text, the key. */
  readonly columns?: (() => readonly RowValues[]) | undefined;
  /** 1 for each record without a key, or with a column of it that is NULL. */
  readonly nulls?: Uint8Array | undefined;
  /** Whether such a record has nothing where the first column is that it lacks; by default it has NULL there. */
  readonly isAbsent?: boolean;
  /** What the columns of the key are called. */
  readonly names?: readonly string[] | undefined;
}

/** Key i is text[offsets[i]..offsets[i + 1]). */
export type WrittenKeys = { readonly text: Column<'u8'>; readonly offsets: Column<'u32'> };

/** Gives the number of the line that starts at a place. */
export type LineNumbers = (place: number) => number;

/**
 * Numbers lines, for errors. Lines are counted only when a number is asked for.
 * @param first the place of a line, and its number, from 1
 * @param end the last byte of a line
 */
export function lineNumbers(
  data: Column<'u8'>,
  first: readonly [place: number, line: number],
  end: number = NEWLINE,
): LineNumbers {
  let last = first;
  return (place) => {
    const [from, line] = place >= last[0] ? last : first;
    last = [place, line + newlinesIn(data.array, from, place, end)];
    return last[1];
  };
}

export const NEWLINE = 0x0a;

export function newlinesIn(data: Uint8Array, from: number, to: number, end: number = NEWLINE): number {
  const bytes = data.subarray(from, to);
  let count = 0;
  for (let at = bytes.indexOf(end); at >= 0; at = bytes.indexOf(end, at + 1)) count++;
  return count;
}

/**
 * Lines, with their hashes or shards if they have been made. This is a class, because an object literal with getters takes
 * 300 bytes a batch that only a full garbage collection frees.
 */
export class Batch implements Lines {
  readonly kind = 'batch';

  /**
   * @param line where the batch begins in the columns of lines
   * @param record where it begins in the columns of what was found in records
   */
  constructor(
    readonly count: number,
    private readonly columns: BatchColumns,
    private readonly numbers: LineNumbers,
    private readonly line = 0,
    private readonly record = 0,
  ) {}

  /** The same lines, with hashes or shards added, or with other keys. */
  with(made: Pick<BatchColumns, 'hashes' | 'shards' | 'labels' | 'keys'>): Batch {
    return new Batch(this.count, { ...this.columns, ...made }, this.numbers, this.line, this.record);
  }

  /** Some of the lines, without what was made of them. */
  slice(from: number, to: number): Batch {
    if (from === 0 && to === this.count) return this;
    const { hashes, shards, labels, keys, ...columns } = this.columns;
    return new Batch(to - from, columns, this.numbers, this.line + from, this.record + from);
  }

  /** The first `count` lines, as the records that were found in them. */
  asRecords(count: number, found: FoundFields): Batch {
    return new Batch(count, { ...this.columns, found }, this.numbers, this.line);
  }

  get firstLine(): number {
    return this.lineOf(0);
  }

  /** The number of the line in which a row starts, from 1. */
  lineOf(row: number): number {
    return this.numbers(this.columns.starts.array[this.line + row]);
  }

  get data(): Uint8Array {
    return this.columns.data.array;
  }

  get starts(): Uint32Array {
    return this.#rows(this.columns.starts, this.line);
  }

  get ends(): Uint32Array {
    return this.#rows(this.columns.ends, this.line);
  }

  /** Where the next line after each one starts. */
  get nexts(): Uint32Array {
    return this.#rows(this.columns.starts, this.line + 1);
  }

  get keys(): Spans {
    const { found, keys } = this.columns;
    if (keys !== undefined)
      return { data: keys.text.array, starts: this.#rows(keys.offsets, 0), ends: this.#rows(keys.offsets, 1) };
    if (found === undefined) return this;
    if (found.written === undefined) return this.field(0);
    const { text, offsets } = found.written;
    return { data: text.array, starts: this.#rows(offsets, this.record), ends: this.#rows(offsets, this.record + 1) };
  }

  /** The values of a field, as the records have them, by its number in their format. */
  field(number: number): Spans {
    const { starts, ends } = made(this.columns.found);
    const first = number * PIECE_ROWS + this.record;
    return { data: this.data, starts: this.#rows(starts, first), ends: this.#rows(ends, first) };
  }

  /** The shards that the records say themselves, as text; only if their format has them. */
  get shardTexts(): Spans {
    return this.field(made(this.columns.found?.shard));
  }

  /** The columns of the keys: the keys themselves, if there is one. */
  get keyColumns(): readonly RowValues[] {
    const { found, keys } = this.columns;
    if (found?.columns === undefined || keys !== undefined) return [{ values: this.keys, nulls: this.nulls }];
    return found.columns().map((column) => valuesBetween(column, this.record, this.record + this.count));
  }

  /** 1 for each record without a key, or with a column of it that is NULL; undefined if there is none. */
  get nulls(): Uint8Array | undefined {
    const nulls = this.columns.found?.nulls?.subarray(this.record, this.record + this.count);
    return nulls?.includes(1) ? nulls : undefined;
  }

  /** The number of the first column of the key that a record without a key lacks, and what it has there. */
  lackOf(row: number): readonly [column: number, got: null | undefined] {
    const column = this.keyColumns.findIndex(({ nulls }) => nulls?.[row] === 1);
    return [column, this.columns.found?.isAbsent ? undefined : null];
  }

  nameOf(column: number): string {
    return this.columns.found?.names?.[column] ?? 'key';
  }

  /** The records, for adding columns. */
  get records(): AppendedRecords {
    const { data, ends, line, count } = this;
    const { starts, found } = this.columns;
    const closes = found?.closes && this.#rows(found.closes, this.record);
    return { data, starts: starts.array.subarray(line, line + count + 1), ends, closes };
  }

  /** The hashes; only if the lines have been hashed. */
  get hashes(): BigUint64Array {
    return made(this.columns.hashes).array.subarray(0, this.count);
  }

  /** The shards; only if the lines have been routed. */
  get shards(): Uint32Array {
    return this.#rows(made(this.columns.shards), 0);
  }

  /** The numbers of the labels of the shards, or the shards if they have no labels; only if the lines have been routed. */
  get labels(): Uint32Array {
    const { labels = this.columns.shards } = this.columns;
    return this.#rows(made(labels), 0);
  }

  #rows(column: Pick<Column<'u32'>, 'array'>, first: number): Uint32Array {
    return column.array.subarray(first, first + this.count);
  }
}

/** What has been found in the lines of a batch, or made of them. */
function made<T>(value: T | undefined): T {
  if (value === undefined) throw new Error('the batch does not have this');
  return value;
}

/** Copies rows of bytes, such as the lines of a batch or their keys, to an Arrow-layout column. */
export function bytesColumnOf({ data, starts, ends }: Spans): BytesColumn {
  const rows = starts.length;
  const offsets = new Uint32Array(rows + 1);
  const first = starts[0];
  const bytes = data.slice(first, ends[rows - 1]);
  for (let row = 0, at = 0; row < rows; row++) {
    const start = starts[row] - first;
    const end = ends[row] - first;
    bytes.copyWithin(at, start, end);
    at += end - start;
    offsets[row + 1] = at;
  }
  return { data: bytes.subarray(0, offsets[rows]), offsets };
}

/** A line or record that is refused. */
export interface InvalidLine {
  readonly kind: 'invalid';
  /** The number of the line, from 1. */
  readonly line: number;
  /** What was expected and what came. */
  readonly error: Error;
  /** The line without its newline, in memory of its own. */
  readonly bytes: Uint8Array;
}

/** Complete lines or records, the header of a table, or a record that is malformed. */
export type Piece = Batch | Header | InvalidLine;

/** The first record of a CSV table, which names its columns. */
export class Header {
  readonly kind = 'header';

  constructor(
    /** A copy, without the line end. */
    readonly bytes: Uint8Array,
    readonly lineEnd: Uint8Array,
  ) {}

  /** The header with more names at its end, and its line end, or `\n` if it has none. */
  line(names = new Uint8Array(0)): Uint8Array<ArrayBuffer> {
    const { bytes, lineEnd } = this;
    const line = new Uint8Array(bytes.length + names.length + (lineEnd.length || 1)).fill(NEWLINE);
    line.set(bytes);
    line.set(names, bytes.length);
    line.set(lineEnd, bytes.length + names.length);
    return line;
  }
}

const SHOWN_BYTES = 4096;

/** The start of a malformed line or record, for an error. All of it could be too long for a string. */
export function shownText(bytes: Uint8Array): string {
  return new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes.slice(0, SHOWN_BYTES));
}

/** A line or record with bad data. What else is known of it is a property of the error, too. */
export class LineError extends RangeError {
  readonly code = 'ERR_OUT_OF_RANGE';
  readonly #details: LineDetails;

  /**
   * @param line the number of the line, from 1
   * @param file the file of the line, if it is known; `-` for a stream
   */
  constructor(
    readonly line: number,
    readonly expected: string,
    readonly got: unknown,
    readonly file?: string,
    details: LineDetails = {},
  ) {
    super(visible(messageOf(file === undefined ? `line ${line}` : `${file}:${line}`, expected, got, details)));
    this.#details = details;
    Object.assign(this, details);
  }

  /** The same error, which names its file. */
  in(file: string, details?: LineDetails): LineError {
    return new LineError(this.line, this.expected, this.got, file, { ...this.#details, ...details });
  }

  /** The same error about a row of a table: it has `row` in place of `line`. */
  inRow(file: string, details?: LineDetails): RangeError {
    const { code, line: row, expected, got } = this;
    const all = { ...this.#details, ...details };
    const message = messageOf(`${file}: row ${row}`, expected, got, all);
    return Object.assign(new RangeError(visible(message)), { code, row, expected, got, file, ...all });
  }
}

function messageOf(place: string, expected: string, got: unknown, details: LineDetails): string {
  const { field, isRawNeeded, text } = details;
  const about = field === undefined ? '' : `${field}: `;
  const raw = isRawNeeded ? '; with "raw", times are in units of their field' : '';
  const other = text === undefined ? '' : `; with "text" ${text}, such ids are read`;
  return `${place}: ${about}expected ${expected}, got ${describeValue(got)}${raw}${other}`;
}

/** A line or a record whose key, or another text, is not of the expected kind. */
export class KeyError extends LineError {
  constructor(lines: Batch, row: number, expected: string, { data, starts, ends }: Spans = lines.keys) {
    super(lines.lineOf(row), expected, shownText(data.subarray(starts[row], ends[row])));
  }
}

/** The error for a name that is none of the fields of a layout. */
export function unknownField(line: number, name: string, fields: readonly string[]): LineError {
  return new LineError(line, `one of ${fields.join(', ')}`, name, undefined, { known: fields });
}

/** A record that is malformed. @param bytes a copy of it, without its line end */
export function malformed(
  line: number,
  expected: string,
  bytes: Uint8Array,
  syntax?: LineDetails['syntax'],
): InvalidLine {
  const details = syntax && { syntax };
  return { kind: 'invalid', line, error: new LineError(line, expected, shownText(bytes), undefined, details), bytes };
}

/** A row that an operation refuses, counted from the first one of its batch. */
export class Refused {
  constructor(
    readonly row: number,
    readonly error: Error,
  ) {}
}

/** Refuses a row whose key, or another text, is not what was expected. */
export function refuse(batch: Batch, row: number, expected: string, texts?: Spans): Refused {
  return new Refused(row, new KeyError(batch, row, expected, texts));
}

/** Works on all rows; if the library refuses one of them, that one is refused. */
export function attempt<T>(batch: Batch, work: () => T): T | Refused {
  try {
    return work();
  } catch (error) {
    const { row, expected, got, argument = '' } = detailsOf(error);
    if (row === undefined || expected === undefined) throw error;
    const [, column] = /^keys\[(\d+)\]$/.exec(argument) ?? [];
    const details = column === undefined ? {} : { field: batch.nameOf(Number(column)) };
    return new Refused(row, new LineError(batch.lineOf(row), expected, got, undefined, details));
  }
}

/** Refuses the first row without a key. */
export function refuseNull(batch: Batch, nulls: Uint8Array): Refused {
  const row = nulls.indexOf(1);
  const [column, got] = batch.lackOf(row);
  const details = { field: batch.nameOf(column), isKeyMissing: true };
  return new Refused(row, new LineError(batch.lineOf(row), 'a key other than NULL', got, undefined, details));
}

/** The result of some rows, or a row that is refused. */
export type BatchResult<T> = { readonly kind: 'value'; readonly value: T; readonly rows: number } | InvalidLine;

// After a refused row only this many are tried, then twice as many each time, so that little work is lost if many are.
const ROWS_AFTER_REFUSED = 16;

/**
 * Does an operation on the rows of a batch, in their order. A row that is refused is left out: what is before it is done
 * again, and then what is after it. Pieces other than batches stay as they are.
 */
export function* outcomesOf<T>(piece: Piece, run: (batch: Batch) => T | Refused): Generator<BatchResult<T> | Header> {
  if (piece.kind !== 'batch') return yield piece;
  const { count } = piece;
  let most = count;
  let invalid: { readonly at: number; readonly line: InvalidLine } | undefined; // kept while the rows before it are done
  for (let from = 0, to = count; from < count; to = invalid ? to : Math.min(from + most, count)) {
    const rows = piece.slice(from, to);
    const result = from === to ? undefined : run(rows);
    if (result instanceof Refused) {
      const { row, error } = result;
      // A copy, because what is done again has its results in the same memory.
      const bytes = rows.data.slice(rows.starts[row], rows.ends[row]);
      invalid = { at: from + row, line: { kind: 'invalid', line: rows.lineOf(row), error, bytes } };
      to = invalid.at;
      continue;
    }
    if (from < to) yield { kind: 'value', value: result as T, rows: to - from };
    from = to;
    most *= 2;
    if (invalid === undefined) continue;
    yield invalid.line;
    from++;
    most = ROWS_AFTER_REFUSED;
    invalid = undefined;
  }
}
