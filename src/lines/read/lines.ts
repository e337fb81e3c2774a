import { lineKernels } from '../../kernels/records.js';
import { type Column, type Kernels, PIECE_ROWS } from '../../kernels/types.js';
import { Batch, LineNumbers } from '../batch.js';
import { BufferedSource, MAX_LINE } from './buffer.js';

/**
 * Cuts a byte stream into lines, for what is made of them. A line ends at `\n` or `\r\n`. Bytes after the last newline are a line,
 * too; an empty input has no lines. A UTF-8 byte order mark at the start is left out. The memory has a fixed size, or a
 * few times that of the longest line if that is more.
 */
export abstract class LineSource extends BufferedSource {
  readonly #starts: Column<'u32'>;
  readonly #ends: Column<'u32'>;
  /** Up to where newlines have been looked for. */
  #scanned = 0;

  /** @param longestLine the longest line in bytes, 256 KiB or more */
  constructor(kernels: Kernels, longestLine = MAX_LINE) {
    super(kernels, 'line', longestLine);
    this.#starts = kernels.column('u32', PIECE_ROWS + 1);
    this.#ends = kernels.column('u32', PIECE_ROWS);
  }

  override restart(isStart = true): void {
    super.restart(isStart);
    this.#scanned = 0;
  }

  override room(): Uint8Array {
    this.#scanned -= this.start; // the start moves to 0
    return super.room();
  }

  protected nextLines(): Batch | undefined {
    const { data, start, end } = this;
    const starts = this.#starts.array;
    const ends = this.#ends.array;
    starts[0] = start;
    const from = Math.max(this.#scanned, start); // a byte order mark may have been left out
    const found = lineKernels(this.kernels).lines(data.array, from, end, starts, ends);
    const count = this.countUpToTooLong(found, starts, ends);
    const next = starts[count];
    this.#scanned = count === found && found < ends.length ? end : next;
    if (count > 0) return this.#take(count, next);
    return this.isEnd ? this.#last() : undefined;
  }

  override free(): void {
    super.free();
    this.#starts.free();
    this.#ends.free();
  }

  /** The last line, if it does not end with a newline. */
  #last(): Batch | undefined {
    const { start, end, longest } = this;
    if (start === end) return undefined;
    if (end - start > longest) throw this.tooLong(end - start);
    this.#starts.array.set([start, end]);
    this.#ends.array[0] = end;
    this.#scanned = end;
    return this.#take(1, end);
  }

  /** @param next where the line after them starts */
  #take(count: number, next: number): Batch {
    const { data, start, line } = this;
    this.start = next;
    this.line += count;
    return new Batch(count, { data, starts: this.#starts, ends: this.#ends }, new LineNumbers(data, start, line));
  }
}

/** Lines in batches. */
export class LineBatches extends LineSource {
  next(): Batch | undefined {
    return this.nextLines();
  }
}
