import { describe, expect, it } from 'vitest';
import {
  accessibilityProblems,
  copiedLink,
  expectNoComplaints,
  fact,
  paste,
  withChromium,
} from '../support/inspector.js';

const chromium = withChromium();

const A = '01907370-e495-7000-8f3e-1a2b3c4d5e6f'; // 2024-07-02T12:34:56.789Z
const B = '01907371-cef5-7001-8f3e-1a2b3c4d5e6f'; // a minute later
const FOUR = '919108f7-52d1-4320-9bac-f847db4148a8';
const OBJECT = '507f1f77bcf86cd799439011';

async function open(text: string, fragment = '') {
  const visit = await chromium.visit({ fragment, timezoneId: 'America/New_York', locale: 'en-US' });
  if (text !== '') await paste(visit.page, text);
  const answer = visit.page.getByRole('region', { name: 'Answer' });
  await answer.waitFor();
  return { visit, page: visit.page, answer };
}

/** The headings of what is seen of the ids. */
const headings = (page: Awaited<ReturnType<typeof open>>['page']) =>
  page.locator('main :is(h2, h3):not(.answer *)').allTextContents();

describe('one wide id', () => {
  it('is answered with its date and its version, and nothing of layouts and shards', async () => {
    const { visit, page, answer } = await open(A);
    expect(await answer.locator('h2').textContent()).toBe('Tue 2 Jul 2024, 12:34:56.789 UTC');
    expect(await answer.innerText()).toMatch(/years ago\s+a UUID of version 7$/);
    expect(await headings(page)).toEqual(['UUID version 7', 'This id']);
    expect(await fact(page, 'Unix ms')).toBe('1719923696789');
    expect(await fact(page, 'UTC')).toBe('2024-07-02T12:34:56.789Z');
    expect(await fact(page, 'America/New_York')).toBe('2024-07-02T08:34:56.789-04:00');
    expect(await fact(page, 'id')).toBe(A);
    expect(await page.getByText('if hashed as text').count()).toBe(0);
    expect(await page.getByLabel('Strategy').isVisible()).toBe(false);
    expect(await accessibilityProblems(page)).toEqual([]);
    expectNoComplaints(visit);
  });

  it('without a time says so', async () => {
    const { page, answer } = await open(FOUR);
    expect(await answer.innerText()).toMatch(/^No date\s+UUID of version 4: it has no time in it$/);
    expect(await headings(page)).toEqual(['UUID version 4 (random)', 'This id']);
    expect(await accessibilityProblems(page)).toEqual([]);
  });

  it('is read as another kind by hand, and the link has that', async () => {
    const { page, answer } = await open(OBJECT);
    expect(await answer.textContent()).toContain('if it is a MongoDB ObjectId');
    const read = page.getByLabel('Id format');
    expect(await read.locator('option').first().textContent()).toBe('Automatic (MongoDB ObjectId)');
    await read.selectOption('MongoDB ObjectId');
    await answer.getByText('read as a MongoDB ObjectId').waitFor();
    const link = await copiedLink(page);
    expect(link).toContain('#read=objectid&ids=');
    const again = await open('', new URL(link).hash);
    expect(await again.answer.textContent()).toContain('read as a MongoDB ObjectId');
    await again.page.getByLabel('Id format').selectOption('xid');
    await again.page.getByText(/^not an xid: 20 characters/).waitFor();
    expect(await headings(again.page)).toEqual(['No ids found']);
  });

  it('gives way to an id of 64 bits, with all that is of it', async () => {
    const { page } = await open(A);
    await page.getByRole('textbox', { name: 'Ids' }).fill('154173452582932603');
    await page.getByRole('heading', { name: 'Layout', exact: true }).waitFor();
    expect(await headings(page)).toEqual([...['Layout', 'This id', 'What else it could be', 'Query or code']]);
    await page.getByRole('textbox', { name: 'Ids' }).fill(A);
    await expect.poll(() => headings(page)).toEqual(['UUID version 7', 'This id']);
  });
});

describe('many wide ids', () => {
  it('are a table with dates, a filter and statistics', async () => {
    const { visit, page, answer } = await open(`at,request\n1,${A}\n2,oops\n3,${FOUR}\n4,${B}\n5,${A.toUpperCase()}`);
    expect(await answer.innerText()).toMatch(/^2 Jul 2024\s+UUIDs of versions 4 and 7$/);
    expect(await headings(page)).toEqual(['UUID version 7', '5 rows', 'This id', 'Statistics']);
    const row = page.getByRole('grid').getByRole('row');
    expect(await row.allInnerTexts().then((rows) => rows.map((text) => text.replace(/\s+/g, ' ').trim()))).toEqual([
      'line id date (UTC) timestamp (Unix ms) at',
      `2 ${A} 2024-07-02T12:34:56.789Z 1719923696789 1`,
      '3 oops 2 not a UUID such as 017f22e2-79b0-7cc3-98c4-dc0c0c07398f, with or without hyphens',
      `4 ${FOUR} 3 UUID of version 4: it has no time in it`,
      `5 ${B} 2024-07-02T12:35:56.789Z 1719923756789 4`,
      `6 ${A.toUpperCase()} 2024-07-02T12:34:56.789Z 1719923696789 5`,
    ]);
    await page.getByText('Statistics').click();
    await expect.poll(() => fact(page, 'Duplicates')).toBe('1 id repeated, in 1 extra row');
    expect(await fact(page, 'Longest gaps')).toBe('1 minute from 2024-07-02T12:34:56.789Z');
    expect(await page.getByText('Fullest ÷ average').count()).toBe(0);
    await page.getByRole('grid').focus();
    for (let i = 0; i < 3; i++) await page.keyboard.press('ArrowDown');
    expect(await fact(page, 'id')).toBe(B);
    expect(await accessibilityProblems(page)).toEqual([]);
    const filter = page.getByRole('searchbox', { name: 'Filter' });
    await filter.fill('date>=2024-07-02T12:35');
    await filter.press('Enter');
    await page.getByRole('heading', { name: '1 of 5 rows' }).waitFor();
    expectNoComplaints(visit);
  });

  it('have a chart over time', async () => {
    const { page } = await open(`${A}\n`.repeat(12) + `${B}\n`.repeat(8));
    expect(await headings(page)).toEqual(['UUID version 7', 'Over time', '20 rows', 'This id', 'Statistics']);
    const chart = page.getByRole('slider', { name: 'Ids over time' });
    expect(await chart.getAttribute('aria-valuetext')).toMatch(/^2 Jul 2024, 12:34:56.*UTC: 12 ids$/);
    expect(await accessibilityProblems(page)).toEqual([]);
  });

  it('fit a phone', async () => {
    const { page } = await chromium.visit({ viewport: { width: 360, height: 740 }, colorScheme: 'dark' });
    await paste(page, `${A}\n${B}`);
    await page.getByRole('grid').waitFor();
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(360);
  });
});
