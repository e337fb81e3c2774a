import {
  checkFunction,
  checkInteger,
  checkOptions,
  checkRecord,
  typeName,
  wrongKind,
  wrongValue,
} from '../arguments.js';
import { MapConflictError, StoreConflictError } from '../errors.js';
import { retrying } from '../registry/calls.js';
import { checkUsable } from '../registry/identity.js';
import { checkBy, type JournalOptions, record } from '../registry/journal.js';
import { MAP_SETTING, type Store } from '../registry/store.js';
import { archive, byteLength, keptMap, publishedText, readPublished, unknownVersion } from './history.js';
import { ShardMap } from './shard-map.js';

/**
 * Makes a map the current one of a store, for all who share the store. Publishing is atomic: if several processes publish
 * a version at the same time, one of them succeeds. The store keeps earlier versions, too: see `mapHistory`.
 *
 * Publishing the map that the store has already is not an error, so a call can be repeated if its answer was lost. If
 * somebody has published the next version since, the repeated call throws a `MapConflictError`.
 *
 * The JSON of a map has 2 bytes for each copy of a shard with up to 10 nodes, 3 with up to 100, and at most 6. etcd takes
 * requests of up to 1.5 MiB by default, and a request contains the new map and the previous one, so each may have 750 KB:
 * 250,000 copies of shards on 100 nodes. A larger map throws a `StoreUnavailableError` that is not transient, and changes
 * nothing; etcd's --max-request-bytes raises the limit. The other stores take 50 MB and more.
 * @param store where the map is kept
 * @param map the first version if the store has no map; otherwise a map that was made by one call of `with` from the one
 *   that the store has now
 * @throws TypeError if `store` is not an object or `map` not a ShardMap
 * @throws RangeError if the map of the store has another number of shards
 * @throws MapConflictError if the store does not have the map that this one was made from: it is not the version before
 *   this one, or its digest is not this one's `parent`
 * @throws StoreCorruptError if the store holds something that is not a map
 * @throws StoreUnavailableError if the store stays unavailable for too long, or the map is too large for it
 * @throws StoreConflictError if other processes kept changing the setting, without a newer version
 * @example
 * await publishMap(store, ShardMap.create({ shards: 4096, nodes: [{ name: 'db1' }] }));
 * const map = await currentMap(store);
 * if (map) await publishMap(store, map.with({ nodes: [...map.nodes, { name: 'db2' }] }));
 */
export async function publishMap(store: Store, map: ShardMap): Promise<void> {
  await publish(store, map);
}

/** Publishes a map as {@link publishMap} does. @returns whether the store did not have it before */
export async function publish(store: Store, map: ShardMap, maxBytes?: number): Promise<boolean> {
  checkRecord('store', store);
  if (typeName(map) !== 'ShardMap') throw wrongKind('map', 'a ShardMap', map);
  let tries = 0;
  await checkUsable(store, 'write');
  return retrying(store, async () => {
    tries++;
    const kept = await readPublished(store);
    if (kept !== undefined && isSame(kept.map, map)) return tries > 1; // an earlier try may have taken effect
    checkNext(kept?.map, map);
    const text = publishedText(map, Math.floor(await store.now()));
    if (kept !== undefined) await archive(store, kept, byteLength(text), maxBytes);
    // The next try finds out which version was published.
    if (!(await store.replaceSetting(MAP_SETTING, kept?.text, text)))
      throw new StoreConflictError('another process has set the map');
    return true;
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
  await checkUsable(store, 'read');
  return (await retrying(store, () => readPublished(store)))?.map;
}

/**
 * Publishes the assignment of an earlier version again, as the version after the current one. All processes that watch the
 * store get it at once, so call this while the nodes of that version still have all data of their shards; otherwise make a
 * change with `with`, and copy the data first.
 *
 * If its answer was lost, look at `currentMap` before you repeat the call: the repeated call publishes one more version.
 * @param store where the map is kept
 * @param version one of those in `mapHistory`
 * @param options.by who does it, for the journal
 * @param options.confirm called with the map that would be published and the current one; nothing is published if it returns
 *   false, or a promise of it
 * @returns the new version, whose parent is the map that it replaces; the current map if `confirm` has returned false
 * @throws TypeError if `store` is not an object or `version` not a number
 * @throws RangeError if the store does not keep this version; the error names those that it keeps
 * @throws MapConflictError if another process published meanwhile. Nothing was changed
 * @throws StoreCorruptError if the store holds something that is not a map or its history
 * @throws StoreUnavailableError if the store stays unavailable for too long
 * @throws StoreConflictError from the store
 * @example
 * const [, previous] = (await mapHistory(store)).toReversed();
 * if (previous) await rollbackMap(store, previous.version);
 */
export async function rollbackMap(store: Store, version: number, options?: RollbackOptions): Promise<ShardMap> {
  const { by, confirm } = checkOptions(options, ['by', 'confirm']);
  const who = checkBy(by);
  if (confirm !== undefined) checkFunction('confirm', confirm);
  checkRecord('store', store);
  checkInteger('version', version, 1, Number.MAX_SAFE_INTEGER);
  await checkUsable(store, 'write');
  const [current, kept] = await retrying(store, async () => {
    const published = await readPublished(store);
    if (published === undefined) throw unknownVersion(version, []);
    return [published.map, await keptMap(store, version, published)];
  });
  const next = ShardMap.from({ ...kept.toJSON(), version: current.version + 1, parent: current.digest });
  if ((await confirm?.(next, current)) === false) return current;
  // Another process may have done the same meanwhile.
  if (await publish(store, next)) {
    await record(store, 'rollback', who, `published version ${version} of the map again, as version ${next.version}`);
  }
  return next;
}

export interface RollbackOptions extends JournalOptions {
  confirm?: ((next: ShardMap, current: ShardMap) => boolean | Promise<boolean>) | undefined;
}

function checkNext(kept: ShardMap | undefined, map: ShardMap): void {
  if (map.version !== (kept?.version ?? 0) + 1) throw new MapConflictError(kept, map);
  if (kept !== undefined && map.shards !== kept.shards) {
    throw wrongValue('map', `a map of ${kept.shards} shards`, map.shards);
  }
  if (map.parent !== kept?.digest) throw new MapConflictError(kept, map);
}

function isSame(a: ShardMap, b: ShardMap): boolean {
  return a.version === b.version && a.digest === b.digest && a.parent === b.parent;
}
