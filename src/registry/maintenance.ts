import { checkCalls, checkOptions, checkRecord, describeValue } from '../arguments.js';
import { type StoreConflictError, StoreCorruptError } from '../errors.js';
import { retrying } from './calls.js';
import { checkAreTwo, readState, storeState } from './identity.js';
import { ownerOf } from './lease.js';
import { mintFloor } from './leases.js';
import { changeNumber, JOURNAL_SETTING, numberIn, rememberSetting, replaceSetting } from './settings.js';
import {
  DEFAULT_PREFIX_BITS,
  FLOOR_SETTING,
  MAP_HISTORY_SETTING,
  MAP_SETTING,
  MAX_MAP_VERSIONS,
  MAX_TYPE,
  mapSlotSetting,
  PREFIX_BITS_SETTING,
  refused,
  SPACES,
  type Space,
  type Store,
  skippedSetting,
  TOKENS_SETTING,
} from './store.js';
import { prefixBitsIn, settingNumber } from './values.js';

/** How many numbers a store can still give. */
export interface Room {
  /** Ids of new strings, in all prefixes together. */
  readonly strings: bigint;
  /** How many ids of strings there are in all. */
  readonly ofStrings: bigint;
  /** Numbers of new types, of 65,535. */
  readonly types: number;
  /** Tokens of leases. */
  readonly tokens: bigint;
}

/** What {@link checkStore} found in a store. */
export interface StoreSummary {
  readonly strings: number;
  readonly types: number;
  /** How many shards have ever been leased. */
  readonly shards: number;
  /** Undefined if no string has been interned yet. */
  readonly prefixBits: number | undefined;
  /** Which store it is; see {@link StoreState}. Undefined if it has not been made yet. */
  readonly identity: string | undefined;
  readonly generation: string | undefined;
  /** Where the store was moved to: it gives nothing new any more. Undefined if it was not moved away. */
  readonly movedTo: string | undefined;
  readonly room: Room;
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
  const { identity, generation, movedTo } = (await storeState(store)) ?? {};
  const types = await checkSpace(store, 'types');
  const strings = await checkSpace(store, 'strings');
  const prefixBits = await prefixBitsOf(store);
  await mintFloor(store); // throws if it is damaged
  return {
    types,
    strings,
    shards: (await retrying(store, () => store.shards())).length,
    prefixBits,
    identity,
    generation,
    movedTo,
    room: (await roomOf(store, prefixBits)).room,
  };
}

async function prefixBitsOf(store: Store): Promise<number | undefined> {
  const bits = await retrying(store, () => store.setting(PREFIX_BITS_SETTING));
  return bits === undefined ? undefined : prefixBitsIn(bits);
}

async function checkSpace(store: Store, space: Space): Promise<number> {
  const lastOf = new Map<number, bigint>();
  let count = 0;
  let numberBits: number | undefined;
  for await (const { keys, ids } of store.entries(space)) {
    // Read when there is an entry: the first one may come during the check, and sets them.
    numberBits ??= 64 - (space === 'strings' ? ((await prefixBitsOf(store)) ?? 0) : 0);
    count += keys.length;
    const found = await retrying(store, () => store.lookup(space, keys));
    const wrong = ids.findIndex((id, row) => found[row] !== id);
    if (wrong >= 0) {
      const [id, key] = [ids[wrong], describeValue(keys[wrong])];
      throw new StoreCorruptError(`${space}: id ${id} belongs to ${key}, but ${key} has the id ${found[wrong]}`);
    }
    for (const id of ids) {
      const prefix = numberBits === 64 ? 0 : Number(id >> BigInt(numberBits));
      const number = BigInt.asUintN(numberBits, id);
      let last = lastOf.get(prefix);
      // It may have moved on since it was read.
      if (last === undefined || number > last) last = await retrying(store, () => store.counter(space, prefix));
      lastOf.set(prefix, last);
      if (number === 0n || number > last) {
        const problem = `number ${number} of prefix ${prefix} is in use, its counter is at ${last}`;
        throw new StoreCorruptError(`${space}: ${problem}`);
      }
    }
  }
  return count;
}

export interface Skippable {
  /** What was skipped until now; of tokens, the last one that may have been given. */
  readonly last: bigint;
  /** How many can be skipped so that one is left. */
  readonly most: bigint;
}

const MAX_TOKEN = 2n ** 63n - 1n; // of a signed integer in databases

export function numbersAPrefix(prefixBits = DEFAULT_PREFIX_BITS): bigint {
  return 2n ** BigInt(64 - prefixBits);
}

