import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { temporaryFolder } from '../support/cli.js';

describe('what cannot be read, written or understood exits with 1', () => {
  it('a directory for standard input', () => {
    const { status, stderr } = spawnSync('sh', ['-c', `"${process.execPath}" dist/cli.js hash < /`], {
      encoding: 'utf8',
    });
    expect([status, stderr]).toEqual([1, 'error: -: illegal operation on a directory\n']);
  });

  it('a file that is appended to itself', () => {
    const path = join(temporaryFolder(), 'keys');
    writeFileSync(path, 'a\n');
    const shell = `"${process.execPath}" dist/cli.js route --shards 3 ${path} >> ${path}`;
    const { status, stderr } = spawnSync('sh', ['-c', shell], { encoding: 'utf8' });
    expect([status, stderr]).toEqual([1, `error: ${path}: input file is output file\n`]);
  });
});
