// How a program finds the database of a key while shards move. It needs no news of a move: the databases redirect it.
import { setTimeout } from 'node:timers/promises';
import type { Sql, TransactionSql } from 'postgres';
import { Router } from 'shardbits';
import type { ShardMap } from 'shardbits/map';

const PATIENCE_MS = 30_000; // much longer than a cut-over takes

/** What is done in a transaction, with rows of one shard only. */
type Work<T> = (sql: TransactionSql, shard: number) => Promise<T>;

export class ShardedDatabase {
  readonly #databases: Readonly<Record<string, Sql>>;
  readonly #router: Router;
  /** Where each shard was last. */
  readonly #names: string[];

  /** @param databases by their names in the map, those to which shards will move included */
  constructor(databases: Readonly<Record<string, Sql>>, map: ShardMap) {
    this.#databases = databases;
    this.#router = new Router({ shards: map.shards });
    this.#names = Array.from({ length: map.shards }, (_, shard) => map.nodesOf(shard)[0]);
  }

  read<T>(key: string, work: Work<T>): Promise<T> {
    return this.#enter(key, false, 'isolation level repeatable read read only', work);
  }

  write<T>(key: string, work: Work<T>): Promise<T> {
    return this.#enter(key, true, 'isolation level read committed', work);
  }

  async #enter<T>(key: string, willWrite: boolean, options: string, work: Work<T>): Promise<T> {
    const shard = this.#router.route(key);
    for (const end = performance.now() + PATIENCE_MS; ; await setTimeout(5)) {
      const name = this.#names[shard];
      if (!(name in this.#databases)) throw new Error(`shard ${shard} is in ${name}, which is not among the databases`);
      try {
        const result = await this.#databases[name].begin(options, async (sql) => {
          await sql`select enter_shard(${shard}, ${willWrite})`;
          return work(sql, shard);
        });
        return result as T;
      } catch (error) {
        // The work has not begun. During a cut-over each of the two databases names the other one, until one serves it.
        const { code, detail } = error as { code?: string; detail?: string };
        if (code !== 'SH001' || !detail || performance.now() > end) throw error;
        this.#names[shard] = detail;
      }
    }
  }
}
