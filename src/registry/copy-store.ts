import { checkFunction, checkOptions, checkRecord, checkSignal } from '../arguments.js';
import { StoreConflictError } from '../errors.js';
import { copyMap } from './copy-map.js';
import { retrying } from './retrying.js';
import { rememberSetting } from './settings.js';
import { PREFIX_BITS_SETTING, type Space, type Store, skippedSetting, TOKENS_SETTING } from './store.js';

export interface CopyOptions {
  /** Ends the copy with the signal's reason; a copy that was ended can be started again. */
  signal?: AbortSignal | undefined;
  /** Called with how many strings and types have been copied so far. */
  onProgress?: ((copied: number) => void) | undefined;
}

const SPACES: readonly Space[] = ['types', 'strings'];
const SETTINGS = [PREFIX_BITS_SETTING, TOKENS_SETTING, ...SPACES.map(skippedSetting)];

/**
 * Copies everything from one store to another, of the same or another engine: strings and types with their ids,
 * counters, the records of leases, and the shard map. The second store keeps a newer lease of a shard (one with a larger
 * token), and a newer version of the map. Everything that the first store holds when the copy begins is copied. Stop the
 * processes that write to the first store, or run the copy again after they have moved.
 * @returns how many strings and types the first store has
 * @throws StoreConflictError if the second store has another string for an id, another id for a string, other prefix
 *   bits, other skipped numbers, another shard map of the same version, or one of another number of shards
 * @throws StoreCorruptError if a store holds a damaged shard map
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
  // Every piece of work ends with a write to the second store.
  const retryingUntil = <T>(work: () => Promise<T>) => retrying(to, work, { signal });

  for (const name of SETTINGS) await retryingUntil(() => copySetting(from, to, name));
  await retryingUntil(() => copyMap(from, to));
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
  await retryingUntil(() => copyShards(from, to));
  return copied;
}

async function copySetting(from: Store, to: Store, name: string): Promise<void> {
  const value = await from.setting(name);
  if (value === undefined) return;
  const kept = await rememberSetting(to, name, value);
  if (kept !== value) {
    throw new StoreConflictError(`the two stores differ in ${name}: ${value} and ${kept}`, { isTransient: false });
  }
}

/** A shard that has a larger token in the second store, because it was leased there later, keeps its record. */
async function copyShards(from: Store, to: Store): Promise<void> {
  const tokens = new Map((await to.shards()).map(({ shard, token }) => [shard, token]));
  await to.restoreShards((await from.shards()).filter(({ shard, token }) => token > (tokens.get(shard) ?? 0n)));
}
