import { randomUUID } from 'node:crypto';
import type { ICompare, IKeyValue, IRequestOp } from 'etcd3';
import { StoreConflictError } from '../../../errors.js';
import { retrying } from '../../calls.js';
import {
  checkMark,
  chooseShard,
  FLOOR_SETTING,
  heldRecord,
  type LeaseGrant,
  lostBy,
  markReset,
  mergeRecords,
  recordsByShard,
  type ShardRecord,
  type Store,
  strayUntil,
  TOKENS_SETTING,
} from '../../store.js';
import { checkedShard, damaged } from '../../values.js';
import {
  type EtcdKeys,
  get,
  isEqual,
  isUnchanged,
  jsonOf,
  keyNamed,
  MAX_OPERATIONS,
  put,
  remove,
  textOf,
} from './keys.js';
import { type EtcdMembers, isLeaseGone } from './members.js';

// A shard has two records: its holder, which etcd removes when its lease ends, and its mark, which stays. Every
// transaction that changes one of them compares both.
//
// A lease is renewed by attaching the holder to a new etcd lease, in the transaction that moves the mark: the cluster
// does both or neither. A keep-alive would be a second request, which a deposed leader may still answer.

// etcd's clock cannot be read through etcd3. So a shard is held while it has a holder's record, and marks are compared
// with the clock of the machine that asks.

/** What is kept when a lease has ended. */
type Mark = Omit<ShardRecord, 'expires'>;

const HELD = Number.POSITIVE_INFINITY;

/** A shard as it was read. */
interface FoundShard {
  readonly markKey: Buffer;
  readonly holderKey: Buffer;
  /** The mark. */
  readonly read: IKeyValue | undefined;
  /** The holder. */
  readonly held: IKeyValue | undefined;
}

/** Settings, leases and closing of a store. */
export class EtcdLeases {
  readonly timeoutMs: number;
  protected readonly members: EtcdMembers;
  protected readonly keys: EtcdKeys;

  constructor(members: EtcdMembers, keys: EtcdKeys) {
    this.timeoutMs = members.timeoutMs;
    this.members = members;
    this.keys = keys;
  }

  /** etcd's clock cannot be read through etcd3. */
  async now(): Promise<number> {
    return Date.now();
  }

  async setting(name: string): Promise<string | undefined> {
    const read = await this.members.readAlways(this.keys.setting(name));
    return read && textOf(read);
  }

  place(known: string | undefined): Promise<string> {
    return this.members.place(known);
  }

  replaceState(expected: string | undefined, state: string): Promise<boolean> {
    return this.members.replaceState(expected, state);
  }

  async replaceSetting(name: string, expected: string | undefined, value: string): Promise<boolean> {
    const [key, setter] = [this.keys.setting(name), this.keys.setter(name)];
    const call = Buffer.from(randomUUID());
    const { succeeded, responses } = await this.members.commit({
      compare: [isEqual(key, expected)],
      success: [put(key, value), put(setter, call)],
      failure: [get(setter)],
    });
    return succeeded || responses[0]?.response_range.kvs[0]?.value.equals(call) === true;
  }

