import { EtcdLeaseInvalidError, type IKeyValue, type ITxnRequest } from 'etcd3';
import { retrying } from '../retrying.js';
import { chooseShard } from '../shard-records.js';
import { type LeaseGrant, type LeaseHolder, type Store, StoreConflictError } from '../store.js';
import type { EtcdKeys } from './etcd-keys.js';
import type { EtcdMembers } from './etcd-members.js';
import { get, isAbsent, isEqual, isUnchanged, put, remove } from './etcd-requests.js';

// Two records a shard: its holder, which goes when the etcd lease it hangs on runs out, and its mark, which stays.
// Nobody changes one of them without looking at both.
//
// A lease is prolonged by hanging the holder on a new etcd lease, in the transaction that moves the mark: both
// or neither, by agreement of the cluster. A keep-alive would be a second request, and one that a leader which
// has been deposed, and does not know it yet, may still answer.

interface Mark {
  readonly token: bigint;
  readonly mintedUntil: number;
}

// There is no clock of etcd's to read: a shard is taken for as long as there is a holder.
const NOW = 1;
const TAKEN = { owner: '', token: 0n, mintedUntil: 0, expires: Number.POSITIVE_INFINITY };
const FREE = { owner: '', expires: 0 };

export async function acquireLease(
  members: EtcdMembers,
  keys: EtcdKeys,
  request: Parameters<Store['acquireLease']>[0],
): Promise<LeaseGrant | undefined> {
  const { shards, owner, ttlMs, mintFrom, mintUntil } = request;
  let lease: string | undefined;
  let most = 1;
  return retrying(async () => {
    const { marks, held } = await readShards(members, keys, shards);
    const choose = (skip: number) => {
      const recordOf = (shard: number) => {
        const read = marks.get(shard);
        const isTaken = held.has(shard) || skip-- > 0;
        return isTaken ? TAKEN : read && { ...FREE, ...markOf(read) };
      };
      return chooseShard(shards, recordOf, NOW, mintFrom);
    };
    // Many that start together would all be after the first free shard, one try after the other.
    const grant = choose(Math.floor(Math.random() * most)) ?? choose(0);
    if (grant === undefined) return undefined;
    most *= 2;
    lease ??= await members.grant(ttlMs); // kept when others were faster
    const { shard, token } = grant;
    const mark = { token, mintedUntil: Math.max(grant.mintedUntil, mintUntil) };
    try {
      await hang(members, keys.holder(shard), lease, {
        compare: [isUnchanged(keys.mark(shard), marks.get(shard)), isAbsent(keys.holder(shard))],
        success: [
          put(keys.mark(shard), markBytes(mark)),
          put(keys.holder(shard), holderBytes({ owner, token }), lease),
        ],
      });
    } catch (error) {
      if (error instanceof EtcdLeaseInvalidError) lease = undefined;
      throw asConflict(error);
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
  return retrying(async () => {
    const [read, held] = await members.read([markKey, holderKey]);
    if (read === undefined || !held?.value.equals(holder)) return false;
    const { token, mintedUntil } = markOf(read);
    const mark = { token, mintedUntil: Math.max(mintedUntil, request.mintUntil) };
    const lease = await members.grant(request.ttlMs);
    try {
      await hang(members, holderKey, lease, {
        // Also that of the mark: an earlier try that comes late would set it back.
        compare: [isEqual(holderKey, holder), isUnchanged(markKey, read)],
        success: [put(markKey, markBytes(mark)), put(holderKey, holder, lease)],
      });
    } catch (error) {
      throw asConflict(error);
    }
    return true;
  });
}

export async function releaseLease(
  members: EtcdMembers,
  keys: EtcdKeys,
  request: LeaseHolder & { owner: string },
): Promise<void> {
  const key = keys.holder(request.shard);
  await members.commit({ compare: [isEqual(key, holderBytes(request))], success: [remove(key)] });
}

async function readShards(members: EtcdMembers, keys: EtcdKeys, shards: number) {
  const { responses } = await members.commit({
    success: [
      { request_range: { key: keys.mark(0), range_end: keys.mark(shards) } },
      { request_range: { key: keys.holder(0), range_end: keys.holder(shards), keys_only: true } },
    ],
  });
  const [marks = [], holders = []] = responses.map(({ response_range: { kvs } }) => kvs);
  return {
    marks: new Map(marks.map((read) => [keys.shardOf(read.key), read])),
    held: new Set(holders.map(({ key }) => keys.shardOf(key))),
  };
}

/** Does a transaction, if it has not been done by a request whose answer was lost: the holder hangs on the lease then. */
async function hang(members: EtcdMembers, holder: Buffer, lease: string, request: ITxnRequest): Promise<void> {
  const { succeeded, responses } = await members.commit({ ...request, failure: [get(holder)] });
  if (succeeded || responses[0]?.response_range.kvs[0]?.lease === lease) return;
  throw new StoreConflictError('others were at the same shard');
}

/** An etcd lease that has run out before it was used: the machine has been asleep. */
function asConflict(error: unknown): unknown {
  return error instanceof EtcdLeaseInvalidError ? new StoreConflictError(error.message, { cause: error }) : error;
}

function markOf({ value }: IKeyValue): Mark {
  const { token, mintedUntil } = JSON.parse(value.toString());
  return { token: BigInt(token), mintedUntil };
}

function markBytes({ token, mintedUntil }: Mark): Buffer {
  return Buffer.from(JSON.stringify({ token: String(token), mintedUntil }));
}

function holderBytes({ owner, token }: { owner: string; token: bigint }): Buffer {
  return Buffer.from(JSON.stringify({ owner, token: String(token) }));
}
