import fc from 'fast-check';
import { expect, it } from 'vitest';
import { onBothBackends } from '../support/backends.js';
import { scaled } from '../support/scale.js';
import { parsed } from './parsed-dates.js';

onBothBackends('dates as text', (kernels) => {
  it('are those of all days of some years, and of any time', () => {
    // 1800, 1900 and 2100 have no 29 February; 2000 has one.
    const years = [1800, 1896, 1899, 1900, 1904, 1999, 2000, 2001, 2100];
    const days = years.flatMap((year) =>
      Array.from({ length: 366 }, (_, day) => new Date(Date.UTC(year, 0, 1 + day)).toISOString()),
    );
    expect(parsed(kernels, days)).toEqual({ ms: days.map(Date.parse), row: -1 });
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
      { numRuns: scaled(2000, 20) },
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
