import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { Router } from '../../src/index.js';
import { ShardMap } from '../../src/map/index.js';
import { partitioner } from '../../src/partitioners/index.js';
import { runHere } from '../support/run-here.js';
import { folderWith } from './maps.js';

const SERVERS = [
  { name: '10.0.0.1:11211', weight: 1 },
  { name: '10.0.0.2:11211', weight: 2 },
  { name: 'c', weight: 3 },
];
const FILE = '10.0.0.1:11211\r\n\n  10.0.0.2:11211,2\nc \t3\n';
const NEXT = `${FILE}d, 2\n`;
const NAMES = [...SERVERS, { name: 'd', weight: 2 }].map(({ name }) => name);

const KEYS = Array.from({ length: 2000 }, (_, i) => `é${i}`);
const INPUT = KEYS.map((key) => `${key}\n`).join('');

const RINGS = [
  [
    'ketama',
    partitioner('ketama', { servers: SERVERS }),
    partitioner('ketama', { servers: [...SERVERS, { name: 'd', weight: 2 }] }),
  ],
  [
    'ketama:hashring',
    partitioner('ketama', { servers: SERVERS, variant: 'hashring' }),
    partitioner('ketama', { servers: [...SERVERS, { name: 'd', weight: 2 }], variant: 'hashring' }),
  ],
  [
    'ketama:plain',
    partitioner('ketama', { servers: SERVERS, variant: 'plain' }),
    partitioner('ketama', { servers: [...SERVERS, { name: 'd', weight: 2 }], variant: 'plain' }),
  ],
  [
    'nginx',
    partitioner('nginx', { servers: SERVERS }),
    partitioner('nginx', { servers: [...SERVERS, { name: 'd', weight: 2 }] }),
  ],
] as const;

const folder = () => folderWith({ 'servers.txt': FILE, 'next.txt': NEXT, 'map.json': MAP });
const MAP = ShardMap.create({ shards: 64, nodes: [{ name: 'c', weight: 2 }, { name: 'd' }] });

async function output(args: string[], cwd: string, input = INPUT, code = 0): Promise<string> {
  const run = await runHere(args, { cwd, input: [input] });
  expect([run.code, run.stderr]).toEqual([code, '']);
  return run.stdout.toString();
}

describe.each(RINGS)('--as %s --servers', (as, ring, next) => {
  const nodes = KEYS.map((key) => NAMES[ring.route(key)] as string);
  const rows = KEYS.map((key, i) => `${nodes[i]}\t${key}\n`).join('');
  const OF_RING = ['--as', as, '--servers', 'servers.txt'];

  it('routes keys to the names of servers', async () => {
    const cwd = folder();
    expect(await output(['route', ...OF_RING], cwd)).toBe(rows);
    const csv = await output(['route', ...OF_RING, '--csv', '--key', 'k'], cwd, `k\n${INPUT}`);
    expect(csv).toBe(`k,node\n${KEYS.map((key, i) => `${key},${nodes[i]}\n`).join('')}`);
    const summary = JSON.parse(await output(['route', ...OF_RING, '--summary', '--json'], cwd));
    expect(summary).toMatchObject({ keys: 2000, nodes: 3 });
    await output(['route', ...OF_RING, '--out-dir', 'out'], cwd);
    expect(readdirSync(join(cwd, 'out')).sort()).toEqual(['10.0.0.1:11211.txt', '10.0.0.2:11211.txt', 'c.txt']);
    const ofC = KEYS.filter((_, i) => nodes[i] === 'c');
    expect(readFileSync(join(cwd, 'out/c.txt'), 'utf8')).toBe(ofC.map((key) => `${key}\n`).join(''));
  });

  it('audits rows on servers', async () => {
    const cwd = folder();
    const fit = { rows: 2000, fit: 2000, misplaced: 0, pairs: [] };
    expect(JSON.parse(await output(['audit', ...OF_RING, '--json'], cwd, rows))).toEqual(fit);
    const args = ['audit', '--as', as, '--servers', 'next.txt', '--json'];
    const { pairs, misplaced } = JSON.parse(await output(args, cwd, rows, 1));
    const moved = KEYS.filter((key, i) => NAMES[next.route(key)] !== nodes[i]);
    expect(misplaced).toBe(moved.length);
    expect(pairs.reduce((sum: number, { count }: { count: number }) => sum + count, 0)).toBe(moved.length);
    await output(['route', ...OF_RING, '--out-dir', 'out'], cwd);
    expect(JSON.parse(await output(['audit', 'out', ...OF_RING, '--json'], cwd))).toEqual(fit);
  });

  it('is named by detect', async () => {
    const report = JSON.parse(await output(['detect', '--servers', 'servers.txt', '--json'], folder(), rows));
    expect(report).toMatchObject({ shards: 3, verdict: { agree: 2000, options: `--as ${as} --servers FILE` } });
  });

  it('plans to other servers, to a map and to a Router', async () => {
    const cwd = folder();
    const flowsTo = (placeOf: (key: string) => string) => {
      const counts: { [flow: string]: number } = {};
      for (const [i, key] of KEYS.entries()) {
        const to = placeOf(key);
        if (to !== nodes[i]) counts[`${nodes[i]} ${to}`] = (counts[`${nodes[i]} ${to}`] ?? 0) + 1;
      }
      return counts;
    };
    const planned = async (...args: string[]) => {
      const plan = JSON.parse(await output(['plan', ...OF_RING, ...args, '--json'], cwd));
      const flows = Object.fromEntries(
        plan.flows.map(({ from, to, count }: { from: string; to: string; count: number }) => [`${from} ${to}`, count]),
      );
      return { ...plan, flows };
    };
    const toServers = await planned('--to-servers', 'next.txt');
    expect(toServers.flows).toEqual(flowsTo((key) => NAMES[next.route(key)] as string));
    expect(toServers.ideal).toBeCloseTo(2000 * (2 / 8), 6);
    const router = new Router({ shards: 64, seed: 7n });
    const toMap = await planned('--to-map', 'map.json', '--seed', '7');
    expect(toMap.flows).toEqual(flowsTo((key) => MAP.nodesOf(router.route(key))[0] as string));
    const share = MAP.shardsOf('c').length / 64;
    expect(toMap.ideal).toBeCloseTo(2000 * (share - 3 / 6 + (1 - share)), 6);
    // Servers have names, and the shards of a Router do not: all keys move.
    const toRouter = await planned('--to-router', '3', '--strategy', 'modulo');
    expect(toRouter).toMatchObject({ total: 2000, moved: 2000, ideal: expect.closeTo(2000, 6) });
    const modulo = new Router({ shards: 3, strategy: 'modulo' });
    expect(toRouter.flows).toEqual(flowsTo((key) => String(modulo.route(key))));
    for (const flow of Object.keys(toRouter.flows)) expect(flow).toMatch(/^\S+ [012]$/);
  });
});

