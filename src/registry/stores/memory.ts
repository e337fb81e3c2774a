import { letOthersRun } from '../calls.js';
import { newState, STATE_SETTING, StateGuard } from '../identity.js';
import { type Block, contradicts, type Entries, type ShardRecord, type Space, type Store } from '../store.js';
import { type LocalContents, LocalStore, skippedIn } from './shared/local-store.js';

const ENTRIES_A_PIECE = 10_000;

/** A store in this process's memory, for tests and examples. It is gone when the process ends. */
export function memoryStore(): Store {
  return new MemoryStore(new Memory());
}

export class Memory implements LocalContents {
  readonly settings = new Map([[STATE_SETTING, JSON.stringify(newState())]]);
  readonly records = new Map<number, ShardRecord>();
  readonly spaces = { strings: emptySpace(), types: emptySpace() };

  shards(): ReturnType<LocalContents['shards']> {
    return [...this.records].sort(([a], [b]) => a - b).map(([shard, record]) => ({ shard, ...record }));
  }

  /** The id of a key; 0 if it has none. */
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

  /** Whether an entry is there. @throws StoreConflictError if its key has another id, or its id another key */
  hasEntry(space: Space, key: string, id: bigint): boolean {
    const [idThere, keyThere] = [this.idOf(space, key), this.keyOf(space, id)];
    if (idThere === id && keyThere === key) return true;
    if (idThere !== 0n || keyThere !== undefined) throw contradicts(id);
    return false;
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

  assign(space: Space, { prefix, base, max }: Block, keys: readonly string[]): Promise<BigUint64Array | undefined> {
    return this.checkedCommit((memory) => {
      const ids = BigUint64Array.from(keys, (key) => memory.idOf(space, key));
      const missing = ids.reduce((count, id) => (id === 0n ? count + 1 : count), 0);
      if (missing === 0) return ids;
      const skipped = skippedIn(memory, space);
      let last = memory.last(space, prefix);
      if (skipped + last + BigInt(missing) > max) return undefined;
      for (const [row, key] of keys.entries()) {
        if (ids[row] !== 0n) continue;
        ids[row] = base + skipped + ++last;
        memory.putEntry(space, key, ids[row]);
      }
      memory.raise(space, prefix, last);
      return ids;
    });
  }

  async *entries(space: Space): AsyncIterable<Entries> {
    const all = await this.checkedRead((memory) => [...memory.spaces[space].ids]);
    for (let from = 0; from < all.length; from += ENTRIES_A_PIECE) {
      await letOthersRun();
      const some = all.slice(from, from + ENTRIES_A_PIECE);
      yield { keys: some.map(([key]) => key), ids: BigUint64Array.from(some, ([, id]) => id) };
    }
  }

  restore(space: Space, { keys, ids }: Entries): Promise<void> {
    return this.checkedCommit((memory) => {
      // First, because nothing would take back a part of it.
      for (const [row, key] of keys.entries()) memory.hasEntry(space, key, ids[row]);
      for (const [row, key] of keys.entries()) {
        if (!memory.hasEntry(space, key, ids[row])) memory.putEntry(space, key, ids[row]);
      }
    });
  }

  protected override checkedRead<T>(work: (memory: Memory) => T): Promise<T> {
    return super.checkedRead(work) as Promise<T>; // the memory always exists
  }

  protected async open(): Promise<Memory | undefined> {
    this.checkOpen();
    return this.#memory;
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

function emptySpace() {
  return { ids: new Map<string, bigint>(), keys: new Map<bigint, string>(), counters: new Map<number, bigint>() };
}
