import { type RowValues, spansOf } from '../../columns/keys.js';
import { arraysOf, growingBytes, openWorkspace, type Workspace } from '../../kernels/active.js';
import { type KeyColumns, Stop } from '../../kernels/record-types.js';
import { lineKernels, recordKernels } from '../../kernels/records.js';
import { type Column, type Kernels, PIECE_ROWS } from '../../kernels/types.js';
import {
  Batch,
  type FoundFields,
  LineError,
  type LineNumbers,
  lineNumbers,
  malformed,
  NEWLINE,
  newlinesIn,
  type Piece,
  type WrittenKeys,
} from '../batch.js';

export const READ_BYTES = 512 * 1024;

/**
 * The longest line or record, in bytes without its line end. It bounds the memory of each thread, which takes a few times as
 * much, for input that never ends a line: a few KB of zstd can hold a gigabyte.
 */
export const MAX_LINE = 16 * 1024 * 1024;

/** What is known of a table from its first records; plain data, for another thread. */
export interface Table {
  /** The names of its columns, if it has a header. */
  readonly names?: readonly string[] | undefined;
  /** How many fields each record has. */
  readonly width?: number | undefined;
}

const BYTE_ORDER_MARK = [0xef, 0xbb, 0xbf]; // U+FEFF in UTF-8
const SLACK_BYTES = 64; // some kernels read this far beyond the data

/**
 * Turns a stream of bytes into batches of lines or records. Read bytes into `room()`, call `filled()`, and call `next()`
 * until it returns nothing. At the end call `ended()`, then `next()` again.
 *
 * The bytes that have been read and not returned yet are in the kernels' memory. A UTF-8 byte order mark at the start is
 * left out. The buffer has a fixed size, or a few times that of an incomplete line or record if that is more.
 */
export abstract class BufferedSource {
  /** What is made with these kernels is freed together with the source. */
  readonly kernels: Workspace;
  /** data[start..end) has been read and not returned yet. */
  protected data: Column<'u8'>;
  protected start = 0;
  protected end = 0;
  /** The number of the line at `start`, from 1. */
  line = 1;
  protected isEnd = false;
  /** Whether a byte order mark may be at `start`. */
  #isStart = true;

  /** @param longest the longest line or record in bytes, 256 KiB or more */
  constructor(
    kernels: Kernels,
    private readonly noun: 'line' | 'record',
    protected readonly longest: number,
    protected readonly lineEnd: number = NEWLINE,
  ) {
    this.kernels = openWorkspace(kernels);
    this.data = this.kernels.column('u8', 2 * READ_BYTES);
  }

  /**
   * The next piece; undefined until more bytes come.
   * @throws LineError if the next line or record is too long, or the header lacks a column
   */
  abstract next(): Piece | undefined;

  /**
   * Prepares for other bytes, whose first line is number 1.
   * @param isStart whether they are the start of a file
   */
  restart(isStart = true): void {
    this.start = this.end = 0;
    this.line = 1;
    this.isEnd = false;
    this.#isStart = isStart;
  }

  /**
   * The array to read the next bytes into: 512 KiB or more, valid until the next call of `room`.
   * @throws LineError for a line or record that is too long
   */
  room(): Uint8Array {
    if (this.start > 0) this.data.array.copyWithin(0, this.start, this.end);
    this.end -= this.start;
    this.start = 0;
    if (this.end > this.longest + 1) throw this.tooLong(this.end); // 1 for a \r
    if (this.data.length - SLACK_BYTES - this.end < READ_BYTES) this.#grow();
    return this.data.array.subarray(this.end, this.data.length - SLACK_BYTES);
  }

