import { describe, expect, it } from 'vitest';
import { parseLayout, SnowflakeGenerator } from '../../src/index.js';
import { expectTime } from '../support/time.js';

describe('maxWaitMs', () => {
  it('bounds the wait of each of many callers, and lets the others have what it would have taken', async () => {
    const generator = new SnowflakeGenerator({ shard: 1, maxWaitMs: 800 });
    const waits: number[] = [];
    const results = await Promise.allSettled(
      Array.from({ length: 1200 }, async () => {
        const start = performance.now();
        try {
          return await generator.nextManyAsync(9000);
        } finally {
          waits.push(performance.now() - start);
        }
      }),
    );
    const given = results.filter(({ status }) => status === 'fulfilled').length;
    expect(given).toBeGreaterThan(3);
    expect(given).toBeLessThan(800); // 800 ms have 3,276,800 ids, of which 364 callers can be given 9,000 each
    expectTime(Math.max(...waits), 2000); // all together need 2,640 ms
  });

  it('bounds the wait of a call whose units others keep taking', async () => {
    const layout = parseLayout('timestamp:41,shard:10,sequence:2');
    const generator = new SnowflakeGenerator({ layout, shard: 1, maxWaitMs: 60 });
    const start = performance.now();
    let ended = false;
    const waiting = generator.nextManyAsync(100_000).finally(() => {
      ended = true;
    });
    waiting.catch(() => {});
    while (!ended && performance.now() - start < 5000) {
      generator.nextMany(3);
      await new Promise((resolve) => setTimeout(resolve, 0));
    }
    await expect(waiting).rejects.toMatchObject({ code: 'ERR_SEQUENCE_EXHAUSTED' });
    expectTime(performance.now() - start, 1000);
  });
});
