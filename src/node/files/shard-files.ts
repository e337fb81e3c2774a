import { appendFileSync, closeSync, openSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { detailsOf } from '../../errors.js';
import type { Kernels } from '../../kernels/types.js';
import type { Batch, Header } from '../../rows/batch.js';
import { type Collector, OpenOperation, type Operation } from '../../rows/operations/operation.js';
import { type PlaceOptions, rowRouter } from '../../rows/operations/route.js';
import { scatter } from '../../rows/sinks/rows.js';
import { compressFile } from './compressed.js';
import { naming } from './input.js';
import {
  compressedEnding,
  MAX_FILES,
  MAX_PARTS,
  manifestOf,
  ShardDirectory,
  type ShardFile,
  type ShardFileNames,
  tooManyFiles,
} from './shard-directory.js';

export interface ShardFilesOptions extends ShardFileNames {
  /** Whether `\r\n` is kept; otherwise it becomes `\n`. */
  readonly keepsLineEnds: boolean;
  /** The options of the routing, for the manifest. Without them, there is no manifest. */
  readonly manifest?: object | undefined;
}

// A file is open only while a full buffer is written to it, so the limit of open files does not limit the number of shards.
// Keeping files open would save a twentieth of the time.
const ALL_BUFFER_BYTES = 48 * 1024 * 1024;
const FILES_A_TURN = 256;
/** As many as Node has threads for compression. */
const FILES_AT_ONCE = 4;

/** So many files can be opened besides, for inputs and threads. */
const LEFT_FILES = 32;

/** Several threads have all files open. Most systems let a process open 1,024. */
export const MAX_SHARED_FILES = 900;

/** The files of all shards, which appear when they are complete. */
export class ShardFiles {
  readonly #directory: ShardDirectory;
  readonly #scatter: ReturnType<typeof scatter>;
  /** What the file of each shard has, or the last one of its files. */
  readonly #rows: Float64Array;
  #bytes: Float64Array;
  /** 1 if that file exists. */
  readonly #isMade: Uint8Array;
  /** How many files of each shard are full. */
  readonly #parts: Uint32Array;
  readonly #full: ShardFile[] = [];
  #shared: number[] = [];
  #header = new Uint8Array(0);

  constructor(
    kernels: Kernels,
    directory: string,
    private readonly options: ShardFilesOptions,
  ) {
    const { shards } = options;
    this.#directory = new ShardDirectory(directory, options);
    this.#isMade = new Uint8Array(shards);
    this.#rows = new Float64Array(shards);
    this.#bytes = new Float64Array(shards);
    this.#parts = new Uint32Array(shards);
    this.#scatter = scatter(kernels, shards, ALL_BUFFER_BYTES, options.keepsLineEnds, this.#append.bind(this));
  }

  async write(rows: Batch | Header | WrittenRows): Promise<void> {
    if (rows.kind === 'header') this.#header = rows.line();
    else if (rows.kind === 'batch') {
      if (this.options.maxRows === undefined) {
        this.#scatter.add(rows);
        countRows(rows.labels, this.#rows);
      } else this.#addInParts(rows, this.options.maxRows);
    } else {
      for (let shard = 0; shard < this.#rows.length; shard++) this.#rows[shard] += rows.ofShard[shard];
    }
  }

  #addInParts(rows: Batch, maxRows: number): void {
    const { count } = rows;
    let { labels } = rows; // once for many rows, as the batch makes a view each time
    let added = 0;
    for (let row = 0; row < count; row++) {
      const shard = labels[row];
      if (this.#rows[shard] === maxRows) {
        this.#scatter.add(rows, added, row);
        added = row;
        this.#beginPart(shard, maxRows);
        ({ labels } = rows); // its memory may have grown
      }
      this.#rows[shard]++;
    }
    this.#scatter.add(rows, added);
  }

  /** Begins the next file of a shard, as the last one is full. */
  #beginPart(shard: number, maxRows: number): void {
    this.#scatter.flush(shard);
    this.#full.push(this.#lastFileOf(shard));
    this.#parts[shard]++;
    this.#rows[shard] = this.#bytes[shard] = this.#isMade[shard] = 0;
    if (this.#parts[shard] === MAX_PARTS || this.#full.length + this.#parts.length > MAX_FILES) {
      throw tooManyFiles(maxRows);
    }
  }

  #lastFileOf(shard: number): ShardFile {
    const [part, rows, bytes] = [this.#parts[shard], this.#rows[shard], this.#bytes[shard]];
    return { shard, part, name: this.#nameOf(shard), rows, bytes };
  }

  /** All files: by shard, and then by part. */
  #files(): ShardFile[] {
    const all = [...this.#full, ...Array.from(this.#parts, (_, shard) => this.#lastFileOf(shard))];
    return all.sort((a, b) => a.shard - b.shard || a.part - b.part);
  }

  /**
   * Writes what the buffers have, and opens all files, for threads that write to them from now on.
   * @returns undefined if the system lets this process open too few files
   */
  share(): SharedFiles | undefined {
    const { shards } = this.options;
    const open = (shard: number) => {
      const name = this.#nameOf(shard);
      const path = this.#directory.pathOf(name);
      this.#shared.push(naming(join(this.#directory.path, name), () => openSync(path, 'r+')));
    };
    try {
      this.#flush(0, shards);
      for (let shard = 0; shard < shards; shard++) open(shard);
      for (let i = 0; i < LEFT_FILES; i++) open(0);
    } catch (error) {
      this.#close();
      if (['EMFILE', 'ENFILE'].includes(String(detailsOf(error).code))) return undefined;
      throw error;
    }
    for (const file of this.#shared.splice(shards)) closeSync(file);
    const bytes = new Float64Array(new SharedArrayBuffer(this.#bytes.byteLength));
    bytes.set(this.#bytes);
    this.#bytes = bytes;
    return {
      directory: this.#directory.path,
      files: this.#shared,
      bytes,
      turn: new Int32Array(new SharedArrayBuffer(8)),
    };
  }

  /** Writes what the buffers of some shards have. A shard without keys gets a file, too. */
  #flush(from: number, to: number): void {
    for (let shard = from; shard < to; shard++) {
      this.#scatter.flush(shard);
      if (this.#isMade[shard] === 0) this.#append(shard, new Uint8Array(0));
    }
  }

  async finish(): Promise<void> {
    this.#close();
    const { shards } = this.options;
    for (let shard = 0; shard < shards; shard += FILES_A_TURN) {
      this.#flush(shard, Math.min(shard + FILES_A_TURN, shards));
      await setImmediate(); // lets other work run, such as a signal handler
    }
    const files = this.#files();
    await this.#compress(files);
    const { manifest } = this.options;
    const ending = compressedEnding(this.options);
    const written = files.map((file) => ({ ...file, name: file.name + ending }));
    this.#directory.complete(manifest && manifestOf(written, manifest));
  }

  async #compress(files: readonly ShardFile[]): Promise<void> {
    const { compress } = this.options;
    if (compress === undefined) return;
    const queue = files.values();
    const work = async () => {
      for (const file of queue) file.bytes = await compressFile(this.#directory.pathOf(file.name), compress);
    };
    await Promise.all(Array.from({ length: FILES_AT_ONCE }, work));
  }

  discard(): void {
    this.#close();
    this.#directory.discard();
  }

  #close(): void {
    for (const file of this.#shared) closeSync(file);
    this.#shared = [];
  }

  #append(shard: number, bytes: Uint8Array): void {
    const name = this.#nameOf(shard);
    const isNew = this.#isMade[shard] === 0;
    const all = isNew ? Buffer.concat([this.#header, bytes]) : bytes;
    naming(join(this.#directory.path, name), () => {
      appendFileSync(this.#directory.pathOf(name), all, { flag: isNew ? 'ax' : 'a' });
    });
    this.#isMade[shard] = 1;
    this.#bytes[shard] += all.length;
  }

  /** The name of the last file of a shard. */
  #nameOf(shard: number): string {
    return this.#directory.nameOf(shard, this.#parts[shard]);
  }
}

// In a loop over indexes: `for … of` takes 20 ns a row.
function countRows(shards: Uint32Array, ofShard: Float64Array | Uint32Array): void {
  for (let row = 0; row < shards.length; row++) ofShard[shards[row]]++;
}

/** Open files to which several threads write, each its own parts; plain data. */
export interface SharedFiles {
  /** Where they are, for errors. */
  readonly directory: string;
  readonly files: readonly number[];
  /** How long each file is, with the parts that are being written. */
  readonly bytes: Float64Array;
  /** At {@link NEXT} the number of the chunk that gets its parts next; at {@link CUT} 1 if the one before it ended within a record. */
  readonly turn: Int32Array;
}

const NEXT = 0;
const CUT = 1;

/** How many rows were written for each shard. */
export type WrittenRows = { readonly kind: 'written'; readonly ofShard: Uint32Array };

interface RouteToFilesOptions extends PlaceOptions {
  readonly keepsLineEnds: boolean;
  readonly shared?: SharedFiles | undefined;
}

/** Routes rows. On several threads, it also writes them to the files of their shards. */
export const ROUTE_TO_FILES: Operation<RouteToFilesOptions, Batch | Header, WrittenRows> = {
  name: 'route to files',
  open: (kernels, how) =>
    new OpenOperation<Batch | Header>(rowRouter(kernels, how), { header: (header) => header, takesNull: true }),
  collect(kernels, { shared, keepsLineEnds }) {
    if (shared === undefined) throw new Error('no files are open');
    return shardWriter(kernels, shared, keepsLineEnds);
  },
};

/** Twice as many are as fast, and take 15 MB more on two threads. */
export const FILES_CHUNK_BYTES = 4 * 1024 * 1024;
// Of these buffers, those parts take memory that are used: some more than a chunk.
const CHUNK_BUFFER_BYTES = 2 * FILES_CHUNK_BYTES;

/**
 * Writes the rows of chunks to the files of their shards, beside other threads. Each chunk waits for its turn to get its
 * parts of the files, and writes to them when the next one has got its own.
 */
function shardWriter(
  kernels: Kernels,
  { directory, files, bytes: ends, turn }: SharedFiles,
  keepsLineEnds: boolean,
): Collector<Batch | Header, WrittenRows> {
  const shards = files.length;
  const rows = new Uint32Array(shards);
  /** The sizes of the parts, and then the places for the next bytes. */
  const places = new Float64Array(shards);
  /** What did not fit the buffers, in its order. */
  let full: { readonly shard: number; readonly bytes: Uint8Array }[] = [];
  let isWriting = false;
  const put = (shard: number, bytes: Uint8Array) =>
    naming(directory, () => {
      for (let from = 0; from < bytes.length; ) {
        const written = writeSync(files[shard], bytes, from, bytes.length - from, places[shard]);
        from += written;
        places[shard] += written;
      }
    });
  const buffers = scatter(kernels, shards, CHUNK_BUFFER_BYTES, keepsLineEnds, (shard, bytes) => {
    if (isWriting) put(shard, bytes);
    else full.push({ shard, bytes: bytes.slice() });
  });

  const takePlaces = () => {
    places.fill(0);
    for (const { shard, bytes } of full) places[shard] += bytes.length;
    for (let shard = 0; shard < shards; shard++) {
      const size = places[shard] + buffers.bytesOf(shard);
      places[shard] = ends[shard];
      ends[shard] += size;
    }
  };

  /** @param isVoid whether nothing is written */
  const writeAll = (isVoid: boolean) => {
    isWriting = !isVoid;
    if (!isVoid) for (const { shard, bytes } of full) put(shard, bytes);
    // Not all threads begin with the same file.
    const first = Math.floor(Math.random() * shards);
    for (let i = 0; i < shards; i++) buffers.flush((first + i) % shards);
    isWriting = false;
    full = [];
  };

  return {
    reuse() {},
    add(batch) {
      if (batch.kind !== 'batch') return;
      countRows(batch.labels, rows);
      buffers.add(batch);
    },
    flush({ number, isCut, isAgain }) {
      for (let now = Atomics.load(turn, NEXT); now !== number; now = Atomics.load(turn, NEXT)) {
        Atomics.wait(turn, NEXT, now); // never on the main thread, which finishes chunks when all before them are done
      }
      // If the chunk before ended within a record, this one is done again, and has its turn then.
      const isVoid = Atomics.load(turn, CUT) === 1 && !isAgain;
      if (!isVoid) {
        takePlaces();
        Atomics.store(turn, CUT, isCut ? 1 : 0);
        Atomics.store(turn, NEXT, number + 1);
        Atomics.notify(turn, NEXT);
      }
      writeAll(isVoid);
      const ofShard = rows.slice();
      rows.fill(0);
      return { value: { kind: 'written', ofShard }, memory: [ofShard.buffer] };
    },
  };
}
