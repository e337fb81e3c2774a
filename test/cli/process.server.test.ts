// A few command lines as processes. All of them: process.long.test.ts.
import { spawnSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { shardbits } from '../support/cli.js';
import { runHere } from '../support/run-here.js';
import { COMMAND_LINES } from './command-lines.js';

const ofCode = (code: number) => COMMAND_LINES.find((line) => line[0] === code && line[2] !== undefined);

it.each(
  [0, 1, 2].map(ofCode),
)('a process exits with %i, and writes as in this process: shardbits %s', async (...line) => {
  const [code, commandLine, text] = line as (typeof COMMAND_LINES)[number];
  const options = { input: [String(text)] };
  const process = await shardbits(commandLine.split(' '), options);
  expect(process.code).toBe(code);
  expect(await runHere(commandLine.split(' '), options)).toEqual(process);
});

describe('a process', () => {
  const run = (sink: string) => {
    const script = `"${process.execPath}" dist/cli.js mint --shard 1 --count 20000 ${sink}; exit "\${PIPESTATUS[0]}"`;
    const { status, stderr } = spawnSync('bash', ['-c', script], { encoding: 'utf8' });
    return [status, stderr];
  };

  it('whose output nobody reads ends quietly, with 0', () => {
    expect(run('| head -n 1')).toEqual([0, '']);
  });

  it('whose output cannot be written says so, and exits with 1', () => {
    expect(run('> /dev/full')).toEqual([1, 'error: no space left on device\n']);
  });
});
