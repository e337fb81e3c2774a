import { describe, expect, it } from 'vitest';
import { planReshard, Router, type Routing } from '../../src/index.js';
import {
  countOf,
  isRing,
  keysIn,
  nounOf,
  type PlanSettings,
  ROUTED_BY,
  routingOf,
} from '../../src/inspector/decode/keys/routing.js';
import { partitioner, systems } from '../../src/partitioners/index.js';
import { routeKeys, serversOf, withServers } from '../support/routed-keys.js';

const KEYS = Array.from({ length: 3000 }, (_, i) => `${['user:', 'é{a}', '{b}', '日本'][i % 4]}${i}`);
const TEXT = KEYS.join('\n');
const IDS = BigInt64Array.from(KEYS, (_, i) => BigInt(i) * 41771983423143n);

/** Keys as the library takes them: ids where there is no text. */
const keysFor = (by: string) => (systems[by]?.keys.includes('text') === false ? IDS : KEYS);
const textFor = (by: string) => keysFor(by).join('\n');

const BY_JUMP = { by: 'jump', n: '12', toN: '13' };

/** What the library has for each, of 12 shards and of 13. */
const SAME: { readonly [by: string]: (n: number) => Routing } = {
  jump: (shards) => new Router({ shards }),
  fastrange: (shards) => new Router({ shards, strategy: 'fastrange' }),
  modulo: (shards) => new Router({ shards, strategy: 'modulo' }),
  kafka: (partitions) => partitioner('kafka', { partitions }),
  'kafka:unsigned': (partitions) => partitioner('kafka', { partitions, variant: 'unsigned' }),
  'rdkafka:consistent': (partitions) => partitioner('rdkafka', { partitions }),
  'rdkafka:murmur2': (partitions) => partitioner('rdkafka', { partitions, variant: 'murmur2' }),
  'rdkafka:fnv1a': (partitions) => partitioner('rdkafka', { partitions, variant: 'fnv1a' }),
  'rdkafka:fnv1a-positive': (partitions) => partitioner('rdkafka', { partitions, variant: 'fnv1a-positive' }),
  redis: () => partitioner('redis'),
  ragedb: (shards) => partitioner('ragedb', { shards }),
  'spark:hash': (partitions) => partitioner('spark', { partitions }),
  'spark:rdd': (partitions) => partitioner('spark', { partitions, variant: 'rdd' }),
  iceberg: (buckets) => partitioner('iceberg', { buckets }),
  postgres: (modulus) => partitioner('postgres', { modulus }),
  citus: (shards) => partitioner('citus', { shards }),
  cassandra: () => partitioner('cassandra'),
  'vitess:xxhash': (shards) => partitioner('vitess', { shards }),
  'vitess:hash': (shards) => partitioner('vitess', { shards, vindex: 'hash', key: 'int64' }) as Routing<any>,
  'vitess:binary_md5': (shards) => partitioner('vitess', { shards, vindex: 'binary_md5' }),
  'vitess:multicol': (shards) => partitioner('vitess', { shards, vindex: 'multicol', key: 'int64' }) as Routing<any>,
  elasticsearch: (shards) => partitioner('elasticsearch', { shards }),
  'elasticsearch:before-9.4': (shards) => partitioner('elasticsearch', { shards, before: '9.4' }),
  couchbase: (vbuckets) => partitioner('couchbase', { vbuckets }),
  flink: (maxParallelism) => partitioner('flink', { maxParallelism }),
  ...Object.fromEntries(
    (
      ['sipHash64', 'murmurHash3_64', 'xxHash64', 'cityHash64', 'farmHash64', 'murmurHash2_64', 'javaHash'] as const
    ).map((hash) => [`clickhouse:${hash}`, (shards: number) => partitioner('clickhouse', { hash, shards })]),
  ),
  ...Object.fromEntries(
    (['intHash32', 'intHash64', 'none'] as const).map((hash) => [
      `clickhouse:${hash}`,
      (shards: number) => partitioner('clickhouse', { hash, shards, key: 'int64' }) as Routing<any>,
    ]),
  ),
  mongodb: (shards) => partitioner('mongodb', { shards }),
  bigquery: (shards) => partitioner('bigquery', { shards }),
  'bigquery:floored': (shards) => partitioner('bigquery', { shards, variant: 'floored' }),
  mysql: (partitions) => partitioner('mysql', { partitions }) as Routing<any>,
  eventhubs: (partitions) => partitioner('eventhubs', { partitions }),
  prometheus: (modulus) => partitioner('prometheus', { modulus }),
  nats: (partitions) => partitioner('nats', { partitions }),
  'pulsar:java': (partitions) => partitioner('pulsar', { partitions }),
  'pulsar:murmur3': (partitions) => partitioner('pulsar', { partitions, variant: 'murmur3' }),
  'hive:1': (buckets) => partitioner('hive', { buckets, version: 1 }),
  'hive:2': (buckets) => partitioner('hive', { buckets }),
  kinesis: (shards) => partitioner('kinesis', { shards }),
  discord: (shards) => partitioner('discord', { shards }) as Routing<any>,
  ketama: (n) => partitioner('ketama', { servers: serversOf(n) }),
  'ketama:plain': (n) => partitioner('ketama', { servers: serversOf(n), variant: 'plain' }),
  'ketama:hashring': (n) => partitioner('ketama', { servers: serversOf(n), variant: 'hashring' }),
  nginx: (n) => partitioner('nginx', { servers: serversOf(n) }),
};

