import { spawnSync } from 'node:child_process';
import { cpSync, realpathSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { StoreUnavailableError } from '../../src/registry/index.js';
import { etcdStore } from '../../src/registry/stores/etcd.js';
import { temporaryFolder } from '../support/cli.js';

// An etcd store where there is no etcd.

describe('an etcd store', () => {
  it('is refused for arguments of the wrong kind or value', async () => {
    await expect(etcdStore(5 as never)).rejects.toThrow(/^"hosts": expected strings, got 5$/);
    await expect(etcdStore([])).rejects.toThrow(/^"hosts": expected at least one host/);
    await expect(etcdStore([5 as never])).rejects.toThrow(/^"hosts": expected a string, got 5$/);
    const refused = { prefix: 5, timeoutMs: 0, auth: 5, spelt: 1 };
    for (const [name, value] of Object.entries(refused)) {
      const message = name === 'spelt' ? /^"options": expected only prefix/ : new RegExp(`^"${name}"`);
      await expect(etcdStore('127.0.0.1:1', { [name]: value })).rejects.toThrow(message);
    }
    await expect(etcdStore('127.0.0.1:1', { prefix: 'x'.repeat(1001) })).rejects.toThrow(/^"prefix": .* 1000 bytes/);
  });

  it('fails where nobody answers', async () => {
    const store = await etcdStore(['127.0.0.1:1', '127.0.0.1:2'], { timeoutMs: 300 });
    const error = await store.counter('strings', 0).catch((thrown) => thrown);
    expect(error).toBeInstanceOf(StoreUnavailableError);
    expect(error).toMatchObject({ isTransient: true, cause: expect.any(Error) });
    await store.close();
    await expect(store.counter('strings', 0)).rejects.toMatchObject({ message: 'the store is closed' });
  });
});

it('the package etcd3 that is not installed is named, with what to do', () => {
  const folder = realpathSync(temporaryFolder());
  cpSync('dist', join(folder, 'dist'), { recursive: true });
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }');
  const script = `
    const { etcdStore } = await import('./dist/stores/etcd.js');
    const error = await etcdStore('127.0.0.1:1').catch((thrown) => thrown);
    console.log(error.code, error.isTransient, error.cause?.code, error.message);`;
  const all = ['--input-type=module', '-e', script];
  const { stdout } = spawnSync(process.execPath, all, { encoding: 'utf8', cwd: folder });
  expect(stdout).toMatch(
    /^ERR_STORE_UNAVAILABLE false ERR_MODULE_NOT_FOUND etcdStore needs the package "etcd3": npm install etcd3/,
  );
});
