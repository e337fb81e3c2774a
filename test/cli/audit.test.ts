import { cpSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { Router, type Routing } from '../../src/index.js';
import { ShardMap } from '../../src/map/index.js';
import { partitioner } from '../../src/partitioners/index.js';
import { temporaryFolder } from '../support/cli.js';
import { runHere } from '../support/run-here.js';
import { folderWith } from './maps.js';

const KEYS = Array.from({ length: 1000 }, (_, i) => `é${i}`);
const router = new Router({ shards: 12 });

/** Rows of which some are in the shard after theirs. */
const moved = (i: number) => i % 50 === 7;
const shardOf = (key: string, i: number, by: Routing<any> = router) => (by.route(key) + (moved(i) ? 1 : 0)) % 12;
const lines = KEYS.map((key, i) => `${shardOf(key, i)}\t${key}\n`).join('');
const MISPLACED = KEYS.filter((_, i) => moved(i));

const PAIRS = [...new Set(MISPLACED.map((key) => router.route(key)))]
  .map((to) => ({ from: (to + 1) % 12, to, count: MISPLACED.filter((key) => router.route(key) === to).length }))
  .sort((a, b) => a.from - b.from);
const REPORT = { rows: 1000, fit: 1000 - MISPLACED.length, misplaced: MISPLACED.length, pairs: PAIRS };

interface Audited {
  readonly code: number | string | null;
  readonly stdout: string;
  readonly stderr: string;
}

async function audit(args: readonly string[], input?: string, cwd?: string): Promise<Audited> {
  const run = await runHere(['audit', ...args], {
    ...(input !== undefined && { input: [input] }),
    ...(cwd && { cwd }),
  });
  return { ...run, stdout: run.stdout.toString() };
}

async function report(args: readonly string[], input?: string, cwd?: string) {
  const { code, stdout, stderr } = await audit([...args, '--json'], input, cwd);
  expect(stderr).toBe('');
  const found = JSON.parse(stdout);
  expect(code).toBe(found.misplaced === 0 && !found.missing ? 0 : 1);
  return found;
}

describe('audit of lines', () => {
  it('counts the rows that fit, and the pairs of those that do not', async () => {
    expect(await report(['--shards', '12'], lines)).toEqual(REPORT);
    const { code, stdout } = await audit(['--shards', '12'], lines);
    expect(code).toBe(1);
    expect(stdout).toMatch(
      /^rows {7}1,000\nfit {10}980 \(98\.00 %\)\nmisplaced {5}20 \(2\.00 %\)\n\npairs of where rows are and where they belong\n( {2}\d {2}shard \d+ -> \d+\n)+$/,
    );
  });

  it('exits with 0 if all fit', async () => {
    const routed = await runHere(['route', '--shards', '12'], { input: [KEYS.join('\n')] });
    const fit = { rows: 1000, fit: 1000, misplaced: 0, pairs: [] };
    expect(await report(['--shards', '12'], routed.stdout.toString())).toEqual(fit);
  });

  it('warns if there are no rows', async () => {
    const { code, stdout, stderr } = await audit(['--shards', '12', '--json'], '');
    expect([code, stderr]).toEqual([0, 'warning: there are no rows\n']);
    expect(JSON.parse(stdout)).toEqual({ rows: 0, fit: 0, misplaced: 0, pairs: [] });
  });

  it('--out has the misplaced rows, each with where it is and where it belongs', async () => {
    const cwd = temporaryFolder();
    const { code, stdout, stderr } = await audit(
      ['--shards', '12', '--out', 'out.tsv'],
      lines.replaceAll('\n', '\r\n'),
      cwd,
    );
    expect([code, stderr]).toEqual([1, '']);
    expect(stdout).toMatch(/^rows {7}1,000\n/);
    const rows = MISPLACED.map((key) => `${key}\t${(router.route(key) + 1) % 12}\t${router.route(key)}\n`).join('');
    expect(readFileSync(join(cwd, 'out.tsv'), 'utf8')).toBe(rows);
    const piped = await audit(['--shards', '12', '--out', '-'], lines);
    expect([piped.stdout, piped.stderr]).toEqual([rows, stdout]);
  });

  it.each<[args: string[], by: Routing<any>]>([
    [['--as', 'kafka', '--shards', '12'], partitioner('kafka', { partitions: 12 })],
    [
      ['--shards', '12', '--strategy', 'fastrange', '--seed', '7'],
      new Router({ shards: 12, strategy: 'fastrange', seed: 7n }),
    ],
    [['--shards', '12', '--down', '3,4'], new Router({ shards: 12, down: [3, 4] })],
  ])('by the options of route: %j', async (args, by) => {
    const placed = KEYS.map((key, i) => `${shardOf(key, i, by)}\t${key}\n`).join('');
    expect(await report(args, placed)).toMatchObject({ rows: 1000, misplaced: MISPLACED.length });
  });

  it('by numbers, and shards beyond those of the mapping count as misplaced', async () => {
    const by = new Router({ shards: 12, hash: 'none' });
    const placed = [5n, 6n, 2n ** 64n - 1n].map((key) => `${by.route(key)}\t${key}\n`).join('');
    const args = ['--shards', '12', '--keys', 'u64', '--hash', 'none'];
    expect(await report(args, `${placed}2147483646\t7\n`)).toEqual({
      rows: 4,
      fit: 3,
      misplaced: 1,
      pairs: [{ from: 2147483646, to: by.route(7n), count: 1 }],
    });
  });

  it('names malformed rows, or writes them to another file and goes on', async () => {
    const bad = `${lines}x\ta\n12\nlast`;
    expect(await audit(['--shards', '12'], bad)).toMatchObject({
      code: 1,
      stderr: 'error: -:1001: expected a shard, an integer from 0 to 2147483646, got "x"\n',
    });
    const cwd = temporaryFolder();
    const { stderr, stdout } = await audit(['--shards', '12', '--rejects', 'bad.tsv', '--json'], bad, cwd);
    expect(stderr).toBe('3 rows rejected: see bad.tsv\n');
    expect(JSON.parse(stdout)).toEqual(REPORT);
    expect(readFileSync(join(cwd, 'bad.tsv'), 'utf8')).toMatch(
      /^1001\t.*\tx\ta\n1002\t.*a shard, a tab and a key.*\t12\n1003\t/,
    );
  });
});

describe('audit of records', () => {
  const csv = `id,email,shard\n${KEYS.map((key, i) => `${i},"${key}",${shardOf(key, i)}\r\n`).join('')}`;
  const ROWS = ['--csv', '--key', 'email', '--shards', '12'];

  it('has the same counts', async () => {
    expect(await report(ROWS, csv)).toEqual(REPORT);
    expect(await report([...ROWS, '--shard-column', 'at'], csv.replace('shard', 'at'))).toEqual(REPORT);
    const ndjson = KEYS.map((key, i) => `{"at":{"s":${shardOf(key, i)}},"k":"${key}"}\n`).join('');
    const args = ['--ndjson', '--key', 'k', '--shard-column', 'at.s', '--shards', '12'];
    expect(await report(args, ndjson)).toEqual(REPORT);
  });

  it('--out has the records with two more columns', async () => {
    const cwd = temporaryFolder();
    await audit([...ROWS, '--out', 'out.csv'], csv, cwd);
    const rows = KEYS.flatMap((key, i) =>
      moved(i) ? [`${i},"${key}",${shardOf(key, i)},${shardOf(key, i)},${router.route(key)}\r\n`] : [],
    );
    expect(readFileSync(join(cwd, 'out.csv'), 'utf8')).toBe(`id,email,shard,is,belongs\n${rows.join('')}`);
    const taken = await audit([...ROWS, '--out', 'out.csv'], csv.replace('id,', 'is,'), cwd);
    expect(taken).toMatchObject({ code: 1, stderr: expect.stringContaining('expected no column named is') });
    const is = (router.route('a') + 1) % 12;
    const object = `{"shard":${is},"k":"a","more":[1] }\n`;
    const inJson = await audit(['--ndjson', '--key', 'k', '--shards', '12', '--out', '-'], object);
    expect(inJson.stdout).toBe(`{"shard":${is},"k":"a","more":[1] ,"is":${is},"belongs":${router.route('a')}}\n`);
  });
});

describe('audit of directories', () => {
  const ROWS = ['--csv', '--key', 'email', '--shards', '12'];
  const csv = `id,email\n${KEYS.map((key, i) => `${i},${key}\n`).join('')}`;

  /** What `route --out-dir` writes. */
  async function routed(cwd: string, directory: string, args: readonly string[] = ROWS, input = csv): Promise<void> {
    const { code, stderr } = await runHere(['route', ...args, '--out-dir', directory], { input: [input], cwd });
    expect([code, stderr]).toEqual([0, '']);
  }

  it('takes the shards from the names of files', async () => {
    const cwd = temporaryFolder();
    await routed(cwd, 'out');
    expect(await report(['out', ...ROWS], undefined, cwd)).toMatchObject({ rows: 1000, fit: 1000 });
    renameSync(join(cwd, 'out/03.csv'), join(cwd, 'out/0'));
    renameSync(join(cwd, 'out/04.csv'), join(cwd, 'out/03.csv'));
    renameSync(join(cwd, 'out/0'), join(cwd, 'out/04.csv'));
    const [inThree, inFour] = [3, 4].map((shard) => KEYS.filter((key) => router.route(key) === shard).length);
    expect((await report(['out', ...ROWS], undefined, cwd)).pairs).toEqual([
      { from: 3, to: 4, count: inFour },
      { from: 4, to: 3, count: inThree },
    ]);
    await audit(['out', ...ROWS, '--out', 'misplaced.csv'], undefined, cwd);
    const rows = readFileSync(join(cwd, 'misplaced.csv'), 'utf8').split('\n');
    expect([rows[0], rows.length]).toEqual(['id,email,is,belongs', 2 + inThree + inFour]);
    expect(rows[1]).toMatch(/^\d+,é\d+,3,4$/);
  });

  it.each([
    ['compressed files', [...ROWS, '--compress', 'gzip'], csv],
    ['files of bounded rows', [...ROWS, '--max-rows-per-file', '10'], csv],
    ['lines', ['--shards', '12'], KEYS.join('\n')],
  ])('as route wrote them: %s', async (_, args, input) => {
    const cwd = temporaryFolder();
    await routed(cwd, 'out', args, input);
    const how = args.filter((arg) => !/^(--compress|gzip|--max-rows-per-file|10)$/.test(arg));
    expect(await report(['out', ...how], undefined, cwd)).toEqual({ rows: 1000, fit: 1000, misplaced: 0, pairs: [] });
  });

  it('misses rows that manifest.json counts, also those of whole files', async () => {
    const cwd = temporaryFolder();
    await routed(cwd, 'out');
    const file = join(cwd, 'out/03.csv');
    const lines = readFileSync(file, 'utf8').trimEnd().split('\n');
    writeFileSync(file, lines.slice(0, -1).join('\n'));
    const one = await audit(['out', ...ROWS], undefined, cwd);
    expect([one.code, one.stdout]).toEqual([
      1,
      expect.stringMatching(/\nmisplaced +0 .*\nmissing +1 of those in manifest.json\n$/),
    ]);
    rmSync(file);
    const found = await report(['out', ...ROWS], undefined, cwd);
    expect(found).toMatchObject({ rows: 1001 - lines.length, misplaced: 0, missing: lines.length - 1 });
    writeFileSync(file, `${lines.join('\n')}\n${lines[1]}\n`);
    const more = await audit(['out', ...ROWS], undefined, cwd);
    expect([more.code, more.stdout]).toEqual([1, expect.stringMatching(/\ntoo many +1 of those in manifest.json\n/)]);
  });

  it('--out has the misplaced keys of directories of lines', async () => {
    const cwd = temporaryFolder();
    await routed(cwd, 'out', ['--shards', '12'], KEYS.join('\n'));
    const other = new Router({ shards: 11 });
    await audit(['out', '--shards', '11', '--out', 'misplaced.tsv'], undefined, cwd);
    const rows = KEYS.flatMap((key) => {
      const [is, belongs] = [router.route(key), other.route(key)];
      return is === belongs ? [] : [`${key}\t${is}\t${belongs}`];
    });
    const written = readFileSync(join(cwd, 'misplaced.tsv'), 'utf8').split('\n').slice(0, -1);
    expect(written.sort()).toEqual(rows.sort());
  });

  it('takes the shards from directories, as Hive names them', async () => {
    const cwd = temporaryFolder();
    await routed(cwd, 'out');
    for (const shard of [3, 10]) {
      mkdirSync(join(cwd, `hive/day=1/shard=${shard}`), { recursive: true });
      const name = `${shard}`.padStart(2, '0');
      cpSync(join(cwd, `out/${name}.csv`), join(cwd, `hive/day=1/shard=${shard}/part-00000.csv`));
    }
    writeFileSync(join(cwd, 'hive/_SUCCESS'), '');
    const rows = KEYS.filter((key) => [3, 10].includes(router.route(key))).length;
    expect(await report(['hive', ...ROWS], undefined, cwd)).toEqual({ rows, fit: rows, misplaced: 0, pairs: [] });
    renameSync(join(cwd, 'hive/day=1/shard=3'), join(cwd, 'hive/day=1/bucket=4'));
    expect(await report(['hive/day=1/shard=10', ...ROWS], undefined, cwd)).toMatchObject({ misplaced: 0 });
    const { stderr } = await audit(['hive', ...ROWS], undefined, cwd);
    expect(stderr).toContain('hive/day=1/bucket=4/part-00000.csv: expected the name of a shard');
    renameSync(join(cwd, 'hive/day=1/shard=10'), join(cwd, 'hive/day=1/bucket=10'));
    const found = await report(['hive', ...ROWS, '--shard-column', 'bucket'], undefined, cwd);
    expect(found.pairs).toEqual([{ from: 4, to: 3, count: KEYS.filter((key) => router.route(key) === 3).length }]);
  });

  it('takes the buckets from the names of files, as Spark and Hive name them', async () => {
    const cwd = temporaryFolder();
    const hive = partitioner('hive', { buckets: 4 });
    const of = (bucket: number) => KEYS.filter((key) => hive.route(key) === bucket);
    mkdirSync(join(cwd, 'table/day=1'), { recursive: true });
    for (const bucket of [0, 1, 2, 3]) {
      const rows = of(bucket).map((key) => `1\x01${key}\n`);
      writeFileSync(join(cwd, `table/day=1/00000${bucket}_0`), rows.join(''));
    }
    const fields = ['--csv', '--delimiter', '\x01', '--no-header', '--key', '2'];
    const found = await report(['table', ...fields, '--as', 'hive', '--buckets', '4'], undefined, cwd);
    expect(found).toEqual({ rows: 1000, fit: 1000, misplaced: 0, pairs: [] });
    mkdirSync(join(cwd, 'spark'));
    const name = 'part-00007-2dd664f9-d2c4-4ffe-878f-c6c70c1fb0cb_00003.c000.csv';
    writeFileSync(join(cwd, 'spark', name), `email\n${of(2).join('\n')}\n`);
    const { pairs } = await report(['spark', ...ROWS.slice(0, 3), '--as', 'hive', '--buckets', '4'], undefined, cwd);
    expect(pairs).toEqual([{ from: 3, to: 2, count: of(2).length }]);
  });

  it.each([
    ['out/shard=x/1.csv', 'out/shard=x: expected the number of a shard after shard='],
    ['out/shard=2147483648/1.csv', 'out/shard=2147483648: expected the number of a shard after shard='],
    ['out/shard=%/1.csv', 'out/shard=%: expected the number of a shard after shard='],
    ['out/old/1.csv', 'out/old: expected a directory such as shard=3'],
    ['out/3', "out/3: expected the name of a shard's file, such as 07.csv or shard=3/FILE"],
    ['out/x.csv', "out/x.csv: expected the name of a shard's file, such as 07.csv or shard=3/FILE"],
    ['out/3.md', "out/3.md: expected the name of a shard's file, such as 07.csv or shard=3/FILE"],
  ])('refuse what is of no shard: %s', async (path, message) => {
    const cwd = temporaryFolder();
    mkdirSync(join(cwd, path, '..'), { recursive: true });
    writeFileSync(join(cwd, path), 'email\n');
    expect(await audit(['out', ...ROWS], undefined, cwd)).toMatchObject({ code: 1, stderr: `error: ${message}\n` });
  });

  it('refuse two files of one shard', async () => {
    const cwd = temporaryFolder();
    await routed(cwd, 'out');
    cpSync(join(cwd, 'out/07.csv'), join(cwd, 'out/7.csv'));
    const { code, stderr } = await audit(['out', ...ROWS], undefined, cwd);
    expect([code, stderr]).toEqual([1, 'error: out/7.csv: the rows of 7 are in out/07.csv, too. Move one away\n']);
  });

  it('follow links', async () => {
    const cwd = temporaryFolder();
    await routed(cwd, 'out');
    mkdirSync(join(cwd, 'hive'));
    mkdirSync(join(cwd, 'there'));
    cpSync(join(cwd, 'out/03.csv'), join(cwd, 'there/data'));
    symlinkSync(join(cwd, 'there'), join(cwd, 'hive/shard=3'));
    expect(await report(['hive', ...ROWS], undefined, cwd)).toMatchObject({ misplaced: 0, pairs: [] });
  });

  it('refuse a file that is given twice', async () => {
    const cwd = temporaryFolder();
    await routed(cwd, 'out');
    const { code, stderr } = await audit(['out', './out/../out', ...ROWS], undefined, cwd);
    expect([code, stderr]).toEqual([1, 'error: out/00.csv: the file is given twice\n']);
  });

  it('refuses a directory without files, and files beside directories', async () => {
    const cwd = temporaryFolder();
    mkdirSync(join(cwd, 'none'));
    writeFileSync(join(cwd, 'rows.csv'), csv);
    expect(await audit(['none', ...ROWS], undefined, cwd)).toMatchObject({
      code: 1,
      stderr: 'error: none: expected files of shards, got none\n',
    });
    expect(await audit(['none', 'rows.csv', ...ROWS], undefined, cwd)).toMatchObject({
      code: 2,
      stderr: 'error: expected only files or only directories, got "rows.csv"\n',
    });
  });
});

describe('audit --map', () => {
  const map = ShardMap.create({ shards: 64, nodes: [{ name: 'db1' }, { name: 'a, "b"' }, { name: 'c\\é' }] });
  const by = new Router({ shards: 64 });
  const nodeOf = (key: string) => map.nodesOf(by.route(key))[0];
  const ROWS = ['--csv', '--key', 'email', '--map', 'map.json'];
  const csv = `email\n${KEYS.join('\n')}\n`;

  it('compares nodes by their names, whatever is in them', async () => {
    const cwd = folderWith({ 'map.json': map });
    for (const [format, input] of [
      [[], KEYS.join('\n')],
      [['--csv', '--key', 'email'], csv],
      [['--ndjson', '--key', 'email'], KEYS.map((email) => `${JSON.stringify({ email })}\n`).join('')],
    ] as const) {
      const routed = await runHere(['route', '--map', 'map.json', ...format], { cwd, input: [input] });
      const found = await report(['--map', 'map.json', ...format], routed.stdout.toString(), cwd);
      expect(found).toEqual({ rows: 1000, fit: 1000, misplaced: 0, pairs: [] });
    }
  });

  it('counts rows on nodes that are not in the map', async () => {
    const cwd = folderWith({ 'map.json': map });
    const rows = KEYS.map((email, i) => ({ email, node: i % 10 === 0 ? `old${i % 3}` : nodeOf(email) }));
    const ndjson = rows.map((row) => `${JSON.stringify(row)}\n`).join('');
    const args = ['--ndjson', '--key', 'email', '--map', 'map.json'];
    const { pairs, ...counts } = await report(args, ndjson, cwd);
    expect(counts).toEqual({ rows: 1000, fit: 900, misplaced: 100 });
    for (const { from, to, count } of pairs) {
      expect(count).toBe(rows.filter(({ email, node }) => node === from && nodeOf(email) === to).length);
    }
    const { stdout } = await audit([...args, '--out', '-'], ndjson, cwd);
    expect(JSON.parse(stdout.slice(0, stdout.indexOf('\n')))).toEqual({
      ...rows[0],
      is: 'old0',
      belongs: nodeOf(KEYS[0]),
    });
  });

  it('takes nodes from the names of files', async () => {
    const plain = ShardMap.create({ shards: 64, nodes: [{ name: 'db1.example.com' }, { name: 'db2' }] });
    const cwd = folderWith({ 'map.json': plain });
    await runHere(['route', ...ROWS, '--out-dir', 'out'], { cwd, input: [csv] });
    expect(readdirSync(join(cwd, 'out'))).toContain('db1.example.com.csv');
    expect(await report(['out', ...ROWS], undefined, cwd)).toMatchObject({ rows: 1000, fit: 1000 });
    renameSync(join(cwd, 'out/db2.csv'), join(cwd, 'out/db3.csv'));
    const [pair, ...others] = (await report(['out', ...ROWS], undefined, cwd)).pairs;
    expect([pair.from, pair.to, others]).toEqual(['db3', 'db2', []]);
    writeFileSync(join(cwd, 'out/README.md'), '');
    expect((await audit(['out', ...ROWS], undefined, cwd)).stderr).toMatch(
      /^error: out\/README\.md: expected the name of a shard's file, such as db1\.example\.com\.csv or node=db1\.example\.com\/FILE\n$/,
    );
  });

  it('reads the files of nodes whose names begin with _, and no files of other directories', async () => {
    const cwd = folderWith({ 'map.json': ShardMap.create({ shards: 64, nodes: [{ name: '_a' }, { name: 'b' }] }) });
    await runHere(['route', ...ROWS, '--out-dir', 'out'], { cwd, input: [csv] });
    expect(await report(['out', ...ROWS], undefined, cwd)).toMatchObject({ rows: 1000, fit: 1000 });
    mkdirSync(join(cwd, 'out/day=1'));
    writeFileSync(join(cwd, 'out/day=1/x.csv'), csv);
    expect((await audit(['out', ...ROWS], undefined, cwd)).stderr).toBe(
      "error: out/day=1/x.csv: expected the name of a shard's file, such as _a.csv or node=_a/FILE\n",
    );
  });

  it('takes a node from the name of a part, and does not guess between two', async () => {
    const nodes = (...names: string[]) => ShardMap.create({ shards: 64, nodes: names.map((name) => ({ name })) });
    const cwd = folderWith({
      'one.json': nodes('db', 'b'),
      'other.json': nodes('db-00001', 'b'),
      'both.json': nodes('db', 'db-00001'),
    });
    mkdirSync(join(cwd, 'out'));
    writeFileSync(join(cwd, 'out/db-00001.csv'), csv);
    const from = async (map: string) =>
      (await report(['out', ...ROWS.slice(0, -1), map], undefined, cwd)).pairs[0].from;
    expect([await from('one.json'), await from('other.json')]).toEqual(['db', 'db-00001']);
    expect((await audit(['out', ...ROWS.slice(0, -1), 'both.json'], undefined, cwd)).stderr).toBe(
      'error: out/db-00001.csv: the file is either of db-00001 or a part of db. Use directories such as node=db\n',
    );
  });
});

describe('misuse of audit and detect exits with 2 and names', () => {
  it.each([
    ['audit', [], /^error: --shards is required\n$/],
    ['audit', ['--shards', '3', '--shard-column', 'x'], /^error: --shard-column requires --csv, --tsv or --ndjson\n$/],
    [
      'audit',
      ['--shards', '3', '--csv', '--key', 'x', '--shard-column', 'x'],
      /^error: --shard-column: expected another column than --key, got "x"\n$/,
    ],
    [
      'audit',
      ['--shards', '3', '--csv', '--key', '1', '--no-header'],
      /^error: --shard-column: expected the number of a column, from 1, with --no-header, got "shard"\n$/,
    ],
    ['audit', ['--shards', '3', '--compress', 'gzip'], /^error: --compress requires --out\n$/],
    ['audit', ['--shards', '3', '--out-dir', 'x'], /unknown option '--out-dir'/],
    ['audit', ['--shards', '3', '--shard-colum', 'x'], /Did you mean --shard-column/],
    ['detect', ['--shards', '0'], /^error: --shards: expected an integer from 1 to 2147483647, got 0\n$/],
    ['detect', ['--key', 'x'], /^error: --key requires --csv, --tsv or --ndjson\n$/],
    ['detect', ['--as', 'kafka'], /unknown option '--as'/],
  ])('%s %j', async (command, args, message) => {
    const { code, stdout, stderr } = await runHere([command, ...args], { input: [''] });
    expect([code, stdout.length]).toEqual([2, 0]);
    expect(stderr).toMatch(message);
  });
});
