import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { Router } from '../../src/index.js';
import { ShardMap } from '../../src/map/index.js';
import { keysIn } from '../support/cli.js';
import { runHere } from '../support/run-here.js';
import { words } from './keys.js';
import { folderWith, map, NO_MAPS } from './maps.js';

const router = new Router({ shards: map.shards });
const nodeOf = (key: string, by: Router = router): string => map.nodesOf(by.route(key))[0];

/** What `route --map` writes for keys. */
function rowsOf(keys: readonly string[], by?: Router): string {
  return keys.map((key) => `${nodeOf(key, by)}\t${key}\n`).join('');
}

const keys = keysIn(words).map((key) => Buffer.from(key).toString());

async function output(args: string[], cwd: string, input?: string): Promise<string> {
  const run = await runHere(['route', ...args], { cwd, ...(input !== undefined && { input: [input] }) });
  expect([run.code, run.stderr]).toEqual([0, '']);
  return run.stdout.toString();
}

describe('route --map writes nodes', () => {
  it('behind keys, whatever their line ends are', async () => {
    const cwd = folderWith({ 'map.json': map });
    const lines = await output(['--map', 'map.json'], cwd, 'a\r\nbc\n\n\xe9\r\n\r\nlast\r');
    expect(lines).toBe(rowsOf(['a', 'bc', '', '\xe9', '', 'last\r']));
    expect(await output(['--map', 'map.json', '--format', 'tsv'], cwd, '')).toBe('');
  });

  it('of a map from standard input, for keys in files', async () => {
    const cwd = folderWith({ keys: 'a\nb\n' });
    expect(await output(['keys', '--map', '-'], cwd, JSON.stringify(map))).toBe(rowsOf(['a', 'b']));
  });

  it('by another strategy, another seed and other keys', async () => {
    const cwd = folderWith({ 'map.json': map });
    const by = new Router({ shards: map.shards, strategy: 'fastrange', seed: 7n });
    const args = ['--map', 'map.json', '--strategy', 'fastrange', '--seed', '7', '--shards', '512'];
    expect(await output(args, cwd, 'a\nb\n')).toBe(rowsOf(['a', 'b'], by));
    const [node] = map.nodesOf(router.route(12n));
    expect(await output(['--map', 'map.json', '--keys', 'u64'], cwd, '12\n')).toBe(`${node}\t12\n`);
  });

  it('as the last column of CSV and TSV, in quotes where they need some', async () => {
    const odd = ShardMap.create({ shards: 64, nodes: [{ name: 'a, "b"' }, { name: 'c\u00e9' }] });
    const cwd = folderWith({ 'map.json': odd });
    const node = (key: string) => odd.nodesOf(new Router({ shards: 64 }).route(key))[0].replaceAll('"', '""');
    const csv = (key: string) => (node(key).includes(',') ? `"${node(key)}"` : node(key));
    const some = Array.from({ length: 8 }, (_, i) => `k${i}`);
    const rows = some.map((key) => `${key},1,${csv(key)}\r\n`).join('');
    const records = `k,v\r\n${some.map((key) => `${key},1\r\n`).join('')}`;
    expect(await output(['--csv', '--key', 'k', '--map', 'map.json'], cwd, records)).toBe(`k,v,node\r\n${rows}`);
    expect(new Set(some.map(node)).size).toBe(2);
    const named = ['--tsv', '--key', 'k', '--map', 'map.json', '--as-column', 'where'];
    expect(await output(named, cwd, 'k\tv\nk0\t1')).toBe(
      `k\tv\twhere\nk0\t1\t${node('k0').includes('"') ? `"${node('k0')}"` : node('k0')}\n`,
    );
    const bare = await output(['--csv', '--key', '1', '--no-header', '--map', 'map.json'], cwd, 'k1,x\n');
    expect(bare).toBe(`k1,x,${csv('k1')}\n`);
  });

  it('as the last property of NDJSON, also on threads', async () => {
    const odd = ShardMap.create({ shards: 64, nodes: [{ name: 'a"\\' }, { name: 'c\u00e9' }] });
    const cwd = folderWith({ 'map.json': odd, 'rows.ndjson': keys.map((k) => `{"k":"${k}"}\n`).join('') });
    const by = new Router({ shards: 64 });
    const expected = keys.map((k) => `${JSON.stringify({ k, node: odd.nodesOf(by.route(k))[0] })}\n`).join('');
    const args = ['route', 'rows.ndjson', '--ndjson', '--key', 'k', '--map', 'map.json'];
    for (const threads of ['1', '2']) {
      const run = await runHere([...args, '--threads', threads], { cwd });
      expect([run.code, run.stderr]).toEqual([0, '']);
      expect(run.stdout.toString() === expected).toBe(true);
    }
    expect(await output(['--ndjson', '--key', 'k', '--map', 'map.json', '--as-column', 'n'], cwd, '{"k":1}')).toBe(
      `${JSON.stringify({ k: 1, n: odd.nodesOf(by.route('1'))[0] })}\n`,
    );
  });

  it('and goes on around rows that are malformed, with --rejects', async () => {
    const cwd = folderWith({ 'map.json': map });
    const args = ['--map', 'map.json', '--keys', 'u64', '--rejects', 'bad.tsv'];
    const run = await runHere(['route', ...args], { cwd, input: ['1\nx\n2\n'] });
    expect([run.code, run.stderr]).toEqual([0, '1 row rejected: see bad.tsv\n']);
    const nodes = [1n, 2n].map((key) => `${map.nodesOf(router.route(key))[0]}\t${key}\n`);
    expect(run.stdout.toString()).toBe(nodes.join(''));
  });
});

