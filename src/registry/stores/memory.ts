import { chooseShard, heldRecord, isHeldBy, type ShardRecord } from '../shard-records.js';
import type { Block, LeaseGrant, LeaseHolder, LeaseRequest, Space, Store } from '../store.js';

interface Keys {
  readonly ids: Map<string, bigint>;
  readonly keys: Map<bigint, string>;
  readonly counters: Map<number, bigint>;
}

/** A store in this process's memory, gone when it ends: for tests and examples. */
export function memoryStore(): Store {
  const spaces: { [S in Space]: Keys } = { strings: emptyKeys(), types: emptyKeys() };
  const settings = new Map<string, string>();
  const shards = new Map<number, ShardRecord>();
  return {
    async lookup(space, keys) {
      return BigUint64Array.from(keys, (key) => spaces[space].ids.get(key) ?? 0n);
    },

    async resolve(space, ids) {
      return Array.from(ids, (id) => spaces[space].keys.get(id));
    },

    async assign(space, block, keys) {
      return assignIn(spaces[space], block, keys);
    },

    async counter(space, prefix) {
      return spaces[space].counters.get(prefix) ?? 0n;
    },

    async remember(name, value) {
      if (!settings.has(name)) settings.set(name, value);
      return settings.get(name) as string;
    },

    async acquireLease(request): Promise<LeaseGrant | undefined> {
      const now = Date.now();
      const grant = chooseShard(request.shards, (shard) => shards.get(shard), now, request.mintFrom);
      if (grant !== undefined) shards.set(grant.shard, heldRecord(request, grant, now));
      return grant;
    },

    async renewLease(request: LeaseRequest & LeaseHolder) {
      const now = Date.now();
      const record = shards.get(request.shard);
      if (!isHeldBy(record, request, now)) return false;
      shards.set(request.shard, heldRecord(request, record, now));
      return true;
    },

    async releaseLease(holder) {
      const record = shards.get(holder.shard);
      if (isHeldBy(record, holder, Date.now())) shards.set(holder.shard, { ...record, expires: 0 });
    },

    async close() {},
  };
}

function emptyKeys(): Keys {
  return { ids: new Map(), keys: new Map(), counters: new Map() };
}

function assignIn({ ids, keys: keyOf, counters }: Keys, block: Block, keys: readonly string[]) {
  const missing = keys.filter((key) => !ids.has(key));
  let last = counters.get(block.prefix) ?? 0n;
  if (last + BigInt(missing.length) > block.max) return undefined;
  for (const key of missing) {
    const id = block.base + ++last;
    ids.set(key, id);
    keyOf.set(id, key);
  }
  counters.set(block.prefix, last);
  return BigUint64Array.from(keys, (key) => ids.get(key) as bigint);
}
