import { describe, expect, it } from 'vitest';
import { ClockBackwardsError, LeaseLostError, type ShardLease } from '../../src/index.js';
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
    expect(layout.unpack(generator.next())).toEqual({ timestamp: 100, shard: 9, sequence: 0 });
    clock.times = [199];
    expect(layout.unpack(generator.next())).toEqual({ timestamp: 199, shard: 9, sequence: 0 });
    clock.times = [200];
    expect(() => generator.next()).toThrow(LeaseLostError);
    expect(() => generator.next()).toThrow('the lease of shard 9 does not last until 2023-01-01T00:00:00.201Z');
    shard.until = 300;
    expect(layout.unpack(generator.next())).toEqual({ timestamp: 200, shard: 9, sequence: 0 });
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
    expect(() => generator.next()).toThrow(LeaseLostError);
  });
});
