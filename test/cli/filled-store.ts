import { join } from 'node:path';
import { expect } from 'vitest';
import { TypeRegistry } from '../../src/registry/index.js';
import { sqliteStore } from '../../src/registry/stores/sqlite/store.js';
import { temporaryFolder } from '../support/cli.js';
import { runHere } from '../support/run-here.js';

/** What `store check` prints of a filled store. */
export const HELD = expect.stringMatching(
  /^strings {6}3,000\ntypes {8}2\nshards {7}1\nprefix bits {2}14\nidentity {5}[0-9a-f-]{36}\ngeneration {3}[0-9a-f-]{36}\nleft {9}\d+\.\d\d % of the ids of strings, 65,\d{3} numbers of types\n$/,
);

/** A store with 3,000 strings, two types and a shard; and the ids of its strings as they were written. */
export async function filledStore(): Promise<{ folder: string; path: string; ids: string; strings: string }> {
  const folder = temporaryFolder();
  const path = join(folder, 'ids.db');
  const strings = Array.from({ length: 3000 }, (_, i) => `string ${i}\n`).join('');
  const { stdout, stderr } = await runHere(['intern', '--store', path], { input: [strings] });
  expect(stderr).toBe('');
  const store = await sqliteStore(path);
  const types = new TypeRegistry({ store });
  for (const name of ['person', 'place']) await types.idOf(name);
  await store.close();
  expect(await runHere(['mint', '--lease', path])).toMatchObject({ code: 0, stderr: '' });
  return { folder, path, ids: stdout.toString(), strings };
}

/** The strings that a store has for ids. */
export async function resolved(store: string, ids: string): Promise<string> {
  const { stdout, stderr } = await runHere(['intern', '--store', store, '--resolve'], { input: [ids] });
  expect(stderr).toBe('');
  return stdout.toString();
}
