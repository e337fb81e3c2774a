import { spawnSync } from 'node:child_process';
import { cpSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { shardbits, temporaryFolder } from '../../support/cli.js';
import { differentRows, writeParquet } from '../../support/parquet.js';
import { IS_WHOLE } from '../../support/scale.js';

const ROWS = IS_WHOLE ? 1_500_000 : 300_000;
const SHARDS = IS_WHOLE ? 2000 : 500;
const EMAILS = `select i as id, 'user' || i || '@example.com' as email, repeat('x', 100) as note from range(${ROWS}) r(i)`;

describe('Parquet in a process', () => {
  it('is split to more files than may be open, and needs little memory', async () => {
    const cwd = temporaryFolder();
    await writeParquet(join(cwd, 'users.parquet'), EMAILS);
    const cli = join(process.cwd(), 'dist/cli.js');
    const command = `ulimit -n 256; exec "${process.execPath}" --import ./memory.mjs ${cli} route users.parquet --key email --shards ${SHARDS} --out-dir out`;
    writeFileSync(
      join(cwd, 'memory.mjs'),
      "process.on('exit', () => console.log(Math.round(process.resourceUsage().maxRSS / 1024)));",
    );
    const { status, stdout, stderr } = spawnSync('sh', ['-c', command], { cwd, encoding: 'utf8' });
    expect([status, stderr]).toEqual([0, '']);
    expect(Number(stdout)).toBeLessThan(1024); // MiB
    expect(readdirSync(join(cwd, 'out'))).toHaveLength(SHARDS + 1);
    expect(await differentRows(`'${cwd}/out/*.parquet'`, `'${cwd}/users.parquet'`)).toBe(0);
  });

  it('says that a file could not be written, and leaves nothing', async () => {
    const cwd = temporaryFolder();
    await writeParquet(join(cwd, 'k.parquet'), "select i as id, 'row' || hash(i) as text from range(50000) r(i)");
    const cli = `"${process.execPath}" ${join(process.cwd(), 'dist/cli.js')}`;
    for (const out of ['--out o.parquet', '--out-dir d']) {
      const command = `trap '' XFSZ; ulimit -f 100; exec ${cli} route k.parquet --key id --keys u64 --shards 2 ${out}`;
      const { status, stderr } = spawnSync('sh', ['-c', command], { cwd, encoding: 'utf8' });
      expect([status, stderr]).toEqual([1, expect.stringMatching(/^error: DuckDB cannot write: IO Error: .*\n$/)]);
      expect(readdirSync(cwd)).toEqual(['k.parquet']);
    }
  });

  it.each([
    [['--out', 'out.parquet']],
    [['--out-dir', 'out']],
    [['--out-dir', '.', '--hive']],
  ])('leaves nothing when it is interrupted: %j', async (options) => {
    const folder = temporaryFolder();
    const cwd = temporaryFolder();
    await writeParquet(join(folder, 'users.parquet'), EMAILS);
    const begun = () => readdirSync(cwd).some((name) => name.endsWith('.tmp'));
    const args = ['route', join(folder, 'users.parquet'), '--key', 'email', '--shards', '1000', ...options];
    const { code, stdout, stderr } = await shardbits(args, { cwd, interruptWhen: begun });
    expect([code, stdout.toString(), stderr]).toEqual(['SIGINT', '', '']);
    expect(readdirSync(cwd)).toEqual([]);
  });

  it('names the package that is not installed', async () => {
    const cwd = temporaryFolder();
    cpSync('dist', join(cwd, 'dist'), { recursive: true });
    writeFileSync(join(cwd, 'package.json'), '{"type":"module"}');
    await writeParquet(join(cwd, 'users.parquet'), 'select 1 as id');
    symlinkSync('users.parquet', join(cwd, 'link'));
    const installing = 'needs the package "@duckdb/node-api": npm install @duckdb/node-api';
    const error = (args: string[]) => {
      const run = spawnSync(process.execPath, ['dist/cli.js', ...args], { cwd, encoding: 'utf8' });
      expect([run.status, run.stdout]).toEqual([1, '']);
      return run.stderr;
    };
    const options = ['--key', 'id', '--shards', '2', '--out', 'o'];
    for (const file of ['users.parquet', 'link', '*.parquet']) {
      const named = file.replace('*', 'users');
      expect(error(['route', file, ...options])).toContain(`error: reading Parquet (${named}) ${installing}`);
    }
    expect(readdirSync(cwd).sort()).toEqual(['dist', 'link', 'package.json', 'users.parquet']);
  });
});
