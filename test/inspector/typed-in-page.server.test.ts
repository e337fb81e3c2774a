import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import {
  copiedLink,
  editLayout,
  expectNoComplaints,
  fact,
  field,
  paste,
  sharedChromium,
  withChromium,
} from '../support/inspector.js';

const chromium = withChromium(sharedChromium);

const DISCORD = '937847820382261308';
const TIKTOK = '6854717870488702213';

async function open(text: string, fragment = ''): Promise<Page> {
  const { page } = await chromium.visit({ fragment });
  await paste(page, text);
  await page.getByRole('heading', { name: 'Layout', exact: true }).waitFor();
  return page;
}

async function type(page: Page, label: string, text: string): Promise<void> {
  await page.getByLabel(label).fill(text);
  await page.getByLabel(label).press('Enter');
}

const layoutOf = (page: Page) => page.getByRole('combobox', { name: 'Layout' });

describe('the fields of a layout', () => {
  it('keep the epoch of the preset whose fields are typed over', async () => {
    const page = await open(DISCORD);
    const date = await fact(page, 'UTC');
    expect(date).toMatch(/^2022-/);
    await editLayout(page);
    await type(page, 'Fields', 'timestamp:42,machine:10,increment:12');
    await expect.poll(() => field(page, 'machine')).toMatch(/^\d+$/);
    expect(await page.getByLabel('Epoch').inputValue()).toBe('2015-01-01');
    expect(await fact(page, 'UTC')).toBe(date);
    await expect.poll(() => layoutOf(page).inputValue()).toBe('own');
  });

  it('have an epoch that may be 0, or a date as the page writes it', async () => {
    const page = await open(DISCORD);
    await editLayout(page);
    await type(page, 'Epoch', '1 Jan 2023');
    await expect.poll(() => page.getByLabel('Epoch').inputValue()).toBe('2023-01-01');
    await type(page, 'Epoch', '0');
    await expect.poll(() => page.getByLabel('Epoch').inputValue()).toBe('1970-01-01');
    expect(await page.locator('.layout .error:not(:empty)').count()).toBe(0);
  });
});

describe('the layout of TikTok', () => {
  it('has its name, and is in links', async () => {
    const page = await open(TIKTOK);
    await page.getByRole('region', { name: 'Answer' }).getByText('if it is a TikTok video').waitFor();
    expect(await layoutOf(page).locator('option').first().textContent()).toBe('Automatic (TikTok)');
    await layoutOf(page).selectOption('TikTok');
    await page.getByText('read as a TikTok video').waitFor();
    const url = await copiedLink(page);
    expect(url).toContain('#layout=tiktok&');
    const visit = await chromium.visit({ url });
    await visit.page.getByText('read as a TikTok video').waitFor();
    expect(await layoutOf(visit.page).inputValue()).toBe('tiktok');
    expect(await layoutOf(visit.page).locator('option:checked').textContent()).toBe('TikTok');
    expectNoComplaints(visit);
  });
});

describe('a filter', () => {
  const IDS = `${DISCORD}\n937847820382261309\n${BigInt(DISCORD) + (1n << 50n)}`;

  it('has an example that fits the columns', async () => {
    const page = await open(IDS);
    const example = await page.getByLabel('Filter').getAttribute('placeholder');
    expect(example).toBe('Filter: worker=5, Enter');
    await type(page, 'Filter', example?.replace(/Filter: |, Enter/g, '') ?? '');
    await page.getByRole('heading', { name: '0 of 3 rows' }).waitFor();
    expect(await page.locator('.table .error:not(:empty)').count()).toBe(0);
  });

  it('takes dates as the page writes them, and the bits are of a row that is shown', async () => {
    const page = await open(IDS);
    await expect.poll(() => fact(page, 'decimal')).toBe(DISCORD);
    const date = await page.getByRole('region', { name: 'Answer' }).locator('h2').textContent();
    const [, last = ''] = /to (.*)$/.exec(date ?? '') ?? [];
    await type(page, 'Filter', `date>=${last}`);
    await page.getByRole('heading', { name: '1 of 3 rows' }).waitFor();
    await expect.poll(() => fact(page, 'decimal')).toBe(String(BigInt(DISCORD) + (1n << 50n)));
    await type(page, 'Filter', 'worker=31');
    await page.getByRole('heading', { name: 'No rows match' }).waitFor();
    expect(await fact(page, 'decimal')).toBe('–');
    expect(await page.locator('.bit .set').count()).toBe(0);
  });
});

describe('a message under a box', () => {
  it('goes when what was typed is corrected, and when other ids come', async () => {
    const page = await open(`${DISCORD}\n${TIKTOK}`);
    const error = page.locator('.edit .error:not(:empty)');
    await editLayout(page);
    await type(page, 'Fields', 'timestamp:99');
    await error.waitFor();
    await page.getByLabel('Fields').fill('timestamp:41');
    expect(await error.count()).toBe(0);
    await type(page, 'Fields', 'timestamp:65');
    await error.waitFor();
    await page.evaluate(() => (document.activeElement as HTMLElement | null)?.blur());
    await paste(page, `${TIKTOK}\n${DISCORD}`);
    await expect.poll(() => fact(page, 'decimal')).toBe(TIKTOK);
    expect(await error.count()).toBe(0);
    // The fields of the id that is chosen: that one is of another service.
    expect(await page.getByLabel('Fields').inputValue()).toBe('timestamp:32,millisecond:10,tail:22');
  });
});
