import { describe, expect, it } from 'vitest';
import { defineLayout } from '../../src/index.js';
import { UTC } from '../../src/inspector/decode/dates.js';
import { example, parseFilter, select, toggled, withoutColumn } from '../../src/inspector/decode/filter.js';
import { Inspection } from '../../src/inspector/decode/inspection.js';
import { DEFAULTS } from '../../src/inspector/decode/settings.js';
import type { ColumnArray } from '../../src/kernels/index.js';

const NOW = Date.UTC(2026, 0);
const { time } = defineLayout({ timestamp: 64 });
const columns = [{ key: 'shard' }, { key: 'id' }, { key: 'date', time }];

/** The rows that a filter keeps, of columns that all have the same values. */
function kept(filter: string, values: ColumnArray, duplicates = new Uint8Array(values.length)): number[] {
  const all = columns.map((column) => ({ unit: '', kind: 'field', values, ...column }) as const);
  const dated = all.map((column) => ('time' in column ? ({ ...column, kind: 'date' } as const) : column));
  const { rows, filterError } = select(dated, new Uint8Array(values.length), 'all', filter, UTC, () => duplicates);
  expect(filterError).toBeUndefined();
  return [...rows];
}

/** An array of the numbers from 0 on. */
const upTo = (count: number) => Uint16Array.from({ length: count }, (_, row) => row);

describe('a filter', () => {
  it.each([
    ['shard=5', [5]],
    ['shard != 5', [0, 1, 2, 3, 4, 6, 7]],
    ['shard<2', [0, 1]],
    ['shard<=2', [0, 1, 2]],
    ['shard>5', [6, 7]],
    ['shard>=2 and shard<4', [2, 3]],
    ['SHARD==0x7', [7]],
    ['shard<0', []],
    ['shard>18446744073709551615', []],
    ['shard=1 or shard=6', [1, 6]],
    ['shard>5 or shard<4 and shard>2', [3, 6, 7]],
    ['(shard>5 or shard<4) and shard>2', [3, 6, 7]],
    ['(shard=1 or shard=6)shard>5', [6]],
    ['((shard=1) or (shard=6 OR shard=7)) shard!=7', [1, 6]],
    ['shard=1 or duplicate', [1, 2, 5]],
    ['duplicate shard>2', [5]],
    ['and shard=3', [3]],
    ['', [0, 1, 2, 3, 4, 5, 6, 7]],
  ])('%s', (filter, rows) => {
    for (const values of [
      Uint16Array.from(upTo(8)),
      Float64Array.from(upTo(8)),
      BigUint64Array.from([...upTo(8)], BigInt),
    ]) {
      expect(kept(filter, values, Uint8Array.of(0, 0, 1, 0, 0, 1, 0, 0))).toEqual(rows);
    }
  });

  it('compares 64-bit values as they are', () => {
    const ids = BigUint64Array.of(2n ** 53n, 2n ** 53n + 1n, 2n ** 64n - 1n);
    expect(kept('id=9007199254740993', ids)).toEqual([1]);
    expect(kept('id>9007199254740993', ids)).toEqual([2]);
  });

  it('may be an id alone, as it is written, also as a signed number', () => {
    const ids = ['10339994244318478333', '286435872092454913'];
    const rows = (text: string, filter: string) => {
      const inspection = new Inspection(new TextEncoder().encode(text), NOW);
      const { shown, filterError } = inspection.view({ ...DEFAULTS, layout: { spec: 'discord' }, filter });
      expect(filterError).toBeUndefined();
      return inspection.rows(0, shown).map(({ line }) => line);
    };
    const signed = '-8106749829391073283';
    for (const text of [ids.join('\n'), [signed, ids[1]].join('\n')]) {
      for (const filter of [ids[0], signed, `id=${signed}`, `line<2 ${signed}`])
        expect(rows(text, `${filter}`)).toEqual([1]);
      expect(rows(text, `${signed} or ${ids[1]}`)).toEqual([1, 2]);
    }
  });

  it('takes a part of a date for all of it', () => {
    const dates = BigUint64Array.from(
      ['2024-02-29T23:59:59.999Z', '2024-03-01', '2024-03-31T23:59:59.999Z', '2024-04-01'],
      (text) => BigInt(Date.parse(text)),
    );
    expect(kept('date=2024-03', dates)).toEqual([1, 2]);
    expect(kept('date<=2024-03-01', dates)).toEqual([0, 1]);
    expect(kept('date>2024-03', dates)).toEqual([3]);
    expect(kept('date<2024-03-01T00:00', dates)).toEqual([0]);
    expect(kept('(date=29 Feb 2024 or date=1 Apr 2024)', dates)).toEqual([0, 3]);
  });

  it('takes dates as the page writes them, beside other conditions', () => {
    const both = 'date>=28 Jun 2022 and date<Tue 28 Jun 2022, 16:07:40.105 UTC shard=3';
    const iso = 'date>=2022-06-28 date<2022-06-28T16:07:40.105Z shard=3';
    expect(parseFilter(both, columns)).toEqual(parseFilter(iso, columns));
    expect(parseFilter('date>=0 shard=5', columns)).toEqual(
      parseFilter('date>=1970-01-01T00:00:00.000 shard=5', columns),
    );
  });

  it('may be about columns called or and duplicate', () => {
    const odd = [{ key: 'or' }, { key: 'duplicate' }];
    const conditions = { of: [{ kind: 'condition' }, { kind: 'condition' }] };
    expect(parseFilter('or=5 duplicate=3', odd)).toMatchObject({ kind: 'and', ...conditions });
    expect(parseFilter('or=5 or duplicate=3', odd)).toMatchObject({ kind: 'or' });
  });

  it('finds the rows whose ids are in other rows, too, also among those that it leaves out', () => {
    const text = '937847820382261308\n937847820382261309\n937847820382261308\nnone';
    const view = (filter: string) => new Inspection(new TextEncoder().encode(text), NOW).view({ ...DEFAULTS, filter });
    expect(view('duplicate').firstRows.map(({ line }) => line)).toEqual([1, 3]);
    expect(view('duplicate line>1').firstRows.map(({ line }) => line)).toEqual([3]);
    const wide =
      '0190b8a2-7d3e-7c4e-8a4b-0123456789ab\n0190B8A27D3E7C4E8A4B0123456789AB\n0190b8a2-7d3e-7c4e-8a4b-0123456789ac';
    const { firstRows } = new Inspection(new TextEncoder().encode(wide), NOW).view({
      ...DEFAULTS,
      filter: 'duplicate',
    });
    expect(firstRows.map(({ line }) => line)).toEqual([1, 2]);
  });

  it('have an example that the columns can have', () => {
    for (const spec of ['discord', 'mastodon', 'clientEntity', 'timestamp:64']) {
      const { columns } = new Inspection(new TextEncoder().encode('1\n2'), NOW).view({ ...DEFAULTS, layout: { spec } });
      expect(() => parseFilter(example(columns), columns)).not.toThrow();
    }
    expect(example([{ key: 'line' }, { key: 'id' }])).toBe('line=5');
  });

  it.each([
    ['columns of a table alone', 'order status,id\npaid,01907370-e495-7000-8f3e-1a2b3c4d5e6f'],
    ['several kinds', 'https://x.com/a/status/1541815603606036480 and <@175928847299117063>'],
  ])('have such an example if there are %s', (_, text) => {
    const { columns } = new Inspection(new TextEncoder().encode(text), NOW).view(DEFAULTS);
    expect(() => parseFilter(example(columns), columns)).not.toThrow();
    expect(example(columns)).not.toBe('kind=5'); // no kind begins with 5
  });

  it.each([
    ['shad=5', 'there is no column “shad”, only shard, id, date'],
    ['shard=five', 'shard: expected a number'],
    ['date=yesterday', 'date: expected a date such as'],
    ['5', 'expected a condition such as shard=5, got “5”'],
    ['shard=5 or', 'expected a condition such as shard=5, got the end'],
    ['(shard=5', 'expected “)”, got the end'],
    ['shard=5)', 'expected a condition or “or”, got “)”'],
  ])('%s is refused: %s', (filter, message) => {
    expect(() => parseFilter(filter, columns)).toThrow(message);
  });
});

