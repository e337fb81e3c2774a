// A table whose row groups are larger than what DuckDB gets for a small one.
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { temporaryFolder } from '../../support/cli.js';
import { differentRows, writeParquet } from '../../support/parquet.js';
import { runHere } from '../../support/run-here.js';

it('20 columns of text with 200,000 rows are written and split', async () => {
  const cwd = temporaryFolder();
  const texts = Array.from({ length: 20 }, (_, i) => `('value of row ' || hash(i * ${i + 1})) as t${i}`);
  const table = join(cwd, 'in.parquet');
  await writeParquet(table, `select ${texts.join(', ')}, 'user:' || i as id from range(200000) r(i)`);
  const args = ['route', 'in.parquet', '--key', 'id', '--shards', '4', '--threads', '2'];
  expect(await runHere([...args, '--out', 'out.parquet'], { cwd })).toMatchObject({ code: 0, stderr: '' });
  expect(await differentRows(`(select * exclude (shard) from '${cwd}/out.parquet')`, `'${table}'`)).toBe(0);
  expect(await runHere([...args, '--out-dir', 'out'], { cwd })).toMatchObject({ code: 0, stderr: '' });
  expect(readdirSync(join(cwd, 'out'))).toHaveLength(5);
  expect(await differentRows(`'${cwd}/out/*.parquet'`, `'${table}'`)).toBe(0);
});
