import { randomUUID } from 'node:crypto';
import type { IKeyValue, ITxnRequest } from 'etcd3';
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
  isAbsent,
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
      const [markKey, holderKey] = [this.keys.mark(shard), this.keys.holder(shard)];
      const kept = marks.get(shard);
      const mark = heldRecord(request, grant, kept && markOf(kept, this.keys), mintFrom);
      try {
        await this.#attachLease(holderKey, lease, {
          compare: [
            isUnchanged(markKey, kept),
            isAbsent(holderKey),
            isUnchanged(tokens, readTokens),
            isUnchanged(floor, readFloor),
          ],
          success: [put(markKey, markBytes(mark)), put(holderKey, holderBytes({ owner, token }), lease)],
        });
      } catch (error) {
        if (isLeaseGone(error)) lease = undefined;
        throw error;
      }
      return grant;
    });
  }

  async renewLease(request: Parameters<Store['renewLease']>[0]): Promise<boolean> {
    const [markKey, holderKey] = [this.keys.mark(request.shard), this.keys.holder(request.shard)];
    const holder = holderBytes(request);
    return retrying(this.members, async () => {
      const [read, held] = await this.members.read([markKey, holderKey]);
      if (read === undefined || !held?.value.equals(holder)) return false;
      const now = Date.now();
      checkMark(request, now);
      const kept = markOf(read, this.keys);
      const mark = heldRecord(request, kept, kept, now);
      const lease = await this.members.grant(request.ttlMs);
      await this.#attachLease(holderKey, lease, {
        // The mark is compared, too: an earlier try that arrives late would set it back.
        compare: [isEqual(holderKey, holder), isUnchanged(markKey, read)],
        success: [put(markKey, markBytes(mark)), put(holderKey, holder, lease)],
      });
      return true;
    });
  }

  async releaseLease({ shard, owner, token, mintedUntil }: Parameters<Store['releaseLease']>[0]): Promise<void> {
    const [markKey, holderKey] = [this.keys.mark(shard), this.keys.holder(shard)];
    const holder = holderBytes({ owner, token });
    return retrying(this.members, async () => {
      const [read, held] = await this.members.read([markKey, holderKey]);
      if (read === undefined || !held?.value.equals(holder)) return;
      const request = {
        compare: [isEqual(holderKey, holder), isUnchanged(markKey, read)],
        success: [put(markKey, markBytes({ ...markOf(read, this.keys), mintedUntil })), remove(holderKey)],
      };
      await this.#commitOnce(request, holderKey, isGone);
    });
  }

  async shards(): ReturnType<Store['shards']> {
    const marks: IKeyValue[] = [];
    for await (const piece of this.members.range(...this.keys.allMarks())) marks.push(...piece);
    const holders: IKeyValue[] = [];
    for await (const piece of this.members.range(...this.keys.allHolders())) holders.push(...piece);
    const left = await this.members.remainingMs(holders.map(({ lease }) => lease));
    const now = Date.now();
    const expires = new Map(holders.map(({ key }, i) => [this.keys.shardOf(key), left[i] ? now + left[i] : 0]));
    return marks.map((read) => {
      const shard = this.keys.shardOf(read.key);
      return { shard, ...markOf(read, this.keys), expires: expires.get(shard) ?? 0 };
    });
  }

  async freeShard(shard: number): Promise<boolean> {
    const [markKey, holderKey] = [this.keys.mark(shard), this.keys.holder(shard)];
    return retrying(this.members, async () => {
      const [read, held] = await this.members.read([markKey, holderKey]);
      if (read === undefined || held === undefined) return false;
      const mark = markOf(read, this.keys);
      const stray = strayUntil({ ...mark, expires: HELD }, Date.now());
      const request = {
        // The holder may renew its lease at the same time, which changes the mark.
        compare: [isEqual(holderKey, held.value), isUnchanged(markKey, read)],
        success: [put(markKey, markBytes({ ...mark, strayUntil: stray })), remove(holderKey)],
      };
      await this.#commitOnce(request, holderKey, isGone);
      return true;
    });
  }

  async resetMark(shard: number): ReturnType<Store['resetMark']> {
    const [markKey, holderKey] = [this.keys.mark(shard), this.keys.holder(shard)];
    return retrying(this.members, async () => {
      const [read, held] = await this.members.read([markKey, holderKey]);
      const now = Date.now();
      const record = read && { ...markOf(read, this.keys), expires: held === undefined ? 0 : HELD };
      const done = markReset(record, now);
      if (record === undefined || done !== 'reset') return done;
      const mark = markBytes({ ...record, mintedUntil: now });
      const request = { compare: [isUnchanged(markKey, read), isAbsent(holderKey)], success: [put(markKey, mark)] };
      await this.#commitOnce(request, markKey, (kept) => kept?.value.equals(mark));
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

  /** Commits a transaction that attaches a holder to an etcd lease. */
  #attachLease(holder: Buffer, lease: string, request: ITxnRequest): Promise<void> {
    return this.#commitOnce(request, holder, (held) => held?.lease === lease);
  }

  /**
   * Commits a transaction, unless an earlier try whose answer was lost has done so.
   * @param isDone whether that try took effect, by what `key` has now
   * @throws StoreConflictError if others changed the shard first
   */
  async #commitOnce(
    request: ITxnRequest,
    key: Buffer,
    isDone: (kept: IKeyValue | undefined) => boolean | undefined,
  ): Promise<void> {
    const { succeeded, responses } = await this.members.commit({ ...request, failure: [get(key)] });
    if (!succeeded && !isDone(responses[0].response_range.kvs[0])) throw changed();
  }
}

const isGone = (kept: IKeyValue | undefined): boolean => kept === undefined;

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
