import { copyFileSync, existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { temporaryFolder } from '../../support/cli.js';
import { runHere } from '../../support/run-here.js';

export const ROUTE = ['route', 'in.parquet', '--key', 'id', '--keys', 'text', '--shards', '2'];

/** Every command that writes rows refuses a column of a file, which the others read. */
export async function expectRefusedWhereWritten(name: string, path: string, got: string): Promise<void> {
  const cwd = temporaryFolder();
  copyFileSync(`test/cli/parquet/files/${name}.parquet`, join(cwd, 'in.parquet'));
  for (const args of [
    [...ROUTE, '--out', 'out'],
    [...ROUTE, '--out-dir', 'out'],
    [...ROUTE, '--out-dir', 'out', '--hive'],
    ['hash', 'in.parquet', '--key', 'id', '--keys', 'text', '--out', 'out'],
    ['decode', 'in.parquet', '--key', 'id', '--out', 'out'],
    [
      'audit',
      'in.parquet',
      '--key',
      'id',
      '--keys',
      'text',
      '--shard-column',
      'shard',
      '--shards',
      '2',
      '--out',
      'out',
    ],
  ]) {
    const { code, stderr } = await runHere(args, { cwd });
    expect([args, code, stderr]).toEqual([args, 1, expect.stringContaining(`column ${path}: expected a column`)]);
    expect([stderr.includes(`got ${got}; `), existsSync(join(cwd, 'out'))]).toEqual([true, false]);
  }
  // Rows that are not written may have any type.
  expect(await runHere([...ROUTE, '--summary'], { cwd })).toMatchObject({ code: 0, stderr: '' });
  expect(
    await runHere(['plan', 'in.parquet', '--key', 'id', '--keys', 'text', '--from', '2', '--to', '3'], { cwd }),
  ).toMatchObject({
    code: 0,
  });
}
