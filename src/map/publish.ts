import {
  checkFunction,
  checkInteger,
  checkOptions,
  checkRecord,
  typeName,
  wrongKind,
  wrongValue,
} from '../arguments.js';
import { detailsOf, MapConflictError, StoreConflictError, StoreCorruptError } from '../errors.js';
import { retrying } from '../registry/calls.js';
import { checkUsable } from '../registry/identity.js';
import { checkBy, type JournalOptions, record } from '../registry/settings.js';
import { MAP_HISTORY_SETTING, MAP_SETTING, MAX_MAP_VERSIONS, mapSlotSetting, type Store } from '../registry/store.js';
import { encoder } from '../utf8.js';
import { type MapJson, parsedJson, ShardMap } from './shard-map.js';

type PublishedMap = ReturnType<typeof publishedIn>;

export function publishedText(map: ShardMap, published: number): string {
  return JSON.stringify({ published, map });
}

/**
 * The map in the value of a setting, and when it was published, by the store's clock, in Unix milliseconds.
 * @throws StoreCorruptError if there is none
 */
export function publishedIn(text: string, name = MAP_SETTING) {
  try {
    const value = parsedJson(text, 'a published shard map');
    const { published, map } = checkOptions<{ published: number; map: MapJson }>(value, ['published', 'map'], 'json');
    checkInteger('json.published', published, 0, MAX_DATE_MS);
    checkRecord('json.map', map);
    return { map: ShardMap.from(map), published, text };
  } catch (cause) {
    const what = name === MAP_SETTING ? "the store's map" : `the setting "${name}"`;
    throw new StoreCorruptError(`${what} is not a shard map: ${detailsOf(cause).message}`, { cause });
  }
}

const MAX_DATE_MS = 8.64e15; // the last instant of a Date

/** The map that was published last, asked for once; undefined if there is none. */
async function readPublished(store: Store): Promise<PublishedMap | undefined> {
  const text = await store.setting(MAP_SETTING);
  return text ? publishedIn(text) : undefined; // empty while a move copies it
}

/** A version of a map that was published. */
export interface MapVersion {
  readonly version: number;
  /** The digest of its assignment. */
  readonly digest: string;
  /** When it was published, by the store's clock. */
  readonly published: Date;
}

interface Earlier extends Omit<MapVersion, 'published'> {
  readonly parent?: string | undefined;
  readonly published: number;
  /** The length of what its slot has. */
  readonly bytes: number;
}

/** The value of `MAP_HISTORY_SETTING`, as JSON. */
interface History {
  /** Ascending, without gaps. */
  readonly versions: readonly Earlier[];
  /** Versions that are no longer kept, whose slots may still have to be emptied. */
  readonly dropped: readonly number[];
}

const MAX_BYTES = 16_000_000;

// A version is archived before the next one replaces it: first into its slot, then into the list. Each of these steps can
// be repeated, so it does not matter where a publisher is stopped, or how many do this at once: they all archive the same
// text. A publisher that comes too late finds a later version in the list, or in the slot, and writes nothing.

/**
 * Archives the current version, and drops the oldest ones if there would be too many, or too much.
 * @param nextBytes the length of what will replace it
 * @param maxBytes what tests make small
 * @throws StoreConflictError if another process did so at the same time
 */
async function archive(store: Store, kept: PublishedMap, nextBytes: number, maxBytes = MAX_BYTES): Promise<void> {
  const text = await store.setting(MAP_HISTORY_SETTING);
  const history = historyIn(text);
  const { version, digest, parent } = kept.map;
  const last = history.versions.at(-1)?.version ?? 0;
  if (last > version) return; // another process has replaced it
  for (const gone of history.dropped) await emptySlot(store, gone);

  const versions: Earlier[] = [...history.versions];
  const { published, text: current } = kept;
  if (last < version) versions.push({ version, digest, parent, published, bytes: byteLength(current) });
  let bytes = versions.reduce((sum, earlier) => sum + earlier.bytes, nextBytes);
  let count = 0;
  const isTooMuch = () => versions.length - count >= MAX_MAP_VERSIONS || bytes > maxBytes;
  while (count < versions.length && isTooMuch()) bytes -= versions[count++].bytes;
  const oldest = versions.splice(0, count).map((earlier) => earlier.version);
  const dropped = oldest.filter((one) => one !== version || last === version);
  if (last === version && dropped.length === 0) return; // an earlier try did it
  if (last < version && versions.length > 0) await fillSlot(store, kept);
  const next = JSON.stringify({ versions, dropped } satisfies History);
  if (!(await store.replaceSetting(MAP_HISTORY_SETTING, text, next))) throw changed();
  for (const gone of dropped) await emptySlot(store, gone);
}

export function byteLength(text: string): number {
  return encoder().encode(text).length;
}

/** The slot of a version, and the map that it has, which may be another version; undefined if it is empty. */
async function slotOf(store: Store, version: number) {
  const name = mapSlotSetting(version);
  const text = await store.setting(name);
  return { name, text, map: text ? publishedIn(text, name).map : undefined };
}

