import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { Store } from '../../src/registry/index.js';
import { sqliteStore } from '../../src/registry/stores/sqlite/store.js';
import { temporaryFolder } from '../support/cli.js';
import { hasSqlite, openSqlite } from '../support/sqlite.js';
import { expectTime } from '../support/time.js';

const BLOCK = { prefix: 0, base: 0n, max: 1_000_000n };

/** A store whose file another program is writing to, which has stopped. */
async function locked(timeoutMs: number): Promise<{ store: Store; unlock: () => void }> {
  const path = join(temporaryFolder(), 'ids.db');
  const store = await sqliteStore(path, { timeoutMs });
  await store.assign('strings', BLOCK, ['known']);
  const other = openSqlite(path);
  let isLocked = true;
  other.exec('begin immediate');
  const unlock = () => {
    if (isLocked) other.exec('rollback');
    isLocked = false;
  };
  onTestFinished(async () => {
    unlock();
    other.close();
    await store.close();
  });
  return { store, unlock };
}

describe.skipIf(!hasSqlite())('a store in SQLite that another program writes to and has stopped', () => {
  it('fails every call after its own time, whatever waits before it', async () => {
    const { store } = await locked(300);
    const began = performance.now();
    const waits = Array.from({ length: 5 }, async (_, i) => {
      await setTimeout(40 * i);
      const asked = performance.now();
      const error = await store.assign('strings', BLOCK, [`new ${i}`]).catch((reason: unknown) => reason);
      expect(error).toMatchObject({ code: 'ERR_STORE_UNAVAILABLE', isTransient: true });
      expect((error as Error).message).toMatch(/another program has been writing to the file for 300 ms$/);
      return performance.now() - asked;
    });
    for (const waited of await Promise.all(waits)) {
      expect(waited).toBeGreaterThan(295);
      expectTime(waited, 1000);
    }
    expectTime(performance.now() - began, 1500);
    expect(await store.lookup('strings', ['known', 'new 0'])).toEqual(BigUint64Array.of(1n, 0n));
  });

  it('closes within a second of the last deadline', async () => {
    const { store } = await locked(400);
    const calls = Array.from({ length: 5 }, (_, i) => store.assign('strings', BLOCK, [`new ${i}`]));
    const began = performance.now();
    const [, ...settled] = await Promise.all([store.close(), ...calls.map((call) => call.catch(() => 'failed'))]);
    expect(settled).toEqual(Array(5).fill('failed'));
    expectTime(performance.now() - began, 1400);
  });

  it('refuses calls at once if too many are waiting, and serves those that wait', async () => {
    const { store, unlock } = await locked(30_000);
    const calls = Array.from({ length: 65_536 }, () => store.replaceSetting('a', 'none', 'b'));
    await setTimeout(0);
    const error = await store.replaceSetting('a', undefined, 'b').catch((reason: unknown) => reason);
    expect(error).toMatchObject({ code: 'ERR_STORE_UNAVAILABLE', isTransient: true });
    expect((error as Error).message).toMatch(/65536 calls are waiting to write already$/);
    unlock();
    expect(new Set(await Promise.all(calls))).toEqual(new Set([false]));
    expect(await store.replaceSetting('a', undefined, 'b')).toBe(true);
  });
});
