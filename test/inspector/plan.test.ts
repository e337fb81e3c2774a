import { describe, expect, it } from 'vitest';
import { planReshard, Router } from '../../src/index.js';
import { commandFor } from '../../src/inspector/decode/keys/command.js';
import { planKeys } from '../../src/inspector/decode/keys/plan.js';
import { keyListOf } from '../../src/inspector/decode/keys/read.js';
import { isGrowing, nodesIn, type PlanSettings, routingsOf, thenOf } from '../../src/inspector/decode/keys/routing.js';
import { DEFAULTS } from '../../src/inspector/decode/settings.js';
import { leastMoved, placementOf, ShardMap } from '../../src/map/index.js';
import { partitioner } from '../../src/partitioners/index.js';
import { COMMANDS, KEYS, movesOf, plan } from './plans.js';

/** The keys of shards whose primary node changes, by the nodes before and after. */
function flowsBetween(from: ShardMap, to: ShardMap, counts: Float64Array) {
  const flows = new Map<string, { from: string; to: string; count: number }>();
  for (const [shard, count] of counts.entries()) {
    const [before, after] = [from, to].map((map) => map.nodesOf(shard)[0]);
    if (before === after || count === 0) continue;
    const flow = flows.get(`${before} ${after}`) ?? { from: before, to: after, count: 0 };
    flows.set(`${before} ${after}`, { ...flow, count: flow.count + count });
  }
  const all = [...flows.values()];
  return { moved: all.reduce((sum, { count }) => sum + count, 0), flows: all };
}

describe('Then', () => {
  it.each<[string, Partial<PlanSettings>, object]>([
    ['a quarter more', { n: '16' }, { by: 'jump', n: '20', seed: '', down: '' }],
    ['the number that is typed', { n: '16', toN: '20' }, { n: '20' }],
    ['another system with as many shards', { by: 'kafka', n: '12', toBy: 'jump' }, { by: 'jump', n: '12' }],
    ['what Now is, where nothing is typed', { seed: '7', down: '3', toN: '20' }, { seed: '7', down: '3', n: '20' }],
    ['another seed', { seed: '7', toSeed: '8' }, { seed: '8', n: '16' }],
    ['without shards that are down', { down: '3', toDown: 'none' }, { down: '', n: '16' }],
    ['other shards that are down', { down: '3', toDown: '4' }, { down: '4', n: '16' }],
    ['as many shards on other nodes', { nodes: 'a,b', toNodes: 'a,b,c' }, { nodes: 'a,b,c', n: '16' }],
    ['as many shards as a ring has servers', { by: 'nginx', nodes: 'a,b,c', toBy: 'jump' }, { n: '3', nodes: 'a,b,c' }],
  ])('is %s', (_, changes, expected) => {
    expect(routingsOf({ ...DEFAULTS, ...changes }).to).toMatchObject(expected);
  });

  it('follows Now where it is empty', () => {
    const settings = { ...DEFAULTS, toN: '20' };
    expect(thenOf({ ...settings, by: 'modulo', seed: '3' }, 12)).toMatchObject({ by: 'modulo', n: '20', seed: '3' });
    expect(isGrowing(settings)).toBe(true);
  });

  it.each<[Partial<PlanSettings>, RegExp]>([
    [{ by: 'redis' }, /^redis has a fixed number of slots, so there are never more\. Choose/],
    [{ by: 'couchbase' }, /^couchbase has 1024 vBuckets by default\. Type a number for Then/],
    [{ by: 'cassandra' }, /tokens only/],
    [{ toBy: 'cassandra' }, /tokens only/],
    [{ n: '2147483647' }, /^There is no plan: "shards": expected .*, got 2684354559$/],
    [{ n: '100000', toBy: 'flink' }, /^There is no plan: "maxParallelism": expected/],
    [{ nodes: 'a,b' }, /^Type the nodes, or the shards, of Then/],
    [{ by: 'ketama', nodes: 'a,b' }, /^Type the nodes of Then/],
    [{ toNodes: 'a,b' }, /^Only Then has nodes/],
    [{ nodes: 'a,b', toBy: 'kafka' }, /^Only Now has nodes, with which the partitions/],
  ])('is missing, and %j is told why', (changes, why) => {
    const { next, moves, now } = plan(changes);
    expect(next).toMatch(why);
    expect(moves).toBeUndefined();
    expect(now.bars.flat().reduce((a, b) => a + b, 0)).toBe(changes.by === 'cassandra' ? 0 : KEYS.length);
  });

  it.each<[Partial<PlanSettings>, side: string, argument: string, message: RegExp]>([
    [{ n: '0' }, 'now', 'shards', /got 0$/],
    [{ toN: '0' }, 'next', 'shards', /got 0$/],
    [{ toN: '3', down: '5' }, 'next', 'down', /from 0 to 2, got 5$/],
    [{ by: 'kafka', toBy: 'citus', toN: 'x' }, 'next', 'shards', /got "x"$/],
    [{ by: 'ketama' }, 'now', 'nodes', /^ketama needs its servers/],
    [{ by: 'jump', toBy: 'nginx' }, 'next', 'nodes', /^nginx needs its servers/],
    [{ nodes: 'db-1, db-2:0' }, 'now', 'nodes', /^db-2: weight: expected a number above 0, at most 1000000000, got 0$/],
    [{ nodes: 'db-1, db-2:' }, 'now', 'nodes', /^db-2: weight: expected/],
    [{ by: 'nginx', nodes: 'a, b:1.5' }, 'now', 'nodes', /^b: weight: expected an integer from 1 to 65536, got 1.5$/],
    [{ nodes: 'a', toNodes: 'db-1, db-1' }, 'next', 'nodes', /^db-1: expected a name that no other node has$/],
    [{ n: '20000000', nodes: 'a' }, 'now', 'nodes', /^expected at most 16777216 shards on nodes, got 20000000$/],
  ])('%j is explained', (changes, side, argument, message) => {
    expect(() => plan(changes)).toThrow(
      expect.objectContaining({ side, argument, message: expect.stringMatching(message) }),
    );
  });
});

