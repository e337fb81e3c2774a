import type { ICompare, IKeyValue, IRequestOp } from 'etcd3';
import { StoreConflictError } from '../../../errors.js';
import { retrying } from '../../calls.js';
import {
  checkMark,
  chooseShard,
  endedRecord,
  FLOOR_SETTING,
  heldRecord,
  lostBy,
  markReset,
  mergeRecords,
  recordsByShard,
  type ShardRecord,
  type Store,
  TOKENS_SETTING,
} from '../../store.js';
import { checkedShard, damaged } from '../../values.js';
import {
  type EtcdKeys,
  firstIn,
  get,
  isEqual,
  isUnchanged,
  jsonOf,
  keyNamed,
  MAX_OPERATIONS,
  put,
  remove,
  shardOf,
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

/** A shard as it was read: its mark and its holder. */
interface FoundShard {
  readonly shard: number;
  readonly read: IKeyValue | undefined;
  readonly held: IKeyValue | undefined;
}

export function leasesOf(members: EtcdMembers, keys: EtcdKeys) {
  /** Reads a shard and does something about it, again if others change it meanwhile. */
  function retryingOn<T>(shard: number, work: (found: FoundShard) => Promise<T>): Promise<T> {
    return retrying(members, async () => {
      const [read, held] = await members.read([keys.mark(shard), keys.holder(shard)]);
      return work({ shard, read, held });
    });
  }

  /**
   * Changes a shard, unless an earlier try whose answer was lost has done so. The mark is compared, too: the holder may
   * renew its lease at the same time, and an earlier try that arrives late would set the mark back.
   * @param act puts the holder with an etcd lease, or removes it: whether that try took effect shows in the lease that
   *   the holder has now. Without it, this shows in the mark
   * @param also what else must be so
   * @throws StoreConflictError if others changed the shard first
   */
  async function change(
    { shard, read, held }: FoundShard,
    mark: Mark,
    act?: IRequestOp,
    also: readonly ICompare[] = [],
  ): Promise<void> {
    const [markKey, holderKey] = [keys.mark(shard), keys.holder(shard)];
    const bytes = markBytes(mark);
    const { succeeded, responses } = await members.commit({
      compare: [isUnchanged(markKey, read), isEqual(holderKey, held?.value), ...also],
      success: [put(markKey, bytes), ...(act ? [act] : [])],
      failure: [get(act ? holderKey : markKey)],
    });
    if (succeeded) return;
    const kept = firstIn(responses[0]);
    const isDone = act ? kept?.lease === act.request_put?.lease : kept?.value.equals(bytes);
    if (!isDone) throw changed();
  }

  return {
    async acquireLease(request) {
      const { shards, owner, ttlMs, mintFrom } = request;
      checkMark(request, mintFrom);
      const [tokens, floor] = [keys.setting(TOKENS_SETTING), keys.setting(FLOOR_SETTING)];
      let lease: string | undefined;
      let most = 1;
      return retrying(members, async () => {
        const responses = await members.scan([
          { request_range: { key: keys.mark(0), range_end: keys.mark(shards) } },
          { request_range: { key: keys.holder(0), range_end: keys.holder(shards), keys_only: true } },
          get(tokens),
          get(floor),
        ]);
        const [read, holders] = responses.map(({ response_range: { kvs } }) => kvs);
        const [readTokens, readFloor] = responses.slice(2).map(firstIn);
        const marks = new Map(read.map((mark) => [shardOf(mark.key), mark]));
        const held = new Set(holders.map(({ key }) => shardOf(key)));
        const lost = lostBy(readTokens?.value.toString(), readFloor?.value.toString());
        const kept = (shard: number) => recordOf(marks.get(shard));
        const choose = (skip: number) => {
          const isTaken = (shard: number) => held.has(shard) || skip-- > 0;
          const record = (shard: number) => ({ ...kept(shard), expires: isTaken(shard) ? HELD : 0 });
          return chooseShard(request, record, mintFrom, lost);
        };
        // If all processes tried the first free shard, many that start together would conflict again and again.
        const grant = choose(Math.floor(Math.random() * most)) ?? choose(0);
        if (grant === undefined) return undefined;
        most *= 2;
        lease ??= await members.grant(ttlMs); // kept when others were faster
        const { shard, token } = grant;
        const attached = put(keys.holder(shard), holderBytes({ owner, token }), lease);
        const found = { shard, read: marks.get(shard), held: undefined };
        const unchanged = [isUnchanged(tokens, readTokens), isUnchanged(floor, readFloor)];
        try {
          await change(found, heldRecord(request, grant, kept(shard), mintFrom), attached, unchanged);
        } catch (error) {
          if (isLeaseGone(error)) lease = undefined;
          throw error;
        }
        return grant;
      });
    },

    renewLease(request) {
      const holder = holderBytes(request);
      return retryingOn(request.shard, async (found) => {
        const record = recordHeldBy(holder, found);
        if (record === undefined) return false;
        const now = Date.now();
        checkMark(request, now);
        const mark = heldRecord(request, record, record, now);
        await change(found, mark, put(keys.holder(request.shard), holder, await members.grant(request.ttlMs)));
        return true;
      });
    },

    releaseLease({ shard, owner, token, mintedUntil }) {
      const holder = holderBytes({ owner, token });
      return retryingOn(shard, async (found) => {
        const record = recordHeldBy(holder, found);
        if (record !== undefined) await change(found, { ...record, mintedUntil }, remove(keys.holder(shard)));
      });
    },

    async shards() {
      const [marks, holders]: IKeyValue[][] = [[], []];
      for await (const piece of members.range(...keys.folder('shards/mark'))) marks.push(...piece);
      for await (const piece of members.range(...keys.folder('shards/holder'))) holders.push(...piece);
      const left = await members.remainingMs(holders.map(({ lease }) => lease));
      const now = Date.now();
      const expires = new Map(holders.map(({ key }, i) => [shardOf(key), left[i] ? now + left[i] : 0]));
      return marks.map((read) => {
        const shard = shardOf(read.key);
        return { shard, ...markOf(read), expires: expires.get(shard) ?? 0 };
      });
    },

    freeShard(shard) {
      return retryingOn(shard, async (found) => {
        const record = found.held && recordOf(found.read, found.held);
        if (record === undefined) return false;
        await change(found, endedRecord(record, Date.now()), remove(keys.holder(shard)));
        return true;
      });
    },

    resetMark(shard) {
      return retryingOn(shard, async (found) => {
        const record = recordOf(found.read, found.held);
        const now = Date.now();
        const done = markReset(record, now);
        if (record !== undefined && done === 'reset') await change(found, { ...record, mintedUntil: now });
        return done;
      });
    },

    /** A shard that is held gets an etcd lease for the time that is left. Every record takes two operations. */
    async restoreShards(records) {
      const given = [...recordsByShard(records)];
      for (let from = 0; from < given.length; from += MAX_OPERATIONS / 2) {
        const some = given.slice(from, from + MAX_OPERATIONS / 2);
        await retrying(members, async () => {
          const read = await members.read(some.flatMap(([shard]) => [keys.mark(shard), keys.holder(shard)]));
          const puts = some.map(async ([shard, record], i) => {
            const merged = mergeRecords(recordOf(read[2 * i], read[2 * i + 1]), record);
            const marked = put(keys.mark(shard), markBytes(merged));
            if (merged.expires === HELD) return [marked];
            const [holder, ttlMs] = [keys.holder(shard), merged.expires - Date.now()];
            if (ttlMs <= 0) return [marked, remove(holder)];
            return [marked, put(holder, holderBytes(merged), await members.grant(ttlMs))];
          });
          const { succeeded } = await members.commit({
            compare: some.map(([shard], i) => isUnchanged(keys.mark(shard), read[2 * i])),
            success: (await Promise.all(puts)).flat(),
          });
          if (!succeeded) throw changed();
        });
      }
    },
  } satisfies Partial<Store>;
}

function changed(): StoreConflictError {
  return new StoreConflictError('other callers changed the same shard first');
}

/** The record of a shard, whose lease has no known end while it has a holder. */
function recordOf(read: IKeyValue | undefined, held?: IKeyValue): ShardRecord | undefined {
  return read && { ...markOf(read), expires: held === undefined ? 0 : HELD };
}

/** The record of a shard if a holder has it. If not, a damaged mark is not the caller's concern. */
function recordHeldBy(holder: Buffer, { read, held }: FoundShard): ShardRecord | undefined {
  return held?.value.equals(holder) ? recordOf(read, held) : undefined;
}

export function markOf(read: IKeyValue): Mark {
  const { owner, token, ttlMs, strayUntil, mintedUntil } = jsonOf(read) as StoredMark;
  if (typeof token !== 'string' || !/^[0-9]{1,19}$/.test(token)) throw damaged(keyNamed(read.key), 'a token', token);
  return checkedShard(shardOf(read.key), { owner, token: BigInt(token), ttlMs, strayUntil, mintedUntil });
}

type StoredMark = Omit<Mark, 'token'> & { readonly token: string };

function markBytes({ owner, token, ttlMs, strayUntil, mintedUntil }: Mark): Buffer {
  const mark: StoredMark = { owner, token: String(token), ttlMs, strayUntil, mintedUntil };
  return Buffer.from(JSON.stringify(mark));
}

function holderBytes({ owner, token }: { owner: string; token: bigint }): Buffer {
  return Buffer.from(JSON.stringify({ owner, token: String(token) }));
}
