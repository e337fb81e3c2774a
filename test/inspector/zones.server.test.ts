import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { layouts } from '../../src/index.js';
import { instantIn, isoIn, isoText, parseDateSpan } from '../../src/inspector/decode/dates.js';
import { Inspection } from '../../src/inspector/decode/inspection.js';
import { DEFAULTS, type Settings } from '../../src/inspector/decode/settings.js';
import type { Histogram } from '../../src/inspector/decode/statistics.js';
import { temporaryFolder } from '../support/cli.js';
import { copiedLink, expectNoComplaints, fact, paste, sharedChromium, withChromium } from '../support/inspector.js';

const BERLIN = 'Europe/Berlin';
const ZONES = [BERLIN, 'Asia/Kolkata', 'America/New_York', 'America/St_Johns', 'Australia/Lord_Howe', 'Pacific/Apia'];
const SPRING = Date.UTC(2024, 2, 31, 1); // Berlin's clocks go from 02:00 to 03:00
const AUTUMN = Date.UTC(2024, 9, 27, 1); // from 03:00 to 02:00

/** What clocks in a zone show, asked of Intl field by field. */
function clockIn(timeZone: string, date: Date): string {
  const parts = new Intl.DateTimeFormat('en', {
    ...{ timeZone, hourCycle: 'h23', year: 'numeric', month: '2-digit', day: '2-digit' },
    ...{ hour: '2-digit', minute: '2-digit', second: '2-digit', fractionalSecondDigits: 3 },
  }).formatToParts(date);
  const [year, month, day, hour, minute, second, ms] = [
    ...['year', 'month', 'day', 'hour', 'minute', 'second', 'fractionalSecond'],
  ].map((type) => parts.find((part) => part.type === type)?.value);
  return `${year}-${month}-${day}T${hour}:${minute}:${second}.${ms}`;
}

const dates = fc.integer({ min: Date.UTC(1920, 0), max: Date.UTC(2037, 0) }).map((ms) => new Date(ms));
const zones = fc.constantFrom(...ZONES);

describe('a date in a zone', () => {
  it('is what the clocks there show, with their offset, and stands for the same instant', () => {
    fc.assert(
      fc.property(zones, dates, (zone, date) => {
        const iso = isoIn(zone, date);
        if (iso.endsWith('Z')) return; // an offset with seconds
        expect(iso.slice(0, -6)).toBe(clockIn(zone, date));
        expect(Date.parse(iso)).toBe(date.getTime());
      }),
      { numRuns: 2000 },
    );
  });

  it('has the offset of its own instant, and its microseconds', () => {
    const { time } = layouts.cockroachdb;
    if (time === undefined) throw new Error('no time');
    const shown = (ms: number, zone: string) => isoText(time, BigInt(ms) * 1000n + 7n, zone);
    expect(shown(SPRING - 1, BERLIN)).toBe('2024-03-31T01:59:59.999007+01:00');
    expect(shown(SPRING, BERLIN)).toBe('2024-03-31T03:00:00.000007+02:00');
    expect(shown(AUTUMN - 1, BERLIN)).toBe('2024-10-27T02:59:59.999007+02:00');
    expect(shown(AUTUMN, BERLIN)).toBe('2024-10-27T02:00:00.000007+01:00');
    expect(shown(-1, 'Asia/Kolkata')).toBe('1970-01-01T05:29:59.999007+05:30');
    expect(shown(SPRING, 'Europe/London')).toBe('2024-03-31T02:00:00.000007+01:00');
    expect(shown(SPRING - 1, 'Europe/London')).toBe('2024-03-31T00:59:59.999007+00:00');
  });

  it('is in UTC where ISO 8601 cannot say the offset, and where a Date ends', () => {
    expect(isoIn(BERLIN, new Date('1880-01-01'))).toBe('1880-01-01T00:00:00.000Z');
    expect(isoIn(BERLIN, new Date(8.64e15))).toBe('+275760-09-13T00:00:00.000Z');
    expect(isoIn(BERLIN, new Date(8.64e15 - 86_400_000))).toBe('+275760-09-12T02:00:00.000+02:00');
  });

  it('is read back: the first of two, and a skipped one as late as it would have been', () => {
    fc.assert(
      fc.property(zones, dates, (zone, date) => {
        const shown = Date.parse(`${clockIn(zone, date)}Z`);
        const instant = instantIn(zone, shown);
        expect(clockIn(zone, new Date(instant))).toBe(clockIn(zone, date));
        expect(instant).toBeLessThanOrEqual(date.getTime());
      }),
    );
    expect(instantIn(BERLIN, Date.UTC(2024, 2, 31, 2, 30))).toBe(SPRING + 30 * 60_000);
    expect(instantIn(BERLIN, Date.UTC(2024, 9, 27, 2, 30))).toBe(AUTUMN - 30 * 60_000);
  });

  it.each([
    ['2024', '2023-12-31T23:00Z', '2024-12-31T23:00Z'],
    ['2024-03', '2024-02-29T23:00Z', '2024-03-31T22:00Z'],
    ['2024-03-31', '2024-03-30T23:00Z', '2024-03-31T22:00Z'], // 23 hours
    ['2024-10-27', '2024-10-26T22:00Z', '2024-10-27T23:00Z'], // 25 hours
    ['2024-10-27T02', '2024-10-27T00:00Z', '2024-10-27T02:00Z'], // an hour that comes twice
    ['2024-10-27T02:59', '2024-10-27T00:59Z', '2024-10-27T01:00Z'],
    ['2024-03-31T02', '2024-03-31T01:00Z', '2024-03-31T02:00Z'], // an hour that is skipped
    ['2024-07-01T12:00:00.5', '2024-07-01T10:00:00.5Z', '2024-07-01T10:00:00.6Z'],
    ['2024-07-01T12:00Z', '2024-07-01T12:00Z', '2024-07-01T12:01Z'],
    ['2024-07-01 12:00-0330', '2024-07-01T15:30Z', '2024-07-01T15:31Z'],
  ])('%s, typed in Berlin', (text, from, to) => {
    const micros = (date: string) => BigInt(Date.parse(date)) * 1000n;
    expect(parseDateSpan(text, BERLIN)).toEqual({ from: micros(from), to: micros(to) });
  });
});