describe('nodes that are typed', () => {
  it('have weights after a colon; longer numbers are ports', () => {
    expect(nodesIn('db-1, db-2:2,\n db-3 : 0.5 ,,\n10.0.0.1:11211\n10.0.0.2:11211:3, [::1]:11211')).toEqual([
      { name: 'db-1' },
      { name: 'db-2', weight: 2 },
      { name: 'db-3', weight: 0.5 },
      { name: '10.0.0.1:11211' },
      { name: '10.0.0.2:11211', weight: 3 },
      { name: '[::1]:11211' },
    ]);
    expect(nodesIn(' , \n')).toEqual([]);
  });
});

describe('a plan', () => {
  it.each<[Partial<PlanSettings>, Parameters<typeof planReshard>[1], Parameters<typeof planReshard>[2]]>([
    [{ n: '16', toN: '20' }, new Router({ shards: 16 }), new Router({ shards: 20 })],
    [{ n: '20', toN: '16' }, new Router({ shards: 20 }), new Router({ shards: 16 })],
    [{ toDown: '3' }, new Router({ shards: 16 }), new Router({ shards: 16, down: [3] })],
    [
      { by: 'kafka', n: '12', toBy: 'jump', toSeed: '5' },
      partitioner('kafka', { partitions: 12 }),
      new Router({ shards: 12, seed: 5n }),
    ],
    [
      { by: 'fastrange', n: '12', toBy: 'redis' },
      new Router({ shards: 12, strategy: 'fastrange' }),
      partitioner('redis'),
    ],
  ])('%j is that of the library', (changes, from, to) => {
    const { moved, ideal, flows } = planReshard(KEYS, from, to);
    const moves = movesOf(changes);
    expect(moves.moved).toBe(moved);
    expect(moves.ideal).toBeCloseTo(ideal, 8);
    expect(flows).toEqual(expect.arrayContaining([...moves.flows]));
    const { now, next } = plan(changes);
    for (const side of [now, next]) {
      expect(typeof side === 'string' ? side : side.bars.flat().reduce((a, b) => a + b)).toBe(KEYS.length);
    }
  });

  it('over nodes is that of two shard maps, and moves as few shards as they do', () => {
    const router = new Router({ shards: 64 });
    const nodes = [{ name: 'db-2', weight: 2 }, { name: 'db-1' }];
    const map = ShardMap.create({ shards: 64, nodes });
    const next = map.with({ nodes: [...nodes, { name: 'db-3' }] });
    const counts = new Float64Array(64);
    for (const shard of router.routeMany(KEYS)) counts[shard] += 1;
    const expected = flowsBetween(map, next, counts);
    const changes = { n: '64', nodes: 'db-2:2, db-1', toNodes: 'db-1, db-2:2, db-3' };
    const { names, perNode, now } = plan(changes);
    const moves = movesOf(changes);
    expect(names).toEqual(['db-1', 'db-2', 'db-3']);
    expect(moves.moved).toBe(expected.moved);
    expect(moves.ideal).toBeCloseTo(KEYS.length * leastMoved(placementOf(map), placementOf(next)), 8);
    expect(moves.shardsMoved).toBe(map.movesTo(next).length);
    expect(moves.otherShard).toBe(0);
    const onNode = (of: ShardMap, node: string) => of.shardsOf(node).reduce((sum, shard) => sum + counts[shard], 0);
    expect(perNode).toEqual([
      { name: 'db-1', keys: [onNode(map, 'db-1'), onNode(next, 'db-1')] },
      { name: 'db-2', keys: [onNode(map, 'db-2'), onNode(next, 'db-2')] },
      { name: 'db-3', keys: [undefined, onNode(next, 'db-3')] },
    ]);
    expect(now.balance).toMatchObject({ isWeighted: true, empty: 0 });
    expect(moves.flows.map(({ from, to, count }) => ({ from: names?.[from], to: names?.[to], count }))).toEqual(
      expect.arrayContaining(expected.flows),
    );
  });

  it('over the same nodes with other shards is of a new map', () => {
    const { moved, shardsMoved, otherShard } = movesOf({ n: '16', nodes: 'a,b', toN: '32' });
    expect(shardsMoved).toBeUndefined();
    expect(otherShard).toBeGreaterThan(1000);
    expect(moved).toBeLessThan(KEYS.length);
    expect(movesOf({ nodes: 'b, a', toNodes: 'a, b' })).toMatchObject({ moved: 0, shardsMoved: 0 });
  });

  it('of rings compares servers by name', () => {
    const [a, b, c] = [{ name: 'a:11211' }, { name: 'b:11211', weight: 2 }, { name: 'c:11211' }];
    const [from, to] = [partitioner('ketama', { servers: [a, b] }), partitioner('ketama', { servers: [c, a, b] })];
    const changes = { by: 'ketama', nodes: 'a:11211, b:11211:2', toNodes: 'c:11211, a:11211, b:11211:2' };
    const moved = KEYS.filter((key) => [a, b][from.route(key)] !== [c, a, b][to.route(key)]);
    expect(movesOf(changes)).toMatchObject({ moved: moved.length, ideal: KEYS.length / 4 });
    expect(plan(changes).some[0]).toMatchObject({ key: 'user:0', now: String(from.route('user:0')) });
  });

  it('of ids of Discord routes numbers, by a Router, too', () => {
    const ids = KEYS.map((_, i) => String(BigInt(i) * 41771983423143n));
    const moved = planReshard(
      BigInt64Array.from(ids, BigInt),
      partitioner('discord', { shards: 16 }) as never,
      new Router({ shards: 16 }),
    ).moved;
    expect(plan({ by: 'discord', toBy: 'jump' }, keyListOf(ids)).moves?.moved).toBe(moved);
  });

  it('says how many keys are there twice', () => {
    expect(plan({}).repeated).toBeUndefined();
    const repeated = plan({}, keyListOf(['a', 'b', 'b', 'c', 'a', 'a'])).repeated;
    expect(repeated).toEqual({ duplicates: 3, key: 'a', count: 3 });
  });

  it('says whether no fewer can move, and which place is less even than by chance', () => {
    expect(movesOf({ n: '16' }).isLeast).toBe(true);
    expect(movesOf({ by: 'modulo', n: '16' }).isLeast).toBe(false);
    expect(plan({ n: '16' }).now.balance?.uneven).toBeUndefined();
    const hot = plan({ n: '16' }, keyListOf([...KEYS, ...new Array<string>(300).fill('hot')])).now.balance;
    const place = new Router({ shards: 16 }).route('hot');
    expect(hot?.uneven).toMatchObject({ place, keys: hot?.most, isFewer: false });
    expect(hot?.uneven?.limit).toBeLessThan(hot?.most ?? 0);
    const few = plan({ n: '16' }, keyListOf(KEYS.filter((key) => new Router({ shards: 16 }).route(key) !== 3)));
    expect(few.now.balance?.uneven).toMatchObject({ place: 3, keys: 0, isFewer: true });
    // Of 16 shards, one of 5 nodes has four, and the others three.
    expect(plan({ n: '16', nodes: 'a,b,c,d,e' }).now.balance?.uneven).toBeUndefined();
  });
});

