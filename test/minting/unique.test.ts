import { describe, expect, it } from 'vitest';
import {
  type HighWater,
  LeaseLostError,
  parseLayout,
  type ShardLease,
  SnowflakeGenerator,
  type SnowflakeGeneratorOptions,
} from '../../src/index.js';

/** How many of the ids were given more than once. */
function repeats(batches: Iterable<BigUint64Array>): { given: number; twice: number } {
  const all = [...batches];
  const ids = new BigUint64Array(all.reduce((sum, { length }) => sum + length, 0));
  let end = 0;
  for (const batch of all) {
    ids.set(batch, end);
    end += batch.length;
  }
  ids.sort();
  let twice = 0;
  for (let i = 1; i < ids.length; i++) if (ids[i] === ids[i - 1]) twice++;
  return { given: ids.length, twice };
}

const isAscending = (ids: BigUint64Array): boolean => ids.every((id, i) => i === 0 || id > (ids[i - 1] as bigint));

/** Many callers at once, each of which asks again and again; what they were given, and how many calls failed. */
async function mintTogether(callers: number, rounds: number, n: number, options: Partial<SnowflakeGeneratorOptions>) {
  const generator = new SnowflakeGenerator({ shard: 1, ...options });
  const batches: BigUint64Array[] = [];
  let failed = 0;
  const call = async () => {
    for (let round = 0; round < rounds; round++) {
      try {
        batches.push(await generator.nextManyAsync(n));
      } catch {
        failed++;
        await new Promise((resolve) => setTimeout(resolve, 1));
      }
    }
  };
  await Promise.all(Array.from({ length: callers }, call));
  return { batches, failed };
}

/** A clock that goes 25 ms back once in every 40 ms. */
function steppingBack(): () => number {
  let last = Date.now();
  let back = 0;
  return () => {
    const now = Date.now();
    if (now - last >= 40) {
      last = now;
      back = back === 0 ? 25 : 0;
    }
    return now - back;
  };
}

describe('many callers at once are never given an id twice', () => {
  it.each<[name: string, callers: number, rounds: number, n: number, options: Partial<SnowflakeGeneratorOptions>]>([
    ['that have more time than they need', 100, 1, 9000, {}],
    ['of which some wait too long', 200, 2, 9000, { maxWaitMs: 150 }],
    ['of which nearly all wait too long', 50, 30, 9000, { maxWaitMs: 2 }],
    ['by a clock that goes back', 50, 6, 9000, { clock: steppingBack(), maxWaitMs: 20 }],
    [
      'that wait for a clock that goes back',
      50,
      6,
      9000,
      { clock: steppingBack(), onClockBackwards: 'wait', maxWaitMs: 60 },
    ],
  ])('%s', async (_, callers, rounds, n, options) => {
    const { batches, failed } = await mintTogether(callers, rounds, n, options);
    const { given, twice } = repeats(batches);
    expect(batches.every(isAscending)).toBe(true);
    expect(twice).toBe(0);
    expect(given + failed * n).toBe(callers * rounds * n);
  });
});

describe('maxWaitMs', () => {
  it('bounds the wait of each of many callers, and lets the others have what it would have taken', async () => {
    const generator = new SnowflakeGenerator({ shard: 1, maxWaitMs: 300 });
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
    expect(given).toBeLessThan(300); // 300 ms have 1,228,800 ids, of which 136 callers can be given 9,000 each
    expect(Math.max(...waits)).toBeLessThan(2000); // all together need 2,640 ms
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
    expect(performance.now() - start).toBeLessThan(1000);
  });
});

describe('two generators are never given the same id', () => {
  function lease(): ShardLease {
    return {
      shard: 3,
      token: 1n,
      notBefore: 0,
      validUntil: () => Number.POSITIVE_INFINITY,
      release: async () => {},
      lost: new Promise(() => {}),
    };
  }

  it('on one lease, in turns', () => {
    const shard = lease();
    const generators = [0, 1].map(() => new SnowflakeGenerator({ shard }));
    const batches: BigUint64Array[] = [];
    for (let i = 0; i < 200; i++) batches.push((generators[i % 2] as SnowflakeGenerator).nextMany(1 + ((i * 7) % 50)));
    expect(repeats(batches).twice).toBe(0);
  });

  it('on one lease, together', async () => {
    const shard = lease();
    const both = await Promise.all([
      mintTogether(5, 10, 3000, { shard, maxWaitMs: 60 }),
      mintTogether(5, 10, 3000, { shard, maxWaitMs: 60 }),
    ]);
    expect(repeats(both.flatMap(({ batches }) => batches)).twice).toBe(0);
  });

  it('with one high-water mark, and then a restart', () => {
    const now = Date.UTC(2026, 0);
    let mark: number | undefined;
    const highWater: HighWater = {
      load: () => mark,
      save: (at) => {
        mark = at;
      },
    };
    let clock = now;
    const make = () =>
      new SnowflakeGenerator({
        shard: 1,
        clock: () => clock,
        highWater,
        onSequenceExhausted: 'borrow',
        onClockBackwards: 'borrow',
        maxWaitMs: 60_000,
      });
    const batches: BigUint64Array[] = [];
    const mint = (generator: SnowflakeGenerator, n: number): void => {
      try {
        batches.push(generator.nextMany(n));
      } catch (error) {
        expect(error).toBeInstanceOf(LeaseLostError);
      }
    };
    const [first, second] = [make(), make()];
    for (let i = 0; i < 12; i++) {
      clock += 200;
      mint(first, 4096);
      mint(second, 4096);
    }
    clock -= 1500;
    mint(make(), 96_000);
    const { given, twice } = repeats(batches);
    expect(twice).toBe(0);
    expect(given).toBeGreaterThan(96_000);
  });
});
