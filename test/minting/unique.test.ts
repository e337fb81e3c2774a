import { describe, expect, it } from 'vitest';
import {
  type HighWater,
  LeaseLostError,
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

const isAscending = (ids: BigUint64Array): boolean => ids.every((id, i) => i === 0 || id > ids[i - 1]);

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
    for (let i = 0; i < 200; i++) batches.push(generators[i % 2].nextMany(1 + ((i * 7) % 50)));
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