const sum = (counts: readonly number[]) => counts.reduce((total, count) => total + count, 0);

function countsOf(shards: Iterable<number>, n: number): number[] {
  const counts = new Array<number>(n).fill(0);
  for (const shard of shards) counts[shard] = counts[shard] + 1;
  return counts;
}

describe('what moves', () => {
  it.each(
    ROUTED_BY.filter((by) => by !== 'cassandra' && by !== 'redis').flatMap((by) => [
      [by, ''] as const,
      ...(SAME[by]?.(2) instanceof Router ? [[by, '3,7'] as const] : []),
    ]),
  )('is what planReshard counts: by %s, down: %j', (by, down) => {
    const { toNodes, ...settings } = withServers({ by, down });
    const routings = [
      routingOf({ ...settings, n: '12' }),
      routingOf({ ...settings, n: '13', nodes: toNodes || settings.nodes }),
    ];
    const plan = planReshard(keysFor(by), routings[0] as Routing, routings[1] as Routing);
    const { moves } = routeKeys(textFor(by), { ...BY_JUMP, by, down });
    if (typeof moves === 'string') throw new Error(moves);
    expect(moves.moved).toBe(plan.moved);
    expect(moves.ideal).toBeCloseTo(plan.ideal, 8);
    const counts = plan.flows.map(({ count }) => count).sort((a, b) => b - a);
    expect(moves.flows.map(({ count }) => count)).toEqual(counts.slice(0, 5));
    for (const flow of moves.flows) expect(plan.flows).toContainEqual(flow);
  });
});

