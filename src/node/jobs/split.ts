import {
  appendFileSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { checkOptions, checkRecord, checkString, wrongValue } from '../../arguments.js';
import type { Kernels } from '../../kernels/types.js';
import { type Batch, type Header, openWorkspace } from '../../lines/batch.js';
import { checkLineKeys } from '../../lines/keys.js';
import { LINE_WORK, type Scattered } from '../../lines/work.js';
import { checkShardNames, type Scatter, type ShardNames, scatter } from '../../lines/write/rows.js';
import { abilitiesOf, checkRouting, type Routing } from '../../routing/routing.js';
import { type Input, naming } from '../files/input.js';
import { temporaryName, track } from '../files/output.js';
import { checkJob, drain, type LineJobOptions, type Progress } from './lines.js';
import { checkThreads, doWork } from './work.js';

/** How the files of shards are written. */
interface ShardFilesOptions {
  readonly shards: number;
  /** The names of the files, instead of the numbers of shards. */
  readonly names?: readonly string[] | undefined;
  /** The ending of the names of files. */
  readonly type: string;
  /** Whether `\r\n` is kept; otherwise it becomes `\n`. */
  readonly keepsLineEnds: boolean;
  /** The options of the routing, for the manifest. Without them, there is no manifest. */
  readonly manifest?: object | undefined;
}

// A file is open only while a full buffer is written to it, so the limit of open files does not limit the number of shards.
// Keeping files open would save a twentieth of the time.
const ALL_BUFFER_BYTES = 96 * 1024 * 1024;
const MAX_FILES = 1 << 18;
const FILES_A_TURN = 256;
/** More files than this get so few rows of a chunk each that other threads are no help. */
const MAX_SHARED = 4096;
const MAX_NAME = 255; // bytes
const MANIFEST = 'manifest.json';

/**
 * The files of all shards. Until they are complete they lie in a temporary directory: beside the final one if that is new,
 * and otherwise in it, so that it stays the same directory.
 */
class ShardFiles {
  readonly #directory: string;
  readonly #isNew: boolean;
  readonly #temporary: string;
  readonly #scatter: Scatter;
  readonly #rows: Float64Array;
  readonly #bytes: Float64Array;
  #header = new Uint8Array(0);

  constructor(
    kernels: Kernels,
    directory: string,
    private readonly options: ShardFilesOptions,
  ) {
    this.#directory = resolve(directory);
    const { shards } = options;
    if (shards > MAX_FILES) throw wrongValue('shards', `at most ${MAX_FILES}, because each has a file`, shards);
    const stats = statSync(this.#directory, { throwIfNoEntry: false });
    this.#isNew = stats === undefined;
    if (stats !== undefined && !(stats.isDirectory() && isEmpty(this.#directory)))
      throw new Error(`${directory}: expected a new or an empty directory`);
    this.#temporary = temporaryName(this.#isNew ? this.#directory : join(this.#directory, 'shards'));
    this.#rows = new Float64Array(shards);
    this.#bytes = new Float64Array(shards);
    this.#scatter = scatter(kernels, shards, ALL_BUFFER_BYTES, options.keepsLineEnds, this.#append.bind(this));
    if (this.#isNew) naming(directory, () => mkdirSync(dirname(this.#directory), { recursive: true }));
    naming(directory, () => mkdirSync(this.#temporary));
    track(this, true);
  }

  async write(rows: Batch | Scattered | Header): Promise<void> {
    if (rows.kind === 'header') {
      this.#header = rows.line;
      return;
    }
    if (rows.kind === 'batch') this.#scatter.add(rows);
    else this.#putRuns(rows);
    for (const shard of rows.shards) this.#rows[shard]++;
  }

  #putRuns({ bytes, runs }: Scattered): void {
    for (let i = 0, at = 0; i < runs.length; i += 2) {
      const end = at + runs[i + 1];
      this.#scatter.put(runs[i], bytes.subarray(at, end));
      at = end;
    }
  }

  /** A shard without keys gets a file, too. */
  async finish(): Promise<void> {
    for (let shard = 0; shard < this.options.shards; shard++) {
      this.#scatter.flush(shard);
      if (this.#bytes[shard] === 0) this.#append(shard, new Uint8Array(0));
      if (shard % FILES_A_TURN === 0) await setImmediate(); // lets other work run, such as a signal handler
    }
    this.#writeManifest();
    naming(this.#directory, () => {
      if (this.#isNew) return renameSync(this.#temporary, this.#directory);
      // Without pauses, so that no signal handler removes some of them.
      const names = readdirSync(this.#temporary).sort((a, b) => Number(a === MANIFEST) - Number(b === MANIFEST));
      for (const name of names) renameSync(join(this.#temporary, name), join(this.#directory, name));
      rmdirSync(this.#temporary);
    });
    track(this, false);
  }

  discard(): void {
    rmSync(this.#temporary, { recursive: true, force: true });
    track(this, false);
  }

  #append(shard: number, bytes: Uint8Array): void {
    const name = this.#nameOf(shard);
    const all = this.#bytes[shard] === 0 ? Buffer.concat([this.#header, bytes]) : bytes;
    this.#bytes[shard] += all.length;
    naming(join(this.#directory, name), () => appendFileSync(join(this.#temporary, name), all));
  }

  /** Names that are numbers sort as the numbers do. */
  #nameOf(shard: number): string {
    const { shards, names, type } = this.options;
    if (names !== undefined) return `${names[shard]}.${type}`;
    return `${String(shard).padStart(String(shards - 1).length, '0')}.${type}`;
  }

  #writeManifest(): void {
    const { manifest: options } = this.options;
    if (options === undefined) return;
    const sum = (counts: Float64Array) => counts.reduce((total, count) => total + count, 0);
    const files = Array.from(this.#rows, (rows, shard) => {
      return { name: this.#nameOf(shard), rows, bytes: this.#bytes[shard] };
    });
    const text = `${JSON.stringify({ rows: sum(this.#rows), bytes: sum(this.#bytes), options, files })}\n`;
    naming(join(this.#directory, MANIFEST), () => writeFileSync(join(this.#temporary, MANIFEST), text));
  }
}

/**
 * @param type the ending of the names of files
 * @throws RangeError for a name that a file cannot have
 */
function checkFileNames(names: readonly string[], type: string): void {
  for (const [row, name] of names.entries()) {
    const isName = !/[/\\\0]/.test(name) && !['', '.', '..'].includes(name);
    if (!isName || Buffer.byteLength(`${name}.${type}`) > MAX_NAME) {
      throw wrongValue('names.texts', `names of files, without / and \\, of at most ${MAX_NAME} bytes`, name, row);
    }
  }
}

/** Whether a directory has nothing in it, but for what a new file system of Linux has. */
function isEmpty(directory: string): boolean {
  return naming(directory, () => readdirSync(directory)).every((name) => name === 'lost+found');
}

export interface RouteToDirectoryOptions extends LineJobOptions {
  router: Routing<any>;
  directory: string;
  /** Names of shards, such as nodes: there is one file for each name, with the keys of all its shards. */
  names?: ShardNames | undefined;
}

/**
 * Writes the keys or records of every shard, in the order of the input, to its own file: `07.txt` or `07.csv` in a new or
 * an empty directory. Either all files appear, or none; in an empty directory one after the other, `manifest.json` last.
 * With `records`, each file has the table's header, and `manifest.json` has the options and the numbers of rows and bytes, in
 * total and of each file. Memory does not grow with the input, except for its longest line; few files are open at a time.
 * @throws the errors of `routeFile`; RangeError for names that files cannot have; Error if the directory is not empty
 * @example
 * const router = new Router({ shards: 64 });
 * await routeToDirectory('users.csv', { router, directory: 'shards', records: { format: 'csv', key: 'email' } });
 */
export async function routeToDirectory(
  input: Input | readonly Input[],
  options: RouteToDirectoryOptions,
): Promise<Progress> {
  checkRecord('options', options);
  const known = ['router', 'directory', 'names', 'keys', 'records', 'signal', 'onReject', 'onProgress'] as const;
  const given = checkOptions(options, [...known, 'threads']);
  const { router, directory, records, onProgress } = given;
  checkRouting('router', router);
  const names = checkShardNames(given.names, router.shards);
  const job = checkJob(input, given);
  const keys = checkLineKeys(router, given.keys, records);
  const threads = checkThreads(given.threads, { router });
  checkString('directory', directory);
  const type = records?.format ?? 'txt';
  if (names !== undefined) checkFileNames(names.texts, type);
  const shards = names?.texts.length ?? router.shards;
  const keepsLineEnds = records !== undefined;
  const kernels = openWorkspace();
  try {
    const files = new ShardFiles(kernels, directory, {
      shards,
      names: names?.texts,
      type,
      keepsLineEnds,
      manifest: records && { router, ...(!abilitiesOf(router).routeText && { keys }), records },
    });
    const work = {
      kind: LINE_WORK.scattered,
      name: 'scattered',
      options: { routing: router, keys, names, keepsLineEnds },
    };
    const results = doWork(job, work, { threads: shards > MAX_SHARED ? 1 : threads });
    return await drain(results, files, ({ value }) => files.write(value), onProgress);
  } finally {
    kernels.free();
  }
}
