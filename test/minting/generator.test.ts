import { describe, expect, it, onTestFinished, vi } from 'vitest';
import {
  ClockBackwardsError,
  defineLayout,
  LayoutExpiredError,
  LeaseLostError,
  layouts,
  parseLayout,
  SequenceExhaustedError,
  SnowflakeGenerator,
} from '../../src/index.js';
import { EPOCH, layout, over } from './over.js';

function expectIncreasing(ids: BigUint64Array): void {
  expect(ids.findIndex((id, i) => i > 0 && id <= ids[i - 1])).toBe(-1);
}

describe('ids', () => {
  it('count up within a unit of time, and from the start in the next', () => {
    const { next } = over([1, 1, 1, 7, 7]);
    expect([next(), next(), next(), next(), next()]).toEqual([
      [1, 0],
      [1, 1],
      [1, 2],
      [7, 0],
      [7, 1],
    ]);
  });

  it('after a clock that went back are refused, and go on where they were (as Twitter tests its own)', () => {
    const { generator, clock, next } = over([1, 1]);
    expect([next(), next()]).toEqual([
      [1, 0],
      [1, 1],
    ]);
    clock.times = [0];
    expect(() => generator.next()).toThrow(ClockBackwardsError);
    expect(() => generator.next()).toThrow(
      'the clock shows 2023-01-01T00:00:00.000Z, but the next id needs 2023-01-01T00:00:00.001Z or later (onClockBackwards: throw,',
    );
    clock.times = [1];
    expect(next()).toEqual([1, 2]);
  });

  it.each<[name: string, spec: string, shard: number, fields: object]>([
    ['snowflake', 'snowflake', 1023, { shard: 1023, sequence: 0 }],
    ['twitter: machine 378', 'twitter', 378, { datacenter: 11, worker: 26, sequence: 0 }],
    ['discord', 'discord', 37, { worker: 1, process: 5, increment: 0 }],
    ['instagram', 'instagram', 2675, { shard: 2675, sequence: 0 }],
    ['sonyflake, by 10 ms', 'sonyflake', 5, { sequence: 0, machine: 5 }],
    ['no other fields', 'timestamp:50,sequence:14', 0, { sequence: 0 }],
    ['the shard on top', 'shard:8,timestamp:42,sequence:14', 200, { shard: 200, sequence: 0 }],
  ])('have the shard in all other fields together: %s', (_, spec, shard, fields) => {
    const now = Date.UTC(2024, 2, 1, 10, 30, 15, 500);
    const of = parseLayout(spec);
    const ids = new SnowflakeGenerator({ layout: of, shard, clock: () => now }).nextMany(3);
    expect(of.dateOf(ids[0])).toEqual(new Date(now));
    const { timestamp: _time, ...rest } = of.unpack(ids[0]);
    expect(rest).toEqual(fields);
    expectIncreasing(ids);
  });

  it('in blocks are those that come one by one', () => {
    const [one, many] = [
      over([1, 1, 1, 2], { onSequenceExhausted: 'borrow' }),
      over([1, 1, 1, 2], { onSequenceExhausted: 'borrow' }),
    ];
    const ids = [...many.generator.nextMany(4000), ...many.generator.nextMany(0), ...many.generator.nextMany(10_000)];
    const singles = Array.from({ length: 3 }, () => one.generator.next());
    expect(ids.slice(0, 3)).toEqual(singles);
    expectIncreasing(BigUint64Array.from(ids));
    expect(layout.unpack(ids.at(-1) as bigint)).toEqual({
      timestamp: EPOCH + 4,
      shard: 5,
      sequence: 14_000 - 3 * 4096 - 1,
    });
  });

  it('begin at the smallest sequence there is', () => {
    const of = defineLayout({ timestamp: 41, shard: 10, sequence: { bits: 12, min: 7 } });
    const generator = new SnowflakeGenerator({ layout: of, shard: 0, clock: () => 5, onSequenceExhausted: 'borrow' });
    const { timestamp, sequence } = of.unpackMany(generator.nextMany(4096));
    expect([timestamp[0], sequence[0], timestamp[4089], sequence[4089]]).toEqual([5, 7, 6, 7]);
  });

  it.each([
    ['s', [1700000000999.875], 1700000000000],
    ['10ms', [1700000000019.5], 1700000000010],
    ['ms', [1700000000001.875], 1700000000001],
    ['10us', [1700000000000.057, 1700000000000.059], 1700000000000.05],
    ['us', [1700000000000.057, 1700000000000.0569, 1700000000000.0571], 1700000000000.057],
  ] as const)('by a clock with fractions have the time that pack takes it for: %s', (unit, instants, expected) => {
    const of = defineLayout({ timestamp: { bits: 52, epoch: EPOCH, unit }, sequence: 8 });
    for (const now of instants) {
      const { timestamp } = of.unpack(new SnowflakeGenerator({ layout: of, shard: 0, clock: () => now }).next());
      expect(timestamp).toBe(expected);
      expect(of.pack({ timestamp: now, sequence: 0 })).toBe(of.pack({ timestamp, sequence: 0 }));
    }
  });

  it('by the microsecond never have an earlier time than the clock showed', () => {
    const of = defineLayout({ timestamp: { bits: 52, epoch: EPOCH, unit: 'us' }, sequence: 8 });
    const instants = Array.from({ length: 5000 }, (_, i) => EPOCH + 1e9 + i * 7 + (i % 1000) / 1000);
    let now = 0;
    const generator = new SnowflakeGenerator({ layout: of, shard: 0, clock: () => now });
    const times = instants.map((instant) => {
      now = instant;
      return of.unpack(generator.next()).timestamp;
    });
    expect(times).toEqual(instants);
  });

  it('by the real clock are of now', () => {
    const before = Date.now();
    const ids = new SnowflakeGenerator({ shard: 1 }).nextMany(20_000);
    expectIncreasing(ids);
    expect(layout.dateOf(ids[0]).getTime()).toBeGreaterThanOrEqual(before);
    expect(layout.dateOf(ids.at(-1) as bigint).getTime()).toBeLessThanOrEqual(Date.now());
  });
});

