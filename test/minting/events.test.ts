import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import {
  ClockBackwardsError,
  LeaseLostError,
  type MintEvent,
  SequenceExhaustedError,
  SnowflakeGenerator,
} from '../../src/index.js';
import { EPOCH, over } from './over.js';

// Time is made here: it passes while a call blocks the thread, or when a test lets it pass.
beforeEach(() => {
  vi.useFakeTimers({ now: EPOCH + 1000 });
  vi.spyOn(Atomics, 'wait').mockImplementation((_array, _index, _value, ms = 0) => {
    vi.advanceTimersByTime(ms);
    return 'timed-out';
  });
});

afterEach(() => {
  vi.restoreAllMocks();
  vi.useRealTimers();
});

/** Keeps the events since it was last asked. */
function listener(then: (event: MintEvent) => void = () => {}) {
  let events: MintEvent[] = [];
  return {
    onEvent(event: MintEvent) {
      events.push(event);
      return then(event);
    },
    taken() {
      const taken = events;
      events = [];
      return taken;
    },
  };
}

describe('of a generator that mints undisturbed', () => {
  it('nothing is told', async () => {
    const { onEvent, taken } = listener();
    const { generator } = over([1, 1, 2, 5, 5, 9], { onEvent });
    for (let i = 0; i < 4; i++) generator.next();
    generator.nextMany(4000);
    await generator.nextManyAsync(10);
    generator.close();
    expect(() => generator.next()).toThrow(LeaseLostError);
    expect(taken()).toEqual([]);
  });
});

describe('a clock that goes back', () => {
  const back = (behindMs: number, action: string) => ({ type: 'clock-backwards', behindMs, action });

  it('is told once for each time, not for each id, with what is done', () => {
    for (const onClockBackwards of ['throw', 'borrow'] as const) {
      const { onEvent, taken } = listener();
      const { generator, clock } = over(100, { onEvent, onClockBackwards });
      const mintAt = (ms: number) => {
        clock.times = [ms];
        for (let i = 0; i < 3; i++) {
          try {
            generator.next();
          } catch (error) {
            expect(error).toBeInstanceOf(ClockBackwardsError);
          }
        }
        return taken();
      };
      expect(mintAt(100)).toEqual([]);
      expect(mintAt(40)).toEqual([back(60, onClockBackwards)]);
      expect(mintAt(70)).toEqual([]); // it catches up
      expect(mintAt(50)).toEqual([back(50, onClockBackwards)]);
      expect(mintAt(100)).toEqual([]);
      expect(mintAt(99)).toEqual([back(1, onClockBackwards)]);
      expect(mintAt(101)).toEqual([]);
    }
  });

  it('is told once by a call that waits, however often it looks at the clock', async () => {
    for (const isAsync of [false, true]) {
      const { onEvent, taken } = listener();
      let ms = 100;
      const clock = vi.fn(() => EPOCH + ms);
      const generator = new SnowflakeGenerator({ shard: 1, clock, onEvent, onClockBackwards: 'wait' });
      generator.next();
      ms = 60;
      clock.mockImplementation(() => EPOCH + ms++);
      const id = isAsync ? generator.nextAsync() : generator.next();
      await vi.advanceTimersByTimeAsync(1000);
      expect(generator.layout.unpack(await id).timestamp).toBeGreaterThanOrEqual(EPOCH + 100);
      expect(clock.mock.calls.length).toBeGreaterThan(10);
      const [first, second, ...rest] = taken();
      expect([first, rest]).toEqual([back(40, 'wait'), []]);
      expect(second).toMatchObject({ type: 'wait', reason: 'clock-backwards' });
    }
  });

  it('is told with `throw` if waiting or borrowing would exceed maxWaitMs', () => {
    for (const onClockBackwards of ['wait', 'borrow'] as const) {
      const { onEvent, taken } = listener();
      const { generator } = over([1000, 400], { onEvent, onClockBackwards, maxWaitMs: 500 });
      generator.next();
      expect(() => generator.next()).toThrow(ClockBackwardsError);
      expect(() => generator.nextMany(3)).toThrow(ClockBackwardsError);
      expect(taken()).toEqual([back(600, 'throw')]);
    }
  });

  it('is not told if it is where ids were given last, and only a call that failed saw it further on', () => {
    const { onEvent, taken } = listener();
    let isFull = false;
    const highWater = {
      load: () => undefined,
      save() {
        if (isFull) throw new Error('disk full');
      },
    };
    const { generator, clock } = over(100, { onEvent, highWater });
    generator.next();
    isFull = true;
    clock.times = [5000];
    expect(() => generator.next()).toThrow('disk full');
    clock.times = [100];
    generator.next();
    expect(taken()).toEqual([]);
  });

  it('is told if it is behind the mark of an earlier process', () => {
    const { onEvent, taken } = listener();
    const highWater = { load: () => EPOCH + 5000, save() {} };
    const { generator } = over(4000, { onEvent, highWater });
    expect(() => generator.next()).toThrow(ClockBackwardsError);
    expect(() => generator.next()).toThrow(ClockBackwardsError);
    expect(taken()).toEqual([back(1000, 'throw')]);
  });
});

