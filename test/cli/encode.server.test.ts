import { spawnSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { describeWith } from '../support/programs.js';

describe('encode refuses what is not a row or does not fit, with its line', () => {
  it('a directory for standard input', () => {
    const shell = `"${process.execPath}" dist/cli.js encode --layout a:1 < /`;
    const { status, stderr } = spawnSync('sh', ['-c', shell], { encoding: 'utf8' });
    expect([status, stderr]).toEqual([1, 'error: -: illegal operation on a directory\n']);
  });
});

describeWith(
  'script',
  '-qec',
  'true',
  '/dev/null',
)('encode on a terminal', () => {
  it('does not wait for rows that nobody has been asked for', () => {
    const command = `"${process.execPath}" dist/cli.js encode --layout a:1`;
    const { status, stdout } = spawnSync('script', ['-qec', command, '/dev/null'], {
      encoding: 'utf8',
      env: { ...process.env, NO_COLOR: '1' },
    });
    expect(status).toBe(2);
    expect(stdout).toMatch(
      /Usage: shardbits encode[\s\S]*error: expected field=value, a file of rows, or rows on standard input, got nothing/,
    );
  });
});
