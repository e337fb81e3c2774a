import { letOthersRun } from '../calls.js';
import { type Access, newState, STATE_SETTING, StateGuard } from '../identity.js';
import {
  type Block,
  contradicts,
  type Entries,
  type ShardRecord,
  type Space,
  type Store,
  skippedSetting,
} from '../store.js';
import { type LocalContents, LocalStore } from './shared/local-store.js';

const ENTRIES_A_PIECE = 10_000;

interface MemorySpace {
  readonly ids: Map<string, bigint>;
  readonly keys: Map<bigint, string>;
  readonly counters: Map<number, bigint>;
}

/** A store in this process's memory, for tests and examples. It is gone when the process ends. */
export function memoryStore(): Store {
  return new MemoryStore(new StateGuard());
}

class MemoryContents implements LocalContents {
  readonly #settings = new Map([[STATE_SETTING, JSON.stringify(newState())]]);
  readonly #shards = new Map<number, ShardRecord>();

  setting(name: string): string | undefined {
    return this.#settings.get(name);
  }

  set(name: string, value: string): void {
    this.#settings.set(name, value);
  }

  shard(shard: number): ShardRecord | undefined {
    return this.#shards.get(shard);
  }

  putShard(shard: number, record: ShardRecord): void {
    this.#shards.set(shard, record);
  }

  shards(): ReturnType<LocalContents['shards']> {
    return [...this.#shards].sort(([a], [b]) => a - b).map(([shard, record]) => ({ shard, ...record }));
  }
}

class MemoryStore extends LocalStore<MemoryContents> implements Store {
  readonly #spaces: { readonly [S in Space]: MemorySpace } = { strings: emptyKeys(), types: emptyKeys() };
  readonly #contents = new MemoryContents();

  async lookup(space: Space, keys: readonly string[]): Promise<BigUint64Array> {
    const { ids } = this.#keysOf(space);
    return BigUint64Array.from(keys, (key) => ids.get(key) ?? 0n);
  }

  async resolve(space: Space, ids: BigUint64Array): Promise<(string | undefined)[]> {
    const { keys } = this.#keysOf(space);
    return Array.from(ids, (id) => keys.get(id));
  }

  async assign(space: Space, block: Block, keys: readonly string[]): Promise<BigUint64Array | undefined> {
    const { ids, keys: keyOf, counters } = this.#keysOf(space, 'write');
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
    const { ids, keys } = this.#keysOf(space, 'write');
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
    const own = this.#keysOf(space, 'write').counters;
    for (const [prefix, last] of counters) if (last > (own.get(prefix) ?? 0n)) own.set(prefix, last);
  }

  protected async exists(): Promise<boolean> {
    this.checkOpen();
    return true;
  }

  protected async read<T>(work: (contents: MemoryContents) => T): Promise<T> {
    this.checkOpen();
    return work(this.#contents);
  }

  protected commit<T>(work: (contents: MemoryContents) => T): Promise<T> {
    return this.read(work);
  }

  protected async end(): Promise<void> {}

  #keysOf(space: Space, access: Access = 'read'): MemorySpace {
    this.checkOpen();
    this.guard.check(this.#contents.setting(STATE_SETTING), access);
    return this.#spaces[space];
  }

  #skipped(space: Space): bigint {
    return BigInt(this.#contents.setting(skippedSetting(space)) ?? 0);
  }
}

function emptyKeys(): MemorySpace {
  return { ids: new Map(), keys: new Map(), counters: new Map() };
}
