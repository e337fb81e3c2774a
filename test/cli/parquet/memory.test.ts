// DuckDB gets the memory that a table needs, as far as the machine has it.
import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { memoryFor } from '../../../src/node/parquet/session.js';
import { temporaryFolder } from '../../support/cli.js';
import { storedValues } from '../../support/parquet-file.js';
import { runHere } from '../../support/run-here.js';

describe('the memory of DuckDB', () => {
  const small = { columns: 4, rowGroupMb: 5 };
  const wide = { columns: 400, rowGroupMb: 0.02 };
  const long = { columns: 21, rowGroupMb: 91 };

  it('grows with columns, row groups and threads', () => {
    expect(memoryFor(small, 2, 16_000)).toBe(400);
    expect(memoryFor(small, 8, 16_000)).toBe(784);
    expect(memoryFor(wide, 2, 16_000)).toBe(985);
    expect(memoryFor(long, 2, 16_000)).toBe(598);
  });

  it('is at most three quarters of what is free, but never less than a small table needs', () => {
    expect(memoryFor(wide, 2, 1000)).toBe(750);
    expect(memoryFor(wide, 2, 100)).toBe(384);
  });
});

it('400 columns are written, to a file and to one for each shard', async () => {
  const cwd = temporaryFolder();
  copyFileSync('test/cli/parquet/files/wide-400x5.parquet', join(cwd, 'in.parquet'));
  const args = ['route', 'in.parquet', '--key', 'id', '--shards', '1', '--threads', '2'];
  const expected = await storedValues(join(cwd, 'in.parquet'), 'c398');
  for (const [out, written] of [
    [['--out', 'out.parquet'], 'out.parquet'],
    [['--out-dir', 'out'], 'out/0.parquet'],
  ] as const) {
    expect(await runHere([...args, ...out], { cwd })).toMatchObject({ code: 0, stderr: '' });
    expect(await storedValues(join(cwd, written), 'c398')).toEqual(expected);
  }
});
