import { randomUUID } from 'node:crypto';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { Interner, storeState } from '../../src/registry/index.js';
import { sqliteStore } from '../../src/registry/stores/sqlite/store.js';
import { temporaryFolder } from '../support/cli.js';
import { describeWithSqlite } from '../support/sqlite.js';
import { wrong } from '../support/wrong-argument.js';

describeWithSqlite('a store of which the identity is expected', () => {
  /** Makes a store. @returns its identity */
  async function make(path: string): Promise<string> {
    const store = await sqliteStore(path);
    await new Interner({ store }).intern('a');
    const state = await storeState(store);
    await store.close();
    return state?.identity as string;
  }

  it('is opened if it is the one', async () => {
    const path = join(temporaryFolder(), 'ids');
    const identity = await make(path);
    const store = await sqliteStore(path, { expect: identity });
    expect((await storeState(store))?.identity).toBe(identity);
    await new Interner({ store }).intern('b');
    await store.close();
  });

  it('is refused if it is another one, which can be opened afterwards', async () => {
    const path = join(temporaryFolder(), 'ids');
    const identity = await make(path);
    const other = randomUUID();
    await expect(sqliteStore(path, { expect: other })).rejects.toMatchObject({
      code: 'ERR_STORE_CONFLICT',
      isTransient: false,
      message: `expected the store ${other}, got ${identity}`,
    });
    const store = await sqliteStore(path);
    expect(await store.count('strings')).toBe(1);
    await store.close();
  });

  it('is an error if it is missing, and none is made', async () => {
    const folder = temporaryFolder();
    const missing = sqliteStore(join(folder, 'ids'), { expect: randomUUID() });
    await expect(missing).rejects.toMatchObject({ code: 'ERR_STORE_UNAVAILABLE', isTransient: false });
    expect(readdirSync(folder)).toEqual([]);
  });

  it('is named by a string', async () => {
    const path = join(temporaryFolder(), 'ids');
    for (const identity of [5, null, {}]) {
      await expect(sqliteStore(path, { expect: identity as never })).rejects.toThrow(wrong('expect'));
    }
  });
});
