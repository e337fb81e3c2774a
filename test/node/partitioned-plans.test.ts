import { expect, it } from 'vitest';
import { planReshard, Router } from '../../src/index.js';
import { planLines, type RejectedLine } from '../../src/node/index.js';
import { partitioner } from '../../src/partitioners/index.js';
import { onBothBackends } from '../support/backends.js';
import { randomU64s } from '../support/random.js';
import { byInt64, file, int64s, kafka, ownRouting, ROWS, texts } from './partition-samples.js';
import { plansLines } from './partitioned-lines.js';

onBothBackends('plans over lines', () => {
  plansLines(ROWS);

  it('between a partitioner and a Router or a Routing of your own, either way', async () => {
    const router = new Router({ shards: 12, seed: 5n, down: [3] });
    const path = file(texts.join('\n'));
    for (const [from, to] of [
      [kafka, router],
      [router, kafka],
      [kafka, partitioner('redis')],
      [kafka, ownRouting(kafka)],
      [ownRouting(router), router],
    ] as const) {
      const { rows: _, ...plan } = planReshard(texts, from, to);
      expect(await planLines(path, from, to)).toEqual(plan);
    }
    expect(await planLines(path, ownRouting(router), router)).toMatchObject({ total: ROWS, moved: 0 });
  });

  it('where each reads a line in its own way', async () => {
    const router = new Router({ shards: 12 });
    const lines = Array.from(int64s, String);
    const { moved } = await planLines(file(lines.join('\n')), byInt64, router);
    const [before, after] = [byInt64.routeMany(int64s), router.routeMany(lines)];
    expect(moved).toBe(before.filter((shard, i) => shard !== after[i]).length);
  });

  it('between Routers that hash differently', async () => {
    const ids = randomU64s(3000);
    const router = new Router({ shards: 50, seed: 1n });
    for (const to of [router.with({ seed: 2n }), router.with({ hash: 'none' }), router.with({ shards: 60 })]) {
      const { rows: _, ...plan } = planReshard(ids, router, to);
      expect(await planLines(file(ids.join('\n')), router, to, { keys: 'u64' })).toEqual(plan);
      const { rows: __, ...back } = planReshard(ids, to, router);
      expect(await planLines(file(ids.join('\n')), to, router, { keys: 'u64' })).toEqual(back);
    }
    const { rows: _, ...plan } = planReshard(texts, router, router.with({ seed: 2n }));
    expect(await planLines(file(texts.join('\n')), router, router.with({ seed: 2n }))).toEqual(plan);
  });

  it('go around lines that one of the two does not take', async () => {
    const lines = ['1', 'x', '2', '9223372036854775808', '3'];
    const rejected: string[] = [];
    const onReject = ({ line, bytes }: RejectedLine) => void rejected.push(`${line} ${Buffer.from(bytes)}`);
    for (const [from, to] of [
      [byInt64, kafka],
      [kafka, byInt64],
    ] as const) {
      const { total, moved } = await planLines(file(lines.join('\n')), from, to, { onReject });
      const [before, after] = [byInt64.routeMany(BigInt64Array.of(1n, 2n, 3n)), kafka.routeMany(['1', '2', '3'])];
      expect([total, moved]).toEqual([3, before.filter((shard, i) => shard !== after[i]).length]);
    }
    expect(rejected).toEqual(Array(2).fill(['2 x', '4 9223372036854775808']).flat());
  });
});
