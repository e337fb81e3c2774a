import { ShardLeases } from '../shard-leases.js';
import { lostBy, type ShardRecord } from '../shard-records.js';
import { FLOOR_SETTING, type Space, type Store, skippedSetting, TOKENS_SETTING } from '../store.js';
import { SqliteConnection, type SqliteWaiting } from './sqlite-connection.js';
import type { SqliteDatabase, SqliteRow } from './sqlite-driver.js';
import { stored, textOf } from './sqlite-keys.js';
import { SqliteSpace } from './sqlite-space.js';
import { HASH_KEY_SETTING, prepareAll, type Statements } from './sqlite-tables.js';

/** The contents of an open database. Call methods that do not return a promise inside a transaction of `connection`. */
export class SqliteContents {
  readonly connection: SqliteConnection;
  readonly leases: ShardLeases;
  readonly #statements: Statements;
  readonly #spaces: { readonly [S in Space]: SqliteSpace };

  constructor(database: SqliteDatabase, waiting: SqliteWaiting) {
    this.connection = new SqliteConnection(database, waiting);
    this.#statements = prepareAll(database);
    this.leases = new ShardLeases({
      now: Date.now,
      get: (shard) => {
        const row = this.#statements.shard.get(BigInt(shard));
        return row && recordOf(row);
      },
      put: (shard, record) => this.putShard(shard, record),
      lost: () => lostBy(this.setting(TOKENS_SETTING), this.setting(FLOOR_SETTING)),
    });
    const hashKey = this.setting(HASH_KEY_SETTING) ?? '';
    const keysOf = (space: Space) => {
      const skipped = () => BigInt(this.setting(skippedSetting(space)) ?? 0);
      return new SqliteSpace(this.connection, this.#statements[space], { hashKey, skipped });
    };
    this.#spaces = { strings: keysOf('strings'), types: keysOf('types') };
  }

  keys(space: Space): SqliteSpace {
    return this.#spaces[space];
  }

  setting(name: string): string | undefined {
    const row = this.#statements.setting.get(stored(name));
    return row && textOf(row.value ?? null);
  }

  set(name: string, value: string): void {
    this.#statements.set.run(stored(name), stored(value));
  }

  shards(): Awaited<ReturnType<Store['shards']>> {
    return this.#statements.shards.all().map((row) => ({ shard: Number(row.shard), ...recordOf(row) }));
  }

  putShard(shard: number, { owner, token, expires, strayUntil, ttlMs, mintedUntil }: ShardRecord): void {
    const times = [expires, strayUntil, ttlMs, mintedUntil].map((ms) => BigInt(Math.ceil(ms)));
    this.#statements.putShard.run(BigInt(shard), stored(owner), token, ...times);
  }
}

function recordOf({ owner, token, expires, stray_until, ttl_ms, minted_until }: SqliteRow): ShardRecord {
  return {
    owner: textOf(owner ?? null),
    token: token as bigint,
    expires: Number(expires),
    strayUntil: Number(stray_until),
    ttlMs: Number(ttl_ms),
    mintedUntil: Number(minted_until),
  };
}
