import type { IKeyValue, ITxnRequest } from 'etcd3';
import { StoreConflictError } from '../../../errors.js';
import { retrying } from '../../calls.js';
import {
  checkMark,
  chooseShard,
  FLOOR_SETTING,
  type LeaseGrant,
  type LeaseRequest,
  lostBy,
  markReset,
  mergeRecords,
  recordsByShard,
  type ShardRecord,
  type Store,
  strayUntil,
  TOKENS_SETTING,
  withLease,
} from '../../store.js';
import { madeBeforeRelease } from '../shared/string-hashes.js';
import type { EtcdKeys } from './keys.js';
import { get, isAbsent, isEqual, isUnchanged, MAX_OPERATIONS, put, remove } from './keys.js';
import type { EtcdMembers } from './members.js';
import { isLeaseGone } from './members.js';

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

export async function acquireLease(
  members: EtcdMembers,
  keys: EtcdKeys,
  request: Parameters<Store['acquireLease']>[0],
): Promise<LeaseGrant | undefined> {
  const { shards, owner, ttlMs, mintFrom } = request;
  checkMark(request, mintFrom);
  const [tokens, floor] = [keys.setting(TOKENS_SETTING), keys.setting(FLOOR_SETTING)];
  let lease: string | undefined;
  let most = 1;
  return retrying(members, async () => {
    const { marks, held, readTokens, readFloor } = await readShards(members, keys, shards);
    const lost = lostBy(readTokens?.value.toString(), readFloor?.value.toString());
    const choose = (skip: number) => {
      const recordOf = (shard: number) => {
        const read = marks.get(shard);
        const isTaken = held.has(shard) || skip-- > 0;
        const mark = read === undefined ? { token: 0n, mintedUntil: 0, ttlMs: 0 } : markOf(read);
        return { ...mark, expires: isTaken ? HELD : 0 };
      };
      return chooseShard(request, recordOf, mintFrom, lost);
    };
    // If all processes tried the first free shard, many that start together would conflict again and again.
    const grant = choose(Math.floor(Math.random() * most)) ?? choose(0);
    if (grant === undefined) return undefined;
    most *= 2;
    lease ??= await members.grant(ttlMs); // kept when others were faster
    const { shard, token } = grant;
    const kept = marks.get(shard);
    const mark = heldMark(request, grant, kept && markOf(kept), mintFrom);
    try {
      await attachLease(members, keys.holder(shard), lease, {
        compare: [
          isUnchanged(keys.mark(shard), marks.get(shard)),
          isAbsent(keys.holder(shard)),
          isUnchanged(tokens, readTokens),
          isUnchanged(floor, readFloor),
        ],
        success: [
          put(keys.mark(shard), markBytes(mark)),
          put(keys.holder(shard), holderBytes({ owner, token }), lease),
        ],
      });
    } catch (error) {
      if (isLeaseGone(error)) lease = undefined;
      throw error;
    }
    return grant;
  });
}

export async function renewLease(
  members: EtcdMembers,
  keys: EtcdKeys,
  request: Parameters<Store['renewLease']>[0],
): Promise<boolean> {
  const [markKey, holderKey] = [keys.mark(request.shard), keys.holder(request.shard)];
  const holder = holderBytes(request);
  return retrying(members, async () => {
    const [read, held] = await members.read([markKey, holderKey]);
    if (read === undefined || !held?.value.equals(holder)) return false;
    const now = Date.now();
    checkMark(request, now);
    const kept = markOf(read);
    const mark = heldMark(request, kept, kept, now);
    const lease = await members.grant(request.ttlMs);
    await attachLease(members, holderKey, lease, {
      // The mark is compared, too: an earlier try that arrives late would set it back.
      compare: [isEqual(holderKey, holder), isUnchanged(markKey, read)],
      success: [put(markKey, markBytes(mark)), put(holderKey, holder, lease)],
    });
    return true;
  });
}

export async function releaseLease(
  members: EtcdMembers,
  keys: EtcdKeys,
  { shard, owner, token, mintedUntil }: Parameters<Store['releaseLease']>[0],
): Promise<void> {
  const [markKey, holderKey] = [keys.mark(shard), keys.holder(shard)];
  const holder = holderBytes({ owner, token });
  return retrying(members, async () => {
    const [read, held] = await members.read([markKey, holderKey]);
    if (read === undefined || !held?.value.equals(holder)) return;
    const request = {
      compare: [isEqual(holderKey, holder), isUnchanged(markKey, read)],
      success: [put(markKey, markBytes({ ...markOf(read), mintedUntil })), remove(holderKey)],
    };
    await commitOnce(members, request, holderKey, isGone);
  });
}

export async function shardRecords(members: EtcdMembers, keys: EtcdKeys): ReturnType<Store['shards']> {
  const marks: IKeyValue[] = [];
  for await (const piece of members.range(...keys.allMarks())) marks.push(...piece);
  const holders: IKeyValue[] = [];
  for await (const piece of members.range(...keys.allHolders())) holders.push(...piece);
  const remaining = await members.remainingMs(holders.map(({ lease }) => lease));
  const now = Date.now();
  const expires = new Map(holders.map(({ key }, i) => [keys.shardOf(key), remaining[i] ? now + remaining[i] : 0]));
  return marks.map((read) => {
    const shard = keys.shardOf(read.key);
    return { shard, ...markOf(read), expires: expires.get(shard) ?? 0 };
  });
}

