import { randomUUID } from 'node:crypto';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { Interner, storeState } from '../../src/registry/index.js';
import { lmdbStore } from '../../src/registry/stores/lmdb/store.js';
import { sqliteStore } from '../../src/registry/stores/sqlite/store.js';
import { temporaryFolder } from '../support/cli.js';
import { hasSqlite } from '../support/sqlite.js';
import { wrong } from '../support/wrong-argument.js';

const FILES = [['LMDB', lmdbStore] as const, ...(hasSqlite() ? [['SQLite', sqliteStore] as const] : [])];

describe.each(FILES)('a store of which the identity is expected, in %s', (_, open) => {
  /** Makes a store. @returns its identity */
  async function make(path: string): Promise<string> {
    const store = await open(path);
    await new Interner({ store }).intern('a');
    const state = await storeState(store);
    await store.close();
    return state?.identity as string;
  }

  it('is opened if it is the one', async () => {
    const path = join(temporaryFolder(), 'ids');
    const identity = await make(path);
    const store = await open(path, { expect: identity });
    expect((await storeState(store))?.identity).toBe(identity);
    await new Interner({ store }).intern('b');
    await store.close();
  });

  it('is refused if it is another one, which can be opened afterwards', async () => {
    const path = join(temporaryFolder(), 'ids');
    const identity = await make(path);
    const other = randomUUID();
    await expect(open(path, { expect: other })).rejects.toMatchObject({
      code: 'ERR_STORE_CONFLICT',
      isTransient: false,
      message: `expected the store ${other}, got ${identity}`,
    });
    const store = await open(path);
    expect(await store.count('strings')).toBe(1);
    await store.close();
  });

  it('is an error if it is missing, and none is made', async () => {
    const folder = temporaryFolder();
    const missing = open(join(folder, 'ids'), { expect: randomUUID() });
    await expect(missing).rejects.toMatchObject({ code: 'ERR_STORE_UNAVAILABLE', isTransient: false });
    expect(readdirSync(folder)).toEqual([]);
  });

  it('is named by a string', async () => {
    const path = join(temporaryFolder(), 'ids');
    for (const identity of [5, null, {}]) {
      await expect(open(path, { expect: identity as never })).rejects.toThrow(wrong('expect'));
    }
  });
});
