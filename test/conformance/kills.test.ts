import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { Interner } from '../../src/registry/index.js';
import { lmdbStore } from '../../src/registry/stores/lmdb.js';
import { temporaryFolder } from '../support/cli.js';
import { randomU64s } from '../support/random.js';

// Processes that intern overlapping sets of keys are killed, over and over. `KILLS=300` for more.

const PROCESSES = 8;
const KILLS = Number(process.env.KILLS ?? 20);

interface Acknowledged {
  readonly idOf: Map<string, string>;
  count: number;
  changed: number;
}

/** What processes say they were given, and where they contradict each other. */
function readAcknowledged(files: readonly string[]): Acknowledged {
  const all: Acknowledged = { idOf: new Map(), count: 0, changed: 0 };
  for (const file of files.filter((path) => existsSync(path))) {
    const lines = readFileSync(file, 'utf8').split('\n');
    for (const line of lines.slice(0, -1)) {
      // a last one without its newline was cut by the kill
      const [id, key] = line.split('\t') as [string, string];
      if ((all.idOf.get(key) ?? id) !== id) all.changed++;
      all.idOf.set(key, id);
      all.count++;
    }
  }
  return all;
}

it(`LMDB loses, changes and doubles nothing that it has acknowledged to ${PROCESSES} processes, of which ${KILLS} are killed`, async () => {
  const folder = temporaryFolder();
  const where = join(folder, 'ids.lmdb');
  const files: string[] = [];
  const start = (): ChildProcess => {
    const file = join(folder, `acknowledged-${files.length}`);
    files.push(file);
    const args = ['test/support/interning-process.mjs', where, file, String(files.length)];
    return spawn(process.execPath, args, { stdio: ['ignore', 'ignore', 'inherit'] });
  };
  const random = randomU64s(2 * KILLS);
  const running = Array.from({ length: PROCESSES }, start);
  await setTimeout(500);
  for (let kill = 0; kill < KILLS; kill++) {
    await setTimeout(Number((random[2 * kill] as bigint) % 150n));
    const victim = Number((random[2 * kill + 1] as bigint) % BigInt(PROCESSES));
    const process = running[victim] as ChildProcess;
    expect(process.exitCode).toBeNull(); // it has not failed by itself
    process.kill('SIGKILL');
    await once(process, 'exit');
    running[victim] = start();
  }
  await setTimeout(500);
  for (const process of running) process.kill('SIGKILL');
  await Promise.all(running.map((process) => once(process, 'exit')));

  const acknowledged = readAcknowledged(files);
  const interner = new Interner({ store: await lmdbStore(where) });
  const keys = [...acknowledged.idOf.keys()];
  const ids = BigUint64Array.from(acknowledged.idOf.values(), BigInt);
  const found = await interner.lookupMany(keys);
  const lost = found.reduce((count, id, i) => (id === ids[i] ? count : count + 1), 0);
  const doubled = ids.length - new Set(ids).size;
  console.log(
    `${acknowledged.count} ids of ${keys.length} keys acknowledged, ${KILLS + PROCESSES} processes killed: ` +
      `${lost} lost, ${acknowledged.changed} changed, ${doubled} given twice`,
  );
  expect([lost, acknowledged.changed, doubled]).toEqual([0, 0, 0]);
  expect(await interner.resolveMany(ids)).toEqual(keys);
  expect(keys.length).toBeGreaterThan(1000);
  await interner.close();
}, 600_000);
