import type { RunnerTask, VitestTestRunner } from 'vitest';
import { setSafeTimers, startTests } from 'vitest/internal/browser';
import { getBackend } from '../../../src/index.js';
import type { Outcome } from './checks.js';
import { report } from './report.js';

/** What came out of files of tests. `checks` counts the tests. */
export interface SuitesOutcome extends Outcome {
  /** The full name of each test that passed or failed. */
  readonly names: readonly string[];
}

type Load = () => Promise<unknown>;

/** Even in an emulator no test takes that long. */
const MAX_MS = 300_000;

// Where `expect` and `vi` look for their settings.
Object.assign(globalThis, { __vitest_worker__: { config: { expect: {}, fakeTimers: {}, snapshotOptions: {} } } });

/**
 * Runs the files of tests that the command line names, with the functions that Vitest itself runs tests with. Vitest cannot
 * start here: it needs esbuild and rollup, which are installed for another platform.
 * @param setup what has to be loaded first
 * @param files what loads each file
 */
export async function runSuites(setup: Load, files: { readonly [file: string]: Load }): Promise<void> {
  process.env.MODE = 'test'; // tests try as much as in `npm test`, whatever the mode of those who start this
  setSafeTimers(); // Vitest's own timeouts are real when a test has a simulated clock
  await report(async () => {
    await setup();
    const backend = getBackend();
    const names: string[] = [];
    const failures: string[] = [];
    for (const file of process.argv.slice(2)) {
      for (const task of (await startTests([file], runnerOf(files))).flatMap(withTasks)) {
        for (const { stack, message } of task.result?.errors ?? [])
          failures.push(`${task.fullName}: ${stack ?? message}`);
        if (task.type === 'test' && /^(pass|fail)$/.test(task.result?.state ?? '')) names.push(task.fullName);
      }
    }
    return { version: process.versions.node, backend, checks: names.length, failures, names } satisfies SuitesOutcome;
  });
}

function runnerOf(files: { readonly [file: string]: Load }): VitestTestRunner {
  return {
    importFile: (file) => files[file]?.() ?? Promise.reject(new Error(`${file} is not in the bundle`)),
    config: {
      root: '',
      name: undefined,
      setupFiles: [],
      passWithNoTests: false,
      testNamePattern: undefined,
      allowOnly: false,
      sequence: { seed: 0, hooks: 'stack', setupFiles: 'list' },
      chaiConfig: undefined,
      maxConcurrency: 10,
      testTimeout: MAX_MS,
      hookTimeout: MAX_MS,
      retry: 0,
      includeTaskLocation: undefined,
      tags: [],
      tagsFilter: [],
      strictTags: false,
    },
  };
}

function withTasks(task: RunnerTask): RunnerTask[] {
  return [task, ...('tasks' in task ? task.tasks.flatMap(withTasks) : [])];
}