/** Snowflakes of the minutes around a change of the clocks. */
function idsAround(change: number): bigint[] {
  const timestamp = Float64Array.from([-120, -60, -1, 0, 59, 60, 120], (minutes) => change + minutes * 60_000);
  return [...layouts.snowflake.packMany({ timestamp, shard: 0, sequence: 0 })];
}

describe('a page in a zone', () => {
  const inspection = new Inspection(new TextEncoder().encode(idsAround(AUTUMN).join('\n')), Date.UTC(2026, 0));
  const view = (settings: Partial<Settings>) =>
    inspection.view({ ...DEFAULTS, layout: { spec: 'snowflake' }, ...settings });
  const rowDates = () => inspection.rows(0, 10).map(({ cells }) => cells[2]);

  it('has it in the table, in the span, and in what filters mean; an export is in UTC', () => {
    const { columns, span } = view({ zone: BERLIN });
    expect(columns[2]?.label).toBe('date (Europe/Berlin)');
    expect(rowDates()).toEqual([
      '2024-10-27T01:00:00.000+02:00',
      '2024-10-27T02:00:00.000+02:00',
      '2024-10-27T02:59:00.000+02:00',
      '2024-10-27T02:00:00.000+01:00',
      '2024-10-27T02:59:00.000+01:00',
      '2024-10-27T03:00:00.000+01:00',
      '2024-10-27T04:00:00.000+01:00',
    ]);
    for (const date of rowDates()) expect(date?.length).toBe(columns[2]?.width);
    expect(span).toEqual({ first: rowDates()[0], last: rowDates()[6] });
    expect(view({ zone: BERLIN, filter: 'date=2024-10-27T02' }).shown).toBe(4);
    expect(view({ filter: 'date=2024-10-27T02' }).shown).toBe(1);
    expect(view({ zone: BERLIN, filter: 'date=2024-10-27T02:00Z' }).shown).toBe(1);
    const csv = [...inspection.export().pieces].join('');
    expect(csv).toContain(',2024-10-27T02:00:00.000Z,');
    expect(csv).not.toContain('+01:00');
  });

  it('has bars of days that begin at midnight there', () => {
    const days = Float64Array.from({ length: 120 }, (_, day) => Date.UTC(2024, 5, 1) + day * 86_400_000);
    const ids = layouts.snowflake.packMany({ timestamp: days, shard: 0, sequence: 0 });
    const page = new Inspection(new TextEncoder().encode(ids.join('\n')), Date.UTC(2026, 0));
    const { overTime } = page.view({ ...DEFAULTS, layout: { spec: 'snowflake' }, zone: 'Asia/Kolkata' });
    expect(overTime?.width).toBe(86_400_000);
    expect(isoIn('Asia/Kolkata', new Date(overTime?.from ?? 0))).toBe('2024-06-01T00:00:00.000+05:30');
  });

  describe('whose width of bars is chosen', () => {
    // An id each half an hour of 61 days in Berlin, where the clocks are set on 31 March.
    const start = Date.UTC(2024, 1, 29, 23);
    const halves = Float64Array.from({ length: 61 * 48 - 2 }, (_, i) => start + i * 1_800_000);
    const ids = layouts.snowflake.packMany({ timestamp: halves, shard: 0, sequence: 0 });
    const page = new Inspection(new TextEncoder().encode(ids.join('\n')), Date.UTC(2026, 0));
    const barsOf = (settings: Partial<Settings>) => {
      const { overTime } = page.view({ ...DEFAULTS, layout: { spec: 'snowflake' }, zone: BERLIN, ...settings });
      const { edges = [], counts, width }: Histogram = overTime ?? { from: 0, width: 0, counts: new Uint32Array(0) };
      return { starts: edges.map((micros) => isoIn(BERLIN, new Date(micros / 1000))), counts: [...counts], width };
    };

    it('has days that begin at midnight, also when the clocks are set', () => {
      const { starts, counts } = barsOf({ bars: 'day' });
      expect(starts.every((iso) => iso.slice(10, 19) === 'T00:00:00')).toBe(true);
      expect([starts[0], starts[30], starts[31]].map((iso) => iso?.slice(0, 10))).toEqual([
        ...['2024-03-01', '2024-03-31', '2024-04-01'],
      ]);
      expect(counts).toEqual(Array.from({ length: 61 }, (_, day) => (day === 30 ? 46 : 48)));
    });

    it('has weeks that begin on Monday, and months that begin on the first', () => {
      const weeks = barsOf({ bars: 'week' });
      expect(weeks.starts.slice(0, 2)).toEqual(['2024-02-26T00:00:00.000+01:00', '2024-03-04T00:00:00.000+01:00']);
      expect(weeks.counts.slice(0, 6)).toEqual([144, 336, 336, 336, 334, 336]);
      expect(barsOf({ bars: 'month' })).toMatchObject({
        starts: ['2024-03-01T00:00:00.000+01:00', '2024-04-01T00:00:00.000+02:00', '2024-05-01T00:00:00.000+02:00'],
        counts: [31 * 48 - 2, 30 * 48],
      });
    });

    it('has hours if they are not more than a thousand, and else what it has by itself', () => {
      expect(barsOf({ bars: 'hour' })).toEqual(barsOf({}));
      const { starts, counts } = barsOf({ bars: 'hour', filter: 'date=2024-03-31' });
      expect([starts[2], starts[24], counts.length]).toEqual([...['2024-03-31T03:00:00.000+02:00', undefined, 23]]);
      expect(barsOf({ bars: 'hour', filter: 'date=2024-03' }).counts).toEqual(Array(31 * 24 - 1).fill(2));
    });

    it('has other ids than before and after an epoch in their own bars', () => {
      const layout = { spec: 'timestamp:41,shard:22', epoch: Date.UTC(2024, 0, 1, 12), unit: '10ms' as const };
      const dated = [0, 1, 4_319_999, 4_320_000, 8_640_000].map((units) => BigInt(units) << 22n);
      const counted = new Inspection(new TextEncoder().encode(dated.join('\n')), Date.UTC(2026, 0));
      expect([...(counted.view({ ...DEFAULTS, layout, bars: 'day' }).overTime?.counts ?? [])]).toEqual([3, 2]);
    });
  });
});

