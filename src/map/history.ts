import { checkInteger, checkOptions, checkRecord, wrongValue } from '../arguments.js';
import { detailsOf, StoreConflictError, StoreCorruptError } from '../errors.js';
import { retrying } from '../registry/calls.js';
import { checkUsable } from '../registry/identity.js';
import { MAP_HISTORY_SETTING, MAP_SETTING, MAX_MAP_VERSIONS, mapSlotSetting, type Store } from '../registry/store.js';
import { type MapJson, parsedJson, ShardMap } from './shard-map.js';

/** A map as a store keeps it. */
export interface PublishedMap {
  readonly map: ShardMap;
  /** When it was published, by the store's clock, in Unix milliseconds. */
  readonly published: number;
  /** The value of the setting. */
  readonly text: string;
}

export function publishedText(map: ShardMap, published: number): string {
  return JSON.stringify({ published, map });
}

/** The map in the value of a setting. @throws StoreCorruptError if there is none */
export function publishedIn(text: string, name = MAP_SETTING): PublishedMap {
  try {
    const value = parsedJson(text, 'a published shard map') as { readonly published: number; readonly map: MapJson };
    const { published, map } = checkOptions(value, ['published', 'map'], 'json');
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
export async function readPublished(store: Store): Promise<PublishedMap | undefined> {
  const text = await store.setting(MAP_SETTING);
  return text === undefined || text === '' ? undefined : publishedIn(text); // empty while a move copies it
}

/** A version of a map that was published. */
export interface MapVersion {
  readonly version: number;
  /** The digest of its assignment. */
  readonly digest: string;
  /** When it was published, by the store's clock. */
  readonly published: Date;
}

/** An earlier version in the list. */
interface Earlier {
  readonly version: number;
  readonly digest: string;
  readonly parent?: string | undefined;
  /** In Unix milliseconds. */
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
export async function archive(
  store: Store,
  kept: PublishedMap,
  nextBytes: number,
  maxBytes = MAX_BYTES,
): Promise<void> {
  const text = await store.setting(MAP_HISTORY_SETTING);
  const history = historyIn(text);
  const { version } = kept.map;
  const last = history.versions.at(-1)?.version ?? 0;
  if (last > version) return; // another process has replaced it
  for (const gone of history.dropped) await emptySlot(store, gone);

  const versions = last < version ? [...history.versions, earlierOf(kept)] : [...history.versions];
  const dropped: number[] = [];
  let bytes = versions.reduce((sum, earlier) => sum + earlier.bytes, nextBytes);
  while (versions.length > 0 && (versions.length >= MAX_MAP_VERSIONS || bytes > maxBytes)) {
    const [oldest] = versions.splice(0, 1) as [Earlier];
    bytes -= oldest.bytes;
    if (oldest.version !== version || last === version) dropped.push(oldest.version);
  }
  if (last === version && dropped.length === 0) return; // an earlier try did it
  if (last < version && versions.length > 0) await fillSlot(store, kept);
  const next = JSON.stringify({ versions, dropped } satisfies History);
  if (!(await store.replaceSetting(MAP_HISTORY_SETTING, text, next))) throw changed();
  for (const gone of dropped) await emptySlot(store, gone);
}

function earlierOf({ map: { version, digest, parent }, published, text }: PublishedMap): Earlier {
  return { version, digest, parent, published, bytes: byteLength(text) };
}

export function byteLength(text: string): number {
  return new TextEncoder().encode(text).length;
}

async function fillSlot(store: Store, { map: { version }, text }: PublishedMap): Promise<void> {
  const name = mapSlotSetting(version);
  let found = await store.setting(name);
  if (found === text) return;
  // A store may limit the length of a request, which has the old value and the new one: two maps may be too long.
  if (found !== undefined && found !== '') {
    if (publishedIn(found, name).map.version > version || !(await store.replaceSetting(name, found, '')))
      throw changed();
    found = '';
  }
  if (!(await store.replaceSetting(name, found, text))) throw changed();
}

/** Empties the slot of a version that is no longer kept, unless it has another version already. */
async function emptySlot(store: Store, version: number): Promise<void> {
  const name = mapSlotSetting(version);
  const found = await store.setting(name);
  if (found === undefined || found === '' || publishedIn(found, name).map.version !== version) return;
  if (!(await store.replaceSetting(name, found, ''))) throw changed();
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
 * @param store where the map is kept
 * @returns the versions, ascending; none if no map has been published
 * @throws TypeError if `store` is not an object
 * @throws StoreCorruptError if the store holds something that is not a map or its history
 * @throws StoreUnavailableError if the store stays unavailable for too long
 * @throws StoreConflictError from the store
 * @example
 * for (const { version, digest, published } of await mapHistory(store)) console.log(version, digest, published);
 */
export async function mapHistory(store: Store): Promise<readonly MapVersion[]> {
  checkRecord('store', store);
  await checkUsable(store, 'read');
  return retrying(store, async () => {
    const current = await readPublished(store);
    // Read later than the current version, so that none between the two is missing.
    return current === undefined ? [] : versionsBefore(current, historyIn(await store.setting(MAP_HISTORY_SETTING)));
  });
}

function versionsBefore({ map: { version, digest }, published: last }: PublishedMap, history: History): MapVersion[] {
  const earlier = history.versions.filter((one) => one.version < version);
  return [...earlier, { version, digest, published: last }].map(({ version, digest, published }) => {
    return { version, digest, published: new Date(published) };
  });
}

/**
 * A version of the map that the store keeps.
 * @param current the current map of the store
 * @throws RangeError if the store does not keep this version
 * @throws StoreConflictError if other processes published meanwhile
 * @throws StoreCorruptError if the slot of the version has something else
 */
export async function keptMap(store: Store, version: number, current: PublishedMap): Promise<ShardMap> {
  if (version === current.map.version) return current.map;
  const text = await store.setting(MAP_HISTORY_SETTING);
  const history = historyIn(text);
  const earlier = history.versions.find((one) => one.version === version && version < current.map.version);
  if (earlier === undefined) {
    if ((await store.setting(MAP_SETTING)) !== current.text) throw changed(); // perhaps by a restore
    throw unknownVersion(version, versionsBefore(current, history));
  }
  const name = mapSlotSetting(version);
  const slot = await store.setting(name);
  const map = slot === undefined || slot === '' ? undefined : publishedIn(slot, name).map;
  if (map?.version === version && map.digest === earlier.digest) return map;
  if ((await store.setting(MAP_HISTORY_SETTING)) !== text) throw changed();
  throw new StoreCorruptError(`the setting "${name}" does not have version ${version} of the map`);
}

/** @param kept the versions that the store keeps */
export function unknownVersion(version: number, kept: readonly MapVersion[]): RangeError {
  const [first, last] = [kept[0]?.version, kept.at(-1)?.version];
  const some = first === last ? `which has only ${first}` : `${first} to ${last}`;
  const those = last === undefined ? 'which is empty' : some;
  return wrongValue('version', `a version of the store's history, ${those}`, version);
}
