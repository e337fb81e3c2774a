import { describe, expect, it } from 'vitest';
import {
  ClockBackwardsError,
  defineLayout,
  LeaseLostError,
  SequenceExhaustedError,
  type ShardLease,
} from '../../src/index.js';
import { EPOCH, layout, over } from './over.js';

describe('a lease', () => {
  function lease(notBefore: number, until: number): ShardLease & { until: number } {
    return {
      shard: 9,
      token: 1n,
      notBefore: EPOCH + notBefore,
      until,
      validUntil() {
        return EPOCH + this.until;
      },
      release: async () => {},
      lost: new Promise(() => {}),
    };
  }

  it('bounds the time of ids: none before it, none that it does not last for', () => {
    const shard = lease(100, 200);
    const { generator, clock } = over(99, { shard });
    expect(() => generator.next()).toThrow(ClockBackwardsError);
    clock.times = [100];
    expect(layout.unpack(generator.next())).toEqual({ timestamp: EPOCH + 100, shard: 9, sequence: 0 });
    clock.times = [199];
    expect(layout.unpack(generator.next())).toEqual({ timestamp: EPOCH + 199, shard: 9, sequence: 0 });
    clock.times = [200];
    expect(() => generator.next()).toThrow(LeaseLostError);
    expect(() => generator.next()).toThrow('the lease of shard 9 ends before 2023-01-01T00:00:00.201Z');
    shard.until = 300;
    expect(layout.unpack(generator.next())).toEqual({ timestamp: EPOCH + 200, shard: 9, sequence: 0 });
  });

  it('is not overrun by what is borrowed', () => {
    const { generator } = over(198, { shard: lease(0, 200), onSequenceExhausted: 'borrow' });
    expect(() => generator.nextMany(3 * 4096)).toThrow(LeaseLostError);
    expect(generator.nextMany(2 * 4096).length).toBe(2 * 4096);
    expect(() => generator.next()).toThrow(LeaseLostError);
  });

  it('that is lost ends the minting at once', () => {
    const shard = lease(0, 200);
    const { generator } = over(1, { shard });
    generator.next();
    shard.until = Number.NEGATIVE_INFINITY;
    expect(() => generator.next()).toThrow(new LeaseLostError('the lease of shard 9 has ended'));
  });

  it('that says why it is lost makes that the cause of the error, and nothing is the cause while it is held', async () => {
    const shard: ReturnType<typeof lease> & { lossReason?: Error | undefined } = lease(0, 200);
    const { generator, clock } = over([1, 200], { shard });
    const failure = () => {
      try {
        return generator.next();
      } catch (error) {
        return error;
      }
    };
    generator.next();
    const early = failure();
    expect(early).toBeInstanceOf(LeaseLostError);
    expect(early).not.toHaveProperty('cause');
    clock.times = [2];
    shard.until = Number.NEGATIVE_INFINITY;
    expect(failure()).not.toHaveProperty('cause'); // the lease does not say why
    shard.lossReason = new Error('an operator ended it');
    expect(failure()).toMatchObject({ code: 'ERR_LEASE_LOST', cause: shard.lossReason });
    await expect(generator.nextAsync()).rejects.toMatchObject({ code: 'ERR_LEASE_LOST', cause: shard.lossReason });
  });

  it('that does not say how long it lasts is not minted with', () => {
    const shard = { ...lease(0, 200), validUntil: () => Number.NaN };
    expect(() => over(1, { shard }).generator.next()).toThrow(LeaseLostError);
  });

  it('says until when ids have been minted with it, before they are given', () => {
    const shard = lease(100, 10_000);
    const { generator, clock } = over([100, 100, 120, 120], { shard, onSequenceExhausted: 'throw' });
    expect('mintedUntil' in shard).toBe(false);
    generator.next();
    expect(shard.mintedUntil).toBe(EPOCH + 101);
    generator.next();
    expect(shard.mintedUntil).toBe(EPOCH + 101);
    expect(() => generator.nextMany(5000)).toThrow(SequenceExhaustedError);
    expect(shard.mintedUntil).toBe(EPOCH + 121); // not lowered: it may have been read
    clock.times = [200];
    shard.until = 150;
    expect(() => generator.next()).toThrow(LeaseLostError);
    expect(shard.mintedUntil).toBe(EPOCH + 121);
  });

  it('is minted with only after what others have minted with it', () => {
    const shard = lease(100, 10_000);
    shard.mintedUntil = EPOCH + 150.5;
    const { generator, clock, next } = over(120, { shard, onSequenceExhausted: 'throw' });
    expect(() => generator.next()).toThrow(SequenceExhaustedError);
    clock.times = [151];
    expect(next()).toEqual([151, 0]);
    shard.mintedUntil = EPOCH + 300;
    expect(next()).toEqual([151, 1]); // of its own unit
    clock.times = [299];
    expect(() => generator.next()).toThrow(SequenceExhaustedError);
    clock.times = [300];
    expect(next()).toEqual([300, 0]);
    expect(shard.mintedUntil).toBe(EPOCH + 301);
    shard.mintedUntil = 'soon' as never;
    clock.times = [301];
    expect(() => generator.next()).toThrow('"shard.mintedUntil": expected Unix milliseconds, got "soon"');
  });

  it('is shared by generators of other units and epochs, none of which uses the time of another', () => {
    const shard = lease(-10_000, 1e9);
    const make = (unit: 's' | '10ms' | 'ms', epoch: number) =>
      over(500, {
        shard,
        layout: defineLayout({ timestamp: { bits: 40, epoch: EPOCH - epoch, unit }, shard: 10, sequence: 8 }),
        onSequenceExhausted: 'borrow',
        maxWaitMs: 1e9,
      }).generator;
    const startOf = (id: bigint, unitMs: number, epoch: number) => Number(id >> 18n) * unitMs - epoch;
    const [seconds, tens, ones] = [make('s', 123), make('10ms', 7), make('ms', 0)];
    expect(startOf(ones.next(), 1, 0)).toBe(500);
    expect(startOf(tens.next(), 10, 7)).toBe(503);
    expect(shard.mintedUntil).toBe(EPOCH + 513);
    expect(startOf(seconds.next(), 1000, 123)).toBe(877);
    expect(shard.mintedUntil).toBe(EPOCH + 1877);
    expect(startOf(ones.nextMany(300).at(-1) as bigint, 1, 0)).toBe(1877);
    expect(startOf(tens.nextMany(300).at(-1) as bigint, 10, 7)).toBe(1883);
  });
});
