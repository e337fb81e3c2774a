import fc from 'fast-check';
import { expect, it } from 'vitest';
import { recordKernels } from '../../src/kernels/records.js';
import type { Kernels } from '../../src/kernels/types.js';
import { onBothBackends } from '../support/backends.js';
import { scaled } from '../support/scale.js';

const SLACK = 63;

/** The milliseconds of all texts before the first one that is not a date, and the row of that one. */
function parsed(kernels: Kernels, texts: readonly string[]): { ms: number[]; row: number } {
  const bytes = new TextEncoder().encode(texts.join('|'));
  const data = kernels.column('u8', bytes.length + SLACK);
  const starts = kernels.column('u32', texts.length);
  const ends = kernels.column('u32', texts.length);
  const values = kernels.column('f64', texts.length);
  data.array.fill(0x30).set(bytes); // what comes behind must not matter
  let at = 0;
  for (const [row, text] of texts.entries()) {
    starts.array[row] = at;
    ends.array[row] = at + text.length;
    at += text.length + 1;
  }
  const spans = { data: data.array, starts: starts.array, ends: ends.array };
  const row = recordKernels(kernels).parseDates(spans, values.array);
  const ms = [...values.array.slice(0, row < 0 ? texts.length : row)];
  for (const column of [data, starts, ends, values]) column.free();
  return { ms, row };
}

onBothBackends('dates as text', (kernels) => {
  it('are those of all days of four hundred years, and of any time', () => {
    const days = Array.from({ length: 146_097 }, (_, day) => new Date(Date.UTC(1800, 0, 1 + day)).toISOString());
    for (let from = 0; from < days.length; from += 10_000) {
      const some = days.slice(from, from + 10_000);
      expect(parsed(kernels, some)).toEqual({ ms: some.map(Date.parse), row: -1 });
    }
    const date = fc.date({
      min: new Date('0000-01-01'),
      max: new Date('9999-12-31T23:59:59.999Z'),
      noInvalidDate: true,
    });
    fc.assert(
      fc.property(fc.array(date, { minLength: 1, maxLength: 20 }), fc.boolean(), (dates, hasMs) => {
        const texts = dates.map((one) => (hasMs ? one.toISOString() : one.toISOString().replace(/\.\d+/, '')));
        expect(parsed(kernels, texts)).toEqual({ ms: texts.map(Date.parse), row: -1 });
      }),
      { numRuns: scaled(2000) },
    );
  });

  it.each([
    '2023-02-29T00:00:00Z',
    '1900-02-29T00:00:00Z',
    '2024-02-30T00:00:00.000Z',
    '2024-04-31T00:00:00Z',
    '2024-00-01T00:00:00Z',
    '2024-13-01T00:00:00Z',
    '2024-01-00T00:00:00Z',
    '2024-01-01T24:00:00Z',
    '2024-01-01T00:60:00Z',
    '2024-01-01T00:00:60Z',
    '2024-01-01T00:00:00',
    '2024-01-01T00:00:00.00Z',
    '2024-01-01T00:00:00,000Z',
    '2024-01-01 00:00:00Z',
    '2024-01-01T00:00:00z',
    '2024-01-01T00:00:0 Z',
    '2024/01/01T00:00:00Z',
    '2024-01-01',
    '1700000000000',
    '',
  ])('are not %s', (text) => {
    expect(parsed(kernels, ['2024-02-29T12:34:56.789Z', text, '2024-01-01T00:00:00Z'])).toEqual({
      ms: [Date.UTC(2024, 1, 29, 12, 34, 56, 789)],
      row: 1,
    });
  });
});
