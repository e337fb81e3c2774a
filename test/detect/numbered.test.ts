// Shards that are numbered from 1, which nobody says.
import { describe, expect, it } from 'vitest';
import { detectRouting } from '../../src/detect/index.js';
import { Router } from '../../src/index.js';
import { partitioner } from '../../src/partitioners/index.js';

const keys = Array.from({ length: 1000 }, (_, i) => `user:${i * 7919}`);
const byKafka = partitioner('kafka', { partitions: 12 }).routeMany(keys);
const from1 = (shards: Uint32Array) => shards.map((shard) => shard + 1);

describe('shards that are numbered from 1', () => {
  it.each([
    ["Kafka's Java client, 12 partitions", partitioner('kafka', { partitions: 12 })],
    ['ClickHouse by sipHash64, 4 shards', partitioner('clickhouse', { shards: 4, hash: 'sipHash64' })],
    ['PostgreSQL, 2 remainders', partitioner('postgres', { modulus: 2 })],
    ['Redis Cluster, 16,384 slots', partitioner('redis')],
    ['jump consistent hash of xxHash64, 100 shards', new Router({ shards: 100 })],
  ] as const)('are those of %s', (name, routing) => {
    const shards = routing.routeMany(keys);
    for (const given of [undefined, routing.shards]) {
      const detection = detectRouting(keys, from1(shards), { shards: given });
      expect(detection).toMatchObject({
        ...{ first: 1, shards: routing.shards, placed: from1(shards), foreign: new Uint32Array(0) },
        sentence: `${name}: 1,000 of 1,000 rows; shards are numbered from 1`,
      });
      expect(detection.candidates[0]).toBe(detection.verdict);
      expect(detection.verdict?.routing.routeMany(keys)).toEqual(shards);
    }
  });

  it('are so although some rows do not fit', () => {
    const shards = from1(byKafka).map((shard, row) => (row % 100 === 7 ? (shard % 12) + 1 : shard));
    const foreign = Uint32Array.from({ length: 10 }, (_, i) => 100 * i + 7);
    expect(detectRouting(keys, shards)).toMatchObject({
      ...{ first: 1, foreign, placed: from1(byKafka) },
      sentence:
        "Kafka's Java client, 12 partitions: 990 of 1,000 rows; 10 rows were placed by something else; shards are numbered from 1",
    });
  });

  it('are so although the last ones have no rows', () => {
    const some = keys.filter((_, row) => byKafka[row] < 9);
    const detection = detectRouting(some, from1(byKafka.filter((shard) => shard < 9)));
    expect(detection).toMatchObject({ first: 1, shards: 12, verdict: { agree: some.length } });
  });

  it('are integers modulo n, plus 1', () => {
    const ids = BigInt64Array.from({ length: 300 }, (_, i) => BigInt(i * 7919));
    const shards = Uint32Array.from(ids, (id) => Number(id % 5n) + 1);
    expect(detectRouting(ids, shards)).toMatchObject({ first: 1, shards: 5, verdict: { agree: 300 } });
  });

  it('are named as the rows have them', () => {
    const shards = from1(new Router({ shards: 12, down: [3] }).routeMany(keys));
    expect(detectRouting(keys, shards).sentence).toMatch(
      /^No verdict: 9\d\d of 1,000 rows fit .*, 12 shards; it also puts rows in shard 4, which has none; shards are numbered from 1\.$/,
    );
    expect(detectRouting(keys, from1(byKafka), { shards: 11 }).sentence).toBe(
      "No verdict for 11 shards: 1,000 of 1,000 rows fit Kafka's Java client, 12 partitions; shards are numbered from 1.",
    );
  });

  it('are not those of rows in shards from 0 of which the first has none', () => {
    const some = keys.filter((_, row) => byKafka[row] > 0);
    const kept = byKafka.filter((shard) => shard > 0);
    expect(detectRouting(some, kept, { shards: 12 })).toMatchObject({ first: 0, verdict: { agree: some.length } });
    expect(detectRouting(some, kept)).toMatchObject({ first: 0, verdict: { agree: some.length } });
  });

  it('are not looked for if a row is in shard 0', () => {
    const shards = from1(byKafka);
    shards[500] = 0;
    expect(detectRouting(keys, shards)).toMatchObject({ first: 0, verdict: undefined });
  });
});
