import { describe, expect, it } from 'vitest';
import { ClockBackwardsError, type HighWater, LeaseLostError, SnowflakeGenerator } from '../../src/index.js';
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
    const { generator, clock, next } = over([1, 2, 3, 999, 1001], { highWater }); // the last unit ends where the mark is
    for (let i = 0; i < 5; i++) generator.next();
    expect(highWater.saves).toBe(1);
    clock.times = [1500];
    highWater.save = () => {
      throw new Error('disk full');
    };
    expect(next).toThrow('disk full');
    clock.times = [1001];
    expect(next()).toEqual([1001, 1]);
  });

  it('is told when the generator is closed until when ids were given, which mints nothing more', async () => {
    const closed: (number | undefined)[] = [];
    const highWater = { ...mark(), close: (at?: number) => closed.push(at) };
    const { generator } = over(5000, { highWater, onSequenceExhausted: 'borrow' });
    generator.nextMany(4097);
    generator.close();
    generator.close();
    expect(closed).toEqual([EPOCH + 5002]);
    for (const call of [() => generator.next(), () => generator.nextMany(1)]) expect(call).toThrow(LeaseLostError);
    await expect(generator.nextManyAsync(1)).rejects.toThrow('this generator has been closed');
    over(5000, { highWater: { ...mark(), close: (at?: number) => closed.push(at) } }).generator.close();
    expect(closed).toEqual([EPOCH + 5002, undefined]);
    over(5000, { highWater: mark() }).generator.close(); // a mark need not care
  });

  it('that another generator has taken over is not saved or closed by the one before', () => {
    const closed: (number | undefined)[] = [];
    const highWater = { ...mark(), close: (at?: number) => closed.push(at) };
    const old = over([1, 1002], { highWater });
    old.generator.next();
    const newcomer = over(3000, { highWater });
    expect(() => old.generator.next()).toThrow('another generator holds the high-water mark');
    old.generator.close();
    expect(closed).toEqual([]);
    newcomer.generator.next();
    newcomer.generator.close();
    expect(closed).toEqual([EPOCH + 3001]);
  });

  it('that mints while it is saved gets ids of its own', () => {
    const own: bigint[] = [];
    const highWater = mark();
    let isFirst = true;
    const generator: SnowflakeGenerator = new SnowflakeGenerator({
      shard: 1,
      clock: () => EPOCH + 5000,
      highWater: {
        load: () => undefined,
        save(at) {
          highWater.save(at);
          if (!isFirst) return;
          isFirst = false;
          own.push(...generator.nextMany(3));
        },
      },
    });
    const ids = [...generator.nextMany(10), ...own, ...generator.nextMany(10)];
    expect(own.length).toBe(3);
    expect(new Set(ids).size).toBe(ids.length);
  });
});
