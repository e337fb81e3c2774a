import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ShardMap } from '../../src/map/index.js';
import { shardbits, temporaryFolder } from '../support/cli.js';
import { runHere } from '../support/run-here.js';
import { describeWithSqlite } from '../support/sqlite.js';
import { folderWith, map, NO_MAPS, next } from './maps.js';

const STORE = 'ids.db';
const CREATE = ['map', 'create', '--shards', '512', '--nodes', 'db1=2@eu,db2@eu,db3@us', '--replicas', '2'];

const json = (some: ShardMap): string => `${JSON.stringify(some)}\n`;

/** Checks what a command prints, and that it writes this to standard error: nothing by default. */
async function output(args: string[], cwd: string, stderr = '', input?: string): Promise<string> {
  const run = await runHere(['map', ...args], { cwd, ...(input !== undefined && { input: [input] }) });
  expect([run.code, run.stderr]).toEqual([0, stderr]);
  return run.stdout.toString();
}

async function refused(args: string[], cwd: string, code: 1 | 2, problem: string): Promise<void> {
  const run = await runHere(['map', ...args], { cwd, input: [] });
  expect([run.code, run.stdout.length, run.stderr]).toEqual([code, 0, `error: ${problem}\n`]);
}

describe('map create', () => {
  it('prints the first version, as a process', async () => {
    const { code, stdout, stderr } = await shardbits(CREATE);
    expect([code, stderr, stdout.toString()]).toEqual([0, '', json(map)]);
  });

  it('writes it to --out, which appears only when it is complete', async () => {
    const folder = temporaryFolder();
    expect(await output([...CREATE.slice(1), '--out', 'map.json'], folder)).toBe('');
    expect(readdirSync(folder)).toEqual(['map.json']);
    expect(readFileSync(join(folder, 'map.json'), 'utf8')).toBe(json(map));
  });

  it('takes lists again and again, weights with decimals, and names with spaces', async () => {
    const args = ['create', '--shards', '64', '--nodes', 'a=0.5,b c@r 1', '--nodes', 'd=1e3'];
    const nodes = [
      { name: 'a', weight: 0.5 },
      { name: 'b c', zone: 'r 1' },
      { name: 'd', weight: 1000 },
    ];
    expect(await output(args, '.')).toBe(json(ShardMap.create({ shards: 64, nodes })));
  });

  it.each([
    [[], '--shards is required'],
    [['--shards', '8'], '--nodes is required'],
    [['--shards', '0', '--nodes', 'a'], '--shards: expected an integer from 1 to 16777216, got 0'],
    [['--shards', '8', '--nodes', 'a,a'], '--nodes: expected each node once, got "a" again'],
    [['--shards', '8', '--nodes', 'a=0'], '--nodes: expected a weight above 0, at most 1000000000, for a, got "0"'],
    [['--shards', '8', '--nodes', 'a=-1'], '--nodes: expected a weight above 0, at most 1000000000, for a, got "-1"'],
    [['--shards', '8', '--nodes', 'a=two'], '--nodes: expected a weight above 0, at most 1000000000, for a, got "two"'],
    [['--shards', '8', '--nodes', 'a=2e9'], '--nodes: expected a weight above 0, at most 1000000000, for a, got "2e9"'],
    [['--shards', '8', '--nodes', 'a='], '--nodes: expected a weight above 0, at most 1000000000, for a, got ""'],
    ...['', 'a,', 'a@', '@eu', 'a@eu=2', 'a@b@c'].map((nodes): [string[], string] => [
      ['--shards', '8', '--nodes', nodes],
      `--nodes: expected NAME, NAME=WEIGHT, NAME@ZONE or NAME=WEIGHT@ZONE, got "${nodes.replace('a,', '')}"`,
    ]),
    [
      ['--shards', '8', '--nodes', 'a,b\t'],
      'the name of a node: expected 1 to 255 characters, none of them a control character, got "b\\t"',
    ],
    [
      ['--shards', '8', '--nodes', 'a,b', '--replicas', '3'],
      '--replicas: expected an integer from 1 to 2, the number of nodes, got 3',
    ],
    [['--shards', '8', '--nodes', 'a,b', '--replicas', '0'], '--replicas: expected an integer from 1 to 2, got 0'],
  ])('refuses %j', async (args, problem) => refused(['create', ...args], '.', 2, problem));
});