describe('keys are routed', () => {
  it('by all strategies and systems that there are', () => {
    expect([...ROUTED_BY].sort()).toEqual(Object.keys(SAME).sort());
  });

  it.each(ROUTED_BY.filter((by) => by !== 'cassandra'))('by %s as the library does', (by) => {
    const routed = routeKeys(textFor(by), { ...BY_JUMP, by });
    const router = SAME[by](12);
    const keys = keysFor(by);
    const shards = router.routeMany(keys);
    expect(routed).toMatchObject({ keys: KEYS.length, shards: router.shards });
    expect(routed.some.map(([key, shard]) => [key, shard])).toEqual(
      Array.from(shards.subarray(0, 50), (shard, row) => [String(keys[row]), String(shard)]),
    );
    const counts = countsOf(shards, router.shards);
    const [most, least] = [Math.max(...counts), Math.min(...counts)];
    expect(routed.balance).toEqual({
      fullest: counts.indexOf(most),
      most,
      emptiest: counts.indexOf(least),
      least,
      maxToMean: expect.closeTo((most * router.shards) / KEYS.length, 10),
      empty: counts.filter((count) => count === 0).length,
    });
    expect(sum(routed.bars.flat())).toBe(KEYS.length);
  });

  it.each(ROUTED_BY.filter((by) => !['cassandra', 'redis'].includes(by)))('by %s to one shard more', (by) => {
    const { moves, bars, some } = routeKeys(textFor(by), { ...BY_JUMP, by });
    const [before, after] = [12, 13].map((n) => [...SAME[by](n).routeMany(keysFor(by))]);
    if (typeof moves === 'string' || before === undefined || after === undefined) throw new Error('no moves');
    expect(some.map(([, , next]) => next)).toEqual(after.slice(0, 50).map(String));
    const rows = KEYS.map((_, row) => ({ from: before[row], to: after[row] }));
    const moved = rows.filter(({ from, to }) => from !== to);
    expect(moves.moved).toBe(moved.length);
    expect(moves.ideal).toBeCloseTo(KEYS.length / 13, 8);
    const kinds = [
      rows.filter(({ from, to }) => from === to),
      moved.filter(({ to }) => to === 12),
      moved.filter(({ to }) => to !== 12),
    ];
    expect(bars).toEqual(
      kinds.map((kind) =>
        countsOf(
          kind.map(({ from }) => from),
          isRing(by) ? 13 : 12, // servers have the same places before and after
        ),
      ),
    );
    expect(moves.bars).toEqual(
      kinds.map((kind) =>
        countsOf(
          kind.map(({ to }) => to),
          13,
        ),
      ),
    );
    const largest = moves.flows[0];
    const flows = new Map<string, number>();
    for (const { from, to } of moved) flows.set(`${from} ${to}`, (flows.get(`${from} ${to}`) ?? 0) + 1);
    expect(largest?.count).toBe(Math.max(...flows.values()));
    expect(flows.get(`${largest?.from} ${largest?.to}`)).toBe(largest?.count);
  });

  it('by a Router with a seed and shards that are down, which are not called empty', () => {
    const routed = routeKeys(TEXT, { by: 'fastrange', n: '7', seed: '-0', down: '3, 5 3' });
    const seeded = routeKeys(TEXT, { by: 'fastrange', n: '7', seed: '0x2a', down: '3, 5 3' });
    const options = { shards: 7, strategy: 'fastrange', down: [3, 5] } as const;
    const shown = (router: Router) => [...router.routeMany(KEYS.slice(0, 50))].map(String);
    expect(routed.some.map(([, shard]) => shard)).toEqual(shown(new Router(options)));
    expect(seeded.some.map(([, shard]) => shard)).toEqual(shown(new Router({ ...options, seed: 42n })));
    expect(routed.balance).toMatchObject({ empty: 0 });
    const few = routeKeys('a', {
      by: 'jump',
      n: '3',
      seed: '',
      down: `${(new Router({ shards: 3 }).route('a') + 1) % 3}`,
    });
    expect(few.balance).toMatchObject({ most: 1, least: 0, empty: 1, maxToMean: 2 });
    expect(routeKeys('a', { by: 'jump', n: '1' }).balance).toMatchObject({ emptiest: 0, least: 1 });
  });

  it.each(['user:1', '1e3', '9223372036854775808', '0x10', '99999999999999999999'])('by Discord, but not %s', (key) => {
    expect(() => routeKeys(`1\n${key}`, { ...BY_JUMP, by: 'discord' })).toThrow(
      expect.objectContaining({ argument: 'key', expected: 'a bigint from -2^63 to 2^63 - 1' }),
    );
  });

  it('by Cassandra to tokens only', () => {
    const { some, shards, balance, moves } = routeKeys(TEXT, { ...BY_JUMP, by: 'cassandra' });
    const tokens = partitioner('cassandra').tokens(KEYS.slice(0, 50));
    expect(some.map(([, token]) => token)).toEqual(Array.from(tokens, String));
    expect({ shards, balance }).toEqual({ shards: 0, balance: undefined });
    expect(moves).toContain('tokens only');
  });
});

