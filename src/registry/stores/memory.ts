import { letOthersRun } from '../calls.js';
import { newState, STATE_SETTING, StateGuard } from '../identity.js';
import type { Block, Entries, ShardRecord, Space, Store } from '../store.js';
import { assignKeys, hasEntry, type KeyedContents, LocalStore, restoreKeys } from './shared/local-store.js';

const ENTRIES_A_PIECE = 10_000;

/** A store in this process's memory, for tests and examples. It is gone when the process ends. */
export function memoryStore(): Store {
  return new MemoryStore(new Memory());
}

interface MemorySpace {
  readonly ids: Map<string, bigint>;
  readonly keys: Map<bigint, string>;
  readonly counters: Map<number, bigint>;
}

/** What a store in memory holds. */
export class Memory implements KeyedContents {
  readonly settings = new Map([[STATE_SETTING, JSON.stringify(newState())]]);
  readonly records = new Map<number, ShardRecord>();
  readonly spaces: { readonly [S in Space]: MemorySpace } = { strings: emptySpace(), types: emptySpace() };

  setting(name: string): string | undefined {
    return this.settings.get(name);
  }

  set(name: string, value: string): void {
    this.settings.set(name, value);
  }

  shard(shard: number): ShardRecord | undefined {
    return this.records.get(shard);
  }

  putShard(shard: number, record: ShardRecord): void {
    this.records.set(shard, record);
  }

  shards(): ReturnType<KeyedContents['shards']> {
    return [...this.records].sort(([a], [b]) => a - b).map(([shard, record]) => ({ shard, ...record }));
  }

  idOf(space: Space, key: string): bigint {
    return this.spaces[space].ids.get(key) ?? 0n;
  }

  keyOf(space: Space, id: bigint): string | undefined {
    return this.spaces[space].keys.get(id);
  }

  putEntry(space: Space, key: string, id: bigint): void {
    this.spaces[space].ids.set(key, id);
    this.spaces[space].keys.set(id, key);
  }

  entries(space: Space): [key: string, id: bigint][] {
    return [...this.spaces[space].ids];
  }

  count(space: Space): number {
    return this.spaces[space].ids.size;
  }

  last(space: Space, prefix: number): bigint {
    return this.spaces[space].counters.get(prefix) ?? 0n;
  }

  raise(space: Space, prefix: number, last: bigint): void {
    if (last > this.last(space, prefix)) this.spaces[space].counters.set(prefix, last);
  }

  counters(space: Space): Map<number, bigint> {
    return new Map(this.spaces[space].counters);
  }
}

/** One of the objects through which the same memory is used. */
export class MemoryStore extends LocalStore<Memory> implements Store {
  readonly #memory: Memory;

  constructor(memory: Memory) {
    super(new StateGuard());
    this.#memory = memory;
  }

  lookup(space: Space, keys: readonly string[]): Promise<BigUint64Array> {
    return this.checkedRead((memory) => BigUint64Array.from(keys, (key) => memory.idOf(space, key)));
  }

  resolve(space: Space, ids: BigUint64Array): Promise<(string | undefined)[]> {
    return this.checkedRead((memory) => Array.from(ids, (id) => memory.keyOf(space, id)));
  }

  assign(space: Space, block: Block, keys: readonly string[]): Promise<BigUint64Array | undefined> {
    return this.checkedCommit((memory) => assignKeys(memory, space, block, keys));
  }

  async *entries(space: Space): AsyncIterable<Entries> {
    const all = await this.checkedRead((memory) => memory.entries(space));
    for (let from = 0; from < all.length; from += ENTRIES_A_PIECE) {
      await letOthersRun();
      const some = all.slice(from, from + ENTRIES_A_PIECE);
      yield { keys: some.map(([key]) => key), ids: BigUint64Array.from(some, ([, id]) => id) };
    }
  }

  restore(space: Space, entries: Entries): Promise<void> {
    return this.checkedCommit((memory) => {
      // First, because nothing would take back a part of it.
      for (const [row, key] of entries.keys.entries()) hasEntry(memory, space, key, entries.ids[row]);
      restoreKeys(memory, space, entries);
    });
  }

  protected override checkedRead<T>(work: (memory: Memory) => T): Promise<T> {
    return super.checkedRead(work) as Promise<T>; // the memory always exists
  }

  protected async exists(): Promise<boolean> {
    this.checkOpen();
    return true;
  }

  protected async read<T>(work: (memory: Memory) => T): Promise<T> {
    this.checkOpen();
    return work(this.#memory);
  }

  protected commit<T>(work: (memory: Memory) => T): Promise<T> {
    return this.read(work);
  }

  protected async end(): Promise<void> {}
}

function emptySpace(): MemorySpace {
  return { ids: new Map(), keys: new Map(), counters: new Map() };
}
