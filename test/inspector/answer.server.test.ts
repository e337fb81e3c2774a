import { describe, expect, it } from 'vitest';
import { layouts } from '../../src/index.js';
import { copied, fact, paste, sharedChromium, type Visit, withChromium } from '../support/inspector.js';

const chromium = withChromium(sharedChromium);

async function open(text: string, fragment = ''): Promise<Visit> {
  const visit = await chromium.visit({ fragment });
  await paste(visit.page, text);
  await visit.page.getByRole('region', { name: 'Answer' }).waitFor();
  return visit;
}

describe('one id', () => {
  it('is answered first: when it was made, if it is what it most likely is', async () => {
    const { page } = await open('1541815603606036480');
    const answer = page.getByRole('region', { name: 'Answer' });
    expect(await answer.locator('h2').textContent()).toBe('Tue 28 Jun 2022, 16:07:40.105 UTC');
    expect(await answer.textContent()).toMatch(/years ago.*if it is a tweet/);
    const chips = answer.getByRole('listitem');
    expect(await chips.allTextContents()).toEqual(
      expect.arrayContaining(['Discord 25 Aug 2026', 'Instagram 21 Jun 2017']),
    );
    await answer.getByRole('button', { name: 'Instagram' }).click();
    await expect.poll(() => answer.locator('h2').textContent()).toBe('Wed 21 Jun 2017, 04:19:24.445 UTC');
    expect(await answer.textContent()).toContain('read as an Instagram post');
    expect(await chips.allTextContents()).toContain('Twitter 28 Jun 2022, likely');
  });

  it('has its milliseconds also where they are beside the seconds', async () => {
    const { page } = await open('6854717870488702213');
    const answer = page.getByRole('region', { name: 'Answer' });
    expect(await answer.locator('h2').textContent()).toBe('Wed 29 Jul 2020, 02:06:13.872 UTC');
    expect(await answer.textContent()).toContain('if it is a TikTok video');
  });
});

describe('the answer', () => {
  it('is copied with the fields of the id', async () => {
    const { page } = await open('937847820382261308', '#layout=discord');
    await page.getByRole('button', { name: 'Copy answer' }).click();
    await page.getByRole('button', { name: 'Copied' }).waitFor();
    expect((await copied(page)).split('\n')).toEqual([
      'id: 937847820382261308',
      'date: 2022-01-31T23:12:24.749Z (read as a Discord id)',
      'worker: 1',
      'process: 5',
      'increment: 60',
    ]);
  });

  it('is copied with the other ids of its link', async () => {
    const { page } = await open('https://discord.com/channels/@me/381887113391505410/937847820382261308');
    await page.getByRole('button', { name: 'Copy answer' }).click();
    await page.getByRole('button', { name: 'Copied' }).waitFor();
    const lines = (await copied(page)).split('\n');
    expect(lines[1]).toBe('date: 2022-01-31T23:12:24.749Z (a Discord id: the link says so)');
    expect(lines.at(-1)).toBe('Discord channel: 381887113391505410, 2017-11-19T19:23:02.952Z');
  });

  it('says on demand what speaks for it', async () => {
    const { page } = await open('discord.com/channels/@me 937847820382261308');
    await page.getByText('Why Discord?').click();
    const why = page.locator('.why li');
    expect(await why.allTextContents()).toEqual([
      expect.stringMatching(/^Among all that this number may be, the probability of Discord is (\d\d|over 99) %\.$/),
      'The date is in the time in which such ids have been made: since 2015.',
      'The text around the id names Discord.',
      expect.stringMatching(/usual for Discord\.$/),
    ]);
  });
  const title = (page: Visit['page']) => page.title();

  it('is a heading, and in the title of the tab', async () => {
    const { page } = await open('1541815603606036480');
    await page.getByRole('heading', { level: 2, name: 'Tue 28 Jun 2022, 16:07:40.105 UTC' }).waitFor();
    expect(await title(page)).toBe('28 Jun 2022, Twitter · shardbits inspector');
    await page.getByRole('textbox', { name: 'Ids' }).fill('1541815603606036480\n1541815603606036481\nnone');
    await expect.poll(() => title(page)).toBe('2 ids · shardbits inspector');
    await page.getByRole('button', { name: 'Clear' }).click();
    await expect.poll(() => title(page)).toBe('shardbits inspector');
  });

  it('counts ids, and apart from them rows that are not', async () => {
    const { page } = await open('12345\n12346\nnone', '#layout=clientEntity');
    await page.getByRole('heading', { name: '2 ids without a date, 1 unreadable row' }).waitFor();
    await page.getByLabel('Which rows').selectOption('bad');
    await page.getByRole('heading', { name: /^1 unreadable row$/ }).waitFor();
  });

  it('has charts beside it from 20 rows on', async () => {
    const ids = Array.from({ length: 20 }, (_, i) => 1541815603606036480n + (BigInt(i) << 22n));
    const { page } = await open(ids.slice(1).join('\n'));
    await page.getByRole('heading', { name: '19 rows' }).waitFor();
    expect(await page.getByRole('heading', { name: 'Over time' }).count()).toBe(0);
    await page.getByRole('textbox', { name: 'Ids' }).fill(ids.join('\n'));
    await page.getByRole('heading', { name: 'Over time' }).waitFor();
  });

  it('says that there is no service if only a general layout fits', async () => {
    const ids = Array.from({ length: 50 }, (_, i) => (BigInt((i % 7) + 1) << 40n) | BigInt(3 * i + 1));
    const { page } = await open(ids.join('\n'));
    const answer = page.getByRole('region', { name: 'Answer' });
    await answer.getByText(/^no known service; fits clientEntity(, (ragedb|interned))*$/).waitFor();
    await page.getByRole('combobox', { name: 'Layout' }).selectOption('clientEntity');
    await answer.getByText('read as an entity of a client').waitFor();
  });
});