describe('map change', () => {
  const folder = () => folderWith({ 'map.json': map });
  const nodes = map.nodes;

  it('prints the next version, and how many copies move', async () => {
    const moves = map.movesTo(next).length;
    const printed = await output(
      ['change', 'map.json', '--add', 'db4@us'],
      folder(),
      `version 2: ${moves} of 1024 copies move\n`,
    );
    expect(printed).toBe(json(next));
  });

  it('changes nodes in all ways at once', async () => {
    const args = ['--add', 'db4=3', '--remove', 'db2', '--weight', 'db1=1', '--zone', 'db1=asia,db3='];
    const run = await runHere(['map', 'change', 'map.json', ...args], { cwd: folder() });
    const changed = map.with({
      nodes: [{ name: 'db1', weight: 1, zone: 'asia' }, { name: 'db3' }, { name: 'db4', weight: 3 }],
    });
    expect([run.code, run.stdout.toString()]).toEqual([0, json(changed)]);
  });

  it('tells copies that come or go from those that move', async () => {
    const cwd = folder();
    const more = map.with({ replicas: 3 });
    expect(
      await output(['change', 'map.json', '--replicas', '3'], cwd, 'version 2: 0 of 1536 copies move, 512 are added\n'),
    ).toBe(json(more));
    const args = ['change', 'map.json', '--replicas', '1'];
    const { stderr } = await runHere(['map', ...args], { cwd });
    expect(stderr).toMatch(/^version 2: \d+ of 512 copies move, 512 are dropped\n$/);
  });

  it.each([
    [[], 'expected --add, --remove, --weight, --zone or --replicas, got none'],
    [['--remove', 'db22'], '--remove: expected the name of a node of the map, got "db22" (Did you mean db2?)'],
    [['--weight', 'db7=2'], '--weight: expected the name of a node of the map, got "db7" (Did you mean db1?)'],
    [['--zone', 'x=eu'], '--zone: expected the name of a node of the map, got "x"'],
    [['--remove', 'db1', '--zone', 'db1=eu'], /^error: --zone: expected the name of a node of the map, got "db1"/],
    [['--add', 'db9', '--weight', 'db9=2'], /^error: --weight: expected the name of a node of the map, got "db9"/],
    [['--weight', 'db1'], '--weight: expected NAME=WEIGHT, got "db1"'],
    [['--weight', 'db1=0'], '--weight: expected a weight above 0, at most 1000000000, for db1, got "0"'],
    [['--weight', 'db1=1,db1=2'], '--weight: expected each node once, got "db1" again'],
    [['--zone', 'db1'], '--zone: expected NAME=ZONE, got "db1"'],
    [['--remove', 'db1=2'], '--remove: expected the name of a node, got "db1=2"'],
    [['--add', 'db2'], '--add: expected the name of a new node, got "db2", which the map has'],
    [['--add', 'db2', '--remove', 'db2'], '--add: expected the name of a new node, got "db2", which the map has'],
    [['--add', 'd=-2'], '--add: expected a weight above 0, at most 1000000000, for d, got "-2"'],
    [['--remove', 'db1,db2'], '--remove: expected to leave 2 nodes, one for each copy of a shard, got 1'],
    [['--remove', 'db1,db2,db3'], '--remove: expected at least one node to stay, got all 3'],
    [['--replicas', '4'], '--replicas: expected an integer from 1 to 3, the number of nodes, got 4'],
    [['--replicas', '0'], '--replicas: expected an integer from 1 to 3, got 0'],
    [['--add', 'x', '--out', './map.json'], '--out: expected another file than the input, got ./map.json'],
  ])('refuses %j', async (args, problem) => {
    const cwd = folder();
    const run = await runHere(['map', 'change', 'map.json', ...args], { cwd });
    const expected = typeof problem === 'string' ? `error: ${problem}\n` : expect.stringMatching(problem);
    expect([run.code, run.stdout.length, run.stderr]).toEqual([2, 0, expected]);
    expect(readFileSync(join(cwd, 'map.json'), 'utf8')).toBe(json(map));
  });

  it('leaves names alone that cannot be written here', async () => {
    const odd = map.with({ nodes: [...nodes, { name: 'a,b=c@d' }] });
    const printed = await output(['show', 'odd.json', '--json'], folderWith({ 'odd.json': odd }));
    expect(JSON.parse(printed).nodes[0].node).toBe('a,b=c@d');
    const run = await runHere(['map', 'change', 'odd.json', '--weight', 'db1=2'], {
      cwd: folderWith({ 'odd.json': odd }),
    });
    expect([run.code, JSON.parse(run.stdout.toString()).nodes]).toEqual([0, odd.nodes]);
  });
});

