import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { layouts } from '../../src/index.js';
import { parseDateSpan, parseTime, parseUnixMs, relativeTime } from '../../src/inspector/decode/dates.js';
import {
  aroundBorder,
  isUnit,
  layoutOf,
  moveBorder,
  specOf,
  UNIT_NAMES,
  withFields,
} from '../../src/inspector/decode/layout-choice.js';
import { DEFAULTS, type Settings } from '../../src/inspector/decode/settings.js';
import { fromFragment, MAX_LINK_CHARACTERS, toFragment } from '../../src/inspector/page/link.js';
import {
  afterScroll,
  atTop,
  type Extent,
  MAX_HEIGHT,
  scrolledHeight,
} from '../../src/inspector/page/rows/table-panel.js';
import { RowCache } from '../../src/inspector/page/state.js';

const NOW = Date.UTC(2026, 0);

function micros(date: string): bigint {
  return BigInt(Date.parse(date)) * 1000n;
}

describe('links', () => {
  it('bring back every setting', () => {
    const settings: Settings = {
      tab: 'shards',
      read: 'base62',
      column: 'order id, "quoted"',
      layout: { spec: 'timestamp:40,shard:11,sequence:12', epoch: -5, unit: '10ms' },
      group: 'Discord user_id',
      as: 'hex',
      sort: { column: 'date', descending: true },
      filter: 'shard>=5 date<2024-03',
      show: 'bad',
      per: 'status',
      bars: 'week',
      logTime: true,
      logPer: true,
      zone: 'Asia/Kolkata',
      last: undefined,
      by: 'rdkafka:murmur2',
      n: '12',
      seed: '-0x5',
      down: '1, 2',
      nodes: 'db-1, db-2:2',
      toBy: 'jump',
      toN: '16',
      toSeed: '0x5',
      toDown: 'none',
      toNodes: 'db-1, db-2:2, [::1]:11211',
    };
    const ids = 'a,b\r\n1,2~3\n&=#%é';
    const fragment = toFragment(settings, ids);
    expect(fromFragment(`#${fragment}`)).toEqual({ settings, ids });
  });

  it.each(Object.keys(UNIT_NAMES).filter(isUnit))('bring back the unit %s, and filters by time', (unit) => {
    const settings: Settings = {
      ...DEFAULTS,
      layout: { spec: 'timestamp:54,shard:10', epoch: 0, unit },
      sort: { column: 'timestamp', descending: false },
      filter: 'timestamp>=1709289015500.123 date<2024-03-01T10:30:15.500124Z timestamp!=-0.001',
    };
    expect(fromFragment(toFragment(settings, ''))).toEqual({ settings, ids: '' });
  });

  it('say first which tab is open; those from before there were tabs open it by what they set', () => {
    const settings: Settings = { ...DEFAULTS, tab: 'shards', by: 'kafka' };
    expect(toFragment(settings, '')).toBe('tab=shards&by=kafka');
    expect(fromFragment('#by=kafka').settings).toEqual(settings);
    expect(fromFragment('#tab=ids&by=kafka').settings.tab).toBe('ids');
    expect(fromFragment('#tab=none').settings).toEqual(DEFAULTS);
    expect(fromFragment('#toBy=nobody').settings).toEqual({ ...DEFAULTS, tab: 'shards', toBy: 'nobody' }); // that tab checks it
  });

  it('are empty by default, and can be read', () => {
    expect(toFragment(DEFAULTS, '')).toBe('');
    expect(toFragment({ ...DEFAULTS, layout: { spec: 'client:22,entity:40' } }, '1\n2')).toBe(
      'layout=client:22,entity:40&ids=1~2',
    );
    expect(toFragment({ ...DEFAULTS, by: 'kafka', toN: '20', nodes: 'a:2,b' }, '')).toBe('by=kafka&nodes=a:2,b&toN=20');
  });

  it('have the settings only where ids are too many', () => {
    const settings = { ...DEFAULTS, group: 'all' };
    expect(toFragment(settings, '1\n'.repeat(MAX_LINK_CHARACTERS))).toBe('group=all');
    expect(toFragment(settings, undefined)).toBe('group=all');
  });

  it('show ids as they are written by default, and in decimal if they say so', () => {
    expect(fromFragment('').settings.as).toBe('written');
    expect(fromFragment(toFragment({ ...DEFAULTS, as: 'dec' }, '')).settings.as).toBe('dec');
  });

  it('take what is wrong in them for what it is by default', () => {
    const { settings } = fromFragment(
      '#shards=0&strategy=none&as=x&read=y&show=z&layout=twitter&epoch=x&unit=h&sort=&zone=Mars&bars=eon',
    );
    expect(settings).toEqual({
      ...DEFAULTS,
      layout: { spec: 'twitter', epoch: undefined, unit: undefined },
      sort: { column: '', descending: false },
    });
    fc.assert(fc.property(fc.string(), (text) => void fromFragment(text)));
  });
});