describe('moves in CSV', () => {
  it('are the keys that move, with their nodes, and safe in a spreadsheet', () => {
    const keys = keyListOf([...KEYS.slice(0, 20), '=1+1', 'a"b,c']);
    const { plan: made, movesCsv } = planKeys(keys, routingsOf({ ...DEFAULTS, by: 'modulo', n: '2', toN: '1' }));
    const csv = [...movesCsv().pieces].join('');
    const router = new Router({ shards: 2, strategy: 'modulo' });
    const moved = Array.from({ length: keys.count }, (_, row) => keys.text(row)).filter(
      (key) => router.route(key) === 1,
    );
    const cell = (key: string) => (key.startsWith('=') ? `'${key}` : key.includes('"') ? '"a""b,c"' : key);
    expect(csv).toBe(`key,from,to\r\n${moved.map((key) => `${cell(key)},1,0\r\n`).join('')}`);
    expect(made.moves?.csv).toBe(csv);
    const onNodes = planKeys(keys, routingsOf({ ...DEFAULTS, nodes: 'db-1', toNodes: 'db-2' })).plan.moves?.csv;
    expect(onNodes?.split('\r\n').slice(0, 2)).toEqual([
      'key,from,to,from_node,to_node',
      `user:0,${new Router({ shards: 16 }).route('user:0')},${new Router({ shards: 16 }).route('user:0')},db-1,db-2`,
    ]);
  });

  it('come in pieces, and are not copied if they are many', () => {
    const keys = keyListOf(Array.from({ length: 25_000 }, (_, i) => `${i}`));
    const { plan: made, movesCsv } = planKeys(keys, routingsOf({ ...DEFAULTS, by: 'modulo', toSeed: '1' }));
    expect(made.moves?.csv).toBeUndefined();
    const pieces = [...movesCsv().pieces];
    expect(pieces).toHaveLength(4);
    expect(pieces.join('').split('\r\n')).toHaveLength((made.moves?.moved ?? 0) + 2);
  });
});

