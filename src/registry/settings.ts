import { StoreConflictError } from '../errors.js';
import { retrying } from './calls.js';
import type { Store } from './store.js';
import { settingNumber } from './values.js';

/** Sets a setting. @throws StoreConflictError if it has not the expected value: the next try reads what it has */
export async function replaceSetting(
  store: Store,
  name: string,
  expected: string | undefined,
  value: string,
): Promise<void> {
  if (await store.replaceSetting(name, expected, value)) return;
  throw new StoreConflictError(`another process has set ${name}`);
}

/** Stores a setting unless the store already has it. @returns the value that the store has */
export async function rememberSetting(store: Store, name: string, value: string): Promise<string> {
  const kept = await store.setting(name);
  if (kept === undefined) await replaceSetting(store, name, undefined, value);
  return kept ?? value;
}

/** Changes a setting. @param to its new value, from the present one. @returns the new value */
export async function changeSetting(
  store: Store,
  name: string,
  to: (kept: string | undefined) => string | Promise<string>,
): Promise<string> {
  return retrying(store, async () => {
    const kept = await store.setting(name);
    const next = await to(kept);
    if (next !== kept) await replaceSetting(store, name, kept, next);
    return next;
  });
}

/** Changes a setting that is a number, 0 if it is not set. @returns its new value */
export async function changeNumber(
  store: Store,
  name: string,
  to: (last: bigint) => bigint | Promise<bigint>,
): Promise<bigint> {
  return BigInt(await changeSetting(store, name, async (kept) => String(await to(settingNumber(name, kept)))));
}

/** The number that a setting holds; 0 if it is not set. */
export async function numberIn(store: Store, name: string): Promise<bigint> {
  return settingNumber(name, await retrying(store, () => store.setting(name)));
}
