import { letOthersRun } from '../calls.js';
import { ShardLeases } from '../shard-leases.js';
import {
  type Block,
  closed,
  contradicts,
  type Entries,
  FLOOR_SETTING,
  lostBy,
  type ShardRecord,
  type Space,
  type Store,
  skippedSetting,
  TOKENS_SETTING,
} from '../store.js';

const ENTRIES_A_PIECE = 10_000;

interface MemorySpace {
  readonly ids: Map<string, bigint>;
  readonly keys: Map<bigint, string>;
  readonly counters: Map<number, bigint>;
}

/** A store in this process's memory, for tests and examples. It is gone when the process ends. */
export function memoryStore(): Store {
  return new MemoryStore();
}

class MemoryStore implements Store {
  readonly #spaces: { readonly [S in Space]: MemorySpace } = { strings: emptyKeys(), types: emptyKeys() };
  readonly #settings = new Map<string, string>();
  readonly #shards = new Map<number, ShardRecord>();
  readonly #leases = new ShardLeases({
    now: Date.now,
    get: (shard) => this.#shards.get(shard),
    put: (shard, record) => this.#shards.set(shard, record),
    lost: () => lostBy(this.#settings.get(TOKENS_SETTING), this.#settings.get(FLOOR_SETTING)),
  });
  #isClosed = false;

  async now(): Promise<number> {
    this.#checkOpen();
    return Date.now();
  }

  async lookup(space: Space, keys: readonly string[]): Promise<BigUint64Array> {
    const { ids } = this.#keysOf(space);
    return BigUint64Array.from(keys, (key) => ids.get(key) ?? 0n);
  }

  async resolve(space: Space, ids: BigUint64Array): Promise<(string | undefined)[]> {
    const { keys } = this.#keysOf(space);
    return Array.from(ids, (id) => keys.get(id));
  }

  async assign(space: Space, block: Block, keys: readonly string[]): Promise<BigUint64Array | undefined> {
    const { ids, keys: keyOf, counters } = this.#keysOf(space);
    const missing = keys.filter((key) => !ids.has(key));
    const last = counters.get(block.prefix) ?? 0n;
    const skipped = this.#skipped(space);
    if (missing.length > 0 && skipped + last + BigInt(missing.length) > block.max) return undefined;
    for (const [i, key] of missing.entries()) {
      const id = block.base + skipped + last + BigInt(i + 1);
      ids.set(key, id);
      keyOf.set(id, key);
    }
    counters.set(block.prefix, last + BigInt(missing.length));
    return BigUint64Array.from(keys, (key) => ids.get(key) ?? 0n);
  }

  async counter(space: Space, prefix: number): Promise<bigint> {
    return (this.#keysOf(space).counters.get(prefix) ?? 0n) + this.#skipped(space);
  }

  async setting(name: string): Promise<string | undefined> {
    this.#checkOpen();
    return this.#settings.get(name);
  }

  async replaceSetting(name: string, expected: string | undefined, value: string): Promise<boolean> {
    this.#checkOpen();
    if (this.#settings.get(name) !== expected) return false;
    this.#settings.set(name, value);
    return true;
  }

  async acquireLease(request: Parameters<Store['acquireLease']>[0]): ReturnType<Store['acquireLease']> {
    this.#checkOpen();
    return this.#leases.acquire(request);
  }

  async renewLease(request: Parameters<Store['renewLease']>[0]): Promise<boolean> {
    this.#checkOpen();
    return this.#leases.renew(request);
  }

  async releaseLease(holder: Parameters<Store['releaseLease']>[0]): Promise<void> {
    this.#checkOpen();
    this.#leases.release(holder);
  }

  async shards(): ReturnType<Store['shards']> {
    this.#checkOpen();
    return [...this.#shards].sort(([a], [b]) => a - b).map(([shard, record]) => ({ shard, ...record }));
  }

  async freeShard(shard: number): Promise<boolean> {
    this.#checkOpen();
    return this.#leases.free(shard);
  }

  async resetMark(shard: number): ReturnType<Store['resetMark']> {
    this.#checkOpen();
    return this.#leases.resetMark(shard);
  }

  async count(space: Space): Promise<number> {
    return this.#keysOf(space).ids.size;
  }

  async *entries(space: Space): AsyncIterable<Entries> {
    const all = [...this.#keysOf(space).ids];
    for (let from = 0; from < all.length; from += ENTRIES_A_PIECE) {
      await letOthersRun();
      const some = all.slice(from, from + ENTRIES_A_PIECE);
      yield { keys: some.map(([key]) => key), ids: BigUint64Array.from(some, ([, id]) => id) };
    }
  }

  async counters(space: Space): Promise<Map<number, bigint>> {
    return new Map(this.#keysOf(space).counters);
  }

  async restore(space: Space, entries: Entries): Promise<void> {
    const { ids, keys } = this.#keysOf(space);
    for (const [row, key] of entries.keys.entries()) {
      const id = entries.ids[row];
      if ((ids.get(key) ?? id) !== id || (keys.get(id) ?? key) !== key) {
        throw contradicts(id);
      }
    }
    for (const [row, key] of entries.keys.entries()) {
      ids.set(key, entries.ids[row]);
      keys.set(entries.ids[row], key);
    }
  }

  async restoreCounters(space: Space, counters: ReadonlyMap<number, bigint>): Promise<void> {
    const own = this.#keysOf(space).counters;
    for (const [prefix, last] of counters) if (last > (own.get(prefix) ?? 0n)) own.set(prefix, last);
  }

  async restoreShards(records: Parameters<Store['restoreShards']>[0]): Promise<void> {
    this.#checkOpen();
    this.#leases.restore(records);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  #keysOf(space: Space): MemorySpace {
    this.#checkOpen();
    return this.#spaces[space];
  }

  #skipped(space: Space): bigint {
    return BigInt(this.#settings.get(skippedSetting(space)) ?? 0);
  }

  #checkOpen(): void {
    if (this.#isClosed) throw closed();
  }
}

function emptyKeys(): MemorySpace {
  return { ids: new Map(), keys: new Map(), counters: new Map() };
}
