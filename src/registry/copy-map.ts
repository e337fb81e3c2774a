import { StoreConflictError, StoreCorruptError } from '../errors.js';
import { MAP_SETTING, type Store } from './store.js';

/**
 * Copies the shard map of a store, unless the other one has a newer version.
 * @throws StoreConflictError if the other store has another map of the same version, or one of another number of shards
 */
export async function copyMap(from: Store, to: Store): Promise<void> {
  const text = await from.setting(MAP_SETTING);
  if (text === undefined) return;
  const { version, shards } = headOf(text);
  const kept = await to.setting(MAP_SETTING);
  if (kept === text) return;
  if (kept !== undefined) {
    const there = headOf(kept);
    if (there.version === version || there.shards !== shards) {
      const differ = `version ${version} of ${shards} shards and version ${there.version} of ${there.shards} shards`;
      throw new StoreConflictError(`the two stores differ in their shard maps: ${differ}`, { isTransient: false });
    }
    if (there.version > version) return;
  }
  if (!(await to.replaceSetting(MAP_SETTING, kept, text)))
    throw new StoreConflictError('another process has set the map');
}

/** The parts of a map that a copy needs. The rest is checked when the map is used. */
function headOf(text: string): { readonly version: number; readonly shards: number } {
  let cause: unknown;
  try {
    const { version, shards } = JSON.parse(text);
    if (Number.isInteger(version) && Number.isInteger(shards)) return { version, shards };
  } catch (error) {
    cause = error;
  }
  throw new StoreCorruptError("the store's map is not a shard map", { cause });
}