describe('a wait', () => {
  it('is told when it has ended, once for a call, however many units it waits for', () => {
    const { onEvent, taken } = listener();
    const generator = new SnowflakeGenerator({ shard: 1, onEvent });
    generator.nextMany(3 * 4096);
    expect(taken()).toEqual([{ type: 'wait', reason: 'sequence-exhausted', ms: 2 }]);
    generator.next();
    expect(taken()).toEqual([{ type: 'wait', reason: 'sequence-exhausted', ms: 1 }]);
    generator.next();
    expect(taken()).toEqual([]);
  });

  it('is told of a call that does not block, and of those behind it', async () => {
    const { onEvent, taken } = listener();
    const generator = new SnowflakeGenerator({ shard: 1, onEvent });
    const calls = [generator.nextManyAsync(2 * 4096), generator.nextManyAsync(4095), generator.nextAsync()];
    expect(taken()).toEqual([]);
    await vi.advanceTimersByTimeAsync(10);
    await Promise.all(calls);
    expect(taken()).toEqual([1, 2, 2].map((ms) => ({ type: 'wait', reason: 'sequence-exhausted', ms })));
  });

  it('is told of a call that fails', async () => {
    const { onEvent, taken } = listener();
    const generator = new SnowflakeGenerator({ shard: 1, onEvent, maxWaitMs: 3 });
    expect(() => generator.nextMany(10 * 4096)).toThrow(SequenceExhaustedError);
    expect(taken()).toEqual([{ type: 'wait', reason: 'sequence-exhausted', ms: 3 }]);
    generator.nextMany(4096);
    taken();
    const waiting = expect(generator.nextAsync()).rejects.toThrow('this generator has been closed');
    generator.close();
    await waiting;
    expect(taken()).toEqual([{ type: 'wait', reason: 'sequence-exhausted', ms: 0 }]);
    expect(vi.getTimerCount()).toBe(0); // nothing keeps the process from ending
  });

  it('is not told if the policy is to throw', () => {
    const { onEvent, taken } = listener();
    const { generator } = over(1, { onEvent, onSequenceExhausted: 'throw' });
    expect(() => generator.nextMany(4097)).toThrow(SequenceExhaustedError);
    expect(taken()).toEqual([]);
  });

  it('for a clock that is behind is told as that, even if the call waited for other units, too', () => {
    const { onEvent, taken } = listener();
    const generator = new SnowflakeGenerator({ shard: 1, onEvent, onClockBackwards: 'wait' });
    generator.next();
    vi.setSystemTime(Date.now() - 20);
    generator.nextMany(2 * 4096);
    expect(taken()).toEqual([
      { type: 'clock-backwards', behindMs: 20, action: 'wait' },
      { type: 'wait', reason: 'clock-backwards', ms: 22 },
    ]);
  });
});

describe('ids ahead of the clock', () => {
  const borrowed = (...ahead: number[]) => ahead.map((aheadMs) => ({ type: 'borrow', aheadMs }));

  it('are told of the second unit of a layout, too', () => {
    const { onEvent, taken } = listener();
    over(0, { onEvent, onSequenceExhausted: 'borrow' }).generator.nextMany(4097);
    expect(taken()).toEqual(borrowed(1));
  });

  it('are told once for each unit that is borrowed', () => {
    const { onEvent, taken } = listener();
    const { generator, clock } = over(1, { onEvent, onSequenceExhausted: 'borrow' });
    generator.nextMany(4096);
    expect(taken()).toEqual([]);
    for (let i = 0; i < 100; i++) generator.next();
    expect(taken()).toEqual(borrowed(1));
    generator.nextMany(3 * 4096);
    expect(taken()).toEqual(borrowed(2, 3, 4));
    clock.times = [4.5];
    generator.nextMany(4096);
    expect(taken()).toEqual(borrowed(1.5));
  });

  it('are not told again after a call that failed and gave them back', () => {
    const { onEvent, taken } = listener();
    const { generator } = over(1, { onEvent, onSequenceExhausted: 'borrow', maxWaitMs: 2 });
    expect(() => generator.nextMany(4 * 4096)).toThrow(SequenceExhaustedError);
    expect(taken()).toEqual(borrowed(1, 2));
    expect(generator.nextMany(3 * 4096).length).toBe(3 * 4096);
    expect(taken()).toEqual([]);
  });

  it('are told if they begin at the mark of an earlier process', () => {
    const { onEvent, taken } = listener();
    const highWater = { load: () => EPOCH + 5000, save() {} };
    const { generator } = over(4000, { onEvent, highWater, onClockBackwards: 'borrow' });
    generator.nextMany(10);
    expect(taken()).toEqual([{ type: 'clock-backwards', behindMs: 1000, action: 'borrow' }, ...borrowed(1000)]);
  });
});