describe('map moves', () => {
  it('lists them as a table, and as objects', async () => {
    const cwd = folderWith({ 'a.json': map, 'b.json': next });
    const moves = map.movesTo(next);
    const rows = moves.map(({ shard, from, to, primary }) => `${shard}\t${from}\t${to}\t${primary}\n`);
    expect(await output(['moves', 'a.json', 'b.json'], cwd)).toBe(`shard\tfrom\tto\tprimary\n${rows.join('')}`);
    const objects = await output(['moves', 'a.json', 'b.json', '--json'], cwd);
    expect(objects).toBe(moves.map((move) => `${JSON.stringify(move)}\n`).join(''));
    expect(await output(['moves', 'a.json', 'a.json'], cwd)).toBe('shard\tfrom\tto\tprimary\n');
  });

  it('leaves empty what there is not', async () => {
    const small = ShardMap.create({ shards: 1, nodes: [{ name: 'a' }, { name: 'b' }] });
    const cwd = folderWith({ '1.json': small, '2.json': small.with({ replicas: 2 }) });
    const other = small.nodesOf(0)[0] === 'a' ? 'b' : 'a';
    expect(await output(['moves', '1.json', '2.json'], cwd)).toMatch(new RegExp(`\n0\t\t${other}\t(true|false)\n$`));
    expect(await output(['moves', '2.json', '1.json'], cwd)).toMatch(/\n0\t[ab]\t\t(true|false)\n$/);
  });

  it('refuses maps of different numbers of shards, and standard input for both', async () => {
    const other = ShardMap.create({ shards: 8, nodes: [{ name: 'a' }] });
    const cwd = folderWith({ 'a.json': map, 'b.json': other });
    await refused(['moves', 'a.json', 'b.json'], cwd, 2, 'NEXT: expected a map of 512 shards, as in MAP, got one of 8');
    const both = 'expected only one of MAP and NEXT from standard input, got both as -';
    await refused(['moves', '-', '-'], cwd, 2, both);
  });
});

describe('map show', () => {
  it('shows what each node holds, and who is limited', async () => {
    const text = await output(['show', 'map.json'], folderWith({ 'map.json': map }));
    const lines = text.split('\n');
    expect(lines.slice(0, 6)).toEqual([
      'version   1',
      `digest    ${map.digest}`,
      'shards    512',
      'replicas  2',
      '',
      'node  zone  weight  primaries  copies  ideal',
    ]);
    const [db1, db2, db3] = map.balance().map(({ copies, ideal }) => [copies, ideal.toFixed(1)]);
    expect(lines[6]).toMatch(new RegExp(`^db1   eu         2        256     ${db1?.[0]}  ${db1?.[1]} █{27}$`));
    expect(lines[7]).toMatch(new RegExp(`^db2   eu         1        128     ${db2?.[0]}  ${db2?.[1]} █{13}$`));
    expect(lines[8]).toMatch(new RegExp(`^db3   us         1        128     ${db3?.[0]}  ${db3?.[1]} █{40}$`));
    expect(lines.slice(9)).toEqual([
      '',
      "db1, db2: less than their weights' share, because no zone may hold two copies of a shard",
      '',
    ]);
  });

  it('says so of nodes without zones, too, and nothing where nobody is limited', async () => {
    const nodes = [{ name: 'a', weight: 9 }, { name: 'b' }, { name: 'c' }];
    const cwd = folderWith({
      'heavy.json': ShardMap.create({ shards: 8, nodes, replicas: 2 }),
      'even.json': ShardMap.create({ shards: 8, nodes }),
    });
    expect(await output(['show', 'heavy.json'], cwd)).toMatch(
      /\n\na: less than its weight's share, because no node may hold two copies of a shard\n$/,
    );
    expect(await output(['show', 'even.json'], cwd)).toMatch(/\d\.\d █+\n$/);
  });

  it('shows the same as JSON', async () => {
    const text = await output(['show', 'map.json', '--json'], folderWith({ 'map.json': map }));
    const nodes = map.balance().map((balance, i) => ({ ...map.nodes[i], name: undefined, ...balance }));
    const { version, digest, shards, replicas, limited } = map;
    expect(JSON.parse(text)).toEqual({ version, digest, shards, replicas, nodes, limited });
  });

  it.each(NO_MAPS)('names the file that is no map: %s', async (_, contents, problem) => {
    await refused(['show', 'x.json'], folderWith({ 'x.json': contents }), 1, `x.json: ${problem}`);
  });

  it('says which file cannot be read', async () => {
    await refused(['show', 'no.json'], '.', 1, 'no.json: no such file or directory');
    await refused(['show', 'src'], '.', 1, 'src: illegal operation on a directory');
    await refused(['show', '-'], '.', 1, '-: expected the JSON of a shard map, got nothing');
  });
});

