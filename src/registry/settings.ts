import { StoreConflictError } from '../errors.js';
import type { Store } from './store.js';

/** Stores a setting unless the store already has it. @returns the value that the store has */
export async function rememberSetting(store: Store, name: string, value: string): Promise<string> {
  const kept = await store.setting(name);
  if (kept !== undefined) return kept;
  if (await store.replaceSetting(name, undefined, value)) return value;
  throw new StoreConflictError(`another process has set ${name}`); // the next try reads their value
}
