import { checkOneOf, describeValue, wrongValue } from '../arguments.js';
import { type Column, type Kernels, PIECE_ROWS, type TextFormat } from '../kernels/contract.js';
import type { Batch } from './batch.js';

/** How a line is a key: its bytes, or the u64 it spells in decimal. */
export type LineKeys = 'text' | 'u64';

export interface LineHashOptions {
  keys: LineKeys;
  /** `none`: a u64 key is its own hash. */
  hash: 'xxh64' | 'none';
  seed: bigint;
}

/** Checks what lines are, and how they are hashed. */
export function checkHashed(keys: LineKeys, hash: LineHashOptions['hash']): void {
  checkOneOf('keys', keys, ['text', 'u64']);
  checkOneOf('hash', hash, ['xxh64', 'none']);
  if (hash === 'none' && keys === 'text') throw wrongValue('keys', "'u64' with hash 'none'", keys);
}

const SHOWN_BYTES = 4096;

/** The start of what is malformed, for an error: not more than is of use, and than a string holds. */
export function shownText(bytes: Uint8Array): string {
  return new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes.slice(0, SHOWN_BYTES));
}

/** Hashes batches of lines. */
export class LineHasher {
  readonly #kernels: Kernels;
  readonly #hashes: Column<'u64'>;
  readonly #options: LineHashOptions;
  readonly #format: TextFormat;

  /** @param format how u64 keys are written */
  constructor(kernels: Kernels, options: LineHashOptions, format: TextFormat = 'dec') {
    this.#kernels = kernels;
    this.#hashes = kernels.column('u64', PIECE_ROWS);
    this.#options = options;
    this.#format = format;
  }

  /**
   * The lines with their hashes, good until the next call.
   * @throws RangeError, with the number of the line, for a u64 key that is none
   */
  hash(lines: Batch): Batch {
    const { keys, hash, seed } = this.#options;
    const hashed = lines.with({ hashes: this.#hashes });
    const { hashes } = hashed;
    if (keys === 'text') {
      this.#kernels.xxh64SpanColumn(lines.keys, seed, hashes);
      return hashed;
    }
    const bad = this.#kernels.parseSpans(lines.keys, this.#format, hashes);
    if (bad >= 0) throw new KeyError(lines, bad, idIn(this.#format));
    if (hash === 'xxh64') this.#kernels.xxh64U64Column(hashes, seed, hashes);
    return hashed;
  }

  free(): void {
    this.#hashes.free();
  }
}

/** What a line must be, for the message about one that is not. */
function idIn(format: TextFormat): string {
  return format === 'dec' ? 'a decimal integer from 0 to 2^64 - 1' : `an integer from 0 to 2^64 - 1 in ${format}`;
}

/** Bad data in a line. */
export class LineError extends RangeError {
  readonly code = 'ERR_OUT_OF_RANGE';

  /**
   * @param line counted from 1
   * @param file where the line is, if that is known; `-` for a stream
   */
  constructor(
    readonly line: number,
    readonly expected: string,
    readonly got: string | number,
    readonly file?: string,
  ) {
    super(`${file === undefined ? 'line ' : `${file}:`}${line}: expected ${expected}, got ${describeValue(got)}`);
  }
}

/** A line, or the key of a record, that is not a key of its kind. */
export class KeyError extends LineError {
  constructor(
    lines: Batch,
    readonly row: number,
    expected: string,
  ) {
    const { data, starts, ends } = lines.keys;
    const text = shownText(data.subarray(starts[row], ends[row]));
    super(lines.lineOf(row), expected, text);
  }
}