describe('dates', () => {
  it.each([
    ['2024', '2024-01-01T00:00:00.000Z', '2025-01-01T00:00:00.000Z'],
    ['2024-12', '2024-12-01T00:00:00.000Z', '2025-01-01T00:00:00.000Z'],
    ['2024-02-29', '2024-02-29T00:00:00.000Z', '2024-03-01T00:00:00.000Z'],
    ['2024-03-01T10', '2024-03-01T10:00:00.000Z', '2024-03-01T11:00:00.000Z'],
    ['2024-03-01T10:30', '2024-03-01T10:30:00.000Z', '2024-03-01T10:31:00.000Z'],
    ['2024-03-01 10:30:15', '2024-03-01T10:30:15.000Z', '2024-03-01T10:30:16.000Z'],
    ['2024-03-01T10:30:15.5Z', '2024-03-01T10:30:15.500Z', '2024-03-01T10:30:15.600Z'],
    ['2024-03-01T10:30:15.500+02:00', '2024-03-01T08:30:15.500Z', '2024-03-01T08:30:15.501Z'],
  ])('%s', (text, from, to) => {
    expect(parseDateSpan(text)).toEqual({ from: micros(from), to: micros(to) });
    expect(parseTime(text, NOW)).toEqual(parseDateSpan(text));
  });

  it.each([
    ['2024-03-01T10:30:15.5001', '2024-03-01T10:30:15.500Z', 100n, 200n],
    ['2024-03-01 10:30:15,50012Z', '2024-03-01T10:30:15.500Z', 120n, 130n],
    ['2024-03-01T10:30:15.500123+02:00', '2024-03-01T08:30:15.500Z', 123n, 124n],
    ['2024-03-01 10:30:15.500123456+02', '2024-03-01T08:30:15.500Z', 123n, 124n],
    ['1969-12-31T23:59:59.999999Z', '1969-12-31T23:59:59.999Z', 999n, 1000n],
  ])('%s, with microseconds', (text, ms, from, to) => {
    expect(parseDateSpan(text)).toEqual({ from: micros(ms) + from, to: micros(ms) + to });
  });

  it.each([
    ['0', '1970-01-01T00:00:00.000Z'],
    ['1 Jan 2023', '2023-01-01'],
    ['28 jun 2022', '2022-06-28'],
    ['28 Jun 2022, 16:07:40.105 UTC', '2022-06-28T16:07:40.105Z'],
    ['Tue 28 Jun 2022, 16:07:40.105 UTC', '2022-06-28T16:07:40.105Z'],
    ['Tue 28 Jun 2022, 18:07 UTC+02:00', '2022-06-28T18:07+02:00'],
    ['28 Jun 2022, 16:07:40.105123 UTC', '2022-06-28T16:07:40.105123Z'],
  ])('%s, as the page writes it, is %s', (text, iso) => {
    expect(parseDateSpan(text)).toEqual(parseDateSpan(iso));
    expect(parseTime(text, NOW)).toEqual(parseDateSpan(iso));
    expect(parseDateSpan(text, 'Asia/Kolkata')).toEqual(parseDateSpan(iso, 'Asia/Kolkata'));
  });

  it.each([
    '',
    '24',
    '29 Feb 2023',
    '1 Foo 2023',
    '1 Anf 2023',
    '0050',
    '2024-13',
    '2023-02-29',
    '2024-03-01T25:00',
    '2024.1234',
    'tomorrow',
    '2024-03-01T10:30:15.5001234567',
  ])('“%s” is none', (text) => {
    expect(parseDateSpan(text)).toBeUndefined();
    expect(parseTime(text, NOW)).toBeUndefined();
  });

  it('are instants also as milliseconds, and now', () => {
    expect(parseTime('1709289015500', NOW)).toEqual({ from: 1709289015500_000n, to: 1709289015501_000n });
    expect(parseTime('1709289015500.5', NOW)).toEqual({ from: 1709289015500_500n, to: 1709289015500_501n });
    expect(parseTime('-12345', NOW)).toEqual({ from: -12345_000n, to: -12344_000n });
    expect(parseTime('Now', NOW + 0.25)).toEqual({ from: BigInt(NOW) * 1000n, to: BigInt(NOW + 1) * 1000n });
    expect(parseTime('2024', NOW)?.from).toBe(BigInt(Date.UTC(2024, 0)) * 1000n);
  });

  it('are numbers of Unix milliseconds to the nearest microsecond', () => {
    const from = (text: string) => parseUnixMs(text)?.from;
    expect(from('2024')).toBe(2024_000n);
    expect(from('-0.001')).toBe(-1n);
    expect(from('1.9996')).toBe(2000n);
    expect(from('99999999999999999.5')).toBe(99999999999999999_500n);
    for (const text of ['', '-', '1e3', '5.', '.5', '2024-03', ' 1 2']) expect(parseUnixMs(text)).toBeUndefined();
  });

  it.each([
    [-3 * 365 * 86400, '2 years ago'],
    [-700 * 86400, '1 year ago'],
    [-40 * 86400, '1 month ago'],
    [90, 'in 1 minute'],
    [0, 'now'],
  ])('%d s away is %s', (seconds, text) => {
    expect(relativeTime(new Date(NOW + seconds * 1000), NOW)).toBe(text);
  });
});

