import { describeValue, visible } from '../arguments.js';
import type { BytesColumn } from '../columns/keys.js';
import type { AppendedRecords } from '../kernels/record-types.js';
import { kernelsWithColumns } from '../kernels/resident.js';
import type { Column, ColumnType, Kernels, Spans } from '../kernels/types.js';

/** Kernels whose columns are freed together. */
export interface Workspace extends Kernels {
  free(): void;
}

export function openWorkspace(kernels: Kernels = kernelsWithColumns()): Workspace {
  const columns: Column<ColumnType>[] = [];
  const column: Kernels['column'] = (type, length) => {
    const made = kernels.column(type, length);
    columns.push(made);
    return made;
  };
  const free = () => {
    for (const one of columns) one.free();
  };
  return Object.create(kernels, { column: { value: column }, free: { value: free } }) as Workspace;
}

/** The current arrays of columns, by the same names. */
export function arraysOf<C extends { readonly [name: string]: Column<ColumnType> }>(columns: C) {
  const arrays = Object.entries(columns).map(([name, { array }]) => [name, array]);
  return Object.fromEntries(arrays) as { readonly [N in keyof C]: C[N]['array'] };
}

/**
 * Room for as many bytes as were ever needed at once.
 * @returns a function that gives a column with room for so many bytes, valid until the next call. It throws a RangeError
 *   if there is no memory
 */
export function growingBytes(kernels: Kernels): (needed: number) => Column<'u8'> {
  let column: Column<'u8'> | undefined;
  return (needed) => {
    if (column !== undefined && column.length >= needed) return column;
    column?.free();
    column = undefined;
    column = kernels.column('u8', Math.ceil(1.5 * needed));
    return column;
  };
}

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
  /** Where each line starts, and where the next one after them starts. */
  readonly starts: Column<'u32'>;
  readonly ends: Column<'u32'>;
  /** For records. */
  readonly found?: FoundColumns;
  readonly hashes?: Column<'u64'>;
  readonly shards?: Column<'u32'>;
}

/** What has been found in records. */
interface FoundColumns {
  readonly keys: KeyPlaces;
  /** For records that say their shard. */
  readonly shardTexts?: ShardTexts | undefined;
  /** For NDJSON: the places of the last braces. */
  readonly closes?: Column<'u32'>;
  /** Whether the records have no key; `keys` are then empty. */
  readonly areKeysMissing?: boolean;
}

/** Text i is data[starts[from + i]..ends[from + i]) of the records' own bytes. */
export interface ShardTexts {
  readonly starts: Column<'u32'>;
  readonly ends: Column<'u32'>;
  readonly from: number;
}

/** Key i is data[starts[i]..ends[i + shift]). */
export interface KeyPlaces {
  readonly data: Column<'u8'>;
  readonly starts: Column<'u32'>;
  readonly ends: Column<'u32'>;
  readonly shift: 0 | 1;
}

/** Numbers lines, for errors. Lines are counted only when a number is asked for. */
export class LineNumbers {
  readonly #first: readonly [place: number, line: number];
  #last: readonly [place: number, line: number];

  /** @param line the number of the line that starts at `place`, from 1 */
  constructor(
    private readonly data: Column<'u8'>,
    place: number,
    line: number,
  ) {
    this.#first = this.#last = [place, line];
  }

  /** The number of the line that starts at `place`. */
  at(place: number): number {
    const [from, line] = place >= this.#last[0] ? this.#last : this.#first;
    this.#last = [place, line + newlinesIn(this.data.array, from, place)];
    return this.#last[1];
  }
}

const NEWLINE = 0x0a;

