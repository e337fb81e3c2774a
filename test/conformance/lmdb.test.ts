import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { Interner } from '../../src/registry/index.js';
import { lmdbStore } from '../../src/registry/stores/lmdb/store.js';
import { temporaryFolder } from '../support/cli.js';
import { describeWith } from '../support/programs.js';
import { scaled } from '../support/scale.js';
import { smallDisk } from '../support/small-disk.js';
import { keysOf, newestMeta } from './lmdb-stores.js';

// What LMDB has of its own, besides what every store is held to.

async function opened(path: string): Promise<Interner> {
  const interner = new Interner({ store: await lmdbStore(path) });
  onTestFinished(() => interner.close());
  return interner;
}

// lmdb-js takes back what is committed between two steps of its opening: strace puts 8 ms between them.
describeWith(
  'strace',
  '-o',
  '/dev/null',
  'true',
)('a process that opens a file while another commits to it', () => {
  it('takes nothing back', async () => {
    const path = join(temporaryFolder(), 'ids.lmdb');
    const interner = await opened(path);
    const openings = scaled(50);
    const slowly = ['-f', '-o', '/dev/null', '-e', 'trace=pread64', '-e', 'inject=pread64:delay_exit=8000'];
    const opener = spawn(
      'strace',
      [...slowly, process.execPath, 'test/support/opening-process.mjs', path, String(openings)],
      {
        stdio: ['ignore', 'ignore', 'inherit'],
      },
    );
    const acknowledged: BigUint64Array[] = [];
    while (opener.exitCode === null) acknowledged.push(await interner.internMany(keysOf(acknowledged.length, 20)));
    expect(opener.exitCode).toBe(0);
    expect(acknowledged.length).toBeGreaterThan(openings);
    for (const [number, ids] of acknowledged.entries()) {
      expect((await interner.lookupMany(keysOf(number, 20))).join()).toBe(ids.join());
    }
  });
});

it('is opened and closed by two processes again and again', async () => {
  const path = join(temporaryFolder(), 'ids.lmdb');
  const openers = [1, 2].map(() =>
    spawn(process.execPath, ['test/support/opening-process.mjs', path, String(scaled(1000))], {
      stdio: ['ignore', 'ignore', 'inherit'],
    }),
  );
  const codes = await Promise.all(openers.map(async (opener) => (await once(opener, 'exit'))[0]));
  expect(codes).toEqual([0, 0]);
});

describe('a file that is open already', () => {
  it('may be opened again by this process, while it is committed to', async () => {
    const path = join(temporaryFolder(), 'ids.lmdb');
    const keys = keysOf(0, 50);
    const first = await opened(path);
    const interning = keys.map((key) => first.intern(key));
    const second = new Interner({ store: await lmdbStore(path) });
    const third = await opened(path);
    const ids = await Promise.all(interning);
    expect([...(await second.lookupMany(keys))]).toEqual(ids);
    await second.close();
    expect([...(await third.internMany(keys))]).toEqual(ids);
  });
});

it('commits what many ask for at once together', async () => {
  const path = join(temporaryFolder(), 'ids.lmdb');
  const interner = await opened(path);
  await interner.intern('the first');
  const before = newestMeta(path).transaction;
  const many = Array.from({ length: 2000 }, (_, i) => `key ${i % 1500}`);
  const ids = await Promise.all(many.map((key) => interner.intern(key)));
  expect(newestMeta(path).transaction - before).toBeLessThan(20n); // not 2,000
  expect(new Set(ids).size).toBe(1500);
  expect(await interner.resolveMany(ids)).toEqual(many);
});

describe('a full disk', () => {
  const NO_ROOM = /no space left|input\/output error/i; // the latter where a write was cut short

  it('fails the batch, and what has been acknowledged stays', async ({ skip }) => {
    const folder = smallDisk('6m');
    if (folder === undefined) return skip();
    const path = join(folder, 'ids.lmdb');
    const interner = new Interner({ store: await lmdbStore(path) });
    const acknowledged: BigUint64Array[] = [];
    const internUntilFull = async (): Promise<never> => {
      for (;;) acknowledged.push(await interner.internMany(keysOf(acknowledged.length, 1000)));
    };
    await expect(internUntilFull()).rejects.toThrow(NO_ROOM);
    expect(acknowledged.length).toBeGreaterThan(3);
    await expect(internUntilFull()).rejects.toThrow(NO_ROOM); // a batch that needs fewer pages may still fit
    await interner.close();
    const again = new Interner({ store: await lmdbStore(path) });
    for (const [number, ids] of acknowledged.entries()) {
      expect((await again.lookupMany(keysOf(number, 1000))).join()).toBe(ids.join());
      expect(await again.resolveMany(ids)).toEqual(keysOf(number, 1000));
    }
    await again.close();
  });
});
