import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Reporter, TestModule } from 'vitest/node';

const SLOWEST = 10;

/** Ends a run with its slowest files, and with what was not tested and why. */
export default class implements Reporter {
  readonly #folder = mkdtempSync(join(tmpdir(), 'shardbits-run-'));

  onInit(): void {
    process.env.NOT_TESTED = join(this.#folder, 'not-tested'); // see not-tested.ts
    writeFileSync(process.env.NOT_TESTED, '');
  }

  onTestRunEnd(modules: readonly TestModule[]): void {
    const skipped = modules.map((one) => [...one.children.allTests('skipped')].length).reduce((sum, n) => sum + n, 0);
    const notes = readFileSync(join(this.#folder, 'not-tested'), 'utf8').split('\n').filter(Boolean);
    rmSync(this.#folder, { recursive: true });
    const timed = modules.map((one) => {
      const { duration, collectDuration } = one.diagnostic();
      return { name: one.relativeModuleId, ms: duration + collectDuration };
    });
    const slowest = timed.sort((a, b) => b.ms - a.ms).slice(0, SLOWEST);
    console.log(`slowest: ${slowest.map(({ name, ms }) => `${name} ${(ms / 1000).toFixed(1)} s`).join(', ')}`);
    if (skipped > 0) console.log(`${skipped} tests were skipped. Not tested here:`);
    for (const note of new Set(notes)) console.log(`  ${note}`);
  }
}
