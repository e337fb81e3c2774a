import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { expect, onTestFinished } from 'vitest';
import { checkStore, Interner, type Store } from '../../src/registry/index.js';
import { expectAllKept, readAcknowledged } from './acknowledged.js';
import { temporaryFolder } from './cli.js';
import { randomU64s } from './random.js';
import { IS_FULL, swept } from './scale.js';

/** How many processes or threads are killed, by engine. `SQLITE_KILLS=1000` for more. */
export const KILLS = {
  sqlite: Number(process.env.SQLITE_KILLS ?? (IS_FULL ? swept(300) : 5)),
};

/** How many processes intern at the same time by default. */
const PROCESSES = IS_FULL ? 8 : 3;
const MAX_PAUSE_MS = 30n;
const SCRIPT = 'test/support/interning-process.mjs';

/** A process or thread that works until it is killed. */
interface Victim {
  /** Whether it has ended, by itself or killed. */
  readonly hasEnded: boolean;
  /** Resolves when it has ended. */
  kill(): Promise<void>;
}

/** Starts a victim that interns into the store at a path, and appends its ids to a file. */
type Start = (path: string, acknowledged: string, seed: number) => Victim;

const startProcess: Start = (path, acknowledged, seed) => startScript([SCRIPT, path, acknowledged, String(seed)]);

/** @param args the script and its arguments */
export function startScript(args: readonly string[]): Victim {
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'ignore', 'inherit'] });
  const exit = once(child, 'exit');
  return {
    get hasEnded() {
      return child.exitCode !== null || child.signalCode !== null;
    },
    async kill() {
      child.kill('SIGKILL');
      await exit;
    },
  };
}

export function startThread(path: string, acknowledged: string, seed: number): Victim {
  const worker = new Worker(`./${SCRIPT}`, { argv: [path, acknowledged, String(seed)] });
  let hasEnded = false;
  worker.on('exit', () => {
    hasEnded = true;
  });
  return {
    get hasEnded() {
      return hasEnded;
    },
    async kill() {
      await worker.terminate();
    },
  };
}

/**
 * Starts victims that intern overlapping sets of keys into a new store, kills them one after the other, and replaces each.
 * Every second one closes and opens its store again and again. Expects that every acknowledged id was kept.
 */
export async function killWhileInterning(
  kills: number,
  name: string,
  open: (path: string) => Promise<Store>,
  { start = startProcess, atOnce = PROCESSES } = {},
): Promise<void> {
  const folder = temporaryFolder();
  const path = join(folder, name);
  const files = await killAtRandom(kills, folder, (file, seed) => start(path, file, seed), { atOnce });
  const store = await open(path);
  const outcome = await expectAllKept(new Interner({ store }), readAcknowledged(files));
  console.log(`${files.length} killed while they interned into ${name}; ${outcome}`);
  await checkStore(store);
  await store.close();
}

interface KillOptions {
  /** How many run at the same time. */
  readonly atOnce: number;
  /** How many must have begun before one is killed. */
  readonly begunAtLeast?: number;
  /** Resolves when the remaining ones may be killed. */
  readonly untilEnough?: () => Promise<void>;
}

/**
 * Starts victims that append what they have done to a file, kills them one after the other, replaces each, and kills all in
 * the end.
 * @param start gets the file, which the victim makes when it has begun, and its number from 1 on
 * @returns the files; one may be missing, or end in the middle of a line
 */
export async function killAtRandom(
  kills: number,
  folder: string,
  start: (file: string, number: number) => Victim,
  { atOnce, begunAtLeast = 2, untilEnough = async () => {} }: KillOptions,
): Promise<string[]> {
  const files: string[] = [];
  const startNext = () => {
    const file = join(folder, `acknowledged-${files.length}`);
    files.push(file);
    return { file, victim: start(file, files.length) };
  };
  const running = Array.from({ length: atOnce }, startNext);
  onTestFinished(async () => {
    await Promise.all(running.map(({ victim }) => victim.kill()));
  });
  const expectNoneEnded = () => expect(running.filter(({ victim }) => victim.hasEnded)).toEqual([]);
  // Only one that has begun is killed, because a start takes longer than the pauses.
  const begun = async () => {
    for (; ; await setTimeout(5)) {
      expectNoneEnded();
      const some = [...running.keys()].filter((i) => existsSync(running[i]?.file));
      if (some.length >= begunAtLeast) return some;
    }
  };
  const random = randomU64s(2 * kills);
  const dying: Promise<void>[] = [];
  for (let kill = 0; kill < kills; kill++) {
    await setTimeout(Number(random[2 * kill] % MAX_PAUSE_MS));
    const candidates = await begun();
    const i = candidates[Number(random[2 * kill + 1] % BigInt(candidates.length))];
    dying.push(running[i].victim.kill());
    running[i] = startNext();
  }
  await untilEnough();
  expectNoneEnded();
  await Promise.all([...dying, ...running.map(({ victim }) => victim.kill())]);
  return files;
}
