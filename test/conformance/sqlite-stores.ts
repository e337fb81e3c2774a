import { onTestFinished } from 'vitest';
import { Interner, type Store } from '../../src/registry/index.js';
import { sqliteStore } from '../../src/registry/stores/sqlite/store.js';

export const batch = (number: number, length: number) => Array.from({ length }, (_, i) => `key ${number} ${i}`);

export async function opened(...given: Parameters<typeof sqliteStore>): Promise<Interner & { store: Store }> {
  const store = await sqliteStore(...given);
  onTestFinished(() => store.close());
  return Object.assign(new Interner({ store }), { store });
}

/** A store of some strings that nobody has open, and their ids. */
export async function filled(path: string, strings = 3000): Promise<{ keys: string[]; ids: BigUint64Array }> {
  const interner = await opened(path);
  const keys = batch(0, strings);
  const ids = await interner.internMany(keys);
  await interner.close();
  return { keys, ids };
}