  filled(byteLength: number): void {
    this.end += byteLength;
    if (this.#isStart) this.#skipByteOrderMark();
  }

  ended(): void {
    this.isEnd = true;
  }

  /** How many of the last bytes have not been returned, because their line or record is not complete. */
  get waiting(): number {
    return this.end - this.start;
  }

  /** A copy of these bytes. */
  get rest(): Uint8Array<ArrayBuffer> {
    return this.data.array.slice(this.start, this.end);
  }

  /** What the start of the input tells about all records; undefined if it has not been read yet. */
  get table(): Table | undefined {
    return {};
  }

  /** Reads records of an input whose start another source has read. */
  useTable(_: Table): void {}

  /** All pieces that are complete. */
  *drain(): Generator<Piece> {
    for (let piece = this.next(); piece !== undefined; piece = this.next()) yield piece;
  }

  /** The pieces that are complete with some more bytes. */
  *add(bytes: Uint8Array): Generator<Piece> {
    for (let from = 0; from < bytes.length; ) {
      const room = this.room();
      const piece = bytes.subarray(from, from + room.length);
      room.set(piece);
      from += piece.length;
      this.filled(piece.length);
      yield* this.drain();
    }
  }

  free(): void {
    this.kernels.free();
  }

  /**
   * How many of the `count` lines that were found from `start` on come before the first one that is too long.
   * @throws LineError if the first line is too long
   */
  protected countUpToTooLong(count: number, starts: Uint32Array, ends: Uint32Array): number {
    if (starts[count] - this.start <= this.longest) return count; // all together are not too long
    const lengths = ends.subarray(0, count).map((end, i) => end - starts[i]);
    const tooLong = lengths.findIndex((byteLength) => byteLength > this.longest);
    if (tooLong === 0) throw this.tooLong(lengths[0]);
    return tooLong < 0 ? count : tooLong;
  }

  /** Goes on at another place. @returns the numbers of the lines before it */
  protected goTo(next: number, lines = newlinesIn(this.data.array, this.start, next)): LineNumbers {
    const numbers = lineNumbers(this.data, [this.start, this.line], this.lineEnd);
    this.start = next;
    this.line += lines;
    return numbers;
  }

  /** The error for the line at `start`. */
  protected tooLong(byteLength: number, longest = this.longest): LineError {
    return new LineError(this.line, `at most ${longest} bytes in a ${this.noun}`, byteLength);
  }

  /** If only a part of the mark has come, those bytes may still belong to a line. */
  #skipByteOrderMark(): void {
    const head = this.data.array.subarray(this.start, Math.min(this.end, this.start + BYTE_ORDER_MARK.length));
    const isMark = head.every((byte, i) => byte === BYTE_ORDER_MARK[i]);
    this.#isStart = isMark && head.length < BYTE_ORDER_MARK.length;
    if (isMark && !this.#isStart) this.start += head.length;
  }

  #grow(): void {
    // Doubles, up to the longest line and one more read.
    const twice = 2 * this.data.length;
    const byteLength = twice < this.longest ? twice : this.longest + 1 + READ_BYTES + SLACK_BYTES;
    let larger: Column<'u8'>;
    try {
      larger = this.kernels.column('u8', byteLength);
    } catch (error) {
      throw error instanceof RangeError ? this.tooLong(this.end, this.data.length - READ_BYTES) : error;
    }
    larger.array.set(this.data.array.subarray(0, this.end));
    this.data.free();
    this.data = larger;
  }
}

/**
 * Cuts a byte stream into lines. A line ends at `\n` or `\r\n`, or at a NUL. Bytes after the last one are a line, too; an
 * empty input has no lines. The memory has a fixed size, or a few times that of the longest line if that is more.
 */
export class LineBatches extends BufferedSource {
  readonly #starts = this.kernels.column('u32', PIECE_ROWS + 1);
  readonly #ends = this.kernels.column('u32', PIECE_ROWS);
  /** Up to where newlines have been looked for. */
  #scanned = 0;
  /** Lines that have been found and not returned yet. */
  #cut: Batch | undefined;

  /**
   * @param longest the longest line in bytes, 256 KiB or more
   * @param lineEnd the last byte of a line
   */
  constructor(kernels: Kernels, longest = MAX_LINE, lineEnd?: number) {
    super(kernels, 'line', longest, lineEnd);
  }

  override restart(isStart = true): void {
    super.restart(isStart);
    this.#scanned = 0;
    this.#cut = undefined;
  }

  override room(): Uint8Array {
    this.#scanned -= this.start; // the start moves to 0
    return super.room();
  }

  next(): Piece | undefined {
    for (;;) {
      const lines = this.#cut ?? this.#nextLines();
      if (lines === undefined) return undefined;
      const piece = this.take(lines);
      const count = piece?.kind === 'batch' ? piece.count : 1;
      this.#cut = count < lines.count ? lines.slice(count, lines.count) : undefined;
      if (piece !== undefined) return piece;
    }
  }

  /** A batch of the first lines, or what the first line is instead; undefined if that is left out. */
  protected take(lines: Batch): Piece | undefined {
    return lines;
  }

