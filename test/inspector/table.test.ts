import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { layouts } from '../../src/index.js';
import { Inspection } from '../../src/inspector/decode/inspection.js';
import { numbersOf, sortRows } from '../../src/inspector/decode/order.js';
import { DEFAULTS, type Settings } from '../../src/inspector/decode/settings.js';
import { histogram, numberWidth, timeWidth } from '../../src/inspector/decode/statistics.js';

const NOW = Date.UTC(2026, 0);
const EPOCH = 1672531200000; // of snowflake
const A = '154173452582932603';

function rowNumbers(count: number): Uint32Array {
  return Uint32Array.from({ length: count }, (_, row) => row);
}

describe('sorting', () => {
  it.each([
    ['Uint8Array', (i: number) => Uint8Array.from({ length: i }, (_, row) => (row * 151) % 256)],
    ['Uint16Array', (i: number) => Uint16Array.from({ length: i }, (_, row) => (row * 7919) % 65536)],
    ['Uint32Array', (i: number) => Uint32Array.from({ length: i }, (_, row) => Math.imul(row, 2654435761) >>> 0)],
    ['Float64Array', (i: number) => Float64Array.from({ length: i }, (_, row) => (row * 2654435761 * 1e5) % 2 ** 53)],
    ['BigUint64Array', (i: number) => BigUint64Array.from({ length: i }, (_, row) => BigInt(row) ** 7n % 2n ** 64n)],
  ])('orders a %s, and leaves equals as they are', (_, make) => {
    for (const count of [0, 1, 100, 5000]) {
      const values = make(count);
      for (const descending of [false, true]) {
        const expected = [...rowNumbers(count)].sort((a, b) => {
          const [x, y] = [values[a] as number, values[b] as number];
          return (x < y ? -1 : x > y ? 1 : 0) * (descending ? -1 : 1);
        });
        expect([...sortRows(rowNumbers(count), values, descending)]).toEqual(expected);
      }
    }
  });
});

describe('histograms', () => {
  it('count every row once', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(1e6), { minLength: 1 }), (numbers) => {
        const values = Uint32Array.from(numbers);
        const range = { min: Math.min(...numbers), max: Math.max(...numbers) };
        const size = numberWidth(range.max - range.min + 1, 50);
        const { from, width, counts } = histogram(numbersOf(rowNumbers(values.length), values), range, size);
        expect(counts.reduce((sum, count) => sum + count, 0)).toBe(numbers.length);
        expect(counts.length).toBeLessThanOrEqual(51);
        for (const value of numbers) expect(counts[Math.floor((value - from) / width)]).toBeGreaterThan(0);
      }),
    );
  });

  const byValue = (ids: readonly bigint[]) => {
    const { overTime } = new Inspection(new TextEncoder().encode(ids.join('\n')), NOW).view(DEFAULTS);
    return overTime && { ...overTime, counts: [...overTime.counts] };
  };

  it('tell ids without a time apart that are the same as numbers', () => {
    const pins = [858146903966145189n, 858146903966145188n];
    expect(byValue(pins)).toEqual({ base: pins[1], from: 0, width: 1, counts: [1, 1] });
    const first = (7n << 56n) + 123456780n;
    const ids = Array.from({ length: 1000 }, (_, i) => first + BigInt(i));
    expect(byValue(ids)).toEqual({ base: first - (first % 10n), from: 0, width: 10, counts: expect.any(Array) });
    const counts = byValue(ids)?.counts ?? [];
    expect(counts.slice(1, -1).every((count) => count === 10)).toBe(true);
    expect(counts.reduce((sum, count) => sum + count, 0)).toBe(1000);
  });

  it('of ids without a time reach from the smallest to the largest', () => {
    const chart = byValue([3n, 2n ** 64n - 1n].map((id) => id));
    expect(chart?.counts.reduce((sum, count) => sum + count, 0)).toBe(2);
    expect(chart?.counts.length).toBeLessThan(500);
  });

  it('have bars of widths that people count in', () => {
    expect(numberWidth(1024, 256)).toBe(5);
    expect(numberWidth(10, 256)).toBe(1);
    expect(timeWidth(7 * 86_400_000, 160, 1)).toBe(2 * 3_600_000);
    expect(timeWidth(1, 160, 1)).toBe(1);
    expect(timeWidth(1, 160, 0.001)).toBe(0.01);
    expect(timeWidth(1, 160, 1000)).toBe(1000);
    expect(timeWidth(1e15, 160, 1)).toBeGreaterThan(1e15 / 160);
  });
});

