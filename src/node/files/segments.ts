import { closeSync, openSync, readSync, statSync } from 'node:fs';
import { type Batch, LineError, type Piece, skipInvalid } from '../../lines/batch.js';
import { type LineKeys, lineRouter } from '../../lines/keys.js';
import { type BufferedSource, MAX_LINE } from '../../lines/read/lines.js';
import { type CheckedFormat, sourceOf } from '../../lines/records.js';
import { type OutputFormat, rowWriter, type ShardNames, withNames } from '../../lines/write/rows.js';
import type { Routing } from '../../routing/routing.js';
import { named } from './input.js';

/** The lines of a file that start at bytes from..to. `to` of the last segment is infinite, for lines that are appended. */
export interface Segment {
  readonly path: string;
  readonly from: number;
  readonly to: number;
  readonly byteLength: number;
}

// Two milliseconds of work. With half as many bytes, two threads take 5 % longer; with a quarter, 20 %.
const SEGMENT_BYTES = 4 * 1024 * 1024;

/** Splits files into segments, in their order. */
export function segmentsOf(paths: readonly string[]): Segment[] {
  return paths.flatMap((path) => {
    const { size } = statSync(path);
    return Array.from({ length: Math.ceil(size / SEGMENT_BYTES) }, (_, i) => {
      const from = i * SEGMENT_BYTES;
      const to = from + SEGMENT_BYTES;
      return { path, from, to: to < size ? to : Number.POSITIVE_INFINITY, byteLength: Math.min(to, size) - from };
    });
  });
}

/** The lines or records of a segment, in batches, each valid until the next is requested. Lines are numbered from the segment's first. */
function* readSegment({ path, from, to }: Segment, source: BufferedSource): Generator<Piece> {
  source.restart(from === 0);
  const file = openSync(path, 'r');
  try {
    let at = firstLineFrom(file, from, to);
    // A line that ends later is too long; reading it throws the error.
    const end = at < to ? firstLineFrom(file, to, to + MAX_LINE + LINE_END_BYTES) : at;
    while (at < end) {
      const room = source.room();
      const byteLength = readSync(file, room, 0, Math.min(room.length, end - at), at);
      if (byteLength === 0) break;
      at += byteLength;
      source.filled(byteLength);
      yield* source.drain();
    }
    source.ended();
    yield* source.drain();
  } finally {
    closeSync(file);
  }
}

const NEWLINE = 0x0a;
const LINE_END_BYTES = 2; // \r\n
const PROBE_BYTES = 4096;
const MAX_PROBE_BYTES = 1024 * 1024;

/**
 * The start of the first line at or after a place. If there is none before `limit`, the result is `limit` or more; if there
 * is none in the file, it is beyond the file's end.
 */
function firstLineFrom(file: number, place: number, limit: number): number {
  if (place === 0 || place === Number.POSITIVE_INFINITY) return place;
  let at = place - 1;
  for (let probeBytes = PROBE_BYTES; at < limit; probeBytes = Math.min(4 * probeBytes, MAX_PROBE_BYTES)) {
    const probe = Buffer.allocUnsafe(probeBytes);
    const byteLength = readSync(file, probe, 0, probeBytes, at);
    if (byteLength === 0) return at;
    const newline = probe.subarray(0, byteLength).indexOf(NEWLINE);
    if (newline >= 0) return at + newline + 1;
    at += byteLength;
  }
  return at;
}

/** The job for all segments. */
export interface SegmentJob {
  readonly routing: Routing<any>;
  readonly keys: LineKeys;
  readonly format: OutputFormat;
  /** Only for NDJSON, because a line end in CSV does not always end a record. */
  readonly records?: CheckedFormat | undefined;
  /** Written instead of shards. */
  readonly names?: ShardNames | undefined;
}

/** The rows of a segment, up to its first bad line. */
export interface SegmentRows {
  readonly keys: number;
  /** How many lines it has, with empty ones between records. */
  readonly lines: number;
  readonly rows: Uint8Array<ArrayBuffer>;
  /** The first bad line, with its number in the segment, from 1. */
  readonly bad?: { readonly line: number; readonly expected: string; readonly got: string | number };
}

/** Routes segments of files, one after the other. */
export class SegmentRouter {
  readonly #source: BufferedSource;
  readonly #rowsOf: (lines: Batch) => Uint8Array;
  #room = 64 * 1024;

  constructor({ routing, keys, format, records, names }: SegmentJob) {
    this.#source = sourceOf(records);
    const { kernels } = this.#source;
    const routed = lineRouter(kernels, routing, keys);
    const writer = rowWriter(kernels, format, records, names);
    this.#rowsOf = (lines) => writer.write(withNames(routed(lines), names));
  }

  route(segment: Segment): SegmentRows {
    let keys = 0;
    let byteLength = 0;
    let out = new Uint8Array(this.#room); // the size of the previous one, because segments are alike
    try {
      for (const piece of readSegment(segment, this.#source)) {
        for (const outcome of skipInvalid(piece, this.#rowsOf)) {
          if (outcome.kind === 'header') continue;
          if (outcome.kind === 'invalid') throw outcome.error;
          const { value: rows } = outcome;
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
      return { keys, lines: line, rows: out.subarray(0, byteLength), bad: { line, expected, got } };
    }
    this.#room = Math.ceil(byteLength * 1.01);
    return { keys, lines: this.#source.line - 1, rows: out.subarray(0, byteLength) };
  }

  free(): void {
    this.#source.free();
  }
}
