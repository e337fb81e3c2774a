import { describe, expect, it } from 'vitest';
import { layouts } from '../../src/index.js';
import { differenceText, durationText, idFrom } from '../../src/inspector/decode/readings.js';

describe('two ids', () => {
  it('differ by a time, and by fields', () => {
    const first = layouts.discord.pack({ timestamp: new Date('2022-01-01'), worker: 1, process: 2, increment: 3 });
    const second = layouts.discord.pack({
      timestamp: new Date('2022-01-02T00:00:00.5Z'),
      worker: 1,
      process: 0,
      increment: 9,
    });
    expect(differenceText(layouts.discord, first, second, 'UTC')).toBe(
      'The other id, of 2022-01-02T00:00:00.500Z: 1 day, 0.5 seconds later; process 0 instead of 2; increment 9 instead of 3.',
    );
    expect(differenceText(layouts.discord, second, first, 'UTC')).toMatch(/: 1 day, 0\.5 seconds earlier; process 2 /);
    expect(differenceText(layouts.discord, first, first, 'UTC')).toMatch(/: at the same time\.$/);
  });

  it('have no time between them in a layout without one', () => {
    expect(differenceText(layouts.clientEntity, 5n, 6n, 'UTC')).toBe('The other id: entity 6 instead of 5.');
    expect(differenceText(layouts.clientEntity, 5n, 5n, 'UTC')).toBe('The fields are the same.');
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