describe('route --map --out-dir', () => {
  it('writes a file for each node, also for one without shards', async () => {
    const small = ShardMap.create({ shards: 2, nodes: [{ name: 'a' }, { name: 'b' }, { name: 'c' }] });
    const cwd = folderWith({ 'map.json': map, 'small.json': small, keys: words });
    await output(['keys', '--map', 'map.json', '--out-dir', 'nodes'], cwd);
    expect(readdirSync(join(cwd, 'nodes'))).toEqual(['db1.txt', 'db2.txt', 'db3.txt']);
    for (const { name } of map.nodes) {
      const expected = keys.filter((key) => nodeOf(key) === name);
      expect(readFileSync(join(cwd, 'nodes', `${name}.txt`), 'utf8')).toBe(`${expected.join('\n')}\n`);
    }
    await output(['keys', '--map', 'small.json', '--out-dir', 'small'], cwd);
    expect(readdirSync(join(cwd, 'small'))).toEqual(['a.txt', 'b.txt', 'c.txt']);
  });

  it('writes tables, with a manifest', async () => {
    const cwd = folderWith({ 'map.json': map });
    const table = `k\n${keys.slice(0, 99).join('\n')}\n`;
    await output(['--csv', '--key', 'k', '--map', 'map.json', '--out-dir', 'nodes'], cwd, table);
    const names = map.nodes.map(({ name }) => `${name}.csv`);
    expect(readdirSync(join(cwd, 'nodes'))).toEqual([...names, 'manifest.json']);
    const manifest = JSON.parse(readFileSync(join(cwd, 'nodes', 'manifest.json'), 'utf8'));
    expect(manifest).toMatchObject({ rows: 99, files: names.map((name) => ({ name })) });
    for (const { name, rows } of manifest.files) {
      expect(readFileSync(join(cwd, 'nodes', name), 'utf8').split('\n')).toHaveLength(rows + 2);
    }
  });

  it.each(['a/b', 'a\\b', '.', '..', `${'x'.repeat(252)}`])('refuses a node %j before it writes', async (name) => {
    const cwd = folderWith({ 'map.json': ShardMap.create({ shards: 8, nodes: [{ name: 'a' }, { name }] }) });
    const run = await runHere(['route', '--map', 'map.json', '--out-dir', 'nodes'], { cwd, input: ['a\n'] });
    const problem = 'expected names of files, without / and \\, of at most 255 bytes, got "';
    expect([run.code, run.stderr.startsWith(`error: map.json: --out-dir: ${problem}`)]).toEqual([1, true]);
    expect(readdirSync(cwd)).toEqual(['map.json']);
  });
});