export async function roomOf(store: Store, prefixBits = DEFAULT_PREFIX_BITS) {
  const strings = await usedOf(store, 'strings');
  const types = await usedOf(store, 'types');
  const prefixes = 2 ** prefixBits;
  const max = numbersAPrefix(prefixBits) - 1n;
  const most = positive(max - strings.skipped);
  const given = [...strings.counters.values()];
  const lowest = given.length < prefixes ? 0n : given.reduce((least, last) => (last < least ? last : least));
  const used = given.reduce((sum, last) => sum + (last < most ? last : most), 0n);
  const typesLeft = positive(BigInt(MAX_TYPE) - types.skipped - (types.counters.get(0) ?? 0n));
  const skipped = await numberIn(store, TOKENS_SETTING);
  const records = await retrying(store, () => store.shards());
  const token = records.reduce((last, { token }) => (token > last ? token : last), skipped);
  return {
    room: {
      strings: most * BigInt(prefixes) - used,
      ofStrings: max * BigInt(prefixes),
      types: Number(typesLeft),
      tokens: positive(MAX_TOKEN - token),
    },
    skippable: {
      strings: { last: strings.skipped, most: positive(most - lowest - 1n) },
      types: { last: types.skipped, most: positive(typesLeft - 1n) },
      tokens: { last: token, most: positive(MAX_TOKEN - token - 1n) },
    },
  };
}

async function usedOf(store: Store, space: Space) {
  const counters = await retrying(store, () => store.counters(space));
  return { counters, skipped: await numberIn(store, skippedSetting(space)) };
}

const positive = (value: bigint): bigint => (value > 0n ? value : 0n);

export interface CopyOptions {
  /** Ends the copy with the signal's reason; a copy that was ended can be started again. */
  signal?: AbortSignal | undefined;
  /** Called with how many strings and types have been copied so far. */
  onProgress?: ((copied: number) => void) | undefined;
}

/** What {@link copyStore} did, and what the second store has now. */
export interface CopyOutcome {
  /**
   * `nothing to copy`: the first store is empty. `in use`: somebody used it during the copy, so the second store may lack
   * something, and would give the same ids again. Stop them, and copy again.
   */
  readonly outcome: 'copied' | 'nothing to copy' | 'in use';
  readonly strings: number;
  readonly types: number;
  readonly shards: number;
  /** Who held a shard of the first store, if somebody did. */
  readonly holder?: { readonly shard: number; readonly owner: string } | undefined;
}

const SETTINGS = [PREFIX_BITS_SETTING, MAP_SETTING, TOKENS_SETTING, ...SPACES.map(skippedSetting)];
/** They belong to the map, and are copied after it. The list is last, so that it names nothing that has not been copied. */
const MAP_HISTORY = [...Array.from({ length: MAX_MAP_VERSIONS }, (_, i) => mapSlotSetting(i)), MAP_HISTORY_SETTING];
// Stores differ in the journal. A move takes it along.
const MOVED_SETTINGS = [...SETTINGS, ...MAP_HISTORY, JOURNAL_SETTING];

/**
 * Copies everything from one store to another, of the same or another engine: strings and types with their ids,
 * counters, the records of leases, and the shard map with its history. Nobody may use the second store before the copy
 * is complete. Stop the processes that write to the first store: what they write during the copy may be missing. A copy
 * that ended early can be made again. A first store that is damaged and a second store that is in use are refused before
 * anything is copied. The two stores keep their own identities.
 * @returns what was copied, and whether somebody used the first store meanwhile
 * @throws StoreConflictError with a `reason`, if the second store has a live lease, or a string, a type, the record of a
 *   lease or a shard map that the first one lacks or has otherwise; or other prefix bits or skipped numbers; or if both
 *   have one identity
 * @throws StoreCorruptError if the first store is damaged
 * @throws TypeError or RangeError for arguments of the wrong kind; what the stores throw
 * @example
 * await copyStore(await sqliteStore('./ids.db'), await sqliteStore('./copy.db'));
 */
export async function copyStore(from: Store, to: Store, options?: CopyOptions): Promise<CopyOutcome> {
  checkRecord('from', from);
  checkRecord('to', to);
  const { signal, onProgress } = checkOptions(options, ['signal', 'onProgress']);
  checkCalls({ signal, onProgress });
  // Every piece of work ends with a call of the second store.
  const retryingUntil = <T>(work: () => Promise<T>) => retrying(to, work, { signal });

  await checkCopied(from, to);
  await checkStore(from);
  const [before, holder] = [await tracesIn(from), await holderIn(from)];
  await retryingUntil(() => checkLeases(from, to));
  for (const name of SETTINGS) {
    await retryingUntil(async () => checkSetting(name, await from.setting(name), await to.setting(name)));
  }
  await checkEntries(from, to, signal);
  for (const name of SETTINGS) {
    await retryingUntil(async () => {
      const value = await from.setting(name);
      if (value !== undefined) checkSetting(name, value, await rememberSetting(to, name, value));
    });
  }
  for (const name of MAP_HISTORY) await retryingUntil(() => overwriteSetting(from, to, name));
  await copyContents(from, to, { signal, onProgress });
  const counts = {
    strings: await to.count('strings'),
    types: await to.count('types'),
    shards: (await to.shards()).length,
  };
  if (holder !== undefined || (await tracesIn(from)) !== before) return { outcome: 'in use', ...counts, holder };
  return { outcome: before === NOTHING ? 'nothing to copy' : 'copied', ...counts };
}

