import { statSync } from 'node:fs';
import { checkLmdbFile } from './lmdb-header.js';
import { type LmdbDatabase, openLmdb } from './lmdb-open.js';

/**
 * Lets all processes that use a file take turns, one at a time. The lock is the one that LMDB itself has for writers,
 * on an empty database beside the file. A process that dies gives up its turn.
 */
export class Turns {
  // One for each path in a process: opening takes the lock, too, and could wait for its own thread.
  static readonly #opened = new Map<string, Turns>();
  readonly #path: string;
  readonly #lock: Promise<LmdbDatabase>;
  #users = 0;

  private constructor(path: string) {
    this.#path = path;
    this.#lock = openLock(path);
    this.#lock.catch(() => {}); // `take` rejects with it
  }

  /**
   * The turns of a file. Give them back with {@link Turns.release}.
   * @param file its path, from `soleName`
   */
  static of(file: string): Turns {
    const path = turnPath(file);
    const turns = Turns.#opened.get(path) ?? new Turns(path);
    Turns.#opened.set(path, turns);
    turns.#users++;
    return turns;
  }

  async take<T>(work: () => T | Promise<T>): Promise<T> {
    const lock = await this.#lock;
    return lock.transaction(work);
  }

  async release(): Promise<void> {
    if (--this.#users > 0) return;
    Turns.#opened.delete(this.#path);
    const lock = await this.#lock.catch(() => undefined); // nobody has had a turn if it could not be opened
    await lock?.close();
  }
}

export const turnPath = (file: string): string => `${file}-turn`;

async function openLock(path: string): Promise<LmdbDatabase> {
  // It is empty for a moment while LMDB creates it.
  if ((statSync(path, { throwIfNoEntry: false })?.size ?? 0) > 0) await checkLmdbFile(path);
  return openLmdb(path);
}