async function fillSlot(store: Store, { map: { version }, text }: PublishedMap): Promise<void> {
  const { name, text: found, map } = await slotOf(store, version);
  if (found === text) return;
  // A store may limit the length of a request, which has the old value and the new one: two maps may be too long.
  if (map !== undefined && (map.version > version || !(await store.replaceSetting(name, found, '')))) throw changed();
  if (!(await store.replaceSetting(name, map === undefined ? found : '', text))) throw changed();
}

/** Empties the slot of a version that is no longer kept, unless it has another version already. */
async function emptySlot(store: Store, version: number): Promise<void> {
  const { name, text, map } = await slotOf(store, version);
  if (map?.version === version && !(await store.replaceSetting(name, text, ''))) throw changed();
}

/** The next try finds out what was changed. */
function changed(): StoreConflictError {
  return new StoreConflictError('another process has changed the history of the map');
}

function historyIn(text: string | undefined): History {
  if (text === undefined || text === '') return { versions: [], dropped: [] };
  try {
    const { versions, dropped } = JSON.parse(text);
    if (versions.every(isEarlier) && dropped.every(Number.isSafeInteger)) return { versions, dropped };
  } catch {}
  throw new StoreCorruptError(`the setting "${MAP_HISTORY_SETTING}" does not list versions of the map`);
}

function isEarlier({ version, digest, parent = '', published, bytes }: Earlier): boolean {
  const areTexts = [digest, parent].every((text) => typeof text === 'string');
  return areTexts && [version, published, bytes].every(Number.isSafeInteger) && Math.abs(published) <= MAX_DATE_MS;
}

/**
 * The versions of the map that a store keeps, the current one included: the last 100, or fewer if their JSON is longer than
 * 16 MB in all.
 * @returns the versions, ascending; none if no map has been published
 * @throws StoreCorruptError if the store holds something that is not a map or its history; otherwise as {@link currentMap}
 * @example
 * for (const { version, digest, published } of await mapHistory(store)) console.log(version, digest, published);
 */
export async function mapHistory(store: Store): Promise<readonly MapVersion[]> {
  checkRecord('store', store);
  await checkUsable(store, 'read');
  return retrying(store, async () => {
    const current = await readPublished(store);
    // Read later than the current version, so that none between the two is missing.
    return current === undefined ? [] : versionsUpTo(current, historyIn(await store.setting(MAP_HISTORY_SETTING)));
  });
}

function versionsUpTo({ map: { version, digest }, published: last }: PublishedMap, history: History): MapVersion[] {
  const earlier = history.versions.filter((one) => one.version < version);
  const all = [...earlier, { version, digest, published: last }];
  return all.map(({ version, digest, published }) => ({ version, digest, published: new Date(published) }));
}

/**
 * A version of the map that the store keeps.
 * @param current the current map of the store
 * @throws RangeError if the store does not keep this version
 * @throws StoreConflictError if other processes published meanwhile
 * @throws StoreCorruptError if the slot of the version has something else
 */
async function keptMap(store: Store, version: number, current: PublishedMap): Promise<ShardMap> {
  if (version === current.map.version) return current.map;
  const text = await store.setting(MAP_HISTORY_SETTING);
  const history = historyIn(text);
  const earlier = history.versions.find((one) => one.version === version && version < current.map.version);
  if (earlier === undefined) {
    if ((await store.setting(MAP_SETTING)) !== current.text) throw changed(); // perhaps by a restore
    throw unknownVersion(version, versionsUpTo(current, history));
  }
  const { name, map } = await slotOf(store, version);
  if (map?.version === version && map.digest === earlier.digest) return map;
  if ((await store.setting(MAP_HISTORY_SETTING)) !== text) throw changed();
  throw new StoreCorruptError(`the setting "${name}" does not have version ${version} of the map`);
}

function unknownVersion(version: number, kept: readonly MapVersion[]): RangeError {
  const [first, last] = [kept[0]?.version, kept.at(-1)?.version];
  const some = first === last ? `which has only ${first}` : `${first} to ${last}`;
  const those = last === undefined ? 'which is empty' : some;
  return wrongValue('version', `a version of the store's history, ${those}`, version);
}

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
    const { version, digest, parent } = kept?.map ?? { version: 0 };
    const isSame = map.version === version && map.digest === digest && map.parent === parent;
    if (isSame) return tries > 1; // an earlier try may have taken effect
    if (map.version !== version + 1) throw new MapConflictError(kept?.map, map);
    if (kept !== undefined && map.shards !== kept.map.shards) {
      throw wrongValue('map', `a map of ${kept.map.shards} shards`, map.shards);
    }
    if (map.parent !== digest) throw new MapConflictError(kept?.map, map);
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
 * @param version one of those in `mapHistory`
 * @param options.by who does it, for the journal
 * @param options.confirm called with the map that would be published and the current one; nothing is published if it returns
 *   false, or a promise of it
 * @returns the new version, whose parent is the map that it replaces; the current map if `confirm` has returned false
 * @throws TypeError if `store` is not an object or `version` not a number
 * @throws RangeError if the store does not keep this version; the error names those that it keeps
 * @throws MapConflictError if another process published meanwhile. Nothing was changed
 * @throws StoreCorruptError, StoreUnavailableError, StoreConflictError as {@link mapHistory}
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
