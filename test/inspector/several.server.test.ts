import { describe, expect, it } from 'vitest';
import { Inspection } from '../../src/inspector/decode/inspection.js';
import { DEFAULTS, type Settings } from '../../src/inspector/decode/settings.js';
import {
  accessibilityProblems,
  expectNoComplaints,
  paste,
  sharedChromium,
  withChromium,
} from '../support/inspector.js';

const chromium = withChromium(sharedChromium);

const LINKS = [
  'https://discord.com/channels/81384788765712384/381887113391505410/937847820382261308',
  'https://x.com/a/status/1541815603606036480',
  'https://www.tiktok.com/@a/video/6854717870488702213',
  'https://mastodon.social/@Gargron/108965430868193066',
  'https://www.pinterest.com/pin/858146903966145189',
  'nothing',
].join('\n');

const inspection = new Inspection(new TextEncoder().encode(LINKS), Date.UTC(2026, 10, 23));
const view = (settings: Partial<Settings> = {}) => inspection.view({ ...DEFAULTS, ...settings });

describe('ids of several services in one text', () => {
  it('have the dates that each has in the layout of its own service', () => {
    const { groups, isMixed, wide, misfits, bad, reasons } = view();
    expect([isMixed, wide]).toEqual([true, undefined]);
    const discord = ['Discord server', 'Discord channel', 'Discord message'];
    const kinds = [...discord, 'Twitter', 'TikTok', 'Mastodon', 'Pinterest'];
    expect(groups).toEqual(
      kinds.map((title) => ({
        title,
        rows: 1,
        certainty: 'fact',
        date: title === 'Pinterest' ? undefined : expect.any(Number),
      })),
    );
    expect([misfits, bad, reasons.map(({ reason }) => reason)]).toEqual([
      1,
      1,
      expect.arrayContaining(['has no date in it', 'no id found in this line']),
    ]);
    expect(inspection.rows(0, 8).map(({ cells }) => cells.slice(1, 4))).toEqual([
      ['81384788765712384', 'Discord server', '2015-08-13T13:54:05.698Z'],
      ['381887113391505410', 'Discord channel', '2017-11-19T19:23:02.952Z'],
      ['937847820382261308', 'Discord message', '2022-01-31T23:12:24.749Z'],
      ['1541815603606036480', 'Twitter', '2022-06-28T16:07:40.105Z'],
      ['6854717870488702213', 'TikTok', '2020-07-29T02:06:13.872Z'],
      ['108965430868193066', 'Mastodon', '2022-09-08T23:42:04.722Z'],
      ['858146903966145189', 'Pinterest', ''],
      ['nothing', '', ''],
    ]);
  });

  it('are sorted, filtered and exported by these dates and by their kinds', () => {
    view({ sort: { column: 'date', descending: false } });
    expect(inspection.rows(0, 6).map(({ cells }) => cells[2])).toEqual([
      ...['Discord server', 'Discord channel', 'TikTok'],
      ...['Discord message', 'Twitter', 'Mastodon'],
    ]);
    expect(view({ filter: 'date>=2022-06' }).shown).toBe(2);
    expect(view({ filter: 'kind=tik' }).shown).toBe(1);
    expect(view({ filter: 'id=6854717870488702213' }).shown).toBe(1);
    expect(view({ filter: 'id=5' }).shown).toBe(0);
    view();
    expect([...inspection.export().pieces].join('')).toContain(
      '/6854717870488702213,3:33,6854717870488702213,TikTok,2020-07-29T02:06:13.872Z,,\r\n',
    );
  });

  it('are all of one layout if that is chosen', () => {
    const { groups, isMixed, layout } = view({ layout: { spec: 'twitter' } });
    expect([groups.length, isMixed, layout]).toEqual([1, false, { spec: 'twitter' }]);
  });

  it('are shown in the page with their services, one of which can be chosen for all', async () => {
    const visit = await chromium.visit();
    const { page } = visit;
    await paste(page, LINKS);
    const answer = page.getByRole('region', { name: 'Answer' });
    await answer.getByRole('heading', { name: '13 Aug 2015 to 8 Sep 2022' }).waitFor();
    expect(await answer.textContent()).toContain('7 kinds of ids');
    expect(await page.locator('.body .row').first().textContent()).toContain('Discord');
    expect(await page.locator('.layout option').first().textContent()).toBe('Automatic (Discord)');
    expect(await accessibilityProblems(page)).toEqual([]);
    await page.getByRole('searchbox', { name: 'Filter' }).fill('kind=twitter');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: /^1 of 8 rows/ }).waitFor();
    await page.getByRole('searchbox', { name: 'Filter' }).fill('');
    await answer.getByRole('button', { name: 'Discord message' }).click();
    await expect.poll(() => answer.textContent()).toContain('a Discord id: the link says so');
    expectNoComplaints(visit);
  });

  it('have no date if nothing says which service they are of, and the number alone does not', () => {
    const text = [
      'user 80351110224678912 reported',
      'https://discord.com/channels/278707932089155584/296373951800541186/857072161097515049',
      'https://twitter.com/POTUS/status/1478729288895672322',
      'Steam 76561198163403316',
    ].join('\n');
    const { firstRows } = new Inspection(new TextEncoder().encode(text), Date.UTC(2026, 10, 23)).view(DEFAULTS);
    expect(firstRows.map(({ cells }) => [cells[1], cells[3].slice(0, 10)])).toEqual([
      ['80351110224678912', ''],
      ['278707932089155584', '2017-02-08'],
      ['296373951800541186', '2017-03-28'],
      ['857072161097515049', '2021-06-23'],
      ['1478729288895672322', '2022-01-05'],
      ['76561198163403316', ''],
    ]);
  });
});
