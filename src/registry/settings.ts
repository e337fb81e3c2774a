import { StoreConflictError } from '../errors.js';
import { retrying } from './calls.js';
import type { Store } from './store.js';

/** Stores a setting unless the store already has it. @returns the value that the store has */
export async function rememberSetting(store: Store, name: string, value: string): Promise<string> {
  const kept = await store.setting(name);
  if (kept !== undefined) return kept;
  if (await store.replaceSetting(name, undefined, value)) return value;
  throw new StoreConflictError(`another process has set ${name}`); // the next try reads their value
}

/** Changes a setting that is a number, 0 if it is not set. @returns its new value */
export async function changeNumber(
  store: Store,
  name: string,
  to: (last: bigint) => bigint | Promise<bigint>,
): Promise<bigint> {
  return retrying(store, async () => {
    const kept = await store.setting(name);
    const next = await to(BigInt(kept ?? 0));
    if (next !== BigInt(kept ?? 0) && !(await store.replaceSetting(name, kept, String(next)))) {
      throw new StoreConflictError(`another process has set ${name}`);
    }
    return next;
  });
}