/** @throws StoreConflictError if a copy of the first store in the second one would make no sense */
async function checkCopied(from: Store, to: Store): Promise<void> {
  const [first, second] = [await readState(from), await readState(to)];
  if (first === undefined) throw refused('absent', 'the first store does not exist');
  await checkAreTwo(from, to);
  if (first.state.identity !== second?.state.identity) return;
  throw refused('same identity', 'one of the stores was moved to the other, or is a copy of its files');
}

async function holderIn(store: Store): Promise<CopyOutcome['holder']> {
  const now = await retrying(store, () => store.now());
  const held = (await retrying(store, () => store.shards())).find(({ expires }) => expires > now);
  return held && { shard: held.shard, owner: ownerOf(held.owner) };
}

const NOTHING = '0 0  ';

/** A text that changes when somebody interns, mints or publishes. */
async function tracesIn(store: Store): Promise<string> {
  const [strings, types] = [await store.count('strings'), await store.count('types')];
  const marks = (await store.shards()).map(({ shard, token, mintedUntil }) => `${shard},${token},${mintedUntil}`);
  return [strings, types, marks.join(), (await store.setting(MAP_SETTING)) ?? ''].join(' ');
}

/**
 * Copies everything to a second store that only this process uses, and that has nothing which the first one lacks. Its
 * settings become those of the first one.
 */
export async function copyToMove(from: Store, to: Store, options: CopyOptions): Promise<number> {
  for (const name of MOVED_SETTINGS) await retrying(to, () => overwriteSetting(from, to, name), options);
  return copyContents(from, to, options);
}

async function copyContents(from: Store, to: Store, { signal, onProgress }: CopyOptions): Promise<number> {
  const retryingUntil = <T>(work: () => Promise<T>) => retrying(to, work, { signal });
  const floor = settingNumber(FLOOR_SETTING, await retryingUntil(() => from.setting(FLOOR_SETTING)));
  if (floor > 0n) await changeNumber(to, FLOOR_SETTING, (kept) => (kept > floor ? kept : floor));
  let copied = 0;
  for (const space of SPACES) {
    // Counters first, so that nobody is given the number of an entry that has not been copied yet.
    const copyCounters = () => retryingUntil(async () => to.restoreCounters(space, await from.counters(space)));
    await copyCounters();
    for await (const entries of from.entries(space)) {
      await retryingUntil(() => to.restore(space, entries));
      copied += entries.keys.length;
      onProgress?.(copied);
    }
    await copyCounters(); // again, for entries that were made and copied in the meantime
  }
  await retryingUntil(async () => to.restoreShards(await from.shards()));
  return copied;
}

/** @throws StoreConflictError if a shard has been leased in the second store */
async function checkLeases(from: Store, to: Store): Promise<void> {
  const leased = new Map((await from.shards()).map((record) => [record.shard, record]));
  const now = await to.now();
  for (const { shard, owner, token, expires } of await to.shards()) {
    const record = leased.get(shard);
    if (record === undefined) throw inUse(`the record of a lease of shard ${shard}, which the first store lacks`);
    const isCopied = record.token === token && record.owner === owner; // by a copy that ended early
    if (expires > now && !isCopied) {
      const until = new Date(expires).toISOString();
      throw inUse(`a live lease: shard ${shard} is held by ${ownerOf(owner)} until ${until}`);
    }
  }
}

/** @throws StoreConflictError if the second store has a string, a type or a map that the first one lacks */
export async function checkHasNoMore(from: Store, to: Store): Promise<void> {
  await checkEntries(from, to);
  const map = await retrying(from, () => from.setting(MAP_SETTING));
  if (!map && (await retrying(to, () => to.setting(MAP_SETTING)))) throw inUse('a shard map');
}

/** @throws StoreConflictError if the second store has a string or type that the first one lacks, or has otherwise */
async function checkEntries(from: Store, to: Store, signal?: AbortSignal): Promise<void> {
  for (const space of SPACES) {
    for await (const { keys, ids } of to.entries(space)) {
      const found = await retrying(from, () => from.lookup(space, keys), { signal });
      const other = found.findIndex((id, row) => id !== ids[row]);
      if (other >= 0) throw inUse(`an entry that the first one lacks, id ${ids[other]} of ${space}`);
    }
  }
}

/** Makes a setting that belongs to one that is equal in both stores the same, too. */
async function overwriteSetting(from: Store, to: Store, name: string): Promise<void> {
  const value = (await from.setting(name)) ?? '';
  const kept = await to.setting(name);
  if (value === (kept ?? '')) return;
  // A store may limit the length of a request, which has the old value and the new one.
  if (kept) await replaceSetting(to, name, kept, '');
  if (value) await replaceSetting(to, name, kept === undefined ? undefined : '', value);
}

/** @throws StoreConflictError if the second store has another value, or a shard map that the first one lacks */
function checkSetting(name: string, value: string | undefined, kept: string | undefined): void {
  if (kept === undefined || kept === value) return;
  if (name === MAP_SETTING) throw inUse('another shard map');
  if (value === undefined) return; // only numbers are skipped, which repeats none
  throw refused('in use', `the two stores differ in ${name}: ${value} and ${kept}`);
}

function inUse(what: string): StoreConflictError {
  return refused('in use', `the second store is in use already: it has ${what}`);
}