describe('route --map --summary', () => {
  it('counts by node', async () => {
    const cwd = folderWith({ 'map.json': map, keys: words });
    const text = await output(['keys', '--map', 'map.json', '--summary'], cwd);
    expect(text).toMatch(/^keys +20,000\nthroughput .*\nnodes +3\nper node +min .*\ndeviation .*\n\nkeys by node\n/);
    for (const { name } of map.nodes) {
      const count = keys.filter((key) => nodeOf(key) === name).length;
      expect(text).toMatch(new RegExp(`^  ${name}  ${count.toLocaleString('en')} █+$`, 'm'));
    }
    const json = JSON.parse(await output(['keys', '--map', 'map.json', '--summary', '--json'], cwd));
    expect(Object.keys(json)).toEqual([
      ...['keys', 'seconds', 'keysPerSecond', 'nodes', 'min', 'mean', 'max', 'deviation'],
    ]);
    expect(json).toMatchObject({ keys: 20_000, nodes: 3, mean: expect.closeTo(20_000 / 3, 6) });
  });

  it('shows how many nodes have how many keys, where there are many', async () => {
    const many = ShardMap.create({ shards: 512, nodes: Array.from({ length: 40 }, (_, i) => ({ name: `n${i}` })) });
    const cwd = folderWith({ 'map.json': many, keys: words });
    expect(await output(['keys', '--map', 'map.json', '--summary'], cwd)).toMatch(/\n\nnodes by number of keys\n/);
  });
});

describe('route --map refuses', () => {
  it.each([
    [['--shards', '513'], '--shards: expected 512, the number of shards in map.json, got 513'],
    [['--as', 'kafka'], '--as cannot be combined with --map'],
    [['--down', '1'], '--down cannot be combined with --map'],
    [['--format', 'shard'], '--format: expected "tsv" with --map, got "shard"'],
    [['--format', 'u32'], '--format: expected "tsv" with --map, got "u32"'],
    [['--csv', '--key', 'a', '--format', 'tsv'], '--format: expected "shard" or "u32" for records, got "tsv"'],
    [['--as-column', 'x'], '--as-column requires --csv, --tsv or --ndjson'],
    [['--threads', '0'], '--threads: expected an integer from 1 to 256, got 0'],
    [['--out', 'map.json'], '--out: expected another file than the input, got map.json'],
    [['--out', 'x', '--rejects', 'map.json'], '--rejects: expected another file than the input, got map.json'],
  ])('%j', async (args, problem) => {
    const cwd = folderWith({ 'map.json': map });
    const run = await runHere(['route', '--map', 'map.json', ...args], { cwd, input: ['a\n'] });
    expect([run.code, run.stdout.length, run.stderr]).toEqual([2, 0, `error: ${problem}\n`]);
    expect(readdirSync(cwd)).toEqual(['map.json']);
  });

  it('standard input for keys and the map', async () => {
    const run = await runHere(['route', '--map', '-'], { input: [] });
    expect(run.stderr).toBe('error: expected only one of FILE and --map from standard input, got both as -\n');
    expect(run.code).toBe(2);
  });

  it.each(NO_MAPS)('what is no map: %s', async (_, contents, problem) => {
    const cwd = folderWith({ 'x.json': contents });
    const run = await runHere(['route', '--map', 'x.json', '--out', 'rows'], { cwd, input: ['a\n'] });
    expect([run.code, run.stderr]).toEqual([1, `error: x.json: ${problem}\n`]);
    expect(existsSync(join(cwd, 'rows'))).toBe(false);
  });
});