export async function freeShard(members: EtcdMembers, keys: EtcdKeys, shard: number): Promise<boolean> {
  const [markKey, holderKey] = [keys.mark(shard), keys.holder(shard)];
  return retrying(members, async () => {
    const [read, held] = await members.read([markKey, holderKey]);
    if (read === undefined || held === undefined) return false;
    const mark = markOf(read);
    const stray = strayUntil({ ...mark, expires: HELD }, Date.now());
    const request = {
      // The holder may renew its lease at the same time, which changes the mark.
      compare: [isEqual(holderKey, held.value), isUnchanged(markKey, read)],
      success: [put(markKey, markBytes({ ...mark, strayUntil: stray })), remove(holderKey)],
    };
    await commitOnce(members, request, holderKey, isGone);
    return true;
  });
}

export async function resetShardMark(
  members: EtcdMembers,
  keys: EtcdKeys,
  shard: number,
): ReturnType<Store['resetMark']> {
  const [markKey, holderKey] = [keys.mark(shard), keys.holder(shard)];
  return retrying(members, async () => {
    const [read, held] = await members.read([markKey, holderKey]);
    const now = Date.now();
    const record = read && { ...markOf(read), expires: held === undefined ? 0 : HELD };
    const done = markReset(record, now);
    if (record === undefined || done !== 'reset') return done;
    const mark = markBytes({ ...record, mintedUntil: now });
    const request = { compare: [isUnchanged(markKey, read), isAbsent(holderKey)], success: [put(markKey, mark)] };
    await commitOnce(members, request, markKey, (kept) => kept?.value.equals(mark));
    return 'reset';
  });
}

/** A shard that is held gets an etcd lease for the time that is left. Every record takes two operations. */
export async function restoreShards(
  members: EtcdMembers,
  keys: EtcdKeys,
  records: Parameters<Store['restoreShards']>[0],
): Promise<void> {
  const given = [...recordsByShard(records)];
  for (let from = 0; from < given.length; from += MAX_OPERATIONS / 2) {
    const some = given.slice(from, from + MAX_OPERATIONS / 2);
    await retrying(members, async () => {
      const read = await members.read(some.flatMap(([shard]) => [keys.mark(shard), keys.holder(shard)]));
      const puts = some.map(async ([shard, record], i) => {
        const [mark, held] = [read[2 * i], read[2 * i + 1]];
        const kept = mark && { ...markOf(mark), expires: held === undefined ? 0 : HELD };
        const merged = mergeRecords(kept, record);
        const changes = [put(keys.mark(shard), markBytes(merged))];
        if (merged.expires !== HELD) changes.push(await holderPut(members, keys, shard, merged));
        return changes;
      });
      const { succeeded } = await members.commit({
        compare: some.map(([shard], i) => isUnchanged(keys.mark(shard), read[2 * i])),
        success: (await Promise.all(puts)).flat(),
      });
      if (!succeeded) throw changed();
    });
  }
}

async function holderPut(members: EtcdMembers, keys: EtcdKeys, shard: number, record: ShardRecord) {
  const ttlMs = record.expires - Date.now();
  if (ttlMs <= 0) return remove(keys.holder(shard));
  return put(keys.holder(shard), holderBytes(record), await members.grant(ttlMs));
}

async function readShards(members: EtcdMembers, keys: EtcdKeys, shards: number) {
  const responses = await members.scan([
    { request_range: { key: keys.mark(0), range_end: keys.mark(shards) } },
    { request_range: { key: keys.holder(0), range_end: keys.holder(shards), keys_only: true } },
    get(keys.setting(TOKENS_SETTING)),
    get(keys.setting(FLOOR_SETTING)),
  ]);
  const [marks = [], holders = [], tokens = [], floors = []] = responses.map(({ response_range: { kvs } }) => kvs);
  return {
    marks: new Map(marks.map((read) => [keys.shardOf(read.key), read])),
    held: new Set(holders.map(({ key }) => keys.shardOf(key))),
    readTokens: tokens[0],
    readFloor: floors[0],
  };
}

/** Commits a transaction that attaches a holder to an etcd lease. */
function attachLease(members: EtcdMembers, holder: Buffer, lease: string, request: ITxnRequest): Promise<void> {
  return commitOnce(members, request, holder, (held) => held?.lease === lease);
}

/**
 * Commits a transaction, unless an earlier try whose answer was lost has done so.
 * @param isDone whether that try took effect, by what `key` has now
 * @throws StoreConflictError if others changed the shard first
 */
async function commitOnce(
  members: EtcdMembers,
  request: ITxnRequest,
  key: Buffer,
  isDone: (kept: IKeyValue | undefined) => boolean | undefined,
): Promise<void> {
  const { succeeded, responses } = await members.commit({ ...request, failure: [get(key)] });
  if (!succeeded && !isDone(responses[0].response_range.kvs[0])) throw changed();
}

const isGone = (kept: IKeyValue | undefined): boolean => kept === undefined;

function changed(): StoreConflictError {
  return new StoreConflictError('other callers changed the same shard first');
}

function heldMark(
  request: LeaseRequest,
  { token, mintedUntil }: { readonly token: bigint; readonly mintedUntil: number },
  kept: Mark | undefined,
  now: number,
): Mark {
  const mark = Math.max(mintedUntil, request.mintUntil);
  return { owner: request.owner, token, mintedUntil: mark, ...withLease(kept, request, now) };
}

function markOf({ value }: IKeyValue): Mark {
  const { token, ...mark } = JSON.parse(value.toString());
  if (mark.ttlMs === undefined) throw madeBeforeRelease('etcd');
  return { ...mark, token: BigInt(token) };
}

function markBytes({ owner, token, ttlMs, strayUntil, mintedUntil }: Mark): Buffer {
  return Buffer.from(JSON.stringify({ owner, token: String(token), ttlMs, strayUntil, mintedUntil }));
}

function holderBytes({ owner, token }: { owner: string; token: bigint }): Buffer {
  return Buffer.from(JSON.stringify({ owner, token: String(token) }));
}