export function newlinesIn(data: Uint8Array, from: number, to: number): number {
  const bytes = data.subarray(from, to);
  let count = 0;
  for (let at = bytes.indexOf(NEWLINE); at >= 0; at = bytes.indexOf(NEWLINE, at + 1)) count++;
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

  /** The same lines, with hashes or shards added. */
  with(made: Pick<BatchColumns, 'hashes' | 'shards'>): Batch {
    return new Batch(this.count, { ...this.columns, ...made }, this.numbers, this.line, this.record);
  }

  /** Some of the lines, without hashes and shards. */
  slice(from: number, to: number): Batch {
    if (from === 0 && to === this.count) return this;
    const { hashes, shards, ...columns } = this.columns;
    return new Batch(to - from, columns, this.numbers, this.line + from, this.record + from);
  }

  /** The first `count` lines, as the records that were found in them. */
  asRecords(count: number, found: FoundColumns): Batch {
    return new Batch(count, { ...this.columns, found }, this.numbers, this.line);
  }

  get firstLine(): number {
    return this.lineOf(0);
  }

  /** The number of the line in which a row starts, from 1. */
  lineOf(row: number): number {
    return this.numbers.at(this.columns.starts.array[this.line + row]);
  }

  get memory(): Column<'u8'> {
    return this.columns.data;
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
    const { found } = this.columns;
    if (found === undefined) return this;
    const { data, starts, ends, shift } = found.keys;
    return { data: data.array, starts: this.#rows(starts, this.record), ends: this.#rows(ends, this.record + shift) };
  }

  /** The shards that the records say themselves, as text; only if their format has them. */
  get shardTexts(): Spans {
    const { starts, ends, from } = this.columns.found?.shardTexts as ShardTexts;
    const first = from + this.record;
    return { data: this.data, starts: this.#rows(starts, first), ends: this.#rows(ends, first) };
  }

  /** Whether the records have no key, and are kept nevertheless. */
  get areKeysMissing(): boolean {
    return this.columns.found?.areKeysMissing === true;
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
    return (this.columns.hashes as Column<'u64'>).array.subarray(0, this.count);
  }

  /** The shards; only if the lines have been routed. */
  get shards(): Uint32Array {
    return this.#rows(this.columns.shards as Column<'u32'>, 0);
  }

  #rows(column: Column<'u32'>, first: number): Uint32Array {
    return column.array.subarray(first, first + this.count);
  }
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

  /** The header with its line end, or `\n` if it has none. */
  get line(): Uint8Array<ArrayBuffer> {
    return joined(this.bytes, this.lineEnd.length > 0 ? this.lineEnd : Uint8Array.of(NEWLINE));
  }

  /** The header with one more name at its end. */
  with(name: Uint8Array): Header {
    return new Header(joined(this.bytes, name), this.lineEnd);
  }
}

const SHOWN_BYTES = 4096;

/** The start of a malformed line or record, for an error. All of it could be too long for a string. */
export function shownText(bytes: Uint8Array): string {
  return new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes.slice(0, SHOWN_BYTES));
}

/** A line or record with bad data. */
export class LineError extends RangeError {
  readonly code = 'ERR_OUT_OF_RANGE';

  /**
   * @param line the number of the line, from 1
   * @param file the file of the line, if it is known; `-` for a stream
   */
  constructor(
    readonly line: number,
    readonly expected: string,
    readonly got: string | number,
    readonly file?: string,
  ) {
    super(
      visible(`${file === undefined ? 'line ' : `${file}:`}${line}: expected ${expected}, got ${describeValue(got)}`),
    );
  }
}

/** A line or a record whose key, or another text, is not of the expected kind. */
export class KeyError extends LineError {
  constructor(
    lines: Batch,
    readonly row: number,
    expected: string,
    { data, starts, ends }: Spans = lines.keys,
  ) {
    const text = shownText(data.subarray(starts[row], ends[row]));
    super(lines.lineOf(row), expected, text);
  }
}

/** A record that is malformed. @param bytes a copy of it, without its line end */
export function malformed(line: number, expected: string, bytes: Uint8Array): InvalidLine {
  return { kind: 'invalid', line, error: new LineError(line, expected, shownText(bytes)), bytes };
}

function joined(first: Uint8Array, second: Uint8Array): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(first.length + second.length);
  bytes.set(first);
  bytes.set(second, first.length);
  return bytes;
}

/** The result of some lines, or a line that is refused. */
export type Outcome<T> = { readonly kind: 'value'; readonly value: T; readonly rows: number } | InvalidLine;

// After an invalid line only this many are tried, then twice as many each time, so that little work is lost if many are.
const ROWS_AFTER_INVALID = 16;

/**
 * Does work on the lines of a batch, in their order, and skips invalid lines. When `work` refuses a line, it is done again
 * for the lines before that one, and then for those after it. Pieces other than batches stay as they are.
 * @param work refuses a line with an error whose `row` counts from the first line that it was given. A row below 0 is an
 *   empty line before them
 */
export function* skipInvalid<T>(piece: Piece, work: (lines: Batch) => T): Generator<Outcome<T> | Header> {
  if (piece.kind !== 'batch') return yield piece;
  const { count } = piece;
  let most = count;
  let refused: Refused | undefined; // kept while the lines before it are done
  for (let from = 0, to = count; from < count; to = refused ? to : Math.min(from + most, count)) {
    const outcome = attempt(piece.slice(from, to), work);
    if (outcome.kind === 'value') {
      yield outcome;
      from = to;
      most *= 2;
    } else {
      refused = outcome;
      to = from + Math.max(0, refused.row);
    }
    if (refused !== undefined && from === to) {
      yield refused;
      if (refused.row >= 0) from++;
      most = ROWS_AFTER_INVALID;
      refused = undefined;
    }
  }
}

type Refused = InvalidLine & { readonly row: number };

function attempt<T>(lines: Batch, work: (lines: Batch) => T): Exclude<Outcome<T>, InvalidLine> | Refused {
  try {
    return { kind: 'value', value: work(lines), rows: lines.count };
  } catch (error) {
    if (!(error instanceof Error) || !('row' in error) || typeof error.row !== 'number') throw error;
    const { row } = error;
    const isLine = row >= 0;
    const bytes = isLine ? lines.data.slice(lines.starts[row], lines.ends[row]) : new Uint8Array(0);
    const line = isLine ? lines.lineOf(row) : lines.firstLine + row;
    return { kind: 'invalid', row, line, error, bytes };
  }
}
