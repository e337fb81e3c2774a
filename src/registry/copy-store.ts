import { checkFunction, checkOptions, checkRecord, checkSignal } from '../arguments.js';
import { StoreConflictError } from '../errors.js';
import { ownerOf } from './holder.js';
import { retrying } from './retrying.js';
import { changeNumber, rememberSetting } from './settings.js';
import {
  FLOOR_SETTING,
  MAP_SETTING,
  PREFIX_BITS_SETTING,
  type Space,
  type Store,
  skippedSetting,
  TOKENS_SETTING,
} from './store.js';

export interface CopyOptions {
  /** Ends the copy with the signal's reason; a copy that was ended can be started again. */
  signal?: AbortSignal | undefined;
  /** Called with how many strings and types have been copied so far. */
  onProgress?: ((copied: number) => void) | undefined;
}

const SPACES: readonly Space[] = ['types', 'strings'];
const SETTINGS = [PREFIX_BITS_SETTING, MAP_SETTING, TOKENS_SETTING, ...SPACES.map(skippedSetting)];

/**
 * Copies everything from one store to another, of the same or another engine: strings and types with their ids,
 * counters, the records of leases, and the shard map. Nobody may use the second store before the copy is complete. Stop
 * the processes that write to the first store: what they write during the copy may be missing. A copy that ended early
 * can be made again, and a second store that is in use is refused before anything is copied.
 * @returns how many strings and types the first store has
 * @throws StoreConflictError if the second store has a live lease, or a string, a type, the record of a lease or a shard
 *   map that the first one lacks or has otherwise; or other prefix bits or skipped numbers
 * @throws TypeError or RangeError for arguments of the wrong kind; what the stores throw
 * @example
 * await copyStore(await lmdbStore('./ids.lmdb'), await sqliteStore('./ids.db'));
 */
export async function copyStore(from: Store, to: Store, options?: CopyOptions): Promise<number> {
  checkRecord('from', from);
  checkRecord('to', to);
  const { signal, onProgress } = checkOptions(options, ['signal', 'onProgress']);
  if (signal !== undefined) checkSignal('signal', signal);
  if (onProgress !== undefined) checkFunction('onProgress', onProgress);
  // Every piece of work ends with a call of the second store.
  const retryingUntil = <T>(work: () => Promise<T>) => retrying(to, work, { signal });

  await retryingUntil(() => checkLeases(from, to));
  for (const name of SETTINGS) {
    await retryingUntil(async () => checkSetting(name, await from.setting(name), await to.setting(name)));
  }
  for (const space of SPACES) {
    for await (const entries of to.entries(space)) {
      const ids = await retryingUntil(() => from.lookup(space, entries.keys));
      const other = ids.findIndex((id, row) => id !== entries.ids[row]);
      if (other >= 0) throw inUse(`an entry that the first one lacks, id ${entries.ids[other]} of ${space}`);
    }
  }

  for (const name of SETTINGS) await retryingUntil(() => copySetting(from, to, name));
  const floor = BigInt((await retryingUntil(() => from.setting(FLOOR_SETTING))) ?? 0);
  await changeNumber(to, FLOOR_SETTING, (kept) => (kept > floor ? kept : floor));
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

async function copySetting(from: Store, to: Store, name: string): Promise<void> {
  const value = await from.setting(name);
  if (value !== undefined) checkSetting(name, value, await rememberSetting(to, name, value));
}

/** @throws StoreConflictError if the second store has another value, or a shard map that the first one lacks */
function checkSetting(name: string, value: string | undefined, kept: string | undefined): void {
  if (kept === undefined || kept === value) return;
  if (name === MAP_SETTING) throw inUse('another shard map');
  if (value === undefined) return; // only numbers are skipped, which repeats none
  throw new StoreConflictError(`the two stores differ in ${name}: ${value} and ${kept}`, { isTransient: false });
}

function inUse(what: string): StoreConflictError {
  return new StoreConflictError(`the second store is in use already: it has ${what}`, { isTransient: false });
}