describe.each<[what: string, fail: () => unknown]>([
  [
    'throws',
    () => {
      throw new Error('the metrics are broken');
    },
  ],
  ['rejects', () => Promise.reject(new Error('the metrics are away'))],
])('an onEvent that %s', (_, fail) => {
  it('costs no id', async () => {
    const { onEvent, taken } = listener(fail as () => void);
    const options = { onEvent, onClockBackwards: 'borrow', onSequenceExhausted: 'borrow' } as const;
    const { generator } = over([100, 50], options);
    generator.next();
    expect(generator.nextMany(2 * 4096)[2 * 4096 - 1] - generator.next()).toBe(-1n);
    expect(taken().map(({ type }) => type)).toEqual(['clock-backwards', 'borrow', 'borrow']);
    const waiting = new SnowflakeGenerator({ shard: 1, onEvent });
    expect(waiting.nextMany(4097).length).toBe(4097);
    const calls = [waiting.nextManyAsync(4096), waiting.nextAsync()];
    await vi.advanceTimersByTimeAsync(10);
    await Promise.all(calls);
    expect(taken().map(({ type }) => type)).toEqual(['wait', 'wait', 'wait']);
  });
});

describe('an onEvent that mints', () => {
  it('gets ids of its own, and the call that told it goes on behind them', () => {
    const own: bigint[] = [];
    const { onEvent, taken } = listener(({ type }) => {
      if (type === 'borrow') own.push(...generator.nextMany(4000));
    });
    const options = { onEvent, onSequenceExhausted: 'borrow' } as const;
    const { generator } = over(1, options);
    const ids = generator.nextMany(3 * 4096);
    const all = [...own, ...ids].sort((a, b) => Number(a - b));
    expect(new Set(all).size).toBe(own.length + 3 * 4096);
    expect(ids.every((id, i) => i === 0 || id > ids[i - 1])).toBe(true);
    expect(new Set(all.map((id) => id >> 22n)).size).toBe(Math.ceil(all.length / 4096)); // no number is left out
    const ahead = taken().map((event) => event.type === 'borrow' && event.aheadMs);
    expect(ahead).toEqual(ahead.map((_, i) => i + 1));
  });

  it('when a call has waited, gets ids after those of the call', async () => {
    const own: (bigint | Promise<bigint>)[] = [];
    const { onEvent } = listener(() => {
      if (own.length < 2) own.push(own.length ? generator.nextAsync() : generator.next());
    });
    const generator = new SnowflakeGenerator({ shard: 1, onEvent });
    const calls = [generator.nextManyAsync(4097), generator.nextManyAsync(4096)];
    await vi.advanceTimersByTimeAsync(10);
    const [[last], ids] = (await Promise.all(calls)).map((some) => some.slice(-1));
    const [first, second] = await Promise.all(own);
    expect(first).toBe(last + 1n);
    expect(second).toBeGreaterThan(ids[0]);
    expect(vi.getTimerCount()).toBe(0);
  });

  it('when the clock has gone back, gets what the policy gives, and the call fails as it would', () => {
    const failed: unknown[] = [];
    const { onEvent, taken } = listener(() => {
      try {
        generator.next();
      } catch (error) {
        failed.push(error);
      }
    });
    const { generator, clock, next } = over([100, 50], { onEvent });
    expect(next()).toEqual([100, 0]);
    expect(() => generator.next()).toThrow(ClockBackwardsError);
    expect([failed, taken()]).toMatchObject([[{ code: 'ERR_CLOCK_BACKWARDS' }], [{ type: 'clock-backwards' }]]);
    clock.times = [100];
    expect(next()).toEqual([100, 1]);
  });
});

it.each([
  ['clock-backwards', ['rejected', 'rejected'], ['clock-backwards']],
  ['borrow', ['rejected', 'rejected'], ['borrow']],
  ['wait', ['fulfilled', 'rejected'], ['wait', 'wait']],
] as const)('an onEvent that closes the generator at %s ends the calls that have no ids yet', async (at, ...expected) => {
  const { onEvent, taken } = listener(({ type }) => {
    if (type === at) generator.close();
  });
  const generator: SnowflakeGenerator = new SnowflakeGenerator({
    shard: 1,
    onEvent,
    onClockBackwards: 'wait',
    onSequenceExhausted: at === 'borrow' ? 'borrow' : 'wait',
  });
  generator.next();
  if (at === 'clock-backwards') vi.setSystemTime(Date.now() - 20);
  const calls = Promise.allSettled([generator.nextManyAsync(4097), generator.nextAsync()]);
  await vi.advanceTimersByTimeAsync(100);
  expect([(await calls).map(({ status }) => status), taken().map(({ type }) => type)]).toEqual(expected);
  expect(() => generator.next()).toThrow('this generator has been closed');
  expect(vi.getTimerCount()).toBe(0);
});
