import { spawnSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';

describe('what cannot be read, written or understood exits with 1', () => {
  it.each([
    'plan --from 3 --to 4',
    'plan --from 3 --to 4 --json',
    'route --shards 3 --summary',
    'route --shards 3',
    'hash',
    'encode --layout a:1 a=1',
    'decode 1 --layout a:1',
    'demo --keys 10',
  ])('a full disk behind standard output: %s', (command) => {
    const shell = `echo a | "${process.execPath}" dist/cli.js ${command} > /dev/full`;
    const { status, stderr } = spawnSync('sh', ['-c', shell], { encoding: 'utf8' });
    expect([status, stderr]).toEqual([1, 'error: no space left on device\n']);
  });
});