describe('a quarter more shards', () => {
  it('are not had by systems whose number is fixed, or the largest there is', () => {
    expect(routeKeys(TEXT, { by: 'redis' }).moves).toBe(
      'redis has a fixed number of slots, so there are never more. Choose what keys are routed by then.',
    );
    const couchbase = routeKeys(TEXT, { by: 'couchbase' });
    expect(couchbase.shards).toBe(1024);
    expect(couchbase.moves).toMatch(/^couchbase has 1024 vBuckets by default/);
    expect(routeKeys(TEXT, { by: 'flink', n: '32768' }).moves).toBe(
      'There is no plan: "maxParallelism": expected an integer from 1 to 32768, got 40960',
    );
    expect(routeKeys(TEXT, { n: '2147483647' }).moves).toContain('got 2684354559');
  });
});

describe('pictures', () => {
  it.each([1, 127, 128, 1000, 32767, 2147483646])('of %d shards have 128 bars at most', (n) => {
    const { bars, barWidth, moves } = routeKeys(TEXT, { n: String(n), toN: String(n + 1) });
    if (typeof moves === 'string') throw new Error(moves);
    for (const [shards, counts] of [
      [n, bars],
      [n + 1, moves.bars],
    ] as const) {
      expect(counts.map(({ length }) => length)).toEqual(new Array(3).fill(Math.ceil(shards / barWidth)));
      expect(Math.ceil(shards / barWidth)).toBeLessThanOrEqual(128);
      expect(sum(counts.flat())).toBe(KEYS.length);
    }
  });
});

describe('what is typed', () => {
  it('is one key a line, spaces and all', () => {
    expect(keysIn('a\r\n b \n\n\n1e3\n')).toEqual(['a', ' b ', '1e3']);
    expect(keysIn('')).toEqual([]);
    expect(routeKeys('\n', BY_JUMP)).toMatchObject({ keys: 0, balance: undefined });
  });

  it('is cut where it is long, and routed whole', () => {
    const key = 'k'.repeat(10_000);
    expect(routeKeys(key, BY_JUMP).some[0]?.slice(0, 2)).toEqual([
      `${'k'.repeat(200)}…`,
      String(new Router({ shards: 12 }).route(key)),
    ]);
  });

  it.each<[Partial<PlanSettings>, argument: string, message: RegExp]>([
    [{ n: '0' }, 'shards', /^"shards": expected an integer from 1 to 2147483647, got 0$/],
    [{ n: '1.5' }, 'shards', /got "1.5"$/],
    [{ by: 'kafka', n: 'many' }, 'partitions', /^"partitions": expected an integer/],
    [{ by: 'citus', n: '64001' }, 'shards', /64000/],
    [{ seed: '-' }, 'seed', /^"seed": expected a bigint, got "-"$/],
    [{ down: '12' }, 'down', /^"down": expected an integer from 0 to 11, got 12$/],
    [{ down: 'x' }, 'down', /got "x"$/],
    [{ n: '1', down: '0' }, 'down', /at least one shard/],
  ])('%j is explained', (changes, argument, message) => {
    expect(() => routingOf(withServers({ ...BY_JUMP, ...changes }))).toThrow(
      expect.objectContaining({ argument, message: expect.stringMatching(message) }),
    );
  });

  it('has the words of the system', () => {
    const words = (by: string) => [countOf(by), nounOf(by)];
    expect(words('modulo')).toEqual(['shards', 'shard']);
    expect(words('rdkafka:fnv1a')).toEqual(['partitions', 'partition']);
    expect(words('elasticsearch:before-9.4')).toEqual(['shards', 'shard']);
    expect(words('postgres')).toEqual(['modulus', 'remainder']);
    expect(words('flink')).toEqual(['maxParallelism', 'key group']);
    expect(words('redis')).toEqual([undefined, 'slot']);
  });
});
