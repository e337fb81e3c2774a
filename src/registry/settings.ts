import { StoreConflictError } from '../errors.js';
import type { Store } from './store.js';

/** Keeps a value under a name unless there is one. @returns the one that is kept */
export async function rememberSetting(store: Store, name: string, value: string): Promise<string> {
  const kept = await store.setting(name);
  if (kept !== undefined) return kept;
  if (await store.replaceSetting(name, undefined, value)) return value;
  throw new StoreConflictError(`others have set ${name}`); // and the next try reads what they have set
}
