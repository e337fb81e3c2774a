import { describe, expect, it } from 'vitest';
import type { Routing } from '../../src/index.js';
import { Router } from '../../src/index.js';
import { planKeys, routeRead } from '../../src/inspector/decode/keys/plan.js';
import { KeyReader, keyListOf, placedIn, readPasted } from '../../src/inspector/decode/keys/read.js';
import { routingsOf } from '../../src/inspector/decode/keys/routing.js';
import { DEFAULTS } from '../../src/inspector/decode/settings.js';
import { partitioner } from '../../src/partitioners/index.js';

const KEYS = Array.from({ length: 300 }, (_, i) => `user:${i}`);

const placedBy = (routing: Routing<any>, keys = KEYS) => keys.map((key) => `${routing.route(key)}\t${key}`).join('\n');

describe('pasted lines', () => {
  it.each([
    [
      ['3\ta', '12\t', '0\tb\tc'],
      ['a', '', 'b\tc'],
      [3, 12, 0],
    ],
    [
      ['a\t3', '\t12', 'b\tc\t0'],
      ['a', '', 'b\tc'],
      [3, 12, 0],
    ],
    [['2147483646\ta'], ['a'], [2147483646]],
  ])('say their shards: %j', (lines, keys, shards) => {
    expect(placedIn(lines)).toEqual([{ keys, shards: Uint32Array.from(shards) }]);
  });

  it('say their shards in either column if both are numbers', () => {
    expect(placedIn(['1\t2', '3\t4'])).toEqual([
      { keys: ['2', '4'], shards: Uint32Array.of(1, 3) },
      { keys: ['1', '3'], shards: Uint32Array.of(2, 4) },
    ]);
  });

  it.each([
    [[]],
    [['3\ta', 'b']],
    [['a,3', 'b,4']],
    [['3 a']],
    [['-3\ta']],
    [['2147483647\ta']],
    [['12345678901\ta']],
    [['a\tb']],
  ])('are keys as they are: %j', (lines) => {
    expect(placedIn(lines)).toEqual([]);
  });
});

describe('keys that are pasted with their shards', () => {
  it('are routed without them, and the page tells who placed them', async () => {
    const kafka = partitioner('kafka', { partitions: 12 });
    const text = placedBy(kafka);
    const { told, ...routed } = routeRead(readPasted(text), DEFAULTS).routed;
    expect(routed).toMatchObject(planKeys(keyListOf(KEYS), routingsOf(DEFAULTS)).plan);
    expect(told).toMatchObject({
      sentence: "Kafka's Java client, 12 partitions: 300 of 300 rows",
      foreign: [],
      foreignCount: 0,
      routing: { by: 'kafka', n: '12', seed: '', down: '' },
    });
    expect(told?.candidates[0]).toMatchObject({
      agree: 300,
      also: ["librdkafka's murmur2, 12 partitions", '(murmur2 & 0x7fffffff) % 12'],
    });
    const reader = new KeyReader();
    expect(await reader.read({ text })).toBe(await reader.read({ text })); // not again
    expect(routeRead(readPasted(KEYS.join('\n')), DEFAULTS).routed).toMatchObject({ keys: 300, told: undefined });
  });

  it.each([
    ['a Router', new Router({ shards: 7, strategy: 'fastrange' }), { by: 'fastrange', n: '7', seed: '' }],
    ['a Router with a seed', new Router({ shards: 7, seed: 42n }), { by: 'jump', n: '7', seed: '42' }],
    [
      'Elasticsearch before 9.4',
      partitioner('elasticsearch', { shards: 5, before: '9.4' }),
      { by: 'elasticsearch:before-9.4', n: '5' },
    ],
    ['Redis', partitioner('redis'), { by: 'redis' }],
  ])('have settings to route others alike: %s', (_, routing, settings) => {
    const { told } = routeRead(readPasted(placedBy(routing)), DEFAULTS).routed;
    expect(told?.routing).toMatchObject(settings);
    const { some } = routeRead(readPasted(KEYS.join('\n')), { ...DEFAULTS, ...told?.routing }).routed;
    expect(some.map(({ now }) => now)).toEqual(KEYS.slice(0, some.length).map((key) => String(routing.route(key))));
  });

  it('are those in the column that is not the shard, if both have numbers', () => {
    const kafka = partitioner('kafka', { partitions: 12 });
    const ids = KEYS.slice(0, 150).map((_, i) => String(i)); // small: each number of shards up to them is tried
    for (const text of [
      ids.map((id) => `${kafka.route(id)}\t${id}`).join('\n'),
      ids.map((id) => `${id}\t${kafka.route(id)}`).join('\n'),
    ]) {
      const { told, some } = routeRead(readPasted(text), DEFAULTS).routed;
      expect(told?.sentence).toBe("Kafka's Java client, 12 partitions: 150 of 150 rows");
      expect(some.map(({ key }) => key)).toEqual(ids.slice(0, some.length));
    }
  });

  it('have no settings if people placed them by hand, or nobody is told', () => {
    const byLength = { shards: 5, route: (key: string) => key.length % 5 } as Routing<any>;
    expect(routeRead(readPasted(placedBy(byLength)), DEFAULTS).routed.told).toMatchObject({
      routing: undefined,
      foreignCount: 0,
    });
    const crc = KEYS.map((key, i) => `${(i * 7) % 5}\t${key}`).join('\n');
    expect(routeRead(readPasted(crc), DEFAULTS).routed.told?.sentence).toMatch(/^No verdict: /);
  });

  it('show the first rows that are in another shard', () => {
    const kafka = partitioner('kafka', { partitions: 12 });
    const strays = KEYS.map((key, i) => (i % 25 === 3 ? (kafka.route(key) + 1) % 12 : kafka.route(key)));
    const { told } = routeRead(readPasted(KEYS.map((key, i) => `${key}\t${strays[i]}`).join('\n')), DEFAULTS).routed;
    expect(told?.foreignCount).toBe(12);
    expect(told?.foreign).toHaveLength(10);
    expect(told?.foreign[0]).toEqual({ key: 'user:3', is: strays[3], belongs: kafka.route('user:3') });
  });
});
