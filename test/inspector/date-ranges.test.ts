import { describe, expect, it } from 'vitest';
import { SERVICES } from '../../src/guess/index.js';
import { formatId, layouts } from '../../src/index.js';
import { idRangeOf, rangesOf, typedDates } from '../../src/inspector/decode/date-ranges.js';
import { type LayoutChoice, layoutOf, PRESETS } from '../../src/inspector/decode/layout-choice.js';
import { periodText } from '../../src/inspector/decode/readings.js';
import { maxObjectIdAt, maxUlidAt, maxUuidAt, minObjectIdAt, minUlidAt, minUuidAt } from '../../src/wide-ids/index.js';

const NOW = Date.UTC(2026, 0);
const micros = (date: string) => BigInt(Date.parse(date)) * 1000n;

describe('dates in place of ids', () => {
  it.each([
    ['2024-03-01', '2024-03-01', '2024-03-02'],
    ['2024-03-01T10:30', '2024-03-01T10:30Z', '2024-03-01T10:31Z'],
    [' 1 Mar 2024\n', '2024-03-01', '2024-03-02'],
    ['1 March 2024', '2024-03-01', '2024-03-02'],
    ['2024-03-01 to 2024-03-05', '2024-03-01', '2024-03-06'],
    ['2024-03', '2024-03-01', '2024-04-01'],
    ['2023 to 2024', '2023-01-01', '2025-01-01'],
    ['2024..2023', '2023-01-01', '2025-01-01'],
    ['2024-03-01T10:30:15.123456', '2024-03-01T10:30:15.123Z', undefined],
    ['now', '2026-01-01', '2026-01-01T00:00:00.001Z'],
  ])('are %j', (text, from, to) => {
    const found = typedDates(text, NOW);
    expect(found?.from).toBe(micros(from) + (to === undefined ? 456n : 0n));
    if (to !== undefined) expect(found?.to).toBe(micros(to));
  });

  it.each([
    '2024',
    '20240301',
    '0',
    '1709289015',
    '1709289015500',
    '1541815603606036480 to 1541815603606036490',
    '12345..12346',
    '2024-03-01, 2024-03-02',
    '2024-03-01\n2024-03-02',
    'on 2024-03-01',
    '2024-13',
    `${'0'.repeat(200)}2024-03-01`,
    '',
  ])('are not %j', (text) => expect(typedDates(text, NOW)).toBeUndefined());

  it('are those of a zone', () => {
    expect(typedDates('2024-07-01', NOW, 'Europe/Berlin')?.from).toBe(micros('2024-06-30T22:00Z'));
  });
});

