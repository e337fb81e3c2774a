import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { IS_WHOLE } from '../support/scale.js';
import { SEED } from '../support/seed.js';
import { FAULTS } from './faults.js';

const run = promisify(execFile);

/** Runs seeds in a process of its own, whose clock and timers are simulated. @returns what the first fault is, if any */
async function simulated(first: number, count: number, fault = ''): Promise<string> {
  const args = ['--import', 'tsx', 'test/simulation/run.ts', String(first), String(count), fault];
  const { stdout } = await run(process.execPath, args).catch((error: { stdout: string; stderr: string }) => {
    if (error.stdout === '') throw new Error(error.stderr);
    return error;
  });
  return stdout;
}

// Each takes about a third of a second.
const SEEDS = IS_WHOLE ? 1000 : 30;

it.concurrent.each([SEED, SEED + SEEDS])(`nothing goes wrong in ${SEEDS} worlds from seed %i on`, async (first) => {
  expect(await simulated(first, SEEDS)).toBe('');
});

it('one seed decides everything', async () => {
  const [once, again] = await Promise.all(
    [1, 2].map(() => run(process.execPath, ['--import', 'tsx', 'test/simulation/run.ts', String(SEED)])),
  );
  expect(once.stdout.length).toBeGreaterThan(10_000);
  expect(again.stdout).toBe(once.stdout);
});

/** It takes some luck to be the victim of these. They begin near a victim. */
const RARE: { readonly [fault: string]: { readonly victim: number } } = {
  'a lease can be released with an old token': { victim: 168 },
  'a generator goes on when its lease has ended': { victim: 237 },
};

it.concurrent.each(FAULTS.map(({ name }) => name))('the simulation finds it if %s', async (fault) => {
  const { victim } = RARE[fault] ?? {};
  const first = victim === undefined ? 1 : victim - 10;
  const found = await simulated(first, victim === undefined ? 40 : 300, fault);
  expect(found).toMatch(/^seed \d+: /);
  console.log(`${fault}: ${found.split('\n', 1)}`);
});
