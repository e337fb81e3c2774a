import { resolve } from 'node:path';
import { type LmdbDatabase, openDatabase } from './lmdb-open.js';

/**
 * One at a time in all processes, for a path: LMDB's lock of writers, of a database beside it that stays empty. A
 * process that dies gives up its turn.
 */
export class Turns {
  // One for a path in a process: opening takes the lock as well, and would wait for a turn of its own thread.
  static readonly #opened = new Map<string, Turns>();
  readonly #path: string;
  readonly #lock: Promise<LmdbDatabase>;
  #users = 0;

  private constructor(path: string) {
    this.#path = path;
    this.#lock = openDatabase(path);
  }

  /** To be given back by {@link Turns.release}. */
  static of(file: string): Turns {
    const path = `${resolve(file)}-turn`;
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