describe('ids of a date', () => {
  const rows = (text: string, dialect: Parameters<typeof rangesOf>[1] = 'postgres') => {
    const dates = typedDates(text, NOW);
    if (dates === undefined) throw new Error(`no dates: ${text}`);
    return rangesOf(dates, dialect);
  };
  const row = (title: string, ...asked: Parameters<typeof rows>) => rows(...asked).find((each) => each.title === title);
  const [START, END] = [new Date('2024-03-01'), new Date('2024-03-01T23:59:59.999Z')];

  it('are of the services, the most common first, and of wide ids', () => {
    const titles = rows('2024-03-01').map(({ title }) => title);
    expect(titles.slice(0, 4)).toEqual(['Discord', 'Twitter', 'Instagram', 'TikTok']);
    expect(titles).toEqual(expect.arrayContaining(['Mastodon', 'LinkedIn', 'Sonyflake']));
    expect(titles).not.toContain('Pinterest'); // without a time
    expect(titles.slice(-3)).toEqual(['UUIDv7', 'ULID', 'ObjectId']);
    expect(new Set(titles).size).toBe(titles.length);
  });

  it('are the first and the last that have it', () => {
    const [least, most] = [layouts.discord.minIdAt(START), layouts.discord.maxIdAt(END)];
    const where = `where id between ${least} and ${most}`;
    expect(row('Discord', '2024-03-01')).toMatchObject({ least, most, where });
    expect(row('UUIDv7', '2024-03-01')).toMatchObject({ least: minUuidAt(START), most: maxUuidAt(END) });
    expect(row('ULID', '2024-03-01')).toMatchObject({ least: minUlidAt(START), most: maxUlidAt(END) });
    expect(row('ObjectId', '2024-03-01')).toMatchObject({ least: minObjectIdAt(START), most: maxObjectIdAt(END) });
    const keys = [layouts.atproto.minIdAt(START), layouts.atproto.maxIdAt(END.getTime() + 0.999)].map((id) =>
      formatId(id, 'sortable32'),
    );
    expect(row('Bluesky', '2024-03-01')).toMatchObject({ least: keys[0], most: keys[1] });
    for (const { title, layout } of SERVICES) {
      const found = row(title, '2024-03-01T10:30:15.123456');
      if (typeof found?.least !== 'bigint') continue;
      expect(layout.dateOf(found.least as never).getTime()).toBeLessThanOrEqual(Date.parse('2024-03-01T10:30:15.123Z'));
      expect(found.least < BigInt(found.most), title).toBe(layout.places.length > 1);
    }
  });

  it('come with a condition for the type of the column', () => {
    const [least, most] = [minUuidAt(START), maxUuidAt(END)];
    expect(row('UUIDv7', '2024-03-01')?.where).toBe(`where id between '${least}'::uuid and '${most}'`);
    expect(row('UUIDv7', '2024-03-01', 'mysql')?.where).toBe(
      `where id between uuid_to_bin('${least}') and uuid_to_bin('${most}')`,
    );
    expect(row('UUIDv7', '2024-03-01', 'clickhouse')?.where).toBe(
      `where toUInt128(id) between toUInt128(toUUID('${least}')) and toUInt128(toUUID('${most}'))`,
    );
    expect(row('ULID', '2024-03-01', 'mysql')?.where).toBe(
      `where id between '${minUlidAt(START)}' and '${maxUlidAt(END)}'`,
    );
  });

  it('are of a layout of one’s own, too', () => {
    const dates = typedDates('2024-03-01', NOW);
    if (dates === undefined) throw new Error('no dates');
    const titles = (own: LayoutChoice) =>
      rangesOf(dates, 'postgres', own)
        .slice(0, 2)
        .map(({ title }) => title);
    expect(titles({ spec: '41:10:12', epoch: Date.UTC(2023, 0) })).toEqual(['my own layout', 'Discord']);
    expect(titles({ spec: 'discord' })).toEqual(['Discord', 'Twitter']);
    expect(titles({ spec: 'a:41,b:10' })).toEqual(['Discord', 'Twitter']);
    expect(titles({ spec: '99:99' })).toEqual(['Discord', 'Twitter']);
    const { least, most, where } = idRangeOf(layoutOf({ spec: 'shard:10,ts:41' }), dates);
    expect(least).toBeLessThan(most);
    expect(where).toBe(''); // others are between the two
  });

  it.each(PRESETS.filter((spec) => layoutOf({ spec }).time))('are never wrong in %s', (spec) => {
    const layout = layoutOf({ spec });
    for (let year = 1965; year < 2120; year += 5) {
      for (const text of [`${year}-01 to ${year}-12`, `${year}-06-07T08:09:10.123`, `${year} to ${year + 7}`]) {
        const dates = typedDates(text, NOW);
        let range: ReturnType<typeof idRangeOf> | undefined;
        try {
          range = dates && idRangeOf(layout, dates);
        } catch {}
        if (dates === undefined || range === undefined) continue;
        expect(range.least).toBeLessThanOrEqual(range.most);
        const [first, last] = [range.least, range.most].map((id) => layout.dateOf(id as never).getTime());
        expect(Number(dates.from) / 1000 - (first ?? 0)).toBeLessThan(Math.max(1, layout.time?.unitMs ?? 1));
        expect(last).toBeLessThan(Number(dates.to) / 1000);
      }
    }
  });

  it('are none before the epoch of a layout, and after its last time', () => {
    const found = (text: string) => {
      const dates = typedDates(text, NOW);
      return dates && idRangeOf(layouts.snowflake, dates);
    };
    for (const text of ['1999-01', '2022-12-31T23:59:59.999', '2022 to 2024', '2023 to 2200']) {
      expect(() => found(text), text).toThrow(RangeError);
    }
    expect(found('2023-01-01')).toMatchObject({ least: 0n });
  });

  it('are left out where there were none', () => {
    const titles = (text: string) => rows(text).map(({ title }) => title);
    expect(titles('2012-06')).toContain('Twitter');
    expect(titles('2012-06')).not.toContain('Discord');
    expect(titles('2014 to 2016')).not.toContain('Discord');
    expect(titles('1960-01')).toEqual([]);
    expect(titles('2150-01')).not.toContain('ObjectId');
  });
});

describe('what dates are called', () => {
  it.each([
    ['2024-03-01', 'UTC', '1 Mar 2024 (UTC, whole day)'],
    ['2024-03', 'UTC', '1 Mar 2024 to 31 Mar 2024 (UTC, whole days)'],
    ['2024-03-01 to 2024-03-05', 'Europe/Berlin', '1 Mar 2024 to 5 Mar 2024 (Europe/Berlin, whole days)'],
    ['2024-03-31', 'Europe/Berlin', '31 Mar 2024 (Europe/Berlin, whole day)'],
    ['2024-03-01T10:30', 'UTC', '1 Mar 2024, 10:30 to 10:31 UTC'],
    ['2024-03-01T10:30:15.123', 'UTC', 'Fri 1 Mar 2024, 10:30:15.123 UTC'],
    ['now', 'Asia/Kolkata', 'Thu 1 Jan 2026, 05:30:00.000 UTC+05:30'],
  ])('%s in %s', (text, zone, expected) => {
    const dates = typedDates(text, NOW, zone);
    expect(dates && periodText(dates, zone)).toBe(expected);
  });
});
