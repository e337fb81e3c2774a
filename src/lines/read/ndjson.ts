import {
  encodePaths,
  Fault,
  type JsonColumns,
  type JsonPaths,
  MAX_LEVELS,
  Stop,
  workBytes,
} from '../../kernels/record-types.js';
import { recordKernels } from '../../kernels/records.js';
import { type Column, type Kernels, PIECE_ROWS } from '../../kernels/types.js';
import type { Batch } from '../batch.js';
import { KeyWriter } from '../fields.js';

import { malformed, type Piece } from '../source.js';
import { MAX_LINE } from './buffer.js';
import { LineSource } from './lines.js';

/** The key of NDJSON records; plain data, for another thread. */
export interface NdjsonFormat {
  readonly format: 'ndjson';
  /** Paths of names to the values, in the order in which the values are hashed: 1 to 30 paths, each once. */
  readonly paths: readonly (readonly string[])[];
  /** Names of properties to add, which records must not have yet. Paths and names together are at most 31. */
  readonly added: readonly string[];
}

/** Records of NDJSON: each line is a JSON object. Memory has a fixed size, or a few times that of the longest line. */
export class JsonBatches extends LineSource {
  readonly #format: NdjsonFormat;
  readonly #names: JsonPaths['names'];
  readonly #columns: {
    readonly encoded: Column<'u8'>;
    readonly work: Column<'u8'>;
    readonly keyStarts: Column<'u32'>;
    readonly keyEnds: Column<'u32'>;
    readonly closes: Column<'u32'>;
    readonly stop: Column<'u32'>;
  };
  readonly #writer: KeyWriter;
  /** Lines that have been found and not returned yet. */
  #cut: Batch | undefined;

  /** @param longest the longest line in bytes, 256 KiB or more */
  constructor(kernels: Kernels, format: NdjsonFormat, longest = MAX_LINE) {
    super(kernels, longest);
    this.#format = format;
    this.#names = [...format.paths, ...format.added.map((name) => [name])];
    const encoded = encodePaths(this.#names);
    this.#columns = {
      encoded: kernels.column('u8', encoded.length),
      work: kernels.column('u8', workBytes(this.#names)),
      keyStarts: kernels.column('u32', PIECE_ROWS * this.#names.length),
      keyEnds: kernels.column('u32', PIECE_ROWS * this.#names.length),
      closes: kernels.column('u32', PIECE_ROWS),
      stop: kernels.column('u32', Stop.LENGTH),
    };
    this.#columns.encoded.array.set(encoded);
    this.#writer = new KeyWriter(kernels, PIECE_ROWS);
  }

  override restart(isStart = true): void {
    super.restart(isStart);
    this.#cut = undefined;
  }

  next(): Piece | undefined {
    const lines = this.#cut ?? this.nextLines();
    if (lines === undefined) return undefined;
    const found = this.#found();
    const paths = {
      names: this.#names,
      refused: this.#format.added.length,
      encoded: this.#columns.encoded.array,
      work: this.#columns.work.array,
    };
    const count = recordKernels(this.kernels).jsonRecords(lines, paths, found);
    if (count === 0) {
      this.#cut = after(lines, 1);
      const bytes = lines.data.slice(lines.starts[0], lines.ends[0]);
      return malformed(lines.firstLine, this.#expected(found.stop[Stop.FAULT]), bytes);
    }
    const { keyStarts, keyEnds, closes } = this.#columns;
    const written = this.#writer.write(lines.memory, () => this.#found(), count);
    const keys = written ?? { data: lines.memory, starts: keyStarts, ends: keyEnds, shift: 0 };
    this.#cut = after(lines, count);
    return lines.asRecords(count, { keys, closes });
  }

  override free(): void {
    super.free();
    for (const column of Object.values(this.#columns)) column.free();
    this.#writer.free();
  }

  #found(): JsonColumns {
    const { keyStarts, keyEnds, closes, stop } = this.#columns;
    return {
      format: 'json',
      most: PIECE_ROWS,
      fields: this.#format.paths.length,
      keyStarts: keyStarts.array,
      keyEnds: keyEnds.array,
      closes: closes.array,
      stop: stop.array,
    };
  }

  #expected(fault: number): string {
    switch (fault) {
      case Fault.NO_OBJECT:
        return 'a JSON object';
      case Fault.TOO_DEEP:
        return `at most ${MAX_LEVELS} objects and arrays within each other`;
      case Fault.NO_KEY:
        return `a string, a number or a boolean at ${this.#format.paths.map((path) => path.join('.')).join(' and ')}`;
      case Fault.HAS_NAME:
        return `no property named ${this.#format.added.join(' or ')}`;
      default:
        return 'JSON';
    }
  }
}

/** The lines after the first `count`; undefined if there are none. */
function after(lines: Batch, count: number): Batch | undefined {
  return count < lines.count ? lines.slice(count, lines.count) : undefined;
}
