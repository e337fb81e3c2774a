import { appendFileSync, mkdirSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { checkOptions, checkRecord, checkString } from '../../arguments.js';
import type { RoutedLines } from '../../lines/row-writer.js';
import { groupByShard } from '../../routing/group.js';
import type { Router } from '../../routing/router.js';
import type { Input } from './input.js';
import { checkProgress, type LineJobOptions, type Progress } from './line-jobs.js';
import { naming } from './naming.js';
import { temporaryName, track } from './output.js';
import { routeLines } from './routed-lines.js';
import { drain, type RowSink } from './row-sink.js';

export interface RouteToDirectoryOptions extends LineJobOptions {
  router: Router;
  directory: string;
}

/**
 * Writes the keys of every shard to a file of its own, in the order they came: `07.txt` in a new or an
 * empty directory, all of them or none.
 * @throws as `routeFile`; Error if there is something already
 * @example
 * await routeToDirectory('keys.txt', { router: new Router({ shards: 64 }), directory: 'shards' });
 */
export async function routeToDirectory(
  input: Input | readonly Input[],
  options: RouteToDirectoryOptions,
): Promise<Progress> {
  checkRecord('options', options);
  const known = ['router', 'directory', 'keys', 'signal', 'onReject', 'onProgress'] as const;
  const { router, directory, keys, signal, onReject, onProgress } = checkOptions(options, known);
  const rows = routeLines(input, router, { keys, signal, onReject });
  checkProgress(onProgress);
  return drain(rows, new ShardFiles(checkString('directory', directory), router.shards), onProgress);
}

// Rows are held back until there are this many, so that a file gets many at a time and is open only
// while it does: the number of shards is not bounded by that of open files.
const HELD_BYTES = 32 * 1024 * 1024;
const HELD_ROWS = 1024 * 1024;
const FILES_A_TURN = 256;
const NEWLINE = 0x0a;

/** Whether there is anything but an empty directory, which renaming replaces. */
function isTaken(path: string): boolean {
  const stats = statSync(path, { throwIfNoEntry: false });
  return stats !== undefined && !(stats.isDirectory() && readdirSync(path).length === 0);
}

/** The files, in a temporary directory beside the final one until they are complete. */
class ShardFiles implements RowSink<RoutedLines> {
  readonly #directory: string;
  readonly #temporary: string;
  readonly #shards: number;
  readonly #written = new Set<number>();
  /** Held rows, each with its newline: row i is data[ends[i - 1]..ends[i]). */
  #data = new Uint8Array(HELD_BYTES);
  readonly #ends = new Uint32Array(HELD_ROWS);
  readonly #shardOfRow = new Uint32Array(HELD_ROWS);
  #rows = 0;
  #byteLength = 0;

  constructor(directory: string, shards: number) {
    this.#directory = resolve(directory);
    if (isTaken(this.#directory)) throw new Error(`${directory}: expected a new or an empty directory`);
    this.#temporary = temporaryName(this.#directory);
    this.#shards = shards;
    naming(directory, () => mkdirSync(dirname(this.#directory), { recursive: true }));
    naming(directory, () => mkdirSync(this.#temporary));
    track(this, true);
  }

  async write(batch: RoutedLines): Promise<void> {
    const { starts, ends, count } = batch.lines;
    const byteLength = (ends[count - 1] as number) - (starts[0] as number) + count;
    if (this.#rows + count > HELD_ROWS || this.#byteLength + byteLength > this.#data.length) {
      await this.#flush();
      if (byteLength > this.#data.length) this.#data = new Uint8Array(byteLength);
    }
    this.#hold(batch);
  }

  /** There is a file also for a shard without keys. */
  async finish(): Promise<void> {
    await this.#flush();
    for (let shard = 0; shard < this.#shards; shard++) {
      if (!this.#written.has(shard)) await this.#append(shard, new Uint8Array(0));
    }
    naming(this.#directory, () => renameSync(this.#temporary, this.#directory));
    track(this, false);
  }

  discard(): void {
    rmSync(this.#temporary, { recursive: true, force: true });
    track(this, false);
  }

  #hold({ lines: { data, starts, ends, count }, shards }: RoutedLines): void {
    let at = this.#byteLength;
    for (let row = 0; row < count; row++) {
      const line = data.subarray(starts[row], ends[row]);
      this.#data.set(line, at);
      at += line.length;
      this.#data[at++] = NEWLINE;
      this.#ends[this.#rows + row] = at;
    }
    this.#shardOfRow.set(shards, this.#rows);
    this.#rows += count;
    this.#byteLength = at;
  }

  async #flush(): Promise<void> {
    const { offsets, rows } = groupByShard(this.#shardOfRow.subarray(0, this.#rows), this.#shards);
    const grouped = new Uint8Array(this.#byteLength);
    let at = 0;
    for (let shard = 0; shard < this.#shards; shard++) {
      const first = offsets[shard] as number;
      const last = offsets[shard + 1] as number;
      if (first === last) continue;
      const start = at;
      for (let i = first; i < last; i++) {
        const row = rows[i] as number;
        const line = this.#data.subarray(row === 0 ? 0 : this.#ends[row - 1], this.#ends[row]);
        grouped.set(line, at);
        at += line.length;
      }
      await this.#append(shard, grouped.subarray(start, at));
    }
    this.#rows = 0;
    this.#byteLength = 0;
  }

  async #append(shard: number, bytes: Uint8Array): Promise<void> {
    // Names sort as the numbers do.
    const name = `${String(shard).padStart(String(this.#shards - 1).length, '0')}.txt`;
    naming(join(this.#directory, name), () => appendFileSync(join(this.#temporary, name), bytes));
    this.#written.add(shard);
    if (shard % FILES_A_TURN === 0) await setImmediate(); // for other work, a signal to end among it
  }
}
