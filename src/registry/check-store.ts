import { checkRecord, describeValue } from '../arguments.js';
import { StoreCorruptError } from '../errors.js';
import { retrying } from './retrying.js';
import { type Entries, PREFIX_BITS_SETTING, type Space, type Store } from './store.js';

/** What {@link checkStore} found in a store. */
export interface StoreSummary {
  readonly strings: number;
  readonly types: number;
  /** How many shards have ever been leased. */
  readonly shards: number;
  /** Undefined if no string has been interned yet. */
  readonly prefixBits: number | undefined;
}

/**
 * Reads all of a store and checks that it agrees with itself: every id leads to a string that leads back to the id, no
 * number is beyond its counter, and the engine's own check, if it has one, finds no damage. This is slow.
 * @returns what the store holds
 * @throws StoreCorruptError for the first fault that it finds; the store's other errors
 */
export async function checkStore(store: Store): Promise<StoreSummary> {
  checkRecord('store', store);
  await store.check?.();
  const bits = await retrying(store, () => store.setting(PREFIX_BITS_SETTING));
  const prefixBits = bits === undefined ? undefined : Number(bits);
  return {
    types: await checkSpace(store, 'types', 64),
    strings: await checkSpace(store, 'strings', 64 - (prefixBits ?? 0)),
    shards: (await retrying(store, () => store.shards())).length,
    prefixBits,
  };
}

async function checkSpace(store: Store, space: Space, numberBits: number): Promise<number> {
  const lastOf = new Map<number, bigint>();
  let count = 0;
  for await (const entries of store.entries(space)) {
    count += entries.keys.length;
    await checkLookup(store, space, entries);
    for (const id of entries.ids) {
      const prefix = numberBits === 64 ? 0 : Number(id >> BigInt(numberBits));
      const number = BigInt.asUintN(numberBits, id);
      if (!lastOf.has(prefix)) lastOf.set(prefix, await retrying(store, () => store.counter(space, prefix)));
      if (number > (lastOf.get(prefix) as bigint) || number === 0n) await checkCounter(store, space, prefix, number);
    }
  }
  return count;
}

async function checkLookup(store: Store, space: Space, { keys, ids }: Entries): Promise<void> {
  const found = await retrying(store, () => store.lookup(space, keys));
  const wrong = ids.findIndex((id, row) => found[row] !== id);
  if (wrong >= 0) {
    const [id, key] = [ids[wrong], describeValue(keys[wrong])];
    throw new StoreCorruptError(`${space}: id ${id} belongs to ${key}, but ${key} has the id ${found[wrong]}`);
  }
}

/** The counter may have moved on since it was read. */
async function checkCounter(store: Store, space: Space, prefix: number, number: bigint): Promise<void> {
  const last = await retrying(store, () => store.counter(space, prefix));
  if (number === 0n || number > last) {
    throw new StoreCorruptError(`${space}: number ${number} of prefix ${prefix} is in use, its counter is at ${last}`);
  }
}
