import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { Interner } from '../../src/registry/index.js';
import { lmdbStore } from '../../src/registry/stores/lmdb.js';
import { temporaryFolder } from '../support/cli.js';

const NO_ROOM = /no space left|input\/output error/i; // the latter where a write was cut short

const folder = (megabytes: number): string | undefined => {
  const path = temporaryFolder();
  if (spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${megabytes}m`, 'tmpfs', path]).status !== 0) return undefined;
  onTestFinished(() => {
    spawnSync('umount', ['-l', path]);
  });
  return path;
};

it('a disk that is full fails the batch, and what has been acknowledged stays', async ({ skip }) => {
  const small = folder(6);
  if (small === undefined) {
    console.error('SKIPPED: a full disk needs a file system of its own, which only root may mount');
    return skip();
  }
  const path = join(small, 'ids.lmdb');
  const interner = new Interner({ store: await lmdbStore(path) });
  const batch = (number: number) => Array.from({ length: 1000 }, (_, i) => `key ${number} ${i} ${'x'.repeat(50)}`);
  const acknowledged: BigUint64Array[] = [];
  const failure = await (async () => {
    for (;;) {
      try {
        acknowledged.push(await interner.internMany(batch(acknowledged.length)));
      } catch (error) {
        return error as Error;
      }
    }
  })();
  expect(failure.message).toMatch(NO_ROOM);
  expect(acknowledged.length).toBeGreaterThan(3);
  await expect(interner.internMany(batch(1_000_000))).rejects.toThrow(NO_ROOM);
  await interner.close();
  const again = new Interner({ store: await lmdbStore(path) });
  for (const [number, ids] of acknowledged.entries()) {
    expect((await again.lookupMany(batch(number))).join()).toBe(ids.join());
    expect(await again.resolveMany(ids)).toEqual(batch(number));
  }
  await again.close();
});
