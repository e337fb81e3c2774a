import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { defineLayout, type Layout, type LayoutTime, type TimeUnit } from '../../src/index.js';
import { dateOf, isoText, microsOf, msText, timeWidths, unitFrom } from '../../src/inspector/decode/dates.js';
import { Inspection } from '../../src/inspector/decode/inspection.js';
import { isUnit, UNIT_NAMES } from '../../src/inspector/decode/layout-choice.js';
import { DEFAULTS, type Settings } from '../../src/inspector/decode/settings.js';

const NOW = Date.UTC(2026, 0);
const UNITS = Object.keys(UNIT_NAMES).filter(isUnit);
const START = Date.UTC(2024, 2, 1, 10, 30, 15, 500);

function layoutIn(unit: TimeUnit, epoch: number, bits = 54): Layout & { readonly time: LayoutTime } {
  return defineLayout({ timestamp: { bits, epoch, unit }, shard: 64 - bits }) as Layout & { readonly time: LayoutTime };
}

/** A page of ids of a layout whose only other field is a shard of 10 bits. */
function inspect(ids: Iterable<bigint>, unit: TimeUnit, epoch: number) {
  const text = [...ids].join('\n');
  const inspection = new Inspection(new TextEncoder().encode(text), NOW);
  const layout = { spec: 'timestamp:54,shard:10', epoch, unit };
  return {
    view: (settings: Partial<Settings> = {}) => inspection.view({ ...DEFAULTS, layout, ...settings }),
    rows: () => inspection.rows(0, 1000).map(({ cells }) => cells),
    csv: () => [...inspection.export().pieces].join(''),
  };
}

describe('times', () => {
  it.each(UNITS)('in %s are what the layout says', (unit) => {
    fc.assert(
      fc.property(fc.integer({ min: -4e12, max: 4e12 }), fc.bigInt(0n, 2n ** 40n), (epoch, units) => {
        const layout = layoutIn(unit, epoch);
        const micros = microsOf(layout.time, units);
        const id = layout.pack({ timestamp: units, shard: 0 });
        expect(unitFrom(layout.time, micros)).toBe(units);
        expect(unitFrom(layout.time, micros - 1n)).toBe(unit === 'us' ? units - 1n : units);
        expect(unitFrom(layout.time, micros + 1n)).toBe(units + 1n);
        if (micros > 2n ** 43n * 1000n) return;
        expect(msText(micros)).toBe(String(layout.unpack(id).timestamp));
        expect(dateOf(micros)).toEqual(layout.dateOf(id));
      }),
    );
  });

  it('have microseconds where units have them', () => {
    const { time } = layoutIn('us', 0);
    expect(isoText(time, BigInt(START) * 1000n + 7n)).toBe('2024-03-01T10:30:15.500007Z');
    expect(isoText(time, -1n)).toBe('1969-12-31T23:59:59.999999Z');
    expect(isoText(layoutIn('10us', 0).time, 10n)).toBe('1970-01-01T00:00:00.000010Z');
    expect(isoText(layoutIn('ms', 0).time, 1999n)).toBe('1970-01-01T00:00:00.001Z');
    expect(msText(-1n)).toBe('-0.001');
    expect(msText(1_500n)).toBe('1.5');
  });

  it('end with what a Date holds', () => {
    const { time } = layoutIn('ms', 0);
    expect(isoText(time, 8_640_000_000_000_000_999n)).toBe('+275760-09-13T00:00:00.000Z');
    expect(isoText(time, 8_640_000_000_000_001_000n)).toBeUndefined();
    expect(isoText(time, -8_640_000_000_000_000_000n)).toBe('-271821-04-20T00:00:00.000Z');
  });

  it('fit the columns that are made for them', () => {
    for (const unit of UNITS) {
      for (const epoch of [-6e13, 0, START]) {
        const { time, places } = layoutIn(unit, epoch, 44);
        const mask = places[0]?.mask ?? 0n;
        const widths = timeWidths(time, mask);
        for (const units of [0n, 1n, mask - 1n, mask]) {
          expect(msText(microsOf(time, units)).length).toBeLessThanOrEqual(widths.ms);
        }
        expect(isoText(time, BigInt(START) * 1000n)).toHaveLength(widths.date);
      }
    }
  });
});