describe('plan from another system', () => {
  const kafka = partitioner('kafka', { partitions: 12 });

  it('to a Router, and to a map', async () => {
    const cwd = folder();
    const router = new Router({ shards: 7, strategy: 'fastrange' });
    const args = ['plan', '--as', 'kafka', '--from', '12', '--to-router', '7', '--strategy', 'fastrange', '--json'];
    const plan = JSON.parse(await output(args, cwd));
    expect(plan.moved).toBe(KEYS.filter((key) => kafka.route(key) !== router.route(key)).length);
    const toMap = JSON.parse(
      await output(['plan', '--as', 'kafka', '--from', '12', '--to-map', 'map.json', '--json'], cwd),
    );
    expect(toMap).toMatchObject({ moved: 2000, ideal: expect.closeTo(2000, 6) });
    const inOrder = [...toMap.flows].sort((a, b) => a.from - b.from || (a.to < b.to ? -1 : 1));
    expect(toMap.flows).toEqual(inOrder);
    const map = new Router({ shards: MAP.shards });
    for (const { from, to, count } of toMap.flows) {
      const there = KEYS.filter((key) => kafka.route(key) === from && MAP.nodesOf(map.route(key))[0] === to);
      expect(count).toBe(there.length);
    }
  });

  it('by integers, which are the u64s of a Router', async () => {
    const ids = BigInt64Array.from({ length: 1000 }, (_, i) => BigInt(i) * 41771983423143n - 5n);
    const discord = partitioner('discord', { shards: 16 }).routeMany(ids);
    const router = new Router({ shards: 16 }).routeMany(new BigUint64Array(ids.buffer));
    const args = ['plan', '--as', 'discord', '--from', '16', '--to-router', '16', '--json'];
    const { moved } = JSON.parse(await output(args, folder(), ids.join('\n')));
    expect(moved).toBe(discord.filter((shard, row) => shard !== router[row]).length);
  });

  it('by integers of 32 bits and by UUIDs, which are u64s and texts of a Router', async () => {
    const args = ['plan', '--as', 'kafka', '--from', '16', '--to-router', '16', '--json', '--keys'];
    const moved = async (kind: string, keys: Iterable<unknown>) =>
      JSON.parse(await output([...args, kind], folder(), [...keys].join('\n'))).moved;
    const ints = Int32Array.from({ length: 1000 }, (_, i) => i * 1234567 - 5);
    const uuids = Array.from(
      { length: 1000 },
      (_, i) => `0000${i % 2 ? 'ABCD' : 'abcd'}-0000-4000-8000-${String(i).padStart(12, '0')}`,
    );
    const router = new Router({ shards: 16 });
    const ofInts = partitioner('kafka', { partitions: 16, key: 'int32' }).routeMany(ints);
    const ofUuids = partitioner('kafka', { partitions: 16, key: 'uuid' }).routeMany(uuids);
    expect(await moved('int32', ints)).toBe(
      ofInts.filter((partition, row) => partition !== router.route(BigInt.asUintN(64, BigInt(ints[row])))).length,
    );
    expect(await moved('uuid', uuids)).toBe(
      ofUuids.filter((partition, row) => partition !== router.route(uuids[row])).length,
    );
  });
});

