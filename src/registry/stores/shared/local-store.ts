import { STATE_SETTING, type StateGuard } from '../../identity.js';
import {
  checkMark,
  chooseShard,
  closed,
  endedRecord,
  FLOOR_SETTING,
  heldRecord,
  type LeaseHolder,
  lostBy,
  markReset,
  mergeRecords,
  recordsByShard,
  type ShardRecord,
  type Space,
  type Store,
  skippedSetting,
  TOKENS_SETTING,
} from '../../store.js';
import { settingNumber } from '../../values.js';

type Kept<K, V> = Pick<Map<K, V>, 'get'> & { set(key: K, value: V): unknown };

/** What a store of one machine keeps, within one of its transactions. */
export interface LocalContents {
  readonly settings: Kept<string, string>;
  readonly records: Kept<number, ShardRecord>;
  shards(): Awaited<ReturnType<Store['shards']>>;
  count(space: Space): number;
  /** The last number of a counter, without skipped numbers; 0 at first. */
  last(space: Space, prefix: number): bigint;
  /** Raises a counter; a larger one stays. */
  raise(space: Space, prefix: number, last: bigint): void;
  counters(space: Space): Map<number, bigint>;
}

/** How many numbers every counter of a space has skipped. */
export function skippedIn(contents: LocalContents, space: Space): bigint {
  const name = skippedSetting(space);
  return settingNumber(name, contents.settings.get(name));
}

/**
 * Settings, counters, leases and closing of a store of one machine, whose transactions come one after the other. Leases
 * end by the machine's clock.
 */
export abstract class LocalStore<C extends LocalContents> {
  protected readonly guard: StateGuard;
  #closing: Promise<void> | undefined;

  constructor(guard: StateGuard) {
    this.guard = guard;
  }

  /** Opens the store; undefined if there is none yet. @throws StoreUnavailableError if it is closed or cannot be opened */
  protected abstract open(): Promise<C | undefined>;

  /** Reads within a transaction, whatever state the store has; undefined if there is no store yet. */
  protected abstract read<T>(work: (contents: C) => T): Promise<T | undefined>;

  /** Reads and writes within a transaction, whatever state the store has. A store is made if there is none. */
  protected abstract commit<T>(work: (contents: C) => T): Promise<T>;

  /** Closes what is open. Called once. */
  protected abstract end(): Promise<void>;

  protected checkedRead<T>(work: (contents: C) => T): Promise<T | undefined> {
    return this.read((contents) => {
      this.guard.check(contents.settings.get(STATE_SETTING), 'read');
      return work(contents);
    });
  }

  /** Like `commit`, if the state of the store allows it. What forbids it is thrown outside of the transaction. */
  protected async checkedCommit<T>(work: (contents: C) => T): Promise<T> {
    const done = await this.commit<{ readonly value: T } | { readonly refusal: unknown }>((contents) => {
      const refusal = this.guard.refusal(contents.settings.get(STATE_SETTING), 'write');
      return refusal === undefined ? { value: work(contents) } : { refusal };
    });
    if ('refusal' in done) throw done.refusal;
    return done.value;
  }

  protected checkOpen(): void {
    if (this.#closing !== undefined) throw closed();
  }

  async now(): Promise<number> {
    await this.open();
    return Date.now();
  }

  setting(name: string): Promise<string | undefined> {
    return this.read((contents) => {
      this.guard.meet(contents.settings.get(STATE_SETTING));
      return contents.settings.get(name);
    });
  }

  async replaceState(expected: string | undefined, state: string): Promise<boolean> {
    const isReplaced = await this.commit((contents) => {
      const kept = contents.settings.get(STATE_SETTING);
      if (kept === expected) contents.settings.set(STATE_SETTING, state);
      return kept === expected || kept === state; // an earlier try may have set it
    });
    if (isReplaced) this.guard.own(state);
    return isReplaced;
  }

  replaceSetting(name: string, expected: string | undefined, value: string): Promise<boolean> {
    return this.checkedCommit((contents) => {
      if (contents.settings.get(name) !== expected) return false;
      contents.settings.set(name, value);
      return true;
    });
  }

  async count(space: Space): Promise<number> {
    return (await this.checkedRead((contents) => contents.count(space))) ?? 0;
  }

  async counter(space: Space, prefix: number): Promise<bigint> {
    return (await this.checkedRead((contents) => contents.last(space, prefix) + skippedIn(contents, space))) ?? 0n;
  }

  async counters(space: Space): Promise<Map<number, bigint>> {
    return (await this.checkedRead((contents) => contents.counters(space))) ?? new Map();
  }

  restoreCounters(space: Space, counters: ReadonlyMap<number, bigint>): Promise<void> {
    return this.checkedCommit((contents) => {
      for (const [prefix, last] of counters) contents.raise(space, prefix, last);
    });
  }

  acquireLease(request: Parameters<Store['acquireLease']>[0]): ReturnType<Store['acquireLease']> {
    return this.checkedCommit((contents) => {
      const now = Date.now();
      checkMark(request, now);
      const lost = lostBy(contents.settings.get(TOKENS_SETTING), contents.settings.get(FLOOR_SETTING));
      const grant = chooseShard(request, (shard) => contents.records.get(shard), now, lost);
      if (grant) contents.records.set(grant.shard, heldRecord(request, grant, contents.records.get(grant.shard), now));
      return grant;
    });
  }

  renewLease(request: Parameters<Store['renewLease']>[0]): Promise<boolean> {
    return this.checkedCommit((contents) => {
      const now = Date.now();
      const record = recordHeldBy(contents, request, now);
      if (record === undefined) return false;
      checkMark(request, now);
      contents.records.set(request.shard, heldRecord(request, record, record, now));
      return true;
    });
  }

  releaseLease(holder: Parameters<Store['releaseLease']>[0]): Promise<void> {
    return this.checkedCommit((contents) => {
      const record = recordHeldBy(contents, holder, Date.now());
      if (record) contents.records.set(holder.shard, { ...record, expires: 0, mintedUntil: holder.mintedUntil });
    });
  }

  async shards(): ReturnType<Store['shards']> {
    return (await this.checkedRead((contents) => contents.shards())) ?? [];
  }

  async freeShard(shard: number): Promise<boolean> {
    if ((await this.open()) === undefined) return false;
    return this.checkedCommit((contents) => {
      const now = Date.now();
      const record = contents.records.get(shard);
      if (record === undefined || record.expires <= now) return false;
      contents.records.set(shard, endedRecord(record, now));
      return true;
    });
  }

  async resetMark(shard: number): ReturnType<Store['resetMark']> {
    if ((await this.open()) === undefined) return 'absent';
    return this.checkedCommit((contents) => {
      const now = Date.now();
      const record = contents.records.get(shard);
      const done = markReset(record, now);
      if (record !== undefined && done === 'reset') contents.records.set(shard, { ...record, mintedUntil: now });
      return done;
    });
  }

  restoreShards(records: Parameters<Store['restoreShards']>[0]): Promise<void> {
    return this.checkedCommit((contents) => {
      for (const [shard, record] of recordsByShard(records)) {
        contents.records.set(shard, mergeRecords(contents.records.get(shard), record));
      }
    });
  }

  close(): Promise<void> {
    this.#closing ??= this.end();
    return this.#closing;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }
}

function recordHeldBy({ records }: LocalContents, holder: LeaseHolder & Pick<ShardRecord, 'owner'>, now: number) {
  const record = records.get(holder.shard);
  const isHeld = record?.owner === holder.owner && record.token === holder.token && record.expires > now;
  return isHeld ? record : undefined;
}
