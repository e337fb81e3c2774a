// Limits of a process, at a small size. At a large one, with memory and signals: process.long.test.ts.
import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { temporaryFolder } from '../../support/cli.js';
import { differentRows, writeParquet } from '../../support/parquet.js';

const cli = `"${process.execPath}" ${join(process.cwd(), 'dist/cli.js')}`;

it('Parquet is split to more files than may be open', async () => {
  const cwd = temporaryFolder();
  await writeParquet(join(cwd, 'users.parquet'), "select i as id, 'user' || i as name from range(5000) r(i)");
  const command = `ulimit -n 64; exec ${cli} route users.parquet --key name --shards 100 --out-dir out`;
  const { status, stderr } = spawnSync('sh', ['-c', command], { cwd, encoding: 'utf8' });
  expect([status, stderr]).toEqual([0, '']);
  expect(readdirSync(join(cwd, 'out'))).toHaveLength(101);
  expect(await differentRows(`'${cwd}/out/*.parquet'`, `'${cwd}/users.parquet'`)).toBe(0);
});

it('Parquet that cannot be written is an error, and nothing is left', async () => {
  const cwd = temporaryFolder();
  await writeParquet(join(cwd, 'k.parquet'), "select i as id, 'row' || hash(i) as text from range(20000) r(i)");
  const command = `trap '' XFSZ; ulimit -f 100; exec ${cli} route k.parquet --keys u64 --key id --shards 2 --out o.parquet`;
  const { status, stderr } = spawnSync('sh', ['-c', command], { cwd, encoding: 'utf8' });
  expect([status, stderr]).toEqual([1, expect.stringMatching(/^error: DuckDB cannot write: IO Error: .*\n$/)]);
  expect(readdirSync(cwd)).toEqual(['k.parquet']);
});
