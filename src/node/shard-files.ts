import { appendFileSync, mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import type { LineKeys } from '../lines/line-hasher.js';
import type { RoutedLines } from '../lines/row-writer.js';
import type { Router } from '../routing/router.js';
import type { Input } from './input.js';
import { type LineReadOptions, type Progress, routeLines } from './lines.js';

// Rows are held back until there are this many bytes of them, so that a file gets many at a time and
// is open only while it does: the number of shards is not bounded by that of open files.
const HELD_BYTES = 32 * 1024 * 1024;
const NEWLINE = 0x0a;

export interface RouteToDirectoryOptions extends LineReadOptions {
  router: Router;
  directory: string;
  /** `text` (default): a key is a line's bytes. `u64`: a line is a decimal u64. */
  keys?: LineKeys;
  /** Told now and then how far it is. */
  onProgress?: (progress: Progress) => void;
}

/**
 * Writes the keys of every shard to a file of its own, in the order they came: `07.txt` in a new or
 * empty directory, which appears complete or not at all.
 * @throws as `routeFile`; Error if the directory holds anything
 */
export async function routeToDirectory(
  input: Input | readonly Input[],
  { router, directory, keys, signal, onProgress }: RouteToDirectoryOptions,
): Promise<void> {
  const files = new ShardFiles(directory, router.shards);
  try {
    for await (const batch of routeLines(input, router, { keys, signal })) {
      files.write(batch);
      onProgress?.(batch.progress);
    }
    files.finish();
  } catch (error) {
    files.discard();
    throw error;
  }
}

/** The files, in a temporary directory beside the final one until they are complete. */
class ShardFiles {
  readonly #directory: string;
  readonly #temporary: string;
  readonly #shards: number;
  readonly #held: { data: Uint8Array; ends: Uint32Array; shards: Uint32Array }[] = [];
  #heldBytes = 0;

  /** @throws Error if the directory exists and is not empty, or cannot be made */
  constructor(directory: string, shards: number) {
    const taken = filesIn(directory);
    if (taken.length > 0)
      throw new Error(`${directory}: expected an empty or a new directory, got one with ${taken[0]}`);
    this.#directory = resolve(directory);
    this.#temporary = `${this.#directory}.${process.pid}.tmp`;
    this.#shards = shards;
    mkdirSync(dirname(this.#directory), { recursive: true });
    mkdirSync(this.#temporary);
    for (let shard = 0; shard < shards; shard++) writeFileSync(this.#path(shard), '');
  }

  write({ lines, shards }: RoutedLines): void {
    const { data, starts, ends, count } = lines;
    const rows = new Uint8Array((ends[count - 1] as number) - (starts[0] as number) + count);
    const rowEnds = new Uint32Array(count);
    let at = 0;
    for (let row = 0; row < count; row++) {
      const line = data.subarray(starts[row], ends[row]);
      rows.set(line, at);
      at += line.length;
      rows[at++] = NEWLINE;
      rowEnds[row] = at;
    }
    this.#held.push({ data: rows, ends: rowEnds, shards: shards.slice() });
    this.#heldBytes += at;
    if (this.#heldBytes >= HELD_BYTES) this.#flush();
  }

  finish(): void {
    this.#flush();
    renameSync(this.#temporary, this.#directory);
  }

  discard(): void {
    rmSync(this.#temporary, { recursive: true, force: true });
  }

  #flush(): void {
    const pieces = new Map<number, Uint8Array[]>();
    for (const { data, ends, shards } of this.#held) {
      for (let row = 0, start = 0; row < shards.length; row++) {
        const end = ends[row] as number;
        const list = pieces.get(shards[row] as number);
        if (list === undefined) pieces.set(shards[row] as number, [data.subarray(start, end)]);
        else list.push(data.subarray(start, end));
        start = end;
      }
    }
    for (const [shard, list] of pieces) appendFileSync(this.#path(shard), Buffer.concat(list));
    this.#held.length = 0;
    this.#heldBytes = 0;
  }

  /** Names sort as the numbers do. */
  #path(shard: number): string {
    return join(this.#temporary, `${String(shard).padStart(String(this.#shards - 1).length, '0')}.txt`);
  }
}

function filesIn(directory: string): string[] {
  try {
    return readdirSync(directory);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
}