describe('the drawing of the bits', () => {
  it('says what the bit stands for that is pointed at', async () => {
    const { page } = await open('1541815603606036480');
    const bits = page.locator('.layout .bit');
    await bits.nth(22).hover();
    await page.getByText('Bit 41, in timestamp: 8 minutes, 44.288 seconds.').waitFor();
    await bits.nth(46).hover();
    await page.getByText('Bit 17, in datacenter: 1.').waitFor();
    await bits.nth(0).hover();
    await page.getByText('Bit 63 is above the layout.').waitFor();
    await page.mouse.move(5, 5);
    await page.getByText('Point at a bit to see what it stands for.').waitFor();
  });
});

describe('statistics', () => {
  it('are counted at once, and again when other rows are shown', async () => {
    const start = Date.UTC(2024, 0);
    const timestamp = Float64Array.from({ length: 1000 }, (_, i) => start + i * 1000 + (i >= 500 ? 3_600_000 : 0));
    const ids = layouts.snowflake.packMany({
      timestamp,
      shard: Uint16Array.from(timestamp, (_, i) => i % 4),
      sequence: 0,
    });
    const { page } = await open(`${ids.join('\n')}\n${ids[0]}`);
    await page.getByRole('combobox', { name: 'Layout' }).selectOption('snowflake');
    await expect.poll(() => fact(page, 'Duplicates')).toBe('1 id repeated, in 1 extra row');
    expect(await fact(page, 'Longest gaps')).toMatch(/^1 hour, 1 second from 2024-01-01T00:08:19\.000Z/);
    expect(await fact(page, 'Most ids by shard')).toMatch(/^0: 251 ids/);
    expect(await fact(page, 'Fullest ÷ average')).toBe('1.00 (4 values)');
    await page.getByRole('searchbox', { name: 'Filter' }).fill('shard=2');
    await page.keyboard.press('Enter');
    await expect.poll(() => fact(page, 'Duplicates')).toBe('none');
    expect(await fact(page, 'Fullest ÷ average')).toBe('1.00 (1 value)');
  });

  it('are filters: a click shows the rows, and another one all of them', async () => {
    const start = Date.UTC(2024, 0);
    const timestamp = Float64Array.from({ length: 100 }, (_, i) => start + i * 2000 + (i >= 50 ? 3_600_000 : 0));
    const shard = Uint16Array.from(timestamp, (_, i) => i % 4);
    const ids = layouts.snowflake.packMany({ timestamp, shard, sequence: 0 });
    const { page } = await open(`${ids.join('\n')}\n${ids[0]}\n${ids[0]}`, '#layout=snowflake');
    const { choose, filter, rows } = chooser(page);
    await choose('1 id repeated, in 2 extra rows');
    await rows('3 of 102 rows');
    expect(await filter()).toBe('duplicate');
    await choose('1 id repeated, in 2 extra rows');
    await rows('102 rows');
    await choose('1 hour, 2 seconds from 2024-01-01T00:01:38.000Z');
    await rows('2 of 102 rows');
    await choose('1 hour, 2 seconds from 2024-01-01T00:01:38.000Z');
    await choose('3 ids in 1 second from 2024-01-01T00:00:00.000Z');
    await rows('3 of 102 rows');
    await choose('0: 3 ids');
    expect(await filter()).toBe('date>=2024-01-01T00:00:00.000Z date<2024-01-01T00:00:01.000Z shard=0');
  });
});

/** The statistics as they are used. */
function chooser(page: Visit['page']) {
  return {
    choose: (name: string) => page.getByRole('button', { name, exact: true }).click(),
    filter: () => page.getByRole('searchbox', { name: 'Filter' }).inputValue(),
    rows: (name: string) => page.getByRole('heading', { name, exact: true }).waitFor(),
  };
}

describe('two ids', () => {
  it('are compared', async () => {
    const { page } = await open('937847820382261308');
    await page.getByLabel('Compare with').fill(String(937847820382261308n + (90_500n << 22n) - 4096n));
    await page.getByText('1 minute, 30.5 seconds later; process 4 instead of 5.').waitFor();
    await page.getByLabel('Compare with').fill('-');
    await page.getByText('This is not an id, or more than one.').waitFor();
    await page.getByLabel('Compare with').fill('1541815603606036480');
    await page.getByText('(if it is a tweet): 147 days').waitFor();
    await page.getByText('They are of different services, so only their dates can be compared.').waitFor();
  });

  it('are compared in a text of several kinds', async () => {
    const { page } = await open('request_id=017f22e2-79b0-7cc3-98c4-dc0c0c07398f message_id=937847820382261308');
    await page.getByLabel('Compare with').fill('017f22e2-7d98-7cc3-98c4-dc0c0c07398f');
    await page.getByText('(a UUID of version 7): 1 second later.').waitFor();
    const names = await page.locator('.this .fact dt').allTextContents();
    expect(names.filter((name) => /decimal|hexadecimal/i.test(name))).toEqual([]);
    expect(await fact(page, 'UTC')).toBe('2022-02-22T19:22:22.000Z');
    await page.getByRole('row', { name: '1:60' }).click();
    await page.getByText('They are of different kinds, so only their dates can be compared.').waitFor();
  });

  it('are compared if one of them has no date', async () => {
    const { page } = await open('919108f7-52d1-4320-9bac-f847db4148a8');
    await page.getByLabel('Compare with').fill('937847820382261308');
    await page.getByText('(if it is a Discord id). This id has no date.').waitFor();
    expect(await page.locator('.this').textContent()).not.toContain('1970');
  });
});
