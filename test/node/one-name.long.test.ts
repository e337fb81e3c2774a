import { spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { highWaterFile } from '../../src/node/index.js';
import { shardbits, temporaryFolder } from '../support/cli.js';
import { writeParquet } from '../support/parquet.js';
import { runHere } from '../support/run-here.js';
import { FOLDING, foldingDisk } from '../support/small-disk.js';
import { markOf, saves } from './high-water-files.js';

describe.each(FOLDING)('where case is ignored (%s)', (type) => {
  /** Makes a map of nodes, and inputs, in a folder that tells case apart. */
  async function inputs(nodes: string): Promise<string> {
    const folder = temporaryFolder();
    const rows = Array.from({ length: 300_000 }, (_, i) => `${i},user ${i}`);
    writeFileSync(join(folder, 'rows.csv'), `id,name\n${rows.join('\n')}\n`);
    writeFileSync(join(folder, 'keys.txt'), 'key of 32 bytes, with its newline\n'.repeat(300_000));
    await writeParquet(join(folder, 'rows.parquet'), "select i as id, 'user ' || i as name from range(1000) r(i)");
    const { code } = await runHere(['map', 'create', '--shards', '64', '--nodes', nodes, '--out', 'map.json'], {
      cwd: folder,
    });
    expect(code).toBe(0);
    return folder;
  }

  const roads = [
    ['keys.txt', '--threads', '1'],
    ['keys.txt', '--threads', '2'],
    ['rows.csv', '--csv', '--key', 'name', '--threads', '2', '--compress', 'gzip'],
    ['rows.csv', '--csv', '--key', 'name', '--max-rows-per-file', '1000'],
    ['rows.parquet', '--key', 'name'],
    ['rows.parquet', '--key', 'name', '--hive'],
  ];

  it('nodes that differ by case alone are refused before the work, on every road', async ({ skip }) => {
    const disk = foldingDisk(type);
    if (disk === undefined) return skip();
    const folder = await inputs('db2,db1,x,DB1');
    mkdirSync(join(disk, 'empty'));
    const before = readdirSync(disk);
    for (const [file, ...options] of roads) {
      for (const directory of ['new', 'empty']) {
        const to = ['--map', 'map.json', '--out-dir', join(disk, directory)];
        const { code, stdout, stderr } = await shardbits(['route', file, ...to, ...options], { cwd: folder });
        expect([code, stdout.length, stderr]).toEqual([
          1,
          0,
          'error: map.json: --out-dir: expected names of different files, but "DB1" and "db1" are one file here, got "db1"\n',
        ]);
        expect([readdirSync(disk), readdirSync(join(disk, 'empty'))]).toEqual([before, []]);
      }
    }
  });

  it('every row of other nodes comes', async ({ skip }) => {
    const disk = foldingDisk(type);
    if (disk === undefined) return skip();
    const folder = await inputs('db1,db2');
    for (const [i, [file, ...options]] of roads.entries()) {
      const to = ['--map', 'map.json', '--out-dir', join(disk, `out${i}`)];
      expect(await shardbits(['route', file, ...to, ...options], { cwd: folder })).toMatchObject({
        code: 0,
        stderr: '',
      });
      const audited = options.slice(0, options.includes('--key') ? options.indexOf('name') + 1 : 0);
      const audit = ['audit', join(disk, `out${i}`), '--map', 'map.json', ...audited, '--json'];
      const { code, stdout, stderr } = await shardbits(audit, { cwd: folder });
      expect([code, stderr, code === 0 ? '' : stdout.toString()]).toEqual([0, '', '']);
      const rows = { 'keys.txt': 300_000, 'rows.csv': 300_000, 'rows.parquet': 1000 }[file];
      expect(JSON.parse(stdout.toString())).toMatchObject({ rows, fit: rows });
    }
  });

  it('an output is never another output or an input of the command in another case', async ({ skip }) => {
    const disk = foldingDisk(type);
    if (disk === undefined) return skip();
    mkdirSync(join(disk, 'sub'));
    writeFileSync(join(disk, 'keys.txt'), 'a\nb\n');
    await runHere(['map', 'create', '--shards', '4', '--nodes', 'a', '--out', 'map.json'], { cwd: disk });
    const before = readdirSync(disk);
    const route = ['route', '--shards', '4', 'keys.txt'];
    for (const args of [
      [...route, '--out', 'same.csv', '--rejects', 'SAME.csv'],
      [...route, '--out', 'sub/same.csv', '--rejects', 'SUB/Same.csv'],
      [...route, '--out-dir', 'same', '--rejects', 'SAME'],
      [...route, '--out', 'KEYS.txt'],
      [...route, '--rejects', 'Keys.txt', '--out', 'other'],
      ['route', '--map', 'map.json', 'keys.txt', '--out', 'MAP.json'],
      ['hash', 'keys.txt', '--out', 'KEYS.TXT'],
      ['intern', 'keys.txt', '--store', 'ids.db', '--out', 'IDS.db'],
      ['intern', 'keys.txt', '--store', 'ids.db', '--out', 'IDS.DB-WAL'],
      ['mint', '--shard', '1', '--high-water', 'mark', '--out', 'Mark'],
      ['map', 'change', 'map.json', '--add', 'b', '--out', 'MAP.JSON'],
      ['sql', '--dialect', 'sqlite', '--map', 'map.json', '--out', 'Map.json'],
    ]) {
      const { code, stderr } = await runHere(args, { cwd: disk });
      expect([args, code, stderr]).toEqual([args, 2, expect.stringMatching(/: expected another (file|name) than /)]);
      expect(readdirSync(disk)).toEqual(before);
    }
    expect(readFileSync(join(disk, 'keys.txt'), 'utf8')).toBe('a\nb\n');
    const others = [...route, '--out', 'same.csv', '--rejects', 'SAMES.csv'];
    expect(await runHere(others, { cwd: disk })).toMatchObject({ code: 0 });
    expect(readFileSync(join(disk, 'same.csv'), 'utf8')).toHaveLength(8);
  });

  it('a high-water file has one holder, however its name is spelled', ({ skip }) => {
    const disk = foldingDisk(type);
    if (disk === undefined) return skip();
    const file = join(disk, 'mark');
    const [first, second] = [highWaterFile(file), highWaterFile(join(disk, 'MARK'))];
    first.save(5000);
    expect(second.load()).toBe(5000);
    expect(readdirSync(disk).filter((name) => name.endsWith('.holder'))).toHaveLength(1);
    expect(saves(first, 6000)).toBe(false);
    expect(saves(second, 7000)).toBe(true);
    expect(markOf(join(disk, 'MARK'))).toBe(7000);
    second.close?.();
    expect(readdirSync(disk)).toHaveLength(1);
  });
});

it('rows that are rejected do not replace the file that standard output goes to', () => {
  const cwd = temporaryFolder();
  const cli = `"${process.execPath}" "${process.cwd()}/dist/cli.js"`;
  const shell = `printf 'a\\n' | ${cli} route --shards 4 --rejects log > log`;
  const { status, stderr } = spawnSync('sh', ['-c', shell], { cwd, encoding: 'utf8' });
  expect([status, stderr]).toEqual([2, 'error: --rejects: expected another file than --out, got log\n']);
});
