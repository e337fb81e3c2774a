import { type LmdbDatabase, openDatabase } from './lmdb-open.js';
import { Turns } from './lmdb-turns.js';

interface Commit {
  work(): void;
  done(): void;
  failed(error: unknown): void;
}

/**
 * A file of LMDB that several processes use at once. One of them at a time opens, commits or closes it.
 *
 * Opening is why: lmdb-js (3.5.6, `mdb_env_open2`) then sets the number of the last transaction, which all processes
 * share, to what it has read in the file before, without LMDB's lock. Whatever another process commits in between is
 * taken back, although it is on disk; one commit in some millions, with processes that come and go.
 */
export class LmdbFile {
  readonly db: LmdbDatabase;
  readonly #turns: Turns;
  readonly #waiting: Commit[] = [];

  private constructor(db: LmdbDatabase, turns: Turns) {
    this.db = db;
    this.#turns = turns;
  }

  /** @throws LMDB's own errors, with the path */
  static async open(path: string): Promise<LmdbFile> {
    const turns = Turns.of(path);
    try {
      return new LmdbFile(await turns.take(() => openDatabase(path)), turns);
    } catch (error) {
      await turns.release();
      throw Object.assign(new Error(`${path}: ${(error as Error).message}`, { cause: error }), { path });
    }
  }

  /**
   * One transaction, on disk when this resolves. What is asked for while others have their turn is committed together.
   * @param work reads and puts; if it throws, nothing is done of what is committed together
   */
  commit<T>(work: () => T): Promise<T> {
    return new Promise((done, failed) => {
      let result: T;
      const commit: Commit = {
        work: () => {
          result = work();
        },
        done: () => done(result),
        failed,
      };
      if (this.#waiting.push(commit) > 1) return;
      this.#turns.take(() => this.#commitWaiting()).catch((error) => fail(this.#waiting.splice(0), error));
    });
  }

  // Not lmdb-js's asynchronous transactions: on a full disk they reject promises that nobody holds.
  #commitWaiting(): void {
    const commits = this.#waiting.splice(0);
    try {
      this.db.transactionSync(() => {
        for (const { work } of commits) work();
      });
      for (const { done } of commits) done();
    } catch (error) {
      fail(commits, error);
    }
  }

  async close(): Promise<void> {
    await this.#turns.take(() => this.db.close());
    await this.#turns.release();
  }
}

function fail(commits: readonly Commit[], error: unknown): void {
  for (const { failed } of commits) failed(error);
}
