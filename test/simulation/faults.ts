import type { ShardLease } from '../../src/minting/lease.js';
import type { Store } from '../../src/registry/index.js';
import type { Memory } from '../../src/registry/stores/memory.js';
import { overriding } from '../support/overriding.js';
import type { Random } from './random.js';

/** A fault that is planted, to see whether the simulation finds it. */
export interface Fault {
  readonly name: string;
  /** The store as a server runs it for one connection. */
  ofStore?(store: Store, memory: Memory, random: Random): Store;
  /** The lease as a generator gets it. */
  ofLease?(lease: ShardLease): ShardLease;
  /** Whether an operator restores a backup without `restoreStore`. */
  readonly isRestoredBare?: boolean;
}

export const FAULTS: readonly Fault[] = [
  {
    name: 'a store reads a counter in one transaction, and raises it in another',
    ofStore: (store, memory) =>
      overriding(store, {
        async assign(space, block, keys) {
          const last = memory.last(space, block.prefix);
          await new Promise((resolve) => setTimeout(resolve, 3));
          memory.spaces[space].counters.set(block.prefix, last);
          return store.assign(space, block, keys);
        },
      }),
  },
  {
    name: 'a store acknowledges what it loses',
    ofStore: (store, memory, random) =>
      overriding(store, {
        async assign(space, block, keys) {
          const ids = await store.assign(space, block, keys);
          if (random.chance(0.02)) memory.spaces[space].ids.delete(keys[0]);
          return ids;
        },
      }),
  },
  {
    name: 'a lease can be released with an old token',
    ofStore: (store, memory) =>
      overriding(store, {
        async releaseLease(holder) {
          const record = memory.records.get(holder.shard);
          if (record) await store.releaseLease({ ...holder, token: record.token, owner: record.owner });
        },
      }),
  },
  {
    name: 'a setting is replaced whatever value it has',
    ofStore: (store) =>
      overriding(store, {
        replaceSetting: async (name, _, value) => store.replaceSetting(name, await store.setting(name), value),
      }),
  },
  {
    name: 'a move does not fence the first store',
    ofStore: (store) =>
      overriding(store, {
        replaceState: async (expected, state) =>
          JSON.parse(state).movedTo === undefined ? store.replaceState(expected, state) : true,
      }),
  },
  { name: 'a backup is put in place as it is', isRestoredBare: true },
  {
    name: 'a generator begins before earlier holders have ended',
    ofLease: (lease) =>
      new Proxy(lease, {
        get: (own, name) => (name === 'notBefore' || name === 'mintedUntil' ? 0 : bound(own, name as keyof ShardLease)),
        set: (own, name, value) => Reflect.set(own, name, value),
      }),
  },
  {
    name: 'a generator goes on when its lease has ended',
    ofLease: (lease) =>
      new Proxy(lease, {
        get: (own, name) =>
          name === 'validUntil' ? () => Number.POSITIVE_INFINITY : bound(own, name as keyof ShardLease),
        set: (own, name, value) => Reflect.set(own, name, value),
      }),
  },
];

function bound(lease: ShardLease, name: keyof ShardLease): unknown {
  const value = lease[name];
  return typeof value === 'function' ? value.bind(lease) : value;
}
