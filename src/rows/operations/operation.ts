import type { Kernels } from '../../kernels/types.js';
import { sharedHashing } from '../../routing/plan.js';
import type { Routing } from '../../routing/routing.js';
import type { Batch, Header } from '../batch.js';
import type { CheckedFormat } from '../format.js';
import { type LineHashOptions, type LineKeys, lineHasher, lineRouter } from '../keys.js';
import { type OutputFormat, rowWriter, type ShardNames, withNames } from '../sinks/rows.js';
import { valueRows } from '../sinks/values.js';

/** Work on lines or records, which one thread does, or several, each with parts of the input. */
export interface LineWork<V> {
  /**
   * The result for some lines, valid until the next call. It refuses a line as described at `skipInvalid`.
   * @param input the number of the input that they are of, from 0
   */
  work(lines: Batch, input: number): V;
  /** The result for the header of a table. */
  header?: ((header: Header) => V) | undefined;
  /** What the start of the input has told, for other threads, as plain data; null as long as it has not been read. */
  readonly learned?: object | null;
  learn?(learned: object): void;
}

/** Collects the results for a part of the input, in memory of their own. */
export interface Collector<V, C> {
  /** Gives it memory of results that are not needed any more, because the system clears new memory before it is used. */
  reuse(memory: readonly ArrayBuffer[]): void;
  add(value: V): void;
  /** All results since the last call, and their memory. */
  take(part: Part): { readonly value: C; readonly memory: ArrayBuffer[] };
}

/** A part of the input that has been done. */
export interface Part {
  /** Its place among all parts, from 0. */
  readonly number: number;
  /** Whether it ends within a record, so that the next one has to be done again. */
  readonly isCut: boolean;
  /** Whether it is done again, because the part before it ended within a record. */
  readonly isAgain: boolean;
}

/** A kind of work. Its options are plain data, apart from routings that can be sent to another thread. */
export interface WorkKind<O, V, C> {
  start(kernels: Kernels, options: O, records: CheckedFormat | undefined): LineWork<V>;
  collect(kernels: Kernels, options: O): Collector<V, C>;
}

/** A result that is bytes. Read them only when they are used, because other work in between may grow the memory. */
export interface Written {
  readonly bytes: Uint8Array;
}

/** Work whose results are bytes. */
export type BytesWork<O> = WorkKind<O, Written, Written>;

/** Makes a kind of work whose results are bytes. */
export function bytesWork<O>(start: BytesWork<O>['start']): BytesWork<O> {
  return { start, collect: collectWritten };
}

function collectWritten(): Collector<Written, Written> {
  const collected = collectBytes();
  return {
    reuse: collected.reuse,
    add: ({ bytes }) => collected.add(bytes),
    take() {
      const { value: bytes, memory } = collected.take();
      return { value: { bytes }, memory };
    },
  };
}

/** Rows that are written when their bytes are read. It is a class for the same reason as `Batch`. */
class Rows implements Written {
  constructor(
    private readonly write: (lines: Batch) => Uint8Array,
    private readonly lines: Batch,
  ) {}

  get bytes(): Uint8Array {
    return this.write(this.lines);
  }
}

const FIRST_BYTES = 64 * 1024;

/** Collects bytes one after the other. */
export function collectBytes() {
  let room = FIRST_BYTES;
  let spare: readonly ArrayBuffer[] = [];
  let bytes: Uint8Array<ArrayBuffer> = new Uint8Array(0);
  let length = 0;
  return {
    reuse(memory: readonly ArrayBuffer[]): void {
      spare = memory;
    },
    add(more: Uint8Array): void {
      const needed = length + more.length;
      if (needed > bytes.length) {
        const wanted = Math.max(room, needed > room ? 2 * needed : needed);
        const found = spare.find(({ byteLength }) => byteLength >= wanted && byteLength <= 2 * wanted);
        spare = spare.filter((one) => one !== found);
        const larger = found === undefined ? new Uint8Array(wanted) : new Uint8Array(found);
        larger.set(bytes.subarray(0, length));
        bytes = larger;
      }
      bytes.set(more, length);
      length = needed;
    },
    take() {
      const value = bytes.subarray(0, length);
      room = Math.max(room, Math.ceil(1.1 * length)); // as parts are alike
      bytes = new Uint8Array(0);
      length = 0;
      return { value, memory: value.length > 0 ? [value.buffer] : [] };
    },
  };
}

export interface RowsOptions {
  readonly routing: Routing<any>;
  readonly keys: LineKeys;
  readonly format: OutputFormat;
  /** Written instead of shards. */
  readonly names?: ShardNames | undefined;
  /** The shard of records without a key, if they are kept. */
  readonly missing?: number | undefined;
}

/** Writes lines or records with their shards. */
const rows = bytesWork<RowsOptions>((kernels, { routing, keys, format, names, missing }, records) => {
  const routed = lineRouter(kernels, routing, keys, 'router', missing);
  const { header, write } = rowWriter(kernels, format, records, names);
  return {
    header: (first) => ({ bytes: header(first) }),
    work: (lines) => new Rows(write, withNames(routed(lines), names)),
  };
});

export interface HashesOptions extends LineHashOptions {
  readonly format: 'hex' | 'dec';
}

/** Writes the hashes of lines, or records with their hashes. */
const hashes = bytesWork<HashesOptions>((kernels, { format, ...how }, records) => {
  const hashed = lineHasher(kernels, how);
  const { header, write } = valueRows(kernels, records, { kind: format === 'hex' ? 'hex' : 'u64', isText: true });
  const writeHashes = (batch: Batch) => write(batch, [batch.hashes]);
  return { header: (first) => ({ bytes: header(first) }), work: (lines) => new Rows(writeHashes, hashed(lines)) };
});

export interface MovesOptions {
  readonly from: Routing<any>;
  readonly to: Routing<any>;
  /** How the keys of each are read. */
  readonly keys: readonly [LineKeys, LineKeys];
  /** The place of each shard before and after. Keys move only between places. By default, shards are places. */
  readonly places?: readonly [before: Uint32Array, after: Uint32Array] | undefined;
}

/** The places of the keys that move, before and after: pairs of u32s. */
const moves = bytesWork<MovesOptions>((kernels, { from, to, keys, places }) => {
  const before = lineRouter(kernels, from, keys[0], 'from');
  const after = lineRouter(kernels, to, keys[1], 'to');
  // Keys that both hash alike are hashed once.
  const ofHashes = sharedHashing(from, to)?.[1].ofHashes();
  let pairs = new Uint32Array(0);
  return {
    work(lines) {
      if (lines.areKeysMissing) return { bytes: new Uint8Array(0) }; // they stay where they are
      const routed = before(lines);
      const joined = ofHashes?.routeMany(routed.hashes) ?? after(lines).shards;
      const { shards } = routed;
      if (pairs.length < 2 * shards.length) pairs = new Uint32Array(2 * shards.length);
      let end = 0;
      for (let row = 0; row < shards.length; row++) {
        const left = places === undefined ? shards[row] : places[0][shards[row]];
        const right = places === undefined ? joined[row] : places[1][joined[row]];
        if (left === right) continue;
        pairs[end++] = left;
        pairs[end++] = right;
      }
      return { bytes: new Uint8Array(pairs.buffer, 0, 4 * end) };
    },
  };
});

export function u32sOf({ buffer, byteOffset, byteLength }: Uint8Array): Uint32Array {
  return new Uint32Array(buffer, byteOffset, byteLength / 4);
}

/** The kinds of work of this package. A program may have more, on threads of its own. */
export const LINE_WORK = { rows, hashes, moves };
