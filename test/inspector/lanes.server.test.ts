import { expect, it } from 'vitest';
import { accessibilityProblems, copied, copiedLink, drop, withChromium } from '../support/inspector.js';

const chromium = withChromium();

/** Orders a minute apart: of seven, four are paid, two are `in "transit"` and one is not said. */
const ORDERS = (rows: number) => `'id,order status\\n' + Array.from({ length: ${rows} }, (_, i) =>
  (1800000000000000000n + (BigInt(i) * 60000n << 22n)) + ',' + ['paid', 'paid', '"in ""transit"""', 'paid', '', 'in "transit"', 'paid'][i % 7]).join('\\n')`;

it('lanes of texts are read, clicked and taken back; so are the bars of all of them', async () => {
  const { page, complaints } = await chromium.visit({ fragment: '#layout=discord' });
  await drop(page, 'orders.csv', ORDERS(7000));
  await page.getByRole('grid').waitFor();
  await page.getByLabel('Count ids per').selectOption('order status');
  const lane = page.getByRole('slider', { name: 'Ids over time, order status paid' });
  await lane.waitFor();
  expect(await page.locator('.lane').allTextContents()).toEqual([
    'order status paid 4,000 ids',
    'order status in "transit" 2,000 ids',
    'order status (empty) 1,000 ids',
  ]);
  expect(await accessibilityProblems(page)).toEqual([]);
  const filter = () => page.getByLabel('Filter').inputValue();
  await lane.focus();
  await page.keyboard.press('ArrowRight');
  expect(await lane.getAttribute('aria-valuetext')).toMatch(/ UTC, order status paid: \d+ ids$/);
  await page.keyboard.press('Enter');
  await expect.poll(filter).toMatch(/^date>=\S+ date<=\S+ "order status"=paid$/);
  await expect.poll(() => page.locator('.lane').count()).toBe(1);
  await page.keyboard.press('Escape');
  await expect.poll(filter).toBe('');
  await expect.poll(() => page.locator('.lane').count()).toBe(3);

  const bars = page.getByRole('slider', { name: 'Ids per order status' });
  await bars.focus();
  await page.keyboard.press('ArrowRight');
  expect(await bars.getAttribute('aria-valuetext')).toBe('order status in "transit": 2,000 ids');
  await page.keyboard.press('Enter');
  await expect.poll(filter).toBe('"order status"="in "');
  await page.getByRole('heading', { name: '2,000 of 7,000 rows' }).waitFor();
  await page.keyboard.press('Enter');
  await expect.poll(filter).toBe('');
  await page.getByRole('button', { name: 'paid: 4,000 ids' }).click();
  await expect.poll(filter).toBe('"order status"=paid');
  const cell = page.locator('.body .cell.source').first();
  expect(await cell.getAttribute('title')).toBe('paid');
  expect(complaints).toEqual([]);
});

it('bars have the width that is chosen, and their counts are copied', async () => {
  const { page, complaints } = await chromium.visit({ fragment: '#layout=discord' });
  await drop(page, 'orders.csv', ORDERS(7000));
  const card = page.getByRole('region', { name: 'Over time' });
  const width = card.getByLabel('Width of bars');
  await page.getByLabel('Count ids per').selectOption('order status');
  await width.selectOption('day');
  await card.getByText('UTC, bars of 1 day').waitFor();
  await card.getByRole('button', { name: 'Copy' }).click();
  await card.getByRole('button', { name: 'Copied' }).waitFor();
  expect((await copied(page)).split('\n')).toEqual([
    ...['date (UTC)\tpaid\t"in ""transit"""\t(empty)', '2028-08-07\t779\t389\t195', '2028-08-08\t823\t412\t205'],
    ...['2028-08-09\t823\t411\t206', '2028-08-10\t822\t412\t206', '2028-08-11\t753\t376\t188'],
  ]);
  expect(await accessibilityProblems(page)).toEqual([]);
  const { page: second } = await chromium.visit({ url: await copiedLink(page) });
  await drop(second, 'orders.csv', ORDERS(100_000));
  await second.getByText('UTC, bars of 1 day').waitFor();
  await second.getByLabel('Width of bars').selectOption('hour');
  await second.getByText('UTC, bars of 12 hours (over 1,000 hours)').waitFor();
  expect(complaints).toEqual([]);
});

it('what takes long to open shows how far it is, and Cancel leaves the page as it was', async () => {
  const { page, complaints } = await chromium.visit({ fragment: '#layout=discord' });
  await drop(page, 'few.csv', ORDERS(70));
  await page.getByRole('heading', { name: '70 rows' }).waitFor();
  await page.evaluate(() => {
    const seen: number[] = [];
    const note = () => {
      const bar = document.querySelector('progress');
      if (bar && seen.at(-1) !== bar.value) seen.push(bar.value);
    };
    new MutationObserver(note).observe(document.body, { subtree: true, childList: true, attributes: true });
    Object.assign(window, { seen });
  });
  await drop(page, 'many.csv', ORDERS(3_000_000));
  await page.getByRole('progressbar', { name: 'Reading' }).waitFor();
  expect(await accessibilityProblems(page)).toEqual([]);
  await page.getByRole('button', { name: 'Cancel' }).click();
  await page.getByRole('progressbar', { name: 'Reading' }).waitFor({ state: 'detached' });
  expect(await page.getByRole('textbox', { name: 'Ids' }).inputValue()).toMatch(/^id,order status/);
  await expect.poll(() => page.locator('.input').getAttribute('aria-busy')).toBe('false');
  await page.getByLabel('Filter').fill('line=70');
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: '1 of 70 rows' }).waitFor();

  await drop(page, 'more.csv', ORDERS(1_000_000));
  await page.getByRole('heading', { name: '1,000,000 rows' }).waitFor();
  expect(await page.locator('progress').count()).toBe(0);
  const seen = await page.evaluate(() => (window as unknown as { seen: number[] }).seen);
  expect(seen.length).toBeGreaterThan(1);
  expect(complaints).toEqual([]);
});
