import { layouts, SnowflakeGenerator, type SnowflakeGeneratorOptions } from '../../src/index.js';

export const EPOCH = 1672531200000; // of layouts.snowflake
export const layout = layouts.snowflake;

/** A generator over a clock that shows these milliseconds since the epoch, one after the other, the last for ever. */
export function over(times: number | number[], options: Partial<SnowflakeGeneratorOptions> = {}) {
  const clock = { times: [times].flat(), asked: 0 };
  const generator = new SnowflakeGenerator({
    shard: 5,
    clock: () => EPOCH + clock.times[Math.min(clock.asked++, clock.times.length - 1)],
    ...options,
  });
  const next = () => {
    const { timestamp, sequence } = layout.unpack(generator.next());
    return [timestamp - EPOCH, sequence];
  };
  return { generator, clock, next };
}
