import { describe, expect, it } from 'vitest';
import { layouts } from '../../src/index.js';
import { comparisonOf, durationText, idFrom } from '../../src/inspector/decode/readings.js';

describe('two ids', () => {
  it('differ by a time, and by fields', () => {
    const first = layouts.discord.pack({ timestamp: new Date('2022-01-01'), worker: 1, process: 2, increment: 3 });
    const second = layouts.discord.pack({
      timestamp: new Date('2022-01-02T00:00:00.5Z'),
      worker: 1,
      process: 0,
      increment: 9,
    });
    expect(comparisonOf(layouts.discord, first, second)).toEqual({
      micros: 86_400_500_000n,
      at: BigInt(Date.UTC(2022, 0, 2, 0, 0, 0, 500)) * 1000n,
      fields: [
        { name: 'process', first: 2n, second: 0n },
        { name: 'increment', first: 3n, second: 9n },
      ],
    });
    expect(comparisonOf(layouts.discord, second, first).micros).toBe(-86_400_500_000n);
    expect(comparisonOf(layouts.discord, first, first)).toMatchObject({ micros: 0n, fields: [] });
  });

  it('have no time between them in a layout without one', () => {
    expect(comparisonOf(layouts.clientEntity, 5n, 6n)).toEqual({
      micros: undefined,
      fields: [{ name: 'entity', first: 5n, second: 6n }],
    });
  });

  it('are typed in the format of the others, or in any', () => {
    expect(idFrom(' 17 ', 'hex')).toBe(23n);
    expect(idFrom('17', 'dec')).toBe(17n);
    expect(idFrom('0223bbf03300507b', 'dec')).toBe(154173452582932603n);
    expect(idFrom('-', 'dec')).toBeUndefined();
  });
});

describe('a duration', () => {
  it.each([
    [0n, '0 seconds'],
    [1n, '0.000001 seconds'],
    [-1_000_000n, '1 second'],
    [60_000_000n, '1 minute'],
    [90_061_500_000n, '1 day, 1 hour, 1 minute, 1.5 seconds'],
    [172_800_000_000n, '2 days'],
  ])('of %s microseconds is in words: %s', (micros, text) => {
    expect(durationText(micros)).toBe(text);
  });
});
