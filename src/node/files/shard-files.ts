import {
  appendFileSync,
  closeSync,
  mkdirSync,
  openSync,
  readdirSync,
  renameSync,
  rmdirSync,
  rmSync,
  statSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { wrongValue } from '../../arguments.js';
import type { Kernels } from '../../kernels/types.js';
import type { Batch, Header } from '../../lines/batch.js';
import { type LineKeys, lineRouter } from '../../lines/keys.js';
import type { Collector, WorkKind } from '../../lines/work.js';
import { type Scatter, type ShardNames, scatter, withNames } from '../../lines/write/rows.js';
import type { Routing } from '../../routing/routing.js';
import { type Compression, compressFile, ENDINGS } from './compressed.js';
import { naming } from './input.js';
import { temporaryName, track } from './output.js';

/** How the files of shards are written. */
export interface ShardFilesOptions {
  readonly shards: number;
  /** The names of the files, instead of the numbers of shards. */
  readonly names?: readonly string[] | undefined;
  /** The ending of the names of files. */
  readonly type: string;
  /** Whether `\r\n` is kept; otherwise it becomes `\n`. */
  readonly keepsLineEnds: boolean;
  readonly compress?: Compression | undefined;
  /** A shard with more rows has several files. */
  readonly maxRows?: number | undefined;
  /** The options of the routing, for the manifest. Without them, there is no manifest. */
  readonly manifest?: object | undefined;
}

// A file is open only while a full buffer is written to it, so the limit of open files does not limit the number of shards.
// Keeping files open would save a twentieth of the time.
const ALL_BUFFER_BYTES = 48 * 1024 * 1024;
const MAX_FILES = 1 << 18;
const FILES_A_TURN = 256;
/** As many as Node has threads for compression. */
const FILES_AT_ONCE = 4;
const MAX_NAME = 255; // bytes
/** The names of parts have five digits. */
const MAX_PARTS = 100_000;
const MANIFEST = 'manifest.json';

/** Several threads have all files open. Most systems let a process open 1,024. */
export const MAX_SHARED_FILES = 900;

/**
 * The files of all shards. Until they are complete they lie in a temporary directory: beside the final one if that is new,
 * and otherwise in it, so that it stays the same directory.
 */
export class ShardFiles {
  readonly #directory: string;
  readonly #isNew: boolean;
  readonly #temporary: string;
  readonly #scatter: Scatter;
  /** What the file of each shard has, or the last one of its files. */
  readonly #rows: Float64Array;
  #bytes: Float64Array;
  /** How many files of each shard are full. */
  readonly #parts: Uint32Array;
  readonly #full: ShardFile[] = [];
  #shared: readonly number[] = [];
  #header = new Uint8Array(0);

  constructor(
    kernels: Kernels,
    directory: string,
    private readonly options: ShardFilesOptions,
  ) {
    this.#directory = resolve(directory);
    const { shards, names } = options;
    if (names !== undefined) checkFileNames(names, endingOf(options, 0));
    if (shards > MAX_FILES) throw wrongValue('shards', `at most ${MAX_FILES}, because each has a file`, shards);
    const stats = statSync(this.#directory, { throwIfNoEntry: false });
    this.#isNew = stats === undefined;
    if (stats !== undefined && !(stats.isDirectory() && isEmpty(this.#directory)))
      throw new Error(`${directory}: expected a new or an empty directory`);
    this.#temporary = temporaryName(this.#isNew ? this.#directory : join(this.#directory, 'shards'));
    this.#rows = new Float64Array(shards);
    this.#bytes = new Float64Array(shards);
    this.#parts = new Uint32Array(shards);
    this.#scatter = scatter(kernels, shards, ALL_BUFFER_BYTES, options.keepsLineEnds, this.#append.bind(this));
    if (this.#isNew) naming(directory, () => mkdirSync(dirname(this.#directory), { recursive: true }));
    naming(directory, () => mkdirSync(this.#temporary));
    track(this, true);
  }

  async write(rows: Batch | Header | WrittenRows): Promise<void> {
    if (rows.kind === 'header') this.#header = rows.line;
    else if (rows.kind === 'batch') {
      if (this.options.maxRows === undefined) {
        this.#scatter.add(rows);
        countRows(rows.shards, this.#rows);
      } else this.#addInParts(rows, this.options.maxRows);
    } else {
      for (let shard = 0; shard < this.#rows.length; shard++) this.#rows[shard] += rows.ofShard[shard];
    }
  }

  #addInParts(rows: Batch, maxRows: number): void {
    const { count } = rows;
    let { shards } = rows; // once for many rows, as the batch makes a view each time
    let added = 0;
    for (let row = 0; row < count; row++) {
      const shard = shards[row];
      if (this.#rows[shard] === maxRows) {
        this.#scatter.add(rows, added, row);
        added = row;
        this.#beginPart(shard, maxRows);
        ({ shards } = rows); // its memory may have grown
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
    this.#rows[shard] = this.#bytes[shard] = 0;
    if (this.#parts[shard] === MAX_PARTS || this.#full.length + this.#parts.length > MAX_FILES) {
      throw wrongValue(
        'maxRowsPerFile',
        `a larger number, as a shard may have ${MAX_PARTS} files, and all shards ${MAX_FILES}`,
        maxRows,
      );
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

  /** Opens all files, for threads that write to them from now on. */
  share(): SharedFiles {
    this.#flush(0, this.options.shards);
    this.#shared = Array.from(this.#bytes, (_, shard) => {
      const name = this.#nameOf(shard);
      return naming(join(this.#directory, name), () => openSync(join(this.#temporary, name), 'r+'));
    });
    const bytes = new Float64Array(new SharedArrayBuffer(this.#bytes.byteLength));
    bytes.set(this.#bytes);
    this.#bytes = bytes;
    return { directory: this.#directory, files: this.#shared, bytes, turn: new Int32Array(new SharedArrayBuffer(8)) };
  }

  /** Writes what the buffers of some shards have. A shard without keys gets a file, too. */
  #flush(from: number, to: number): void {
    for (let shard = from; shard < to; shard++) {
      this.#scatter.flush(shard);
      if (this.#bytes[shard] === 0) this.#append(shard, new Uint8Array(0));
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
    this.#writeManifest(files);
    naming(this.#directory, () => {
      if (this.#isNew) return renameSync(this.#temporary, this.#directory);
      // Without pauses, so that no signal handler removes some of them.
      const names = readdirSync(this.#temporary).sort((a, b) => Number(a === MANIFEST) - Number(b === MANIFEST));
      for (const name of names) renameSync(join(this.#temporary, name), join(this.#directory, name));
      rmdirSync(this.#temporary);
    });
    track(this, false);
  }

  async #compress(files: readonly ShardFile[]): Promise<void> {
    const { compress } = this.options;
    if (compress === undefined) return;
    const queue = files.values();
    const work = async () => {
      for (const file of queue) file.bytes = await compressFile(join(this.#temporary, file.name), compress);
    };
    await Promise.all(Array.from({ length: FILES_AT_ONCE }, work));
  }

  discard(): void {
    this.#close();
    rmSync(this.#temporary, { recursive: true, force: true });
    track(this, false);
  }

  #close(): void {
    for (const file of this.#shared) closeSync(file);
    this.#shared = [];
  }

  #append(shard: number, bytes: Uint8Array): void {
    const name = this.#nameOf(shard);
    const all = this.#bytes[shard] === 0 ? Buffer.concat([this.#header, bytes]) : bytes;
    this.#bytes[shard] += all.length;
    naming(join(this.#directory, name), () => appendFileSync(join(this.#temporary, name), all));
  }

  /** The name of the last file of a shard. Names that are numbers sort as the numbers do. */
  #nameOf(shard: number): string {
    const { shards, names } = this.options;
    return (names?.[shard] ?? digits(shard, shards - 1)) + endingOf(this.options, this.#parts[shard]);
  }

  #writeManifest(all: readonly ShardFile[]): void {
    const { manifest: options, compress } = this.options;
    if (options === undefined) return;
    const ending = compress === undefined ? '' : `.${ENDINGS[compress]}`;
    const files = all.map(({ name, rows, bytes }) => ({ name: name + ending, rows, bytes }));
    const sum = (of: 'rows' | 'bytes') => files.reduce((total, file) => total + file[of], 0);
    const text = `${JSON.stringify({ rows: sum('rows'), bytes: sum('bytes'), options, files })}\n`;
    naming(join(this.#directory, MANIFEST), () => writeFileSync(join(this.#temporary, MANIFEST), text));
  }
}

/** A file of a shard, which may have several. */
interface ShardFile {
  readonly shard: number;
  readonly part: number;
  readonly name: string;
  readonly rows: number;
  bytes: number;
}

/** What the name of a file has after that of its shard. */
function endingOf({ maxRows, type }: ShardFilesOptions, part: number): string {
  return `${maxRows === undefined ? '' : `-${digits(part, MAX_PARTS - 1)}`}.${type}`;
}

/** A number with as many digits as the greatest one has. */
function digits(value: number, greatest: number): string {
  return String(value).padStart(String(greatest).length, '0');
}

// In a loop over indexes: `for … of` takes 20 ns a row.
function countRows(shards: Uint32Array, ofShard: Float64Array | Uint32Array): void {
  for (let row = 0; row < shards.length; row++) ofShard[shards[row]]++;
}

/** @throws RangeError for a name that a file cannot have */
function checkFileNames(names: readonly string[], ending: string): void {
  for (const [row, name] of names.entries()) {
    const isName = !/[/\\\0]/.test(name) && !['', '.', '..'].includes(name);
    if (!isName || Buffer.byteLength(name + ending) > MAX_NAME) {
      throw wrongValue('names.texts', `names of files, without / and \\, of at most ${MAX_NAME} bytes`, name, row);
    }
  }
}

/** Whether a directory has nothing in it, but for what a new file system of Linux has. */
function isEmpty(directory: string): boolean {
  return naming(directory, () => readdirSync(directory)).every((name) => name === 'lost+found');
}

/** Open files to which several threads write, each its own parts; plain data. */
export interface SharedFiles {
  /** Where they are, for errors. */
  readonly directory: string;
  readonly files: readonly number[];
  /** How long each file is, with the parts that are being written. */
  readonly bytes: Float64Array;
  /** The number of the chunk that gets its parts next; and 1 if the chunk before it ended within a record. */
  readonly turn: Int32Array;
}

/** How many rows were written for each shard. */
export interface WrittenRows {
  readonly kind: 'written';
  readonly ofShard: Uint32Array;
}

interface ShardRowsOptions {
  readonly routing: Routing<any>;
  readonly keys: LineKeys;
  readonly names?: ShardNames | undefined;
  readonly keepsLineEnds: boolean;
  /** The shard of records without a key, if they are kept. */
  readonly missing?: number | undefined;
  readonly shared?: SharedFiles | undefined;
}

/** Routes rows. On several threads, it also writes them to the files of their shards. */
export const SHARD_ROWS: WorkKind<ShardRowsOptions, Batch | Header, WrittenRows> = {
  start(kernels, { routing, keys, names, missing }) {
    const routed = lineRouter(kernels, routing, keys, 'router', missing);
    return { header: (header) => header, work: (lines) => withNames(routed(lines), names) };
  },
  collect(kernels, { shared, keepsLineEnds }) {
    if (shared === undefined) throw new Error('no files are open');
    return new ShardWriter(kernels, shared, keepsLineEnds);
  },
};

// Of these buffers, those parts take memory that are used: some more than a chunk.
const CHUNK_BUFFER_BYTES = 8 * 1024 * 1024;

/**
 * Writes the rows of chunks to the files of their shards, beside other threads. Each chunk waits for its turn to get its
 * parts of the files, and writes to them when the next one has got its own.
 */
class ShardWriter implements Collector<Batch | Header, WrittenRows> {
  readonly #scatter: Scatter;
  readonly #rows: Uint32Array<ArrayBuffer>;
  /** What did not fit the buffers, in its order. */
  #full: { readonly shard: number; readonly bytes: Uint8Array }[] = [];
  /** The sizes of the parts, and then the places for the next bytes. */
  readonly #places: Float64Array;
  #isWriting = false;

  constructor(
    kernels: Kernels,
    private readonly shared: SharedFiles,
    keepsLineEnds: boolean,
  ) {
    const shards = shared.files.length;
    this.#rows = new Uint32Array(shards);
    this.#places = new Float64Array(shards);
    this.#scatter = scatter(kernels, shards, CHUNK_BUFFER_BYTES, keepsLineEnds, (shard, bytes) => {
      if (this.#isWriting) this.#put(shard, bytes);
      else this.#full.push({ shard, bytes: bytes.slice() });
    });
  }

  reuse(): void {}

  add(batch: Batch | Header): void {
    if (batch.kind !== 'batch') return;
    countRows(batch.shards, this.#rows);
    this.#scatter.add(batch);
  }

  take({ number, isCut, isAgain }: Parameters<Collector<unknown, unknown>['take']>[0]) {
    const { turn } = this.shared;
    for (let now = Atomics.load(turn, 0); now !== number; now = Atomics.load(turn, 0)) Atomics.wait(turn, 0, now);
    // If the chunk before ended within a record, this one is done again, and has its turn then.
    const isVoid = Atomics.load(turn, 1) === 1 && !isAgain;
    if (!isVoid) {
      this.#takePlaces();
      Atomics.store(turn, 1, isCut ? 1 : 0);
      Atomics.store(turn, 0, number + 1);
      Atomics.notify(turn, 0);
    }
    this.#writeAll(isVoid);
    const ofShard = this.#rows.slice();
    this.#rows.fill(0);
    return { value: { kind: 'written', ofShard } as const, memory: [ofShard.buffer] };
  }

  #takePlaces(): void {
    const { bytes } = this.shared;
    const sizes = this.#places.fill(0);
    for (const { shard, bytes } of this.#full) sizes[shard] += bytes.length;
    for (let shard = 0; shard < sizes.length; shard++) {
      const size = sizes[shard] + this.#scatter.bytesOf(shard);
      sizes[shard] = bytes[shard];
      bytes[shard] += size;
    }
  }

  /** @param isVoid whether nothing is written */
  #writeAll(isVoid: boolean): void {
    const shards = this.shared.files.length;
    const full = this.#full;
    this.#full = [];
    this.#isWriting = !isVoid;
    if (!isVoid) for (const { shard, bytes } of full) this.#put(shard, bytes);
    // Not all threads begin with the same file.
    const first = Math.floor(Math.random() * shards);
    for (let i = 0; i < shards; i++) this.#scatter.flush((first + i) % shards);
    this.#isWriting = false;
    this.#full = [];
  }

  #put(shard: number, bytes: Uint8Array): void {
    const { directory, files } = this.shared;
    naming(directory, () => {
      for (let from = 0; from < bytes.length; ) {
        const written = writeSync(files[shard], bytes, from, bytes.length - from, this.#places[shard]);
        from += written;
        this.#places[shard] += written;
      }
    });
  }
}