describe('an inspection', () => {
  const ids = layouts.snowflake.packMany({
    timestamp: Float64Array.from({ length: 300 }, (_, i) => EPOCH + 6e10 + i * 1000),
    shard: Uint16Array.from({ length: 300 }, (_, i) => (i * 7) % 10),
    sequence: 3,
  });
  const text = ['id', ...ids, 'nonsense', String(2n ** 63n + 5n)].join('\n');
  const inspection = new Inspection(new TextEncoder().encode(text), NOW);
  const view = (settings: Partial<Settings> = {}) => inspection.view({ ...DEFAULTS, ...settings });
  const snowflake = { layout: { spec: 'snowflake' } };

  it('counts good rows, bad rows and ids that the layout refuses', () => {
    expect(view(snowflake)).toMatchObject({
      rows: 302,
      bad: 1,
      misfits: 1,
      header: true,
      reasons: [
        { reason: 'no id found', count: 1 },
        { reason: 'has more bits than the 63 of the layout', count: 1 },
      ],
    });
    expect(view({ ...snowflake, show: 'bad' })).toMatchObject({ shown: 2 });
    expect(inspection.rows(0, 2)).toMatchObject([
      { line: 302, cells: ['302', 'nonsense', '', '', '', ''], problem: 'no id found' },
      { line: 303, problem: 'has more bits than the 63 of the layout', id: 2n ** 63n + 5n },
    ]);
  });

  it('decodes as the layout does', () => {
    view(snowflake);
    for (const { id, cells } of inspection.rows(0, 300)) {
      const { timestamp, shard, sequence } = layouts.snowflake.unpack(id);
      const date = layouts.snowflake.dateOf(id).toISOString();
      expect(cells.slice(1)).toEqual([id, date, timestamp, shard, sequence].map(String));
    }
  });

  it('sorts and filters, with bad rows after the others', () => {
    view({ ...snowflake, sort: { column: 'shard', descending: true } });
    const rows = inspection.rows(0, 302);
    expect(rows.slice(0, 30).map(({ cells }) => cells[4])).toEqual(Array(30).fill('9'));
    expect(rows.slice(-2).every(({ problem }) => problem !== '')).toBe(true);
    expect(view({ ...snowflake, filter: 'shard=4' }).shown).toBe(30);
    expect(view({ ...snowflake, filter: 'shard=4 date<2024-11-25T10:41' }).shown).toBe(6);
    expect(view({ ...snowflake, filter: 'line>=302' }).shown).toBe(2);
    expect(view({ ...snowflake, filter: 'nothing=4' })).toMatchObject({
      shown: 302,
      filterError: expect.stringContaining('no column “nothing”'),
    });
  });

  it('has one name for a column, in the table, in filters and in the export', () => {
    const layout = { spec: 'timestamp:40,line:4,kind:5,Date:4,apart:5' };
    const { columns } = view({ ...snowflake, layout });
    const [header] = [...inspection.export().pieces];
    const names = ['line', 'id', 'date', 'timestamp', 'line_', 'kind_', 'Date_', 'apart_'];
    expect(columns.map(({ label }) => label.replace(/ \(.*/, ''))).toEqual(names);
    expect(header?.trim().split(',')).toEqual([...names, 'problem']);
    for (const name of names) expect(view({ ...snowflake, layout, filter: `${name}!=0` }).filterError).toBeUndefined();
  });

  it('takes apart a row that is shown: the one before, or the first', () => {
    const chosen = (filter: string, row: number) => inspection.view({ ...DEFAULTS, ...snowflake, filter }, row);
    expect(chosen('shard=4', 0)).toMatchObject({ chosen: undefined, shown: 30 });
    expect(chosen('shard=4', 0).firstGood).toEqual(inspection.rows(0, 1)[0]);
    const [, second] = inspection.rows(0, 2);
    expect(chosen('shard=4', second?.row ?? 0).chosen).toEqual(second);
    expect(chosen('shard=99', 0)).toMatchObject({ chosen: undefined, firstGood: undefined, shown: 0 });
  });

  it('counts ids, and not the other rows that are shown', () => {
    expect(view(snowflake)).toMatchObject({ shown: 302, shownIds: 301 });
    expect(view({ ...snowflake, show: 'bad' })).toMatchObject({ shown: 2, shownIds: 1 });
  });

  it('names the format that reads a row', () => {
    const text = `${ids.slice(0, 9).join('\n')}\n0223bbf03300507b\n0BO7C5bVci3\noops`;
    const mixed = new Inspection(new TextEncoder().encode(text), NOW);
    mixed.view(DEFAULTS);
    expect(mixed.rows(8, 12).map(({ format, problem }) => [format, problem])).toEqual([
      ['dec', ''],
      ['hex', ''],
      ['dec', 'no id found, try base62'],
      ['dec', 'no id found'],
    ]);
    expect(mixed.rows(9, 10)).toMatchObject([{ id: BigInt(A), cells: expect.arrayContaining(['0223bbf03300507b']) }]);
    mixed.view({ ...DEFAULTS, read: 'dec' });
    expect(mixed.rows(9, 10)).toMatchObject([{ problem: 'no id found, try hexadecimal' }]);
  });

  it('exports what it shows, in CSV', () => {
    view({ ...snowflake, filter: 'line>=301', as: 'hex' });
    const id = ids[299];
    const { timestamp, shard } = layouts.snowflake.unpack(id);
    const hex = id.toString(16).padStart(16, '0');
    expect([...inspection.export().pieces].join('')).toBe(
      [
        'line,id,date,timestamp,shard,sequence,problem',
        `301,${hex},${layouts.snowflake.dateOf(id).toISOString()},${timestamp},${shard},3,`,
        '302,nonsense,,,,,no id found',
        '303,8000000000000005,,,,,has more bits than the 63 of the layout',
        '',
      ].join('\r\n'),
    );
  });

  it('says so where the layout asked for is none, and shows the guess', () => {
    expect(view({ layout: { spec: 'timestamp:99' } })).toMatchObject({
      layoutError: expect.stringContaining('from 1 to 64 bits a field'),
      rows: 302,
    });
  });

  it('of nothing but bad rows has no charts', () => {
    const bad = new Inspection(new TextEncoder().encode('no ids\nat all, here'), NOW).view(DEFAULTS);
    expect(bad).toMatchObject({ rows: 2, bad: 2, overTime: undefined, perValue: undefined, firstGood: undefined });
  });
});
