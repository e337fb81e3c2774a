import { Readable } from 'node:stream';
import { expect, it } from 'vitest';
import { planReshard } from '../../src/index.js';
import { planLines, routeLines } from '../../src/node/index.js';
import { type Partitioner, partitioner } from '../../src/partitioners/index.js';
import {
  byInt32,
  byInt64,
  byUuid,
  expectSame,
  file,
  kafka,
  keysOf,
  linesOf,
  routed,
  samplesOf,
  streamed,
} from './partition-samples.js';

/** Tests that lines go where partitioners place them. */
export function placesLines(rows: number): void {
  const samples = samplesOf(keysOf(rows));

  it.each(samples)('lines, in every format: %s', async (_, { by, keys, texts }) => {
    const shards = by.routeMany(keys);
    const tsv = linesOf(texts.map((text, i) => `${shards[i]}\t${text}`));
    expectSame(await routed(texts.join('\r\n'), { router: by }), tsv);
    expectSame(await routed(linesOf(texts), { router: by, format: 'shard' }), linesOf(shards));
    const u32 = await routed(`\ufeff${texts.join('\n')}`, { router: by, format: 'u32' });
    expect(u32.equals(Buffer.from(shards.buffer))).toBe(true);
  });

  it.each(samples)('lines of streams: %s', async (_, { by, keys, texts }) => {
    const shards = by.routeMany(keys).join();
    const input = Readable.from([texts.slice(0, 9).join('\n'), `\n${texts.slice(9).join('\n')}`]);
    const found: number[] = [];
    for await (const batch of routeLines(input, by)) found.push(...batch.shards);
    expectSame(found, shards);
    expectSame(await streamed(texts.join('\n'), by), shards);
  });
}

/** Tests plans from one partitioner to another. */
export function plansLines(count: number): void {
  const { texts, int32s, int64s, uuids } = keysOf(count);
  const ofIndex = (shards: number) => partitioner('elasticsearch', { shards });

  it.each<[kind: string, keys: string[] | Int32Array | BigInt64Array, from: Partitioner, to: Partitioner]>([
    ['text', texts, kafka, partitioner('kafka', { partitions: 24 })],
    ['text in UTF-16', texts, ofIndex(5), ofIndex(10)],
    ['int32', int32s, byInt32, partitioner('iceberg', { buckets: 16, key: 'int32' })],
    ['int64', int64s, byInt64, partitioner('kafka', { partitions: 13, key: 'int64' })],
    ['uuid', uuids, byUuid, partitioner('postgres', { modulus: 22, key: 'uuid' })],
  ])('from one partitioner to another: %s', async (_, keys, from, to) => {
    const { rows, ...plan } = planReshard(keys, from, to);
    expect(await planLines(file(keys.join('\n')), from, to)).toEqual(plan);
    expect([plan.total, rows.length]).toEqual([count, plan.moved]);
  });
}
