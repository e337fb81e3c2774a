import {
  checkFunction,
  checkInteger,
  checkOptions,
  checkRecord,
  checkSignal,
  MAX_TIMER_MS,
  typeName,
  wrongKind,
  wrongValue,
} from '../arguments.js';
import { detailsOf, hasCode, MapConflictError, StoreConflictError, StoreCorruptError } from '../errors.js';
import { notify } from '../notify.js';
import { type OnEvent, pause, type RetryOptions, retrying } from '../registry/calls.js';
import { MAP_SETTING, type Store } from '../registry/store.js';
import { ShardMap } from './shard-map.js';

export interface WatchOptions {
  /** Ends the iteration with the signal's reason, even while it waits. */
  signal?: AbortSignal | undefined;
  /** The pause before the store is asked again, in milliseconds, 1 to 2^31 - 1; 1,000 by default. */
  intervalMs?: number | undefined;
  /** Called with retries, and with `unavailable` whenever the store could not be read for as long as a call tries. */
  onEvent?: OnEvent | undefined;
}

const OPTIONS = ['signal', 'intervalMs', 'onEvent'] as const;

// Retries begin with short pauses. A store that gives up early must not be asked without end in an outage.
const AFTER_OUTAGE_MS = 1000;

/**
 * Makes a map the current one of a store, for all who share the store. The store keeps only the last map. Publishing is
 * atomic: if several processes publish a version at the same time, one of them succeeds.
 *
 * Publishing the map that the store has already is not an error, so a call can be repeated if its answer was lost. If
 * somebody has published the next version since, the repeated call throws a `MapConflictError`.
 *
 * The JSON of a map has 2 bytes for each copy of a shard with up to 10 nodes, 3 with up to 100, and at most 6. etcd takes
 * requests of up to 1.5 MiB by default, and a request contains the new map and the previous one, so each may have 750 KB:
 * 250,000 copies of shards on 100 nodes. A larger map throws a `StoreUnavailableError` that is not transient, and changes
 * nothing; etcd's --max-request-bytes raises the limit. The other stores take 50 MB and more.
 * @param store where the map is kept
 * @param map the first version if the store has no map; otherwise the next version, with the same number of shards. Make
 *   it from the map that the store has now, with one call of `with`: only the number of the version is compared
 * @throws TypeError if `store` is not an object or `map` not a ShardMap
 * @throws RangeError if the map of the store has another number of shards
 * @throws MapConflictError if the store does not have the version before this one
 * @throws StoreCorruptError if the store holds something that is not a map
 * @throws StoreUnavailableError if the store stays unavailable for too long, or the map is too large for it
 * @throws StoreConflictError if other processes kept changing the setting, without a newer version
 * @example
 * await publishMap(store, ShardMap.create({ shards: 4096, nodes: [{ name: 'db1' }] }));
 * const map = await currentMap(store);
 * if (map) await publishMap(store, map.with({ nodes: [...map.nodes, { name: 'db2' }] }));
 */
export async function publishMap(store: Store, map: ShardMap): Promise<void> {
  checkRecord('store', store);
  if (typeName(map) !== 'ShardMap') throw wrongKind('map', 'a ShardMap', map);
  const text = JSON.stringify(map);
  await retrying(store, async () => {
    const kept = await store.setting(MAP_SETTING);
    if (kept === text) return; // an earlier try took effect
    checkNext(kept === undefined ? undefined : parsed(kept), map);
    // The next try finds out which version was published.
    if (!(await store.replaceSetting(MAP_SETTING, kept, text)))
      throw new StoreConflictError('another process has set the map');
  });
}

/**
 * The map that was published last.
 * @param store where the map is kept
 * @returns undefined if no map has been published
 * @throws TypeError if `store` is not an object
 * @throws StoreCorruptError if the store holds something that is not a map
 * @throws StoreUnavailableError if the store stays unavailable for too long
 * @throws StoreConflictError from the store
 * @example
 * const map = await currentMap(store);
 * map?.nodesOf(17);
 */
export async function currentMap(store: Store): Promise<ShardMap | undefined> {
  checkRecord('store', store);
  const text = await retrying(store, () => store.setting(MAP_SETTING));
  return text === undefined ? undefined : parsed(text);
}

/**
 * Yields the current map of a store, if it has one, and then each newer one. Versions ascend and never repeat; a version
 * is skipped if a newer one is published before the store is asked again.
 *
 * The iteration goes on through outages, however long: no error with `isTransient` ends it. It ends when its loop is
 * left, when the signal is aborted, or with an error that does not pass, such as that of a store that was closed.
 *
 * After a store was restored from a backup, start the iteration again: it does not go back to an older version, nor to
 * another map of the same one.
 * @param store the store to ask at intervals
 * @param options.signal ends the iteration with the signal's reason
 * @param options.intervalMs the pause before the store is asked again, in milliseconds, 1 to 2^31 - 1; 1,000 by default
 * @param options.onEvent called with each retry, and with `unavailable` when the store could not be read for as long as
 *   a call tries
 * @returns the maps; the iteration asks the store only when a map is requested
 * @throws TypeError if an argument is of the wrong kind
 * @throws RangeError if an option is out of range or unknown
 * @throws StoreCorruptError while iterating, if the store holds something that is not a map
 * @throws StoreUnavailableError or StoreConflictError while iterating, if it is not transient
 * @throws the signal's reason while iterating, once it is aborted
 * @example
 * for await (const map of watchMap(store, { signal })) router = routerFor(map);
 */
export function watchMap(store: Store, options?: WatchOptions): AsyncIterable<ShardMap> {
  checkRecord('store', store);
  const { signal, intervalMs = 1000, onEvent } = checkOptions(options, OPTIONS);
  if (signal !== undefined) checkSignal('signal', signal);
  checkInteger('intervalMs', intervalMs, 1, MAX_TIMER_MS);
  if (onEvent !== undefined) checkFunction('onEvent', onEvent);
  return newerMaps(store, intervalMs, { signal, onEvent });
}

async function* newerMaps(store: Store, intervalMs: number, options: RetryOptions): AsyncGenerator<ShardMap, never> {
  let version = 0;
  let seen: string | undefined;
  for (;;) {
    let text: string | undefined;
    let pauseMs = intervalMs;
    try {
      text = await retrying(store, () => store.setting(MAP_SETTING), options);
    } catch (error) {
      if (!hasCode(error, 'ERR_STORE_UNAVAILABLE', 'ERR_STORE_CONFLICT') || !error.isTransient) throw error;
      notify(options.onEvent, { type: 'unavailable', error });
      pauseMs = Math.max(intervalMs, AFTER_OUTAGE_MS);
    }
    if (text !== undefined && text !== seen) {
      seen = text;
      const map = parsed(text);
      // The version is lower after the store was restored from a backup.
      if (map.version > version) {
        version = map.version;
        yield map;
      }
    }
    await pause(pauseMs, options.signal);
  }
}

function checkNext(kept: ShardMap | undefined, map: ShardMap): void {
  const { version, shards } = kept ?? { version: 0, shards: map.shards };
  if (map.version !== version + 1) throw new MapConflictError(version, map.version);
  if (map.shards !== shards) throw wrongValue('map', `a map of ${shards} shards`, map.shards);
}

function parsed(text: string): ShardMap {
  try {
    return ShardMap.from(text);
  } catch (cause) {
    throw new StoreCorruptError(`the store's map is not a shard map: ${detailsOf(cause).message}`, { cause });
  }
}
