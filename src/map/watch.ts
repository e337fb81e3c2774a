import { checkCalls, checkInteger, checkOptions, checkRecord, MAX_TIMER_MS } from '../arguments.js';
import { hasCode, StoreConflictError } from '../errors.js';
import { notify } from '../notify.js';
import { type OnEvent, pause, type RetryOptions, retrying } from '../registry/calls.js';
import { STATE_SETTING, type StoreState, stateIn } from '../registry/identity.js';
import { MAP_SETTING, type Store } from '../registry/store.js';
import { publishedIn } from './publish.js';
import type { ShardMap } from './shard-map.js';

export interface WatchOptions {
  /** Ends the iteration with the signal's reason, even while it waits. */
  signal?: AbortSignal | undefined;
  /** The pause before the store is asked again, in milliseconds, 1 to 2^31 - 1; 1,000 by default. */
  intervalMs?: number | undefined;
  /** Called with retries, and with `unavailable` whenever the store could not be read for as long as a call tries. */
  onEvent?: OnEvent | undefined;
}

// Retries begin with short pauses. A store that gives up early must not be asked without end in an outage.
const AFTER_OUTAGE_MS = 1000;

/**
 * Yields the current map of a store, if it has one, and then each newer one. Versions ascend, and none is yielded twice; a
 * version is skipped if a newer one is published before the store is asked again.
 *
 * A store in PostgreSQL or etcd that is restored from a backup begins a new generation. Its map is yielded whatever its
 * version, and versions ascend again from there. A store that was moved elsewhere keeps its last map: watch the second one.
 *
 * The iteration goes on through outages, however long: no error with `isTransient` ends it. It ends when its loop is
 * left, when the signal is aborted, or with an error that does not pass, such as that of a store that was closed.
 * @param store the store to ask at intervals
 * @returns the maps; the iteration asks the store only when a map is requested
 * @throws TypeError if an argument is of the wrong kind
 * @throws RangeError if an option is out of range or unknown
 * @throws StoreCorruptError while iterating, if the store holds something that is not a map
 * @throws StoreConflictError while iterating, if another store is in the place of the one that was watched
 * @throws StoreUnavailableError while iterating, if it is not transient
 * @throws the signal's reason while iterating, once it is aborted
 * @example
 * for await (const map of watchMap(store, { signal })) router = routerFor(map);
 */
export function watchMap(store: Store, options?: WatchOptions): AsyncIterable<ShardMap> {
  checkRecord('store', store);
  const { signal, intervalMs = 1000, onEvent } = checkOptions(options, ['signal', 'intervalMs', 'onEvent']);
  checkCalls({ signal, onEvent });
  checkInteger('intervalMs', intervalMs, 1, MAX_TIMER_MS);
  return newerMaps(store, intervalMs, { signal, onEvent });
}

async function* newerMaps(store: Store, intervalMs: number, options: RetryOptions): AsyncGenerator<ShardMap, never> {
  const newerMap = watching(store);
  for (;;) {
    let newer: ShardMap | undefined;
    let pauseMs = intervalMs;
    try {
      newer = await retrying(store, newerMap, options);
    } catch (error) {
      if (!hasCode(error, 'ERR_STORE_UNAVAILABLE', 'ERR_STORE_CONFLICT') || !error.isTransient) throw error;
      notify(options.onEvent, { type: 'unavailable', error });
      pauseMs = Math.max(intervalMs, AFTER_OUTAGE_MS);
    }
    if (newer !== undefined) yield newer;
    await pause(pauseMs, options.signal);
  }
}

/**
 * Makes a function that gives the map of a store, unless it has given that one before, or a newer one. It throws a
 * StoreConflictError that is transient if the generation changed meanwhile; nothing has been noted then.
 */
function watching(store: Store): () => Promise<ShardMap | undefined> {
  let last: StoreState | undefined; // as long as the store has none
  // The last value of the setting in this generation, and the last version that it had.
  let lastText: string | undefined;
  let version = 0;

  return async () => {
    const state = await readState();
    if (state?.incomplete !== undefined) return undefined; // its map may not be complete either
    const text = await store.setting(MAP_SETTING);
    // A store that has lost its state does not tell its generation.
    const isOther = last !== undefined && state !== undefined && state.generation !== last.generation;
    if (text === lastText && !isOther) {
      last ??= state;
      return undefined;
    }
    // The map is this generation's only if the same generation was there before and after it was read.
    const after = await readState();
    if (after?.generation !== state?.generation)
      throw new StoreConflictError('the store has just been restored or moved');
    const isFirst = last === undefined && state !== undefined; // what was seen before had no generation
    last = state ?? last;
    if (isOther) lastText = undefined;
    if (isOther || isFirst) version = 0;
    if (text === undefined || text === lastText) return undefined;
    const { map } = publishedIn(text);
    lastText = text;
    if (map.version <= version) return undefined;
    version = map.version;
    return map;
  };

  /** @throws StoreConflictError that is not transient if this is another store */
  async function readState(): Promise<StoreState | undefined> {
    const text = await store.setting(STATE_SETTING);
    const state = text === undefined ? undefined : stateIn(text);
    if (state !== undefined && last !== undefined && state.identity !== last.identity) {
      throw new StoreConflictError(
        `another store is in the place of the one that was watched: ${state.identity} instead of ${last.identity}. ` +
          'Watch it again if that is what you want',
        { isTransient: false },
      );
    }
    return state;
  }
}
