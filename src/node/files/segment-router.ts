import type { Kernels } from '../../kernels/contract.js';
import { aroundBadLines, type BadLine, type Outcome } from '../../lines/around-bad-lines.js';
import { Batch } from '../../lines/batch.js';
import { type BatchSource, Header } from '../../lines/batch-source.js';
import { LineError, type LineKeys } from '../../lines/line-hasher.js';
import { LineRouter } from '../../lines/line-router.js';
import { type RowFormat, type RowWriter, rowWriter } from '../../lines/row-writer.js';
import { type CheckedRows, sourceOf } from '../../lines/rows.js';
import { type ShardNames, withNames } from '../../lines/shard-names.js';
import type { Routing } from '../../routing/routing.js';
import { named } from './naming.js';
import { readSegment, type Segment } from './segments.js';

/** The job for all segments. */
export interface SegmentJob {
  readonly routing: Routing;
  readonly keys: LineKeys;
  readonly format: RowFormat;
  /** Only for NDJSON, because a line end in CSV does not always end a record. */
  readonly rows?: CheckedRows | undefined;
  /** Written instead of shards. */
  readonly names?: ShardNames | undefined;
}

/** The rows of a segment, up to its first bad line. */
export interface SegmentRows {
  readonly keys: number;
  readonly rows: Uint8Array<ArrayBuffer>;
  /** The first bad line, with its number in the segment, from 1. */
  readonly bad?: { readonly line: number; readonly expected: string; readonly got: string | number };
}

/** Routes segments of files, one after the other. */
export class SegmentRouter {
  readonly #source: BatchSource;
  readonly #router: LineRouter;
  readonly #writer: RowWriter;
  readonly #names: ShardNames | undefined;
  #room = 64 * 1024;

  constructor(kernels: Kernels, { routing, keys, format, rows, names }: SegmentJob) {
    this.#source = sourceOf(kernels, rows);
    this.#router = new LineRouter(kernels, routing, keys);
    this.#writer = rowWriter(kernels, format, rows, names);
    this.#names = names;
  }

  route(segment: Segment): SegmentRows {
    let keys = 0;
    let byteLength = 0;
    let out = new Uint8Array(this.#room); // the size of the previous one, because segments are alike
    try {
      for (const piece of readSegment(segment, this.#source)) {
        for (const outcome of this.#outcomes(piece)) {
          if ('error' in outcome) throw outcome.error;
          const { made: rows } = outcome;
          if (byteLength + rows.length > out.length) {
            const larger = new Uint8Array(2 * (byteLength + rows.length));
            larger.set(out.subarray(0, byteLength));
            out = larger;
          }
          out.set(rows, byteLength);
          byteLength += rows.length;
          keys += outcome.rows;
        }
      }
    } catch (error) {
      if (!(error instanceof LineError)) throw named(segment.path, error);
      const { line, expected, got } = error;
      return { keys, rows: out.subarray(0, byteLength), bad: { line, expected, got } };
    }
    this.#room = Math.ceil(byteLength * 1.01);
    return { keys, rows: out.subarray(0, byteLength) };
  }

  #outcomes(piece: Batch | Header | BadLine): Iterable<Outcome<Uint8Array>> {
    if (piece instanceof Header) return [];
    if (!(piece instanceof Batch)) return [piece];
    return aroundBadLines(piece, (some) => this.#writer.write(withNames(this.#router.route(some), this.#names)));
  }

  free(): void {
    this.#source.free();
    this.#router.free();
    this.#writer.free();
  }
}
