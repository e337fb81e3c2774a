import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    globalSetup: ['test/support/print-seed.ts'],
    setupFiles: ['test/support/seed.ts'],
    testTimeout: 60_000,
  },
});