describe('misuse of servers exits with 2', () => {
  it.each([
    [['route', '--as', 'ketama'], '--as ketama requires --servers'],
    [
      ['route', '--as', 'nginx', '--shards', '3', '--servers', 'servers.txt'],
      '--shards cannot be combined with --as nginx, which has --servers',
    ],
    [
      ['route', '--as', 'kafka', '--shards', '3', '--servers', 'servers.txt'],
      '--servers requires --as ketama or --as nginx',
    ],
    [['route', '--shards', '3', '--servers', 'servers.txt'], '--servers requires --as ketama or --as nginx'],
    [
      ['route', '--as', 'nginx', '--servers', '-'],
      'expected only one of FILE and --servers from standard input, got both as -',
    ],
    [
      ['route', '--as', 'nginx', '--servers', 'servers.txt', '--format', 'shard'],
      '--format: expected "tsv" with --servers, got "shard"',
    ],
    [['route', '--as', 'nginx', '--servers', 'servers.txt', '--seed', '3'], '--seed cannot be combined with --as'],
    [
      ['route', '--as', 'nginx', '--servers', 'servers.txt', '--out', 'servers.txt'],
      '--out: expected another file than the input, got servers.txt',
    ],
    [['route', '--as', 'nginx', '--servers', 'empty'], '--servers: expected 1 to 65535 servers, got 0'],
    [
      ['route', '--as', 'nginx', '--servers', 'heavy'],
      '--servers: the weight of server 1: expected an integer from 1 to 65536, got 65537',
    ],
    [['detect', '--servers', 'empty'], '--servers: expected 1 to 65535 servers, got 0'],
    [['detect', '--servers', 'servers.txt', '--shards', '3'], '--shards cannot be combined with --servers'],
    [
      ['plan', '--as', 'nginx', '--servers', 'servers.txt'],
      '--as nginx requires --to-servers, --to-router or --to-map',
    ],
    [
      ['plan', '--as', 'nginx', '--servers', 'servers.txt', '--to', '3'],
      '--as nginx requires --to-servers, --to-router or --to-map',
    ],
    [
      ['plan', '--as', 'nginx', '--servers', 'servers.txt', '--from', '3', '--to-router', '3'],
      '--from cannot be combined with --servers',
    ],
    [
      ['plan', '--as', 'nginx', '--servers', 'servers.txt', '--to-router', '3', '--to-map', 'map.json'],
      'expected only one of --to-router and --to-map',
    ],
    [
      ['plan', '--as', 'nginx', '--servers', 'servers.txt', '--to-servers', 'next.txt', '--seed', '3'],
      '--seed cannot be combined with --as',
    ],
    [
      ['plan', '--as', 'kafka', '--from', '3', '--to-servers', 'next.txt'],
      '--to-servers requires --as ketama or --as nginx',
    ],
    [
      ['plan', '--from', '3', '--to-router', '3'],
      '--to-router requires --as; without it, --to is the number of shards of a Router',
    ],
    [['plan', '--as', 'kafka', '--from', '3'], '--as kafka requires --to, --to-router or --to-map'],
    [['plan', '--as', 'redis'], '--as redis requires --to-router or --to-map'],
  ])('%j', async (args, problem) => {
    const cwd = folderWith({
      'servers.txt': FILE,
      'next.txt': NEXT,
      'map.json': MAP,
      empty: '',
      heavy: 'a,65537\n',
    });
    const { code, stdout, stderr } = await runHere(args, { cwd, input: ['a\n'] });
    expect([code, stdout.length]).toEqual([2, 0]);
    const message = /^error: (.*)\n$/s.exec(stderr)?.[1];
    if (typeof problem === 'string') expect(message).toBe(problem);
    else expect(message).toMatch(problem);
  });

  it.each([
    ['a\nb,x\n', 2, 'NAME or NAME,WEIGHT, got "b,x"'],
    ['a\n\nb, 0\n', 3, 'a weight of 1 or more, got "b, 0"'],
    ['a\nb\na 2\n', 3, 'a name that no line before has, got "a 2"'],
  ])('or with 1 for a file that is not one of servers, and names its line: %j', async (text, line, expected) => {
    const cwd = folderWith({ 'servers.txt': text, 'next.txt': 'a\n' });
    for (const args of [
      ['route', '--as', 'nginx', '--servers', 'servers.txt'],
      ['plan', '--as', 'nginx', '--servers', 'next.txt', '--to-servers', 'servers.txt'],
    ]) {
      const { code, stderr } = await runHere(args, { cwd, input: ['a\n'] });
      expect([code, stderr]).toEqual([1, `error: servers.txt:${line}: expected ${expected}\n`]);
    }
  });

  it('or with 1 for rows that are on other servers, in detect', async () => {
    const { code, stderr } = await runHere(['detect', '--servers', 'servers.txt'], {
      cwd: folder(),
      input: ['c\ta\nx\tb\n'],
    });
    expect([code, stderr]).toEqual([1, 'error: -:2: expected one of 3 names, such as 10.0.0.1:11211, got "x"\n']);
  });
});
