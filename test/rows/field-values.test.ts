import { describe, expect, it } from 'vitest';
import { defineLayout, type Layout, type TimeUnit } from '../../src/index.js';
import { parseValue } from '../../src/rows/operations/encode.js';

const layoutWith = (unit: TimeUnit, epoch: number): Layout =>
  defineLayout({ shard: 3, at: { bits: 51, unit, epoch }, sequence: 10 });

describe('Unix milliseconds as text', () => {
  it.each<[text: string, unit: TimeUnit, epoch: number, value: unknown]>([
    ['1700000000000', 'ms', 0, 1700000000000],
    ['1700000000000.5', 'ms', 0, undefined],
    ['1700000000000.5', 'us', 0, 1700000000000.5],
    ['1700000000000.123', '10us', 0, 1700000000000.123],
    ['1700000000000.1234', 'us', 0, undefined],
    ['1.', 'us', 0, undefined],
    ['.5', 'us', 0, undefined],
    ['1e3', 'us', 0, undefined],
    [' 1', 'ms', 0, undefined],
    ['-1', 'ms', 0, undefined],
    ['-1', 'ms', -1000, -1],
    ['-0.5', 'us', -1000, -0.5],
    ['9007199254740992', 'ms', 0, 2 ** 53],
    ['9007199254740993', 'ms', 0, undefined],
    ['2024-03-01', 'ms', 0, new Date('2024-03-01')],
    ['2024-02-30', 'ms', 0, undefined],
    ['2024', 'ms', 0, 2024],
  ])('%j in %s since %i', (text, unit, epoch, value) => {
    expect(parseValue(layoutWith(unit, epoch), 'at', text, false)).toEqual(value);
  });

  it('are not read if it is raw', () => {
    expect(parseValue(layoutWith('us', 0), 'at', '5', true)).toBe(5n);
    expect(parseValue(layoutWith('us', 0), 'at', '5.5', true)).toBeUndefined();
  });
});