describe('the command', () => {
  it.each(COMMANDS)('for %j is %s', (changes, last) => {
    expect(
      commandFor(routingsOf({ ...DEFAULTS, ...changes }))
        ?.split('\n')
        .at(-1) ?? '',
    ).toBe(last);
  });

  it.each<[Partial<PlanSettings>, string]>([
    [{ by: 'redis' }, 'shardbits route keys.txt --as redis'],
    [{ by: 'couchbase' }, 'shardbits route keys.txt --as couchbase --shards 1024'],
    [
      { nodes: 'a,b:2' },
      'shardbits map create --shards 16 --nodes a,b=2 --out map.json\nshardbits route keys.txt --map map.json',
    ],
    [
      { by: 'nginx', nodes: 'a,b:2' },
      "printf '%s\\n' a b,2 > servers.txt\nshardbits route keys.txt --as nginx --servers servers.txt",
    ],
    [{ n: '2147483647', down: '3 7' }, 'shardbits route keys.txt --shards 2147483647 --down 3,7'],
  ])('routes where there is no plan: %j', (changes, command) => {
    expect(commandFor(routingsOf({ ...DEFAULTS, ...changes }))).toBe(command);
  });

  it('has the files that were opened', () => {
    const files = {
      files: ["-o'x.csv"],
      options: ['--csv', '--key', 'user id'],
      columns: [],
      key: '',
      shard: '',
      missing: 0,
    };
    expect(commandFor(routingsOf(DEFAULTS), files)).toBe(
      "shardbits plan './-o'\\''x.csv' --csv --key 'user id' --from 16 --to 20",
    );
  });
});
