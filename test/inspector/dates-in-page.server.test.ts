import { describe, expect, it } from 'vitest';
import { layouts } from '../../src/index.js';
import { minUuidAt } from '../../src/wide-ids/index.js';
import {
  accessibilityProblems,
  copied,
  copiedLink,
  editLayout,
  expectNoComplaints,
  fact,
  paste,
  sharedChromium,
  withChromium,
} from '../support/inspector.js';

const chromium = withChromium(sharedChromium);

describe('a date in the box', () => {
  it('is answered by the ids of all services, which are copied', async () => {
    const visit = await chromium.visit({ timezoneId: 'Europe/Berlin' });
    const { page } = visit;
    await paste(page, '2024-03-01');
    await page.getByRole('heading', { name: '1 Mar 2024 (UTC, whole day)' }).waitFor();
    const row = (name: string) => page.getByRole('row', { name });
    const [least, most] = [
      layouts.discord.minIdAt(new Date('2024-03-01')),
      layouts.discord.maxIdAt(new Date('2024-03-01T23:59:59.999Z')),
    ];
    expect(await row('Discord').locator('code').allTextContents()).toEqual([
      String(least),
      String(most),
      `where id between ${least} and ${most}`,
    ]);
    await page.getByRole('button', { name: 'Copy the first id of Discord' }).click();
    await expect.poll(() => copied(page)).toBe(String(least));
    await page.getByLabel('Queries for').selectOption('MySQL');
    await page.getByRole('button', { name: 'Copy the query of UUIDv7' }).click();
    await expect.poll(() => copied(page)).toContain(`uuid_to_bin('${minUuidAt(new Date('2024-03-01'))}')`);
    expect(await accessibilityProblems(page)).toEqual([]);
    const url = await copiedLink(page);

    await page.getByRole('button', { name: 'Local' }).click();
    await page.getByRole('heading', { name: '1 Mar 2024 (Europe/Berlin, whole day)' }).waitFor();
    const first = layouts.discord.minIdAt(new Date('2024-02-29T23:00Z'));
    expect(await row('Discord').locator('code').first().textContent()).toBe(String(first));

    const { page: other } = await chromium.visit({ url, timezoneId: 'Europe/Berlin' });
    await other.getByRole('heading', { name: '1 Mar 2024 (UTC, whole day)' }).waitFor();
    expectNoComplaints(visit);
  });

  it('takes the place of ids, and ids its place', async () => {
    const { page } = await chromium.visit();
    const box = page.getByRole('textbox', { name: 'Ids' });
    await box.fill('1541815603606036480');
    await page.getByRole('heading', { name: 'This id' }).waitFor();
    await box.fill('now');
    await page.getByRole('row', { name: 'UUIDv7' }).waitFor();
    expect(await page.getByRole('heading', { name: 'This id' }).count()).toBe(0);
    await box.fill('20240301');
    await page.getByRole('heading', { name: 'This id' }).waitFor();
    expect(await page.getByRole('row', { name: 'UUIDv7' }).count()).toBe(0);
    await box.fill('2024');
    await expect.poll(() => fact(page, 'decimal')).toBe('2024');
  });
});

describe('a layout of one’s own', () => {
  it('is typed as widths, and dated by an id that is known', async () => {
    const { page } = await chromium.visit();
    await paste(page, '1541815603606036480');
    await editLayout(page);
    await page.getByLabel('Fields').fill('41/10/12');
    await page.getByLabel('Fields').press('Enter');
    await page.getByText('The names are guessed: the first field is taken for the time.').waitFor();
    expect(await page.getByLabel('Fields').inputValue()).toBe('timestamp:41,worker:10,sequence:12');
    await page.getByLabel('This id was made at').fill('soon');
    await page.getByLabel('This id was made at').press('Enter');
    await page.getByText('expected a date or Unix milliseconds').waitFor();
    await page.getByLabel('This id was made at').fill('2022-06-28T16:07:40.105');
    await page.getByLabel('This id was made at').press('Enter');
    await expect.poll(() => page.getByLabel('Epoch').inputValue()).toBe('2010-11-04T01:42:54.657Z');
    expect(await fact(page, 'UTC')).toBe('2022-06-28T16:07:40.105Z');
    await expect.poll(() => page.url()).toContain('layout=41%2F10%2F12');
  });

  it('is found by a column of dates', async () => {
    const epoch = Date.UTC(2021, 4);
    const rows = Array.from({ length: 300 }, (_, row) => {
      const ms = Date.UTC(2024, 1) + row * 3_600_000 + ((row * 7919) % 3_600_000);
      return `${(BigInt(ms - epoch) << 22n) | BigInt((row * 104_729) % 2 ** 22)},${new Date(ms).toISOString()}`;
    });
    const visit = await chromium.visit();
    const { page } = visit;
    await paste(page, ['id,created_at', ...rows].join('\n'));
    const sentence = 'The upper 41 bits count milliseconds from 2021-05-01: created_at agrees in 300 of 300 rows';
    await page.getByText(sentence).waitFor();
    await page.getByText('as created_at says').waitFor();
    await page.getByRole('heading', { name: '1 Feb 2024 to 13 Feb 2024' }).waitFor();
    expect(await page.getByLabel('Epoch').inputValue()).toBe('2021-05-01');
    expect(await page.getByRole('button', { name: 'Use this layout' }).count()).toBe(0);
    expectNoComplaints(visit);
  });
});
