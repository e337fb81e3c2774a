import { spawnSync } from 'node:child_process';
import { expect } from 'vitest';
import { runHere } from '../support/run-here.js';

/** The script with which a shell completes command lines. */
export async function scriptFor(shell: string): Promise<string> {
  const { code, stdout, stderr } = await runHere(['completion', shell]);
  expect([code, stderr]).toEqual([0, '']);
  return stdout.toString();
}

/** What the script for bash offers for the last of some words. */
export function offered(script: string, ...words: string[]): string[] {
  const program = `${script}
compopt() { COMPREPLY=("compopt $*"); }
COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _shardbits; printf '%s\\n' "\${COMPREPLY[@]}"`;
  const { stdout, stderr } = spawnSync('bash', ['-c', program, 'bash', 'shardbits', ...words], { encoding: 'utf8' });
  expect(stderr).toBe('');
  return stdout.split('\n').filter((line) => line !== '');
}
