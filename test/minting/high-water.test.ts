import { describe, expect, it } from 'vitest';
import { ClockBackwardsError, type HighWater } from '../../src/index.js';
import { EPOCH, over } from './over.js';

describe('a high-water mark', () => {
  function mark(): HighWater & { at: number | undefined; saves: number } {
    return {
      at: undefined,
      saves: 0,
      load() {
        return this.at;
      },
      save(at) {
        this.at = at;
        this.saves++;
      },
    };
  }

  it('keeps a restart with the clock set back from repeating ids', () => {
    const highWater = mark();
    const first = over(5000, { highWater, onSequenceExhausted: 'borrow' });
    const ids = first.generator.nextMany(10_000);
    const second = over(4000, { highWater });
    expect(() => second.generator.next()).toThrow(ClockBackwardsError);
    second.clock.times = [7000];
    expect(second.generator.next()).toBeGreaterThan(ids.at(-1) as bigint);
  });

  it('is waited for, where the policy is to wait, by a restart that is quicker than what is saved ahead', () => {
    const highWater = mark();
    over(5000, { highWater }).generator.next();
    expect(highWater.at).toBe(EPOCH + 6001);
    const { next } = over([5001, 5500, 6001], { highWater, onClockBackwards: 'wait' });
    expect(next()).toEqual([6001, 0]);
  });

  it('is saved before ids are given, not for every one, and if that fails none is', () => {
    const highWater = mark();
    const { generator, clock, next } = over([1, 2, 3, 999, 1000], { highWater });
    for (let i = 0; i < 5; i++) generator.next();
    expect(highWater.saves).toBe(1);
    clock.times = [1500];
    highWater.save = () => {
      throw new Error('disk full');
    };
    expect(next).toThrow('disk full');
    clock.times = [1000];
    expect(next()).toEqual([1000, 1]);
  });

  it('that is none is refused', () => {
    for (const at of [Number.NaN, '5', 5n]) {
      expect(() => over(1, { highWater: { load: () => at as number, save() {} } })).toThrow(/^"highWater": /);
    }
  });
});
