import { spawnSync } from 'node:child_process';
import { describe } from 'vitest';

/** `describe` for tests that need another program. If it is missing, the tests are skipped with a note. */
export function describeWith(program: string, ...args: string[]): typeof describe.skip {
  const { error, status } = spawnSync(program, args, { stdio: 'ignore' });
  const found = error === undefined && status === 0;
  if (!found) process.stderr.write(`\nNOT TESTED, as there is no ${program}: see the tests that are skipped\n\n`);
  return describe.skipIf(!found);
}
