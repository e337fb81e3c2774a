import { resolve } from 'node:path';
import { open, type RootDatabase } from 'lmdb';

/**
 * One at a time in all processes, for a path: LMDB's lock of writers, of a database beside it that stays empty. A
 * process that dies gives up its turn.
 */
export class Turns {
  // One for a path in a process: opening takes the lock as well, and would wait for a turn of its own thread.
  static readonly #opened = new Map<string, Turns>();
  readonly #file: string;
  readonly #lock: RootDatabase;
  #users = 0;

  private constructor(file: string) {
    this.#file = file;
    this.#lock = open({ path: file, noSubdir: true, overlappingSync: false });
  }

  /** To be given back by {@link Turns.release}. */
  static of(path: string): Turns {
    const file = `${resolve(path)}-turn`;
    const turns = Turns.#opened.get(file) ?? new Turns(file);
    Turns.#opened.set(file, turns);
    turns.#users++;
    return turns;
  }

  async take<T>(work: () => T | Promise<T>): Promise<T> {
    return this.#lock.transaction(work);
  }

  async release(): Promise<void> {
    if (--this.#users > 0) return;
    Turns.#opened.delete(this.#file);
    await this.#lock.close();
  }
}