  async acquireLease(request: Parameters<Store['acquireLease']>[0]): Promise<LeaseGrant | undefined> {
    const { shards, owner, ttlMs, mintFrom } = request;
    checkMark(request, mintFrom);
    const [tokens, floor] = [this.keys.setting(TOKENS_SETTING), this.keys.setting(FLOOR_SETTING)];
    let lease: string | undefined;
    let most = 1;
    return retrying(this.members, async () => {
      const { marks, held, readTokens, readFloor } = await this.#readShards(shards);
      const lost = lostBy(readTokens?.value.toString(), readFloor?.value.toString());
      const choose = (skip: number) => {
        const recordOf = (shard: number) => {
          const read = marks.get(shard);
          const isTaken = held.has(shard) || skip-- > 0;
          const mark = read === undefined ? { token: 0n, mintedUntil: 0, ttlMs: 0 } : markOf(read, this.keys);
          return { ...mark, expires: isTaken ? HELD : 0 };
        };
        return chooseShard(request, recordOf, mintFrom, lost);
      };
      // If all processes tried the first free shard, many that start together would conflict again and again.
      const grant = choose(Math.floor(Math.random() * most)) ?? choose(0);
      if (grant === undefined) return undefined;
      most *= 2;
      lease ??= await this.members.grant(ttlMs); // kept when others were faster
      const { shard, token } = grant;
      const read = marks.get(shard);
      const mark = heldRecord(request, grant, read && markOf(read, this.keys), mintFrom);
      const found = { markKey: this.keys.mark(shard), holderKey: this.keys.holder(shard), read, held: undefined };
      try {
        await this.#attachLease(found, mark, holderBytes({ owner, token }), lease, [
          isUnchanged(tokens, readTokens),
          isUnchanged(floor, readFloor),
        ]);
      } catch (error) {
        if (isLeaseGone(error)) lease = undefined;
        throw error;
      }
      return grant;
    });
  }

  renewLease(request: Parameters<Store['renewLease']>[0]): Promise<boolean> {
    const holder = holderBytes(request);
    return this.#retryingOn(request.shard, async (found) => {
      const { read, held } = found;
      if (read === undefined || !held?.value.equals(holder)) return false;
      const now = Date.now();
      checkMark(request, now);
      const kept = markOf(read, this.keys);
      const mark = heldRecord(request, kept, kept, now);
      await this.#attachLease(found, mark, holder, await this.members.grant(request.ttlMs));
      return true;
    });
  }

  releaseLease({ shard, owner, token, mintedUntil }: Parameters<Store['releaseLease']>[0]): Promise<void> {
    const holder = holderBytes({ owner, token });
    return this.#retryingOn(shard, async (found) => {
      const { read, held } = found;
      if (read === undefined || !held?.value.equals(holder)) return;
      await this.#endLease(found, { ...markOf(read, this.keys), mintedUntil });
    });
  }

  async shards(): ReturnType<Store['shards']> {
    const marks: IKeyValue[] = [];
    for await (const piece of this.members.range(...this.keys.folder('shards/mark'))) marks.push(...piece);
    const holders: IKeyValue[] = [];
    for await (const piece of this.members.range(...this.keys.folder('shards/holder'))) holders.push(...piece);
    const left = await this.members.remainingMs(holders.map(({ lease }) => lease));
    const now = Date.now();
    const expires = new Map(holders.map(({ key }, i) => [this.keys.shardOf(key), left[i] ? now + left[i] : 0]));
    return marks.map((read) => {
      const shard = this.keys.shardOf(read.key);
      return { shard, ...markOf(read, this.keys), expires: expires.get(shard) ?? 0 };
    });
  }

  freeShard(shard: number): Promise<boolean> {
    return this.#retryingOn(shard, async (found) => {
      const { read, held } = found;
      if (read === undefined || held === undefined) return false;
      const mark = markOf(read, this.keys);
      await this.#endLease(found, { ...mark, strayUntil: strayUntil({ ...mark, expires: HELD }, Date.now()) });
      return true;
    });
  }

  resetMark(shard: number): ReturnType<Store['resetMark']> {
    return this.#retryingOn(shard, async (found) => {
      const { markKey, read, held } = found;
      const now = Date.now();
      const record = read && { ...markOf(read, this.keys), expires: held === undefined ? 0 : HELD };
      const done = markReset(record, now);
      if (record === undefined || done !== 'reset') return done;
      const mark = { ...record, mintedUntil: now };
      await this.#change(found, mark, [], markKey, (kept) => kept?.value.equals(markBytes(mark)));
      return 'reset';
    });
  }

  /** A shard that is held gets an etcd lease for the time that is left. Every record takes two operations. */
  async restoreShards(records: Parameters<Store['restoreShards']>[0]): Promise<void> {
    const given = [...recordsByShard(records)];
    for (let from = 0; from < given.length; from += MAX_OPERATIONS / 2) {
      const some = given.slice(from, from + MAX_OPERATIONS / 2);
      await retrying(this.members, async () => {
        const read = await this.members.read(
          some.flatMap(([shard]) => [this.keys.mark(shard), this.keys.holder(shard)]),
        );
        const puts = some.map(async ([shard, record], i) => {
          const [mark, held] = [read[2 * i], read[2 * i + 1]];
          const kept = mark && { ...markOf(mark, this.keys), expires: held === undefined ? 0 : HELD };
          const merged = mergeRecords(kept, record);
          const changes = [put(this.keys.mark(shard), markBytes(merged))];
          if (merged.expires !== HELD) changes.push(await this.#holderPut(shard, merged));
          return changes;
        });
        const { succeeded } = await this.members.commit({
          compare: some.map(([shard], i) => isUnchanged(this.keys.mark(shard), read[2 * i])),
          success: (await Promise.all(puts)).flat(),
        });
        if (!succeeded) throw changed();
      });
    }
  }

  async close(): Promise<void> {
    this.members.close();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  async #holderPut(shard: number, record: ShardRecord) {
    const ttlMs = record.expires - Date.now();
    if (ttlMs <= 0) return remove(this.keys.holder(shard));
    return put(this.keys.holder(shard), holderBytes(record), await this.members.grant(ttlMs));
  }

  async #readShards(shards: number) {
    const responses = await this.members.scan([
      { request_range: { key: this.keys.mark(0), range_end: this.keys.mark(shards) } },
      { request_range: { key: this.keys.holder(0), range_end: this.keys.holder(shards), keys_only: true } },
      get(this.keys.setting(TOKENS_SETTING)),
      get(this.keys.setting(FLOOR_SETTING)),
    ]);
    const [marks = [], holders = [], tokens = [], floors = []] = responses.map(({ response_range: { kvs } }) => kvs);
    return {
      marks: new Map(marks.map((read) => [this.keys.shardOf(read.key), read])),
      held: new Set(holders.map(({ key }) => this.keys.shardOf(key))),
      readTokens: tokens[0],
      readFloor: floors[0],
    };
  }

  /** Reads a shard and does something about it, again if others change it meanwhile. */
  #retryingOn<T>(shard: number, work: (found: FoundShard) => Promise<T>): Promise<T> {
    const [markKey, holderKey] = [this.keys.mark(shard), this.keys.holder(shard)];
    return retrying(this.members, async () => {
      const [read, held] = await this.members.read([markKey, holderKey]);
      return work({ markKey, holderKey, read, held });
    });
  }

  /** Attaches the holder of a shard to an etcd lease. @param also what else must be so */
  #attachLease(found: FoundShard, mark: Mark, holder: Buffer, lease: string, also?: ICompare[]): Promise<void> {
    const attach = put(found.holderKey, holder, lease);
    return this.#change(found, mark, [attach], found.holderKey, (held) => held?.lease === lease, also);
  }

  #endLease(found: FoundShard, mark: Mark): Promise<void> {
    return this.#change(found, mark, [remove(found.holderKey)], found.holderKey, (held) => held === undefined);
  }

  /**
   * Changes a shard, unless an earlier try whose answer was lost has done so. The mark is compared, too: the holder may
   * renew its lease at the same time, and an earlier try that arrives late would set the mark back.
   * @param isDone whether that try took effect, by what `key` has now
   * @throws StoreConflictError if others changed the shard first
   */
  async #change(
    { markKey, holderKey, read, held }: FoundShard,
    mark: Mark,
    changes: readonly IRequestOp[],
    key: Buffer,
    isDone: (kept: IKeyValue | undefined) => boolean | undefined,
    also: readonly ICompare[] = [],
  ): Promise<void> {
    const { succeeded, responses } = await this.members.commit({
      compare: [isUnchanged(markKey, read), isEqual(holderKey, held?.value), ...also],
      success: [put(markKey, markBytes(mark)), ...changes],
      failure: [get(key)],
    });
    if (!succeeded && !isDone(responses[0].response_range.kvs[0])) throw changed();
  }
}

function changed(): StoreConflictError {
  return new StoreConflictError('other callers changed the same shard first');
}

/** The mark of a shard. @throws StoreCorruptError if it is damaged */
export function markOf(read: IKeyValue, keys: EtcdKeys): Mark {
  const { owner, token, ttlMs, strayUntil, mintedUntil } = jsonOf(read) as StoredMark;
  if (typeof token !== 'string' || !/^[0-9]{1,19}$/.test(token)) throw damaged(keyNamed(read.key), 'a token', token);
  return checkedShard(keys.shardOf(read.key), { owner, token: BigInt(token), ttlMs, strayUntil, mintedUntil });
}

/** A mark as it is stored. */
type StoredMark = Omit<Mark, 'token'> & { readonly token: string };

function markBytes({ owner, token, ttlMs, strayUntil, mintedUntil }: Mark): Buffer {
  const mark: StoredMark = { owner, token: String(token), ttlMs, strayUntil, mintedUntil };
  return Buffer.from(JSON.stringify(mark));
}

function holderBytes({ owner, token }: { owner: string; token: bigint }): Buffer {
  return Buffer.from(JSON.stringify({ owner, token: String(token) }));
}