describe('when a unit has no sequence numbers left', () => {
  it('throw says so, and changes nothing', () => {
    const { generator, clock, next } = over(1, { onSequenceExhausted: 'throw' });
    generator.nextMany(4000);
    expect(() => generator.nextMany(97)).toThrow(SequenceExhaustedError);
    expect(() => generator.nextMany(97)).toThrow(
      /^the clock shows 2023-01-01T00:00:00.001Z, but the next id needs 2023-01-01T00:00:00.002Z or later \(onSequenceExhausted: throw, /,
    );
    expect(next()).toEqual([1, 4000]);
    clock.times = [2];
    expect(next()).toEqual([2, 0]);
  });

  it('wait waits for the next one, once for 4096 ids', () => {
    const { generator, clock } = over([1, 1, 2, 2, 3]);
    const { timestamp, sequence } = layout.unpackMany(generator.nextMany(2 * 4096 + 1));
    const since = timestamp.map((ms) => ms - EPOCH);
    expect([since[4095], sequence[4095], since[4096], sequence[4096], since[8192]]).toEqual([1, 4095, 2, 0, 3]);
    expect(clock.asked).toBe(5); // for each unit once, and once more after each of two waits
  });

  it.each(['sync', 'async'])('wait gives up after maxWaitMs where the clock stands still: %s', async (how) => {
    const { generator, clock, next } = over(1, { maxWaitMs: 20 });
    generator.nextMany(4095);
    if (how === 'sync') expect(() => generator.nextMany(2)).toThrow(SequenceExhaustedError);
    else await expect(generator.nextManyAsync(2)).rejects.toThrow(SequenceExhaustedError);
    expect(next()).toEqual([1, 4095]);
    clock.times = [2];
    expect(next()).toEqual([2, 0]);
  });

  it('borrow runs ahead of the clock, up to maxWaitMs, and counts on there until it has caught up', () => {
    const { generator, clock, next } = over(1, { onSequenceExhausted: 'borrow', maxWaitMs: 10 });
    const ids = generator.nextMany(11 * 4096 - 1);
    expectIncreasing(ids);
    expect(next()).toEqual([11, 4095]);
    expect(() => generator.next()).toThrow(SequenceExhaustedError);
    clock.times = [5];
    expect(next()).toEqual([12, 0]);
    clock.times = [12];
    expect(next()).toEqual([12, 1]);
    clock.times = [13];
    expect(next()).toEqual([13, 0]);
  });
});

describe('when the clock goes back', () => {
  it('wait waits until it is where it was', () => {
    const { next, clock } = over([10, 7, 8, 10], { onClockBackwards: 'wait' });
    expect([next(), next()]).toEqual([
      [10, 0],
      [10, 1],
    ]);
    expect(clock.asked).toBe(4);
  });

  // As on Cloudflare, where no clock moves while a request is worked on.
  it('wait ends where time stands still and the thread cannot be held up, for good or at all', async () => {
    // Called a million times: so no spies, which keep every call, and one error, as a stack takes time.
    const [wait, now] = [Atomics.wait, performance.now];
    const forbidden = new TypeError('Atomics.wait cannot be called in this context');
    Atomics.wait = () => {
      throw forbidden;
    };
    performance.now = () => 1;
    try {
      const generator = new SnowflakeGenerator({ shard: 1, clock: () => 2e12 });
      expect(generator.nextMany(4096)).toHaveLength(4096);
      expect(() => generator.next()).toThrow(SequenceExhaustedError);
    } finally {
      Atomics.wait = wait;
      performance.now = now;
    }
  });

  it('wait goes on as long as it may where the thread cannot be held up, but time passes', () => {
    const [wait, now] = [Atomics.wait, performance.now];
    let [asked, passed] = [0, 0];
    const forbidden = new TypeError('Atomics.wait cannot be called in this context');
    Atomics.wait = () => {
      throw forbidden;
    };
    performance.now = () => {
      passed += 0.001;
      return passed;
    };
    try {
      const clock = () => 2e12 + Math.floor(asked++ / 150_000); // more turns than there are while time stands still
      const generator = new SnowflakeGenerator({ shard: 1, clock });
      generator.nextMany(4096);
      expect(layout.dateOf(generator.next()).getTime()).toBe(2e12 + 1);
    } finally {
      Atomics.wait = wait;
      performance.now = now;
    }
  });

  it.each(['ms', 'us'] as const)('a clock that shows infinity once is refused, and forgotten (%s)', (unit) => {
    const layout = defineLayout({ timestamp: { bits: 53, unit }, shard: 4, sequence: 6 });
    let now = 1e12;
    const generator = new SnowflakeGenerator({ layout, shard: 1, clock: () => now });
    generator.next();
    now = Number.POSITIVE_INFINITY;
    expect(() => generator.next()).toThrow(LayoutExpiredError);
    now = 1e12 + 5;
    expect(layout.dateOf(generator.next()).getTime()).toBe(now);
  });

  it('wait refuses at once what takes longer than maxWaitMs', () => {
    const { next, clock } = over([3_600_000, 0], { onClockBackwards: 'wait' });
    next();
    const wait = vi.spyOn(Atomics, 'wait');
    onTestFinished(() => wait.mockRestore());
    expect(next).toThrow(ClockBackwardsError);
    expect(wait).not.toHaveBeenCalled();
    clock.times = [3_600_000];
    expect(next()).toEqual([3_600_000, 1]);
  });

  it('borrow counts on where it was, up to maxWaitMs', () => {
    const { next, clock } = over([100, 60, 60], { onClockBackwards: 'borrow', maxWaitMs: 50 });
    expect([next(), next(), next()]).toEqual([
      [100, 0],
      [100, 1],
      [100, 2],
    ]);
    clock.times = [49];
    expect(next).toThrow(ClockBackwardsError);
    clock.times = [101];
    expect(next()).toEqual([101, 0]);
  });

  it('is no matter while ids are ahead of it anyway, if it does not fall behind itself', () => {
    const { generator, next, clock } = over(1, { onSequenceExhausted: 'borrow' });
    generator.nextMany(5 * 4096);
    clock.times = [2];
    expect(next()).toEqual([6, 0]);
    clock.times = [1];
    expect(next).toThrow(ClockBackwardsError);
  });
});

describe('what cannot be minted is refused', () => {
  it('after the last timestamp of a layout', () => {
    const at = (iso: string) =>
      new SnowflakeGenerator({ layout: layouts.uidGenerator, shard: 1, clock: () => Date.parse(iso) });
    expect(layouts.uidGenerator.dateOf(at('2024-11-20T13:24:15.999Z').next())).toEqual(
      new Date('2024-11-20T13:24:15Z'),
    );
    expect(() => at('2024-11-20T13:24:16Z').next()).toThrow(LayoutExpiredError);
    expect(() => new SnowflakeGenerator({ layout: layouts.uidGenerator, shard: 1 }).next()).toThrow(LayoutExpiredError);
  });

  it('for which there is no memory, and none of them has been given', async () => {
    const { generator, next } = over(1);
    expect(next()).toEqual([1, 0]);
    // Engines differ in how much they allocate, so that this one has little.
    const Column = BigUint64Array;
    vi.stubGlobal(
      'BigUint64Array',
      class extends Column {
        constructor(length: number) {
          if (length > 2 ** 20) throw new RangeError('Array buffer allocation failed');
          super(length);
        }
      },
    );
    const refused = {
      name: 'RangeError',
      code: 'ERR_OUT_OF_RANGE',
      argument: 'n',
      expected: 'ids that fit into memory',
      got: 2 ** 32,
      message: '"n": expected ids that fit into memory, got 4294967296',
    };
    try {
      expect(() => generator.nextMany(2 ** 32)).toThrow(expect.objectContaining(refused));
      await expect(generator.nextManyAsync(2 ** 32)).rejects.toMatchObject(refused);
    } finally {
      vi.unstubAllGlobals();
    }
    expect(next()).toEqual([1, 1]);
  });

  it('before the epoch of a layout', () => {
    expect(() => over(-1000).generator.next()).toThrow(ClockBackwardsError);
  });
});

describe('a clock', () => {
  it('that mints gets ids of its own, which a call that fails does not take back', () => {
    const own: bigint[] = [];
    const generator: SnowflakeGenerator = new SnowflakeGenerator({
      shard: 1,
      onSequenceExhausted: 'throw',
      clock: () => {
        if (own.length === 0) {
          own.push(0n); // so that it does not go on for ever
          own.push(generator.next());
        }
        return 2e12;
      },
    });
    expect(() => generator.nextMany(4096)).toThrow(SequenceExhaustedError);
    expect(generator.next()).toBeGreaterThan(own[1]);
    expect(generator.nextMany(4094).length).toBe(4094);
  });

  it('that closes the generator ends the call that asked it', async () => {
    for (const call of ['next', 'nextAsync'] as const) {
      const { generator } = over(1, {
        clock: () => {
          generator.close();
          return 2e12;
        },
      });
      await expect(async () => generator[call]()).rejects.toThrow(LeaseLostError);
    }
  });
});

describe('nextAsync and nextManyAsync', () => {
  it('wait without holding up the thread', async () => {
    let turns = 0;
    const turning = setInterval(() => turns++, 0);
    // This clock moves only while the thread is free.
    const clock = () => Date.UTC(2025, 0) + turns;
    const generator = new SnowflakeGenerator({ shard: 1, clock, maxWaitMs: 10_000 });
    const ids = await generator.nextManyAsync(60 * 4096);
    expectIncreasing(ids);
    expect(turns).toBeGreaterThanOrEqual(59);
    expect(await generator.nextAsync()).toBeGreaterThan(ids.at(-1) as bigint);
    clearInterval(turning);
  });

  it('at the same time, and beside the others, never give an id twice', async () => {
    const generator = new SnowflakeGenerator({ shard: 1 });
    const all: bigint[] = [];
    const jobs = Array.from({ length: 8 }, () => generator.nextManyAsync(9000));
    for (let i = 0; i < 20; i++) {
      all.push(...generator.nextMany(1000));
      await new Promise((resolve) => setTimeout(resolve, 1));
    }
    for (const ids of await Promise.all(jobs)) {
      expectIncreasing(ids);
      all.push(...ids);
    }
    expect(new Set(all).size).toBe(8 * 9000 + 20 * 1000);
  });

  it('are served in the order in which they came', async () => {
    const generator = new SnowflakeGenerator({ shard: 1 });
    const jobs = Array.from({ length: 20 }, (_, i) => generator.nextManyAsync(1000 + 100 * i));
    const all = (await Promise.all(jobs)).flatMap((ids) => [...ids]);
    expectIncreasing(BigUint64Array.from(all));
  });

  it('that wait end with an error when the generator is closed', async () => {
    const { generator } = over(1, { maxWaitMs: 60_000 });
    const jobs = [generator.nextManyAsync(5000), generator.nextManyAsync(1), generator.nextAsync()];
    const ends = Promise.allSettled(jobs);
    generator.close();
    for (const end of await ends) expect(end).toMatchObject({ status: 'rejected', reason: expect.any(LeaseLostError) });
  });

  it('that would have to wait too long say how long they may wait', async () => {
    const { generator } = over(1, { maxWaitMs: 20 });
    await expect(generator.nextManyAsync(5000)).rejects.toThrow(
      'but the next id needs 2023-01-01T00:00:00.002Z or later (onSequenceExhausted: wait, maxWaitMs: 20)',
    );
    expect(await generator.nextManyAsync(4096)).toHaveLength(4096);
  });
});