  #nextLines(): Batch | undefined {
    const { data, start, end } = this;
    const starts = this.#starts.array;
    const ends = this.#ends.array;
    starts[0] = start;
    const from = Math.max(this.#scanned, start); // a byte order mark may have been left out
    const found = lineKernels(this.kernels).lines(data.array, [from, end], this.lineEnd, starts, ends);
    let count = this.countUpToTooLong(found, starts, ends);
    this.#scanned = count === found && found < ends.length ? end : starts[count];
    if (count === 0) {
      if (!this.isEnd || start === end) return undefined;
      // The last line has no end. If line breaks are data, it gets one.
      if (end - start > this.longest) throw this.tooLong(end - start);
      if (this.lineEnd !== NEWLINE) data.array[this.end++] = this.lineEnd;
      starts[1] = this.end;
      ends[0] = end;
      count = 1;
    }
    return new Batch(count, { data, starts: this.#starts, ends: this.#ends }, this.goTo(starts[count], count));
  }
}

/** For a record without a key. */
const ONE_NULL = Uint8Array.of(1);

const TAB = 0x09;

/** Lines that say their shard in front of the key, with a tab between them. */
export class PlacedLineBatches extends LineBatches {
  /** The keys, then the shards. */
  readonly #found = {
    starts: this.kernels.column('u32', 2 * PIECE_ROWS),
    ends: this.kernels.column('u32', 2 * PIECE_ROWS),
  };

  protected override take(lines: Batch): Piece {
    const count = this.#split(lines);
    if (count > 0) return lines.asRecords(count, { ...this.#found, shard: 1 });
    const bytes = lines.data.slice(lines.starts[0], lines.ends[0]);
    return malformed(lines.firstLine, 'a shard, a tab and a key', bytes);
  }

  /** Cuts lines at their first tab. @returns how many there are before the first one that has no tab */
  #split({ data, starts, ends, count }: Batch): number {
    const found = arraysOf(this.#found);
    found.starts.set(starts, PIECE_ROWS);
    found.ends.set(ends);
    for (let row = 0; row < count; row++) {
      const end = ends[row];
      let at = starts[row];
      while (at < end && data[at] !== TAB) at++;
      if (at === end) return row;
      found.ends[PIECE_ROWS + row] = at;
      found.starts[row] = at + 1;
    }
    return count;
  }
}

/** A byte length in decimal and two colons, for each field of a key except the last. */
const LENGTH_BYTES = 12;

/**
 * Writes keys that are hashed in another form than their records have: keys with escapes, and keys of several fields.
 * @returns a function that gives the keys of some records, valid until its next call; undefined if the records have them
 *   as they are hashed. It may grow the memory, and throws a RangeError if there is no room
 */
function keyWriter(kernels: Kernels) {
  const offsets = kernels.column('u32', PIECE_ROWS + 1);
  const room = growingBytes(kernels);
  return (data: Column<'u8'>, found: () => KeyColumns, rows: number): WrittenKeys | undefined => {
    const { stop, fields } = found();
    if (stop[Stop.ESCAPED] === 0 && fields === 1) return undefined;
    const text = room(bytesOfKeys(found(), rows));
    recordKernels(kernels).keyColumn(data.array, found(), rows, text.array, offsets.array);
    return { text, offsets };
  };
}

/** What formats of records have in common; plain data, for another thread. */
export interface KeyFormat {
  /** Whether the columns of a key are also read one by one: see `Batch.keyColumns`. */
  readonly isSplit?: boolean;
  /** Names of columns or properties to add, which records must not have yet. With the paths of NDJSON, at most 31. */
  readonly added: readonly string[];
  /**
   * If this is set, records are closed: the columns of a key have single names, each is read on its own, and records may have
   * others only of these names. In NDJSON they have none twice, and paths and names together are at most 31.
   */
  readonly others?: readonly string[] | undefined;
}

/**
 * Reads the keys of records and, if they are split, each column of them, without escapes.
 * @param fields how many columns a key has
 * @returns a function that gives what is found in some records, valid until its next call; `found` returns the current arrays
 */
export function recordKeys(kernels: Kernels, { isSplit, others }: KeyFormat, fields: number) {
  const write = keyWriter(kernels);
  const writers = Array.from({ length: isSplit ? fields : 0 }, () => keyWriter(kernels));
  return (data: Column<'u8'>, found: () => KeyColumns, rows: number): Pick<FoundFields, 'written' | 'columns'> => {
    const written = others ? undefined : write(data, () => ({ ...found(), fields }), rows);
    if (!isSplit) return { written };
    const column = (field: number): KeyColumns => {
      const { keyStarts, keyEnds, most, ...syntax } = found();
      const of = (places: Uint32Array) => places.subarray(field * most, (field + 1) * most);
      return { ...syntax, most, fields: 1, keyStarts: of(keyStarts), keyEnds: of(keyEnds) };
    };
    const ofColumns = writers.map((write, field) => write(data, () => column(field), rows));
    const columns = () =>
      ofColumns.map((keys, field): RowValues => {
        if (keys !== undefined) return { values: spansOf({ data: keys.text.array, offsets: keys.offsets.array }) };
        const { keyStarts, keyEnds } = column(field);
        return { values: { data: data.array, starts: keyStarts, ends: keyEnds } };
      });
    return { written, columns };
  };
}

/** What is found in a record with these values of its key, of which one at least is NULL or absent. */
export function nullColumns(values: readonly (Uint8Array | null | undefined)[]) {
  const columns = values.map((value) => {
    const data = value ?? new Uint8Array();
    const one = { data, starts: Uint32Array.of(0), ends: Uint32Array.of(data.length) };
    return { values: one, nulls: value ? undefined : ONE_NULL };
  });
  return { nulls: ONE_NULL, columns: () => columns, isAbsent: values.find((value) => !value) === undefined };
}

/** An upper bound of the bytes that keys take when they are written. */
function bytesOfKeys({ keyStarts, keyEnds, most, fields }: KeyColumns, rows: number): number {
  let bytes = LENGTH_BYTES * rows * (fields - 1);
  for (let field = 0; field < fields; field++) {
    for (let at = field * most; at < field * most + rows; at++) {
      bytes += keyEnds[at] - keyStarts[at];
    }
  }
  return bytes;
}
