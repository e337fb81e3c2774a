import { describe, expect, it } from 'vitest';
import { StoreUnavailableError } from '../../src/registry/index.js';
import { etcdStore } from '../../src/registry/stores/etcd/store.js';
import { wrong } from '../support/wrong-argument.js';

// An etcd store where there is no etcd.

describe('an etcd store', () => {
  it('is refused for arguments of the wrong kind or value', async () => {
    await expect(etcdStore(5 as never)).rejects.toThrow(wrong('hosts'));
    await expect(etcdStore([])).rejects.toThrow(/^"hosts": expected at least one host/);
    await expect(etcdStore([5 as never])).rejects.toThrow(wrong('hosts'));
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