describe('map commands', () => {
  it('work in a pipe', () => {
    const cli = `"${process.execPath}" dist/cli.js`;
    const pipe = `${cli} ${CREATE.join(' ')} | ${cli} map change - --add db4@us | ${cli} map show - --json`;
    const { status, stdout, stderr } = spawnSync('sh', ['-c', pipe], { encoding: 'utf8' });
    expect([status, stderr]).toEqual([0, `version 2: ${map.movesTo(next).length} of 1024 copies move\n`]);
    expect(JSON.parse(stdout)).toMatchObject({ version: 2, nodes: next.balance() });
  });

  it('take a map with a byte order mark', async () => {
    expect(await output(['change', '-', '--add', 'db4@us'], '.', expect.any(String), `\ufeff${json(map)}`)).toBe(
      json(next),
    );
  });

  it('suggest the nearest', async () => {
    expect(await runHere(['map', 'chang'])).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/unknown command 'chang'\n\(Did you mean change\?\)/),
    });
  });
});

describeWithSqlite('map publish and map get', () => {
  it('keep the last version', async () => {
    const cwd = folderWith({ '1.json': map, '2.json': next });
    const store = ['--store', STORE];
    expect(await output(['publish', '1.json', ...store], cwd, 'published version 1 in ids.db\n')).toBe('');
    expect(await output(['get', ...store], cwd)).toBe(json(map));
    await output(['publish', '2.json', ...store], cwd, 'published version 2 in ids.db\n');
    const again = 'ids.db has version 2 already; nothing was changed\n';
    await output(['publish', '2.json', ...store], cwd, again);
    expect(await output(['get', ...store, '--out', 'got.json'], cwd)).toBe('');
    expect(readFileSync(join(cwd, 'got.json'), 'utf8')).toBe(json(next));
  });

  it('refuse a version that is not the next one, with that of the store', async () => {
    const cwd = folderWith({ '1.json': map, '2.json': next });
    const none = `${STORE}: the store has no map; version 2 cannot be published, the next one is 1`;
    await refused(['publish', '2.json', '--store', STORE], cwd, 1, none);
    await output(['publish', '1.json', '--store', STORE], cwd, 'published version 1 in ids.db\n');
    await output(['publish', '2.json', '--store', STORE], cwd, 'published version 2 in ids.db\n');
    const again = 'Make the change again from the map of the store';
    const older = `${STORE}: the store has version 2 of the map; version 1 cannot be published, the next one is 3. ${again}`;
    await refused(['publish', '1.json', '--store', STORE], cwd, 1, older);
    const other = map.with({ replicas: 1 });
    writeFileSync(join(cwd, '3.json'), json(other.with({})));
    const parent =
      `${STORE}: version 3 was made from the map ${other.digest}, ` +
      `but the store has another one as version 2, ${next.digest}. ${again}`;
    await refused(['publish', '3.json', '--store', STORE], cwd, 1, parent);
  });

  it('refuse a map of another number of shards', async () => {
    const other = ShardMap.create({ shards: 8, nodes: [{ name: 'a' }] });
    const cwd = folderWith({ '1.json': map, 'other.json': other.with({}) });
    await output(['publish', '1.json', '--store', STORE], cwd, 'published version 1 in ids.db\n');
    const problem = `other.json: expected a map of 512 shards, as in ${STORE}, got one of 8`;
    await refused(['publish', 'other.json', '--store', STORE], cwd, 1, problem);
  });

  it('say that there is no store, no map or no --store', async () => {
    const cwd = folderWith({ '1.json': map });
    await refused(['get', '--store', STORE], cwd, 1, `${STORE}: no such file or directory`);
    await refused(['publish', 'no.json', '--store', STORE], cwd, 1, 'no.json: no such file or directory');
    expect(readdirSync(cwd)).toEqual(['1.json']);
    await runHere(['intern', '--store', STORE], { cwd, input: ['a\n'] });
    await refused(['get', '--store', STORE], cwd, 1, `${STORE}: no map has been published there`);
    await refused(['get'], cwd, 2, '--store is required');
    await refused(['publish', '1.json'], cwd, 2, '--store is required');
    const out = `--out: expected another file than the input, got ${STORE}`;
    await refused(['get', '--store', STORE, '--out', STORE], cwd, 2, out);
  });
});
