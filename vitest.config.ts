import { availableParallelism } from 'node:os';
import { playwright } from '@vitest/browser-playwright';
import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';
import { chromiumOptions } from './test/support/chromium.js';
import { LONG, NOT_PURE, PURE, RELEASE, SUITES, SWEEP, TIMED } from './test/support/kinds.js';

/** These begin first in the full run, so that none is left alone at its end. Vitest sorts by how long the quick run took. */
const LONGEST =
  /\/(access|checksums|columns-in-postgres|contention|kills-\w+|likes|partition|reshard-\w+|rows-fuzz|simulation|type-registry|text-pieces)[a-z.]*\.test\.ts$/;

class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    return [true, false].flatMap((first) => sorted.filter(({ moduleId }) => LONGEST.test(moduleId) === first));
  }
}

export default defineConfig(({ mode }) => {
  const isFull = mode === 'all' || mode === 'sweeps';
  const notNow = { all: [], sweeps: [RELEASE] }[mode] ?? [SWEEP, LONG, RELEASE];
  const workers = (isFull ? 2 : 1) * availableParallelism(); // the full run often waits: for a process, a server, a lease
  return {
    test: {
      // For browsers, too.
      env: {
        MODE: mode,
        ...(process.env.SEED && { SEED: process.env.SEED }),
      },
      globalSetup: ['test/support/core.ts'],
      setupFiles: ['test/support/seed.ts'],
      reporters: ['default', './test/support/reporter.ts'],
      // Files share processes and pages, as new ones for each take a quarter of the run: a file undoes what it changes.
      isolate: false,
      experimental: { fsModuleCache: true }, // a run of one file then begins 0.8 s sooner
      ...(isFull && { sequence: { sequencer: LongestFirst } }),
      // A machine that is slow and busy takes five times as long as others.
      testTimeout: isFull ? 1_200_000 : 60_000,
      hookTimeout: isFull ? 600_000 : 60_000, // servers start in them
      expect: { poll: { timeout: 20_000 } }, // by default a second, in which a busy page may not have answered
      maxConcurrency: 10, // tests that run concurrently do little but wait
      projects: [
        {
          extends: true,
          mode, // which projects do not inherit: it would be test
          test: {
            name: 'node',
            include: mode === 'sweeps' ? [SWEEP, LONG, ...SUITES] : ['test/**/*.test.ts'],
            exclude: ['test/browser/**', ...(isFull ? TIMED : []), ...notNow],
            globalSetup: ['test/support/core.ts', 'test/support/print-seed.ts', 'test/support/servers.ts'],
            setupFiles: ['test/support/seed.ts', 'test/support/quick.ts'],
            maxWorkers: workers,
          },
        },
        ...(isFull
          ? [
              {
                extends: true as const,
                mode,
                test: {
                  name: 'timed',
                  include: TIMED,
                  sequence: { groupOrder: 1 },
                  maxWorkers: 3,
                  globalSetup: ['test/support/servers.ts'],
                },
              },
            ]
          : []),
        {
          // What is about browsers. Every mode but the quick one also has the files that need only JavaScript.
          extends: true,
          mode,
          optimizeDeps: { include: ['@assemblyscript/loader', 'fast-check', 'papaparse', 'roaring-wasm'] },
          test: {
            name: 'chromium',
            include: ['test/browser/**/*.test.ts', ...(mode === 'test' ? [] : PURE)],
            exclude: [...NOT_PURE, ...notNow],
            // At the same time as the tests in Node, for which Vitest wants as many workers there as here.
            maxWorkers: workers,
            browser: {
              enabled: true,
              headless: true,
              screenshotFailures: false,
              provider: playwright({
                launchOptions: {
                  ...chromiumOptions,
                  args: [...chromiumOptions.args, '--enable-features=SharedArrayBuffer'], // as in isolated pages
                },
              }),
              instances: [{ browser: 'chromium' }],
            },
          },
        },
      ],
    },
  };
});
