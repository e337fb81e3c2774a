import { spawnSync } from 'node:child_process';
import { describe } from 'vitest';
import { notTested } from './not-tested.js';

/** `describe` for tests that need another program. If it is missing, the tests are skipped with a note. */
export function describeWith(program: string, ...args: string[]): typeof describe.skip {
  const { error, status } = spawnSync(program, args, { stdio: 'ignore' });
  const found = error === undefined && status === 0;
  if (!found) notTested(`what needs ${program}: install it`);
  return describe.skipIf(!found);
}

/**
 * Whether a system to compare with is installed. If it is not, this says so and names the Debian packages that have it, or
 * throws if the system is required.
 */
export function hasSystem(
  name: string,
  packages: string,
  isInstalled: boolean,
  details = '',
  isRequired = Boolean(process.env.CI),
): boolean {
  if (isInstalled) return true;
  const message = `${name} is missing (Debian: apt-get install ${packages})${details && `\n${details}`}`;
  if (isRequired) throw new Error(message);
  notTested(message);
  return false;
}