describe.each(UNITS)('a page of ids in units of %s', (unit) => {
  const layout = layoutIn(unit, START);
  // Four units after the epoch, with two ids each.
  const units = [0n, 0n, 1n, 1n, 2n, 2n, 3n, 3n];
  const ids = units.map((timestamp, i) => layout.pack({ timestamp, shard: i }));
  const page = inspect(ids, unit, START);
  const shown = (filter: string) => {
    expect(page.view({ filter }).filterError).toBeUndefined();
    return page.rows().map((cells) => Number(cells[4]));
  };

  it('has times as unpack and datesOf give them', () => {
    expect(page.view().columns.map(({ label }) => label)).toEqual([
      'line',
      'id',
      'date (UTC)',
      'timestamp (Unix ms)',
      'shard',
    ]);
    expect(page.rows().map((cells) => cells[3])).toEqual([...layout.datesOf(BigUint64Array.from(ids))].map(String));
    const isoDates = page.rows().map((cells) => String(cells[2]));
    expect(isoDates.map((iso) => Date.parse(iso))).toEqual(ids.map((id) => layout.dateOf(id).getTime()));
    expect(page.csv().split('\r\n')[3]).toContain(`,${isoDates[2]},${layout.unpack(ids[2]).timestamp},2,`);
  });

  it('is filtered at the borders of a unit', () => {
    const second = String(layout.unpack(ids[2]).timestamp);
    const date = isoText(layout.time, microsOf(layout.time, 1n));
    for (const time of [`timestamp OP ${second}`, `timestamp OP ${date}`, `date OP ${date}`]) {
      const by = (operator: string) => shown(time.replace('OP', operator));
      // In units of 10 µs and 1 µs `date` is one instant, as it has six decimals.
      expect(by('=')).toEqual([2, 3]);
      expect(by('!=')).toEqual([0, 1, 4, 5, 6, 7]);
      expect(by('<')).toEqual([0, 1]);
      expect(by('<=')).toEqual([0, 1, 2, 3]);
      expect(by('>')).toEqual([4, 5, 6, 7]);
      expect(by('>=')).toEqual([2, 3, 4, 5, 6, 7]);
    }
    // Just after its beginning a unit has begun, and the next has not.
    const later = msText(microsOf(layout.time, 1n) + 1n);
    if (unit !== 'us') {
      expect(shown(`timestamp=${later}`)).toEqual([]);
      expect(shown(`timestamp<${later}`)).toEqual([0, 1, 2, 3]);
      expect(shown(`timestamp>=${later}`)).toEqual([4, 5, 6, 7]);
    }
  });

  it('is filtered by times before the epoch, and after all ids', () => {
    for (const early of ['date=1999', 'timestamp=-5', `timestamp<${START}`, 'date<=2024-02', 'date>275760']) {
      if (early !== 'date>275760') expect(shown(early)).toEqual([]);
    }
    for (const all of ['date>1999', 'timestamp>=-5', 'timestamp!=0', 'date<9999', `timestamp<=${2 ** 60}`]) {
      expect(shown(all)).toHaveLength(8);
    }
    expect(shown(`timestamp>${2 ** 60}`)).toEqual([]);
  });

  it('is sorted by time', () => {
    page.view({ sort: { column: 'timestamp', descending: true } });
    expect(page.rows().map((cells) => Number(cells[4]))).toEqual([6, 7, 4, 5, 2, 3, 0, 1]);
    page.view({ sort: { column: 'date', descending: false } });
    expect(page.rows().map((cells) => Number(cells[4]))).toEqual([0, 1, 2, 3, 4, 5, 6, 7]);
  });

  it('has a chart with a bar for each unit', () => {
    const { overTime } = page.view();
    expect(overTime).toHaveProperty('edges');
    expect([...(overTime?.counts ?? [])].filter((count) => count > 0)).toEqual([2, 2, 2, 2]);
    expect(overTime?.width).toBe(layout.time.unitMs);
    expect(overTime?.from).toBeLessThanOrEqual(START);
  });
});

describe('a page of odd times', () => {
  it('shows dates before 1970', () => {
    const epoch = Date.UTC(1900, 0);
    const page = inspect([0n, 1n << 10n], 'us', epoch);
    page.view();
    expect(page.rows().map((cells) => cells.slice(2, 4))).toEqual([
      ['1900-01-01T00:00:00.000000Z', '-2208988800000'],
      ['1900-01-01T00:00:00.000001Z', '-2208988799999.999'],
    ]);
    expect(page.view({ filter: 'timestamp>-2208988800000 date<1970' }).shown).toBe(1);
  });

  it('shows numbers beyond the calendar, and counts ids by value then', () => {
    const page = inspect([5n, 2n ** 64n - 1n], 's', 0);
    expect(page.view()).toMatchObject({ rows: 2, misfits: 0, overTime: { from: 0, base: 0n } });
    expect(page.rows().map((cells) => cells.slice(2, 4))).toEqual([
      ['1970-01-01T00:00:00.000Z', '0'],
      ['', `${2n ** 54n - 1n}000`],
    ]);
    expect(page.view({ filter: `timestamp=${2n ** 54n - 1n}000` }).shown).toBe(1);
    expect(page.view({ filter: 'date>=2024' }).shown).toBe(1);
  });

  it('says what a filter by time takes', () => {
    const page = inspect([5n, 6n], 'ms', 0);
    expect(page.view({ filter: 'timestamp>yesterday' }).filterError).toBe(
      'timestamp: expected Unix milliseconds, or a date such as 2024-03-01 or 2024-03-01T10:30, got “yesterday”',
    );
    expect(page.view({ filter: 'date=1e3' }).filterError).toMatch(/^date: expected a date such as/);
  });

  it('counts no ids per time', () => {
    expect(inspect([5n, 6n], 'ms', 0).view({ per: 'timestamp' }).per).toBe('shard');
  });
});