describe('layouts that are drawn', () => {
  const { places } = layouts.snowflake;

  it('keep all bits when a border moves, and one at least in each field', () => {
    expect(specOf(moveBorder(places, 1, 40))).toBe('timestamp:40,shard:11,sequence:12');
    expect(specOf(moveBorder(places, 2, 99))).toBe('timestamp:41,shard:21,sequence:1');
    expect(specOf(moveBorder(places, 2, -5))).toBe('timestamp:41,shard:1,sequence:21');
    expect(specOf(moveBorder(places, 0, 0))).toBe('timestamp:42,shard:10,sequence:12');
    expect(specOf(moveBorder(places, 0, 63))).toBe('timestamp:1,shard:10,sequence:12');
    expect(aroundBorder(places, 0)).toEqual({ above: 1, below: 41 });
  });

  it('keep their epoch and unit', () => {
    const moved = withFields(layouts.sonyflake, moveBorder(layouts.sonyflake.places, 1, 38));
    expect(layoutOf(moved).fields).toMatchObject({ timestamp: { bits: 38, epoch: 1409529600000, unit: '10ms' } });
    expect(layoutOf({ spec: 'a:3', epoch: 5 }).bits).toBe(3);
    expect(layoutOf({ spec: 'snowflake', unit: 'us' }).time).toMatchObject({ epoch: 1672531200000, unitMs: 0.001 });
    expect(layoutOf({ spec: 'twitter', epoch: -5 }).time).toMatchObject({ epoch: -5, unit: 'ms' });
    expect(() => layoutOf({ spec: 'a:3,a:4' })).toThrow(/^expected each field once/);
  });
});

describe('scrolling over more rows than an element can be high', () => {
  const extent: Extent = { total: 30_000_000, viewport: 500 };
  const most = scrolledHeight(extent) - extent.viewport;

  it('is pixel by pixel with a wheel, and reaches both ends', () => {
    expect(scrolledHeight(extent)).toBe(MAX_HEIGHT);
    let position = { scrollTop: 0, top: 0 };
    for (let i = 1; i <= 100; i++) {
      const next = afterScroll(position, position.scrollTop + 100, extent);
      expect(next.top - position.top).toBe(100);
      position = next;
    }
    position = afterScroll(position, most, extent);
    expect(position.top).toBe(extent.total - extent.viewport);
    position = afterScroll(position, position.scrollTop - 100, extent);
    expect(position.top).toBe(extent.total - extent.viewport - 100);
    expect(position.scrollTop).toBeLessThan(most);
    expect(afterScroll(position, 0, extent).top).toBe(0);
  });

  it('is proportional with the scrollbar', () => {
    expect(afterScroll({ scrollTop: 0, top: 0 }, most / 2, extent).top).toBeCloseTo(
      (extent.total - extent.viewport) / 2,
      0,
    );
  });

  it('goes to a row, and is never stuck short of an end', () => {
    fc.assert(
      fc.property(fc.nat(extent.total), (top) => {
        const position = atTop(top, extent);
        expect(position.top).toBe(Math.min(top, extent.total - extent.viewport));
        if (position.top > 0) expect(position.scrollTop).toBeGreaterThan(0);
        if (position.top < extent.total - extent.viewport) expect(position.scrollTop).toBeLessThan(most);
      }),
    );
  });

  it('is what the browser does where rows are few', () => {
    const few: Extent = { total: 3000, viewport: 500 };
    expect(afterScroll({ scrollTop: 0, top: 0 }, 1234, few)).toEqual({ scrollTop: 1234, top: 1234 });
    expect(afterScroll({ scrollTop: 0, top: 0 }, 9999, few).top).toBe(2500);
  });
});

describe('rows that come when they are seen', () => {
  const row = (i: number) =>
    ({
      row: i,
      line: i + 1,
      id: BigInt(i),
      isId: true,
      format: 'dec',
      kind: undefined,
      layout: undefined,
      micros: undefined,
      cells: [] as string[],
      problem: '',
    }) as const;

  it('are asked for once', () => {
    const asked: [number, number][] = [];
    const cache = new RowCache(
      1000,
      Array.from({ length: 64 }, (_, i) => row(i)),
      (from, to) => asked.push([from, to]),
    );
    expect(cache.slice(0, 64).every((each, i) => each?.row === i)).toBe(true);
    expect(cache.slice(60, 70).filter((each) => each === undefined)).toHaveLength(6);
    cache.slice(960, 1000);
    cache.slice(64, 65);
    expect(asked).toEqual([
      [64, 128],
      [960, 1000],
    ]);
    cache.receive(
      64,
      Array.from({ length: 64 }, (_, i) => row(64 + i)),
    );
    expect(cache.slice(64, 66).map((each) => each?.row)).toEqual([64, 65]);
  });
});
