import { checkOneOf, describeValue, wrongValue } from '../arguments.js';
import { type Column, type Kernels, PIECE_ROWS, type TextFormat } from '../kernels/types.js';
import type { Batch } from './batch.js';

/** The key in a line: its bytes, or a u64 in decimal. */
export type LineKeys = 'text' | 'u64';

export interface LineHashOptions {
  keys: LineKeys;
  /** With `none`, a u64 key is its own hash. */
  hash: 'xxh64' | 'none';
  seed: bigint;
}

/** Checks the kind of keys in lines, and their hash. */
export function checkHashed(keys: LineKeys, hash: LineHashOptions['hash']): void {
  checkOneOf('keys', keys, ['text', 'u64']);
  checkOneOf('hash', hash, ['xxh64', 'none']);
  if (hash === 'none' && keys === 'text') throw wrongValue('keys', "'u64' with hash 'none'", keys);
}

const SHOWN_BYTES = 4096;

/** The start of a malformed line or record, for an error. All of it could be too long for a string. */
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
   * The lines with their hashes, valid until the next call.
   * @throws KeyError, with the number of the line, if a u64 key is not a u64
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

/** What is expected of a line, for an error message. */
function idIn(format: TextFormat): string {
  return format === 'dec' ? 'a decimal integer from 0 to 2^64 - 1' : `an integer from 0 to 2^64 - 1 in ${format}`;
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
    super(`${file === undefined ? 'line ' : `${file}:`}${line}: expected ${expected}, got ${describeValue(got)}`);
  }
}

/** A line or a record whose key is not of the expected kind. */
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
