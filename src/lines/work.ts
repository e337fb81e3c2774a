import type { Kernels } from '../kernels/types.js';
import { movesOf, sharedHashing } from '../routing/plan.js';
import type { Routing } from '../routing/routing.js';
import type { Batch, Header } from './batch.js';
import { type LineHashOptions, type LineKeys, lineHasher, lineRouter } from './keys.js';
import type { CheckedFormat } from './records.js';
import { type OutputFormat, rowWriter, type ShardNames, scatter, withNames } from './write/rows.js';
import { valueRows } from './write/values.js';

/** Work on lines or records, which one thread does, or several, each with parts of the input. */
export interface LineWork<V> {
  /** The result for some lines, valid until the next call. It refuses a line as described at `skipInvalid`. */
  work(lines: Batch): V;
  /** The result for the header of a table. */
  header?: ((header: Header) => V) | undefined;
  /** What the start of the input has told, for other threads, as plain data; null as long as it has not been read. */
  readonly learned?: object | null;
  learn?(learned: object): void;
}

/** Collects the results for a part of the input, in memory of their own. */
export interface Collector<V, C> {
  add(value: V): void;
  /** All results since the last call, and their memory. */
  take(): { readonly value: C; readonly memory: ArrayBuffer[] };
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
    add: ({ bytes }) => collected.add(bytes),
    take() {
      const { value: bytes, memory } = collected.take();
      return { value: { bytes }, memory };
    },
  };
}

/** Rows that are written when their bytes are read. A class, because each object literal with a getter has its own code. */
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

export function collectBytes(): Collector<Uint8Array, Uint8Array<ArrayBuffer>> {
  let room = FIRST_BYTES;
  let bytes = new Uint8Array(0);
  let length = 0;
  return {
    add(more) {
      const needed = length + more.length;
      if (needed > bytes.length) {
        const larger = new Uint8Array(Math.max(room, needed > room ? 2 * needed : needed));
        larger.set(bytes.subarray(0, length));
        bytes = larger;
      }
      bytes.set(more, length);
      length = needed;
    },
    take() {
      const value = bytes.subarray(0, length);
      room = Math.ceil(1.02 * length); // as parts are alike
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
}

/** Writes lines or records with their shards. */
const rows = bytesWork<RowsOptions>((kernels, { routing, keys, format, names }, records) => {
  const routed = lineRouter(kernels, routing, keys);
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
}

/** The shards of the keys that move, before and after: pairs of u32s. */
const moves = bytesWork<MovesOptions>((kernels, { from, to, keys }) => {
  const before = lineRouter(kernels, from, keys[0], 'from');
  const after = lineRouter(kernels, to, keys[1], 'to');
  // Keys that both hash alike are hashed once.
  const ofHashes = sharedHashing(from, to)?.[1].ofHashes();
  let pairs = new Uint32Array(0);
  return {
    work(lines) {
      const routed = before(lines);
      const joined = ofHashes?.routeMany(routed.hashes) ?? after(lines).shards;
      const { shards } = routed;
      if (pairs.length < 2 * shards.length) pairs = new Uint32Array(2 * shards.length);
      return { bytes: new Uint8Array(pairs.buffer, 0, 8 * movesOf(shards, joined, pairs)) };
    },
  };
});

export interface ScatterOptions {
  readonly routing: Routing<any>;
  readonly keys: LineKeys;
  readonly names?: ShardNames | undefined;
  /** Whether `\r\n` is kept; otherwise it becomes `\n`. */
  readonly keepsLineEnds: boolean;
}

/** Routed rows, as runs of bytes that each go to one shard. */
export interface Scattered {
  readonly kind: 'scattered';
  readonly bytes: Uint8Array;
  /** A shard and a byte length for each run; the runs of a shard are in the order of its rows. */
  readonly runs: Uint32Array;
  /** The shard of each row. */
  readonly shards: Uint32Array;
}

/** Routes rows, to write those of each shard together. */
const scattered: WorkKind<ScatterOptions, Batch | Header, Scattered> = {
  start(kernels, { routing, keys, names }) {
    const routed = lineRouter(kernels, routing, keys);
    return { header: (header) => header, work: (lines) => withNames(routed(lines), names) };
  },
  collect(kernels, { routing, names, keepsLineEnds }) {
    const count = names?.texts.length ?? routing.shards;
    const collectors = { bytes: collectBytes(), runs: collectBytes(), shards: collectBytes() };
    const run = new Uint32Array(2);
    const buffers = scatter(kernels, count, SCATTER_BYTES, keepsLineEnds, (shard, bytes) => {
      run.set([shard, bytes.length]);
      collectors.bytes.add(bytes);
      collectors.runs.add(bytesOf(run));
    });
    return {
      add(batch) {
        if (batch.kind !== 'batch') return;
        collectors.shards.add(bytesOf(batch.shards));
        buffers.add(batch);
      },
      take() {
        buffers.flushAll();
        const [bytes, runs, shards] = [collectors.bytes.take(), collectors.runs.take(), collectors.shards.take()];
        const memory = [...bytes.memory, ...runs.memory, ...shards.memory];
        const value = { bytes: bytes.value, runs: u32sOf(runs.value), shards: u32sOf(shards.value) };
        return { value: { kind: 'scattered', ...value }, memory };
      },
    };
  },
};

/** For the buffers of all shards together, on each thread. */
const SCATTER_BYTES = 8 * 1024 * 1024;

function bytesOf({ buffer, byteOffset, byteLength }: Uint32Array): Uint8Array {
  return new Uint8Array(buffer, byteOffset, byteLength);
}

export function u32sOf({ buffer, byteOffset, byteLength }: Uint8Array): Uint32Array {
  return new Uint32Array(buffer, byteOffset, byteLength / 4);
}

/** The kinds of work of this package. A program may have more, on threads of its own. */
export const LINE_WORK = { rows, hashes, moves, scattered };
