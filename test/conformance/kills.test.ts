import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { describe, expect, it } from 'vitest';
import { checkStore, Interner } from '../../src/registry/index.js';
import { lmdbStore } from '../../src/registry/stores/lmdb.js';
import { sqliteStore } from '../../src/registry/stores/sqlite.js';
import { expectAllKept, readAcknowledged } from '../support/acknowledged.js';
import { temporaryFolder } from '../support/cli.js';
import { randomU64s } from '../support/random.js';
import { hasSqlite } from '../support/sqlite.js';

// Processes that intern overlapping sets of keys are killed, over and over. `KILLS=300` for more. Every other one closes
// and opens its store again and again.

const PROCESSES = 8;
const KILLS = Number(process.env.KILLS ?? 20);
const SCRIPT = 'test/support/interning-process.mjs';

describe.skipIf(!hasSqlite())('SQLite', () => {
  const open = (path: string) => sqliteStore(path, { readOnly: true });

  it(`loses, changes and doubles nothing when ${KILLS} processes are killed`, () => kill('ids.db', open), 600_000);

  it(`loses, changes and doubles nothing when ${KILLS} threads are terminated`, async () => {
    const folder = temporaryFolder();
    const where = join(folder, 'ids.db');
    const files: string[] = [];
    const start = (): Worker => {
      const file = join(folder, `acknowledged-${files.length}`);
      files.push(file);
      return new Worker(`./${SCRIPT}`, { argv: [where, file, String(files.length)] });
    };
    const random = randomU64s(2 * KILLS);
    const running = [start(), start(), start()];
    await setTimeout(500);
    for (let ended = 0; ended < KILLS; ended++) {
      await setTimeout(Number((random[2 * ended] as bigint) % 60n));
      const victim = Number((random[2 * ended + 1] as bigint) % 3n);
      await (running[victim] as Worker).terminate();
      running[victim] = start();
    }
    await setTimeout(500);
    await Promise.all(running.map((worker) => worker.terminate()));
    const store = await open(where);
    const outcome = await expectAllKept(new Interner({ store }), readAcknowledged(files));
    console.log(`${KILLS} threads terminated; ${outcome}`);
    await checkStore(store);
    await store.close();
  }, 600_000);
});

describe('LMDB', () => {
  it(
    `loses, changes and doubles nothing when ${KILLS} processes are killed`,
    () => kill('ids.lmdb', lmdbStore),
    600_000,
  );
});

async function kill(name: string, open: typeof lmdbStore): Promise<void> {
  const folder = temporaryFolder();
  const where = join(folder, name);
  const files: string[] = [];
  const start = (): ChildProcess => {
    const file = join(folder, `acknowledged-${files.length}`);
    files.push(file);
    const args = [SCRIPT, where, file, String(files.length)];
    return spawn(process.execPath, args, { stdio: ['ignore', 'ignore', 'inherit'] });
  };
  const random = randomU64s(2 * KILLS);
  const running = Array.from({ length: PROCESSES }, start);
  await setTimeout(500);
  for (let killed = 0; killed < KILLS; killed++) {
    await setTimeout(Number((random[2 * killed] as bigint) % 150n));
    const victim = Number((random[2 * killed + 1] as bigint) % BigInt(PROCESSES));
    const process = running[victim] as ChildProcess;
    expect(process.exitCode).toBeNull(); // it has not failed by itself
    process.kill('SIGKILL');
    await once(process, 'exit');
    running[victim] = start();
  }
  await setTimeout(500);
  for (const process of running) process.kill('SIGKILL');
  await Promise.all(running.map((process) => once(process, 'exit')));
  const store = await open(where);
  const outcome = await expectAllKept(new Interner({ store }), readAcknowledged(files));
  console.log(`${KILLS + PROCESSES} processes killed; ${outcome}`);
  await checkStore(store);
  await store.close();
}
