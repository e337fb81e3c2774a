import { checkInteger, checkOptions, checkRecord, wrongValue } from '../arguments.js';
import { detailsOf, StoreCorruptError } from '../errors.js';
import { MAP_SETTING, type Store } from '../registry/store.js';
import { type MapJson, ShardMap } from './shard-map.js';

/** A map as a store keeps it. */
export interface PublishedMap {
  readonly map: ShardMap;
  /** When it was published, by the store's clock, in Unix milliseconds. */
  readonly published: number;
  /** The value of the setting. */
  readonly text: string;
}

/** The value of the setting for a map. */
export function publishedText(map: ShardMap, published: number): string {
  return JSON.stringify({ published, map });
}

/** The map in the value of a setting. @throws StoreCorruptError if there is none */
export function publishedIn(text: string): PublishedMap {
  try {
    const { published, map } = partsOf(text);
    return { map: ShardMap.from(map), published, text };
  } catch (cause) {
    throw new StoreCorruptError(`the store's map is not a shard map: ${detailsOf(cause).message}`, { cause });
  }
}

function partsOf(text: string): { readonly published: number; readonly map: MapJson } {
  const value = parsed(text);
  checkRecord('json', value);
  const { published, map } = checkOptions(value as Partial<ReturnType<typeof partsOf>>, ['published', 'map'], 'json');
  checkInteger('json.published', published, 0, MAX_DATE_MS);
  checkRecord('json.map', map as MapJson);
  return { published: published as number, map: map as MapJson };
}

const MAX_DATE_MS = 8.64e15; // the last instant of a Date

function parsed(text: string): object {
  try {
    return JSON.parse(text);
  } catch {
    throw wrongValue('json', 'the JSON of a published shard map', text);
  }
}

/** The map that was published last, asked for once; undefined if there is none. */
export async function readPublished(store: Store): Promise<PublishedMap | undefined> {
  const text = await store.setting(MAP_SETTING);
  return text === undefined ? undefined : publishedIn(text);
}