describe('a condition that is chosen on the page', () => {
  it('takes the place of those of its column, and goes when it is chosen again', () => {
    expect(toggled('', 'shard', 'shard=5')).toBe('shard=5');
    expect(toggled('date>=2024 shard=3', 'shard', 'shard=5')).toBe('date>=2024 shard=5');
    expect(toggled('date>=2024 shard=5', 'shard', 'shard=5')).toBe('date>=2024');
    expect(toggled('shard=5', '', 'duplicate')).toBe('shard=5 duplicate');
    expect(toggled('shard=5 duplicate', '', 'duplicate')).toBe('shard=5');
  });

  it('holds for all of a filter that has or', () => {
    const both = toggled('shard=1 or shard=2', 'date', 'date>=2024 date<2025');
    expect(both).toBe('(shard=1 or shard=2) date>=2024 date<2025');
    expect(toggled(both, 'date', 'date>=2023')).toBe('(shard=1 or shard=2) date>=2023');
    expect(toggled(both, 'shard', 'shard=1')).toBe('(shard=1 or shard=2) date>=2024 date<2025 shard=1');
    expect(toggled('(shard=1 or (shard=2 or shard=3)) id=1', '', 'duplicate')).toBe(
      '(shard=1 or (shard=2 or shard=3)) id=1 duplicate',
    );
  });

  it('leaves the rest of a filter', () => {
    expect(withoutColumn('shard=5 and date>=2024 date<"2025" routed!=3', 'date')).toBe('shard=5 routed!=3');
  });
});
