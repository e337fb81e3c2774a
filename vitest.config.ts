import chromium from '@sparticuz/chromium';
import { playwright } from '@vitest/browser-playwright';
import { defineConfig } from 'vitest/config';

/** Chromium, out of its npm package. */
const launchOptions = {
  executablePath: await chromium.executablePath(),
  args: [
    ...['--no-sandbox', '--disable-gpu', '--no-first-run', '--disable-background-networking'],
    ...['--disable-component-update', '--enable-features=SharedArrayBuffer'],
  ],
};

export default defineConfig({
  test: {
    testTimeout: 60_000,
    env: process.env.SEED === undefined ? {} : { SEED: process.env.SEED }, // for browsers, too
    setupFiles: ['test/support/seed.ts'],
    projects: [
      {
        extends: true,
        test: {
          name: 'node',
          include: ['test/**/*.test.ts'],
          exclude: ['test/browser/**'],
          globalSetup: ['test/support/print-seed.ts'],
        },
      },
      {
        extends: true,
        optimizeDeps: { include: ['@assemblyscript/loader', 'fast-check', 'roaring-wasm'] },
        test: {
          name: 'chromium',
          include: ['test/{arguments,browser,hash,ids,kernels,layout,minting,routing,sets}/**/*.test.ts'],
          exclude: ['test/layout/sql-in-*.test.ts', 'test/sets/memory.test.ts', 'test/sets/room.test.ts'],
          browser: {
            enabled: true,
            headless: true,
            screenshotFailures: false,
            provider: playwright({ launchOptions }),
            instances: [{ browser: 'chromium' }],
          },
        },
      },
    ],
  },
});