const chromium = withChromium(sharedChromium);

async function open(ids: readonly bigint[], timezoneId: string) {
  const visit = await chromium.visit({ timezoneId, fragment: '#layout=snowflake' });
  await paste(visit.page, ids.join('\n'));
  await visit.page.getByRole('region', { name: 'Answer' }).waitFor();
  return visit;
}

const answer = (page: Page) => page.getByRole('region', { name: 'Answer' }).locator('h2').textContent();
const column = (page: Page) => page.locator('.body .cell:nth-child(3)').allTextContents();

describe('the switch', () => {
  it('shows a table and all that is about it in local time', async () => {
    const ids = idsAround(SPRING);
    const visit = await open([...ids, ...ids, ...ids], BERLIN);
    const { page } = visit;
    expect(await answer(page)).toBe('30 Mar 2024 to 31 Mar 2024');
    expect(await column(page)).toContain('2024-03-31T01:00:00.000Z');
    const local = page.getByRole('button', { name: 'Local' });
    await local.click();
    await page.getByRole('columnheader', { name: 'date (Europe/Berlin)' }).waitFor();
    expect(await local.getAttribute('aria-pressed')).toBe('true');
    expect(await answer(page)).toBe('31 Mar 2024');
    await page.getByText('Europe/Berlin, bars of 2 minutes').waitFor();
    await expect
      .poll(() => page.getByRole('slider', { name: 'Ids over time' }).getAttribute('aria-valuetext'))
      .toBe('31 Mar 2024, 00:00 to 00:02 UTC+01:00: 3 ids');
    expect((await column(page)).slice(2, 4)).toEqual([
      '2024-03-31T01:59:00.000+01:00',
      '2024-03-31T03:00:00.000+02:00',
    ]);
    await page.getByLabel('Filter').fill('date<2024-03-31T03');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: '9 of 21 rows' }).waitFor();
    await page.getByText('Statistics').click();
    await expect.poll(() => fact(page, 'Longest gaps')).toContain('1 hour from 2024-03-31T00:00:00.000+01:00');
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Export CSV' }).click(),
    ]);
    const path = `${temporaryFolder()}/ids.csv`;
    await download.saveAs(path);
    expect(readFileSync(path, 'utf8')).toContain(',2024-03-31T00:59:00.000Z,');
    expect(await page.getByRole('region', { name: 'Code', exact: true }).textContent()).not.toContain('Berlin');
    expectNoComplaints(visit);
  });

  it('shows an id and all that is about it in local time', async () => {
    const date = new Date('2024-03-01T20:00:00.250Z');
    const id = layouts.snowflake.pack({ timestamp: date.getTime(), shard: 5, sequence: 0 });
    const visit = await open([id], 'Asia/Kolkata');
    const { page } = visit;
    expect(await answer(page)).toBe('Fri 1 Mar 2024, 20:00:00.250 UTC');
    await page.getByRole('button', { name: 'Local' }).click();
    await expect.poll(() => answer(page)).toBe('Sat 2 Mar 2024, 01:30:00.250 UTC+05:30');
    const local = '2024-03-02T01:30:00.250+05:30';
    const names = await page.locator('.this .fact dt').allTextContents();
    const zone = names[1] ?? ''; // Chromium still says Asia/Calcutta
    expect(zone).toMatch(/^Asia\/(Kolkata|Calcutta)$/);
    expect(await fact(page, zone)).toBe(local);
    expect(await fact(page, 'UTC')).toBe(date.toISOString());
    expect(await page.locator('.layout .fields').textContent()).toContain(local);
    await expect.poll(() => page.locator('.chips').textContent()).toContain('Discord 2 Mar 2016');
    expect(await page.locator('.layouts').textContent()).toContain('+05:30');
    await page.getByLabel('Compare with').fill(String(id + (1000n << 22n)));
    await page.getByText(/of 2024-03-02T01:30:01\.250\+05:30 \(.*\): 1 second later/).waitFor();
    expectNoComplaints(visit);
  });

  it('is kept in the link, by the name of the zone', async () => {
    const { page } = await open(idsAround(SPRING), BERLIN);
    expect(await copiedLink(page)).not.toContain('zone');
    await page.getByRole('button', { name: 'Local' }).click();
    const url = await copiedLink(page);
    expect(url).toContain('zone=Europe');
    const { page: elsewhere } = await chromium.visit({ url, timezoneId: 'America/New_York' });
    await expect.poll(() => answer(elsewhere)).toBe('31 Mar 2024');
    const zone = elsewhere.getByRole('group', { name: 'Time zone' }).getByRole('button');
    expect(await zone.allTextContents()).toEqual(['UTC', 'Local', BERLIN]);
    await zone.nth(1).click();
    await expect.poll(() => answer(elsewhere)).toBe('30 Mar 2024');
  });

  it('is not there where local time is UTC', async () => {
    const { page } = await open(idsAround(SPRING), 'UTC');
    expect(await page.getByRole('group', { name: 'Time zone' }).count()).toBe(0);
  });
});
