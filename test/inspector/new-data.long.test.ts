import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { forOtherRows, isEditOf } from '../../src/inspector/decode/settings.js';
import { temporaryFolder } from '../support/cli.js';
import {
  copiedLink,
  downloaded,
  drop,
  expectNoComplaints,
  fact,
  field,
  paste,
  snowflakes,
  typeFields,
  withChromium,
} from '../support/inspector.js';

const chromium = withChromium();

const A = '154173452582932603'; // shard 5
const B = '286435872092454913';
/** Two ids are too few to tell this layout from others. */
const LAYOUT = '#layout=snowflake';
const CSV = `order,parent,name\n${A},${B},ada\n${B},${A},bob`;

async function open(text: string, fragment = ''): Promise<Page> {
  const { page } = await chromium.visit({ fragment });
  await paste(page, text);
  await page.getByRole('heading', { name: 'Layout', exact: true }).waitFor();
  return page;
}

async function filter(page: Page, text: string): Promise<void> {
  await page.getByLabel('Filter').fill(text);
  await page.getByLabel('Filter').press('Enter');
}

describe('the id that is taken apart', () => {
  it('is that of the same row when the column changes', async () => {
    const page = await open(CSV, LAYOUT);
    await page.locator('.body .row').nth(1).click();
    await expect.poll(() => fact(page, 'decimal')).toBe(B);
    await page.getByLabel('Column').selectOption('parent');
    await expect.poll(() => fact(page, 'decimal')).toBe(A);
    expect(await field(page, 'shard')).toBe('5');
    expect(await page.locator('[aria-selected=true] .line').textContent()).toBe('3');
  });

  it('is that of the first row with an id if its own row has none any more', async () => {
    const page = await open(`a,b\n${A},x\n${B},${A}`);
    await expect.poll(() => fact(page, 'decimal')).toBe(A);
    await page.getByLabel('Column').selectOption('b');
    await expect.poll(() => page.locator('[aria-selected=true] .line').textContent()).toBe('3');
    expect(await fact(page, 'decimal')).toBe(A);
    await page.locator('.body .row').first().click();
    await page.getByText('Line 2').waitFor();
    await page.getByRole('columnheader', { name: 'line' }).getByRole('button').click();
    await page.getByText('Line 2').waitFor(); // a row that was chosen, and is as it was
  });

  it('is read anew with another format', async () => {
    const page = await open('1234567890123456\n1234567890123457');
    await page.locator('.body .row').nth(1).click();
    await expect.poll(() => fact(page, 'decimal')).toBe('1234567890123457');
    await page.getByLabel('Id format').selectOption('hex');
    await expect.poll(() => fact(page, 'hexadecimal')).toBe('1234567890123457');
    expect(await fact(page, 'decimal')).toBe(String(0x1234567890123457n));
  });
});

describe('Clear', () => {
  it('forgets the layout and what ids are read as', async () => {
    const page = await open(A);
    await page.getByRole('combobox', { name: 'Layout' }).selectOption('discord');
    await page.getByLabel('Id format').selectOption('hex');
    await page.waitForURL(/layout=discord/);
    await page.getByRole('button', { name: 'Clear' }).click();
    await expect.poll(() => page.url()).not.toContain('layout');
    await paste(page, A);
    await page.getByRole('combobox', { name: 'Layout' }).waitFor();
    expect(await page.getByRole('combobox', { name: 'Layout' }).inputValue()).toBe('guess');
    expect(await page.getByLabel('Id format').inputValue()).toBe('guess');
  });
});

describe('other data', () => {
  it('are seen whole: filter, order and kind of rows were for those before', async () => {
    const page = await open(CSV, LAYOUT);
    await filter(page, 'shard=5');
    await page.getByLabel('Which rows').selectOption('good');
    await page.getByRole('columnheader', { name: 'shard', exact: true }).getByRole('button').click();
    await page.getByRole('heading', { name: '1 of 2 rows' }).waitFor();
    await page.evaluate(() => (document.activeElement as HTMLElement | null)?.blur());
    await paste(page, '1541815603606036480\n1541815603606036481\n175928847299117063');
    await page.getByRole('heading', { name: '3 rows' }).waitFor();
    expect(await page.getByLabel('Filter').inputValue()).toBe('');
    expect(await page.getByLabel('Which rows').inputValue()).toBe('all');
    await expect.poll(() => new URL(page.url()).hash).toBe(LAYOUT);
  });

  it('keep the filter while they are typed', async () => {
    const page = await open(CSV, LAYOUT);
    await filter(page, 'line>0');
    await page.getByRole('textbox', { name: 'Ids' }).press('ControlOrMeta+End');
    await page.keyboard.type(`\n${B},${B},cid`);
    await page.getByRole('heading', { name: '3 rows' }).waitFor();
    expect(await page.getByLabel('Filter').inputValue()).toBe('line>0');
    expect(isEditOf('1', '15')).toBe(true);
    expect(isEditOf('a\nb\nc', 'a\nc')).toBe(true);
    expect(isEditOf('1541815603606036480', '286435872092454913')).toBe(false);
  });

  it('have the filter of a link that waits for them', async () => {
    const page = await open(CSV, `${LAYOUT}&filter=shard%3D5`);
    await page.getByRole('heading', { name: '1 of 2 rows' }).waitFor();
  });

  it('never have what was chosen to see some of the others', () => {
    const { filter, sort, show, per } = forOtherRows({ filter: 'a=1', show: 'bad', per: 'a' } as never);
    expect([filter, sort, show, per]).toEqual(['', undefined, 'all', undefined]);
  });
});

describe('a file that cannot be read', () => {
  const ERROR = 'gone.txt cannot be read';

  it('is said, and nothing of the data before is left: a large one', async () => {
    const page = await open(CSV, LAYOUT);
    const path = `${temporaryFolder()}/gone.txt`;
    writeFileSync(path, `${A}\n`.repeat(5000));
    // The page hears of the file when it is gone.
    await page.evaluate(() => {
      const stop = (event: Event) => event.stopImmediatePropagation();
      document.addEventListener('change', stop, { capture: true, once: true });
    });
    await page.locator('input[type=file]').setInputFiles(path);
    rmSync(path);
    await page.locator('input[type=file]').dispatchEvent('change');
    await page.getByRole('alert').getByText(ERROR).waitFor();
    expect(await page.getByRole('grid').count()).toBe(0);
    expect(await page.locator('main').textContent()).not.toContain(B);
    await paste(page, A);
    await expect.poll(() => fact(page, 'decimal')).toBe(A);
    expect(await page.getByText(ERROR).count()).toBe(0);
  });

  it('is said, and nothing of the data before is left: a small one', async () => {
    const page = await open(CSV, LAYOUT);
    await page.evaluate(() => {
      File.prototype.arrayBuffer = () => Promise.reject(new Error('no such file'));
    });
    await drop(page, 'gone.txt', `'${A}'`);
    await page.getByRole('alert').getByText(`${ERROR}: no such file`).waitFor();
    expect(await page.getByRole('grid').count()).toBe(0);
  });
});

describe('the address', () => {
  it('has settings, and no ids before a link is copied', async () => {
    const { page } = await chromium.visit();
    await paste(page, `${A}\n${B}`);
    await page.getByLabel('Which rows').selectOption('good');
    await page.waitForURL(/#show=good$/);
    const link = await copiedLink(page);
    expect(link).toBe(`${chromium.address()}#show=good&ids=${A}~${B}`);
    const { page: second } = await chromium.visit({ url: link });
    await second.getByRole('heading', { name: '2 rows' }).waitFor();
    await second.reload(); // a link that was opened stays in the address
    await second.getByRole('heading', { name: '2 rows' }).waitFor();
    await paste(second, '1541815603606036480');
    await expect.poll(() => second.url()).not.toContain('ids=');
  });
});

describe('where a page may have no worker', () => {
  const forbidden = readFileSync('dist/inspector.html', 'utf8').replace('worker-src blob:', "worker-src 'none'");

  it.each<[string, (page: Page) => Promise<unknown>]>([
    [
      'because of its policy',
      (page) => page.route('**/*', (route) => route.fulfill({ body: forbidden, contentType: 'text/html' })),
    ],
    [
      'because the browser throws',
      (page) =>
        page.addInitScript(() => {
          window.Worker = class {
            constructor() {
              throw new Error('no workers');
            }
          } as never;
        }),
    ],
  ])('it works itself: %s', async (_, forbid) => {
    const { page } = await chromium.visit();
    await forbid(page);
    await page.reload();
    await drop(page, 'ids.txt', snowflakes(20_000));
    await page.getByRole('heading', { name: '20,000 rows' }).waitFor();
    await filter(page, 'shard=5');
    await page.getByRole('heading', { name: '312 of 20,000 rows' }).waitFor();
    await page.locator('.body .row').nth(3).click();
    await expect.poll(() => field(page, 'shard')).toBe('5');
    await expect.poll(() => page.locator('footer').textContent()).toContain('WebAssembly');
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Export CSV' }).click(),
    ]);
    expect((await downloaded(download)).split('\r\n')).toHaveLength(314);
  });
});

describe('a filter with an error', () => {
  it('leaves the rows of the filter before, and goes when it is mended', async () => {
    const visit = await chromium.visit({ fragment: LAYOUT });
    const { page } = visit;
    await paste(page, CSV);
    await page.getByRole('grid').waitFor();
    const error = page.getByText('there is no column “shad”');
    await filter(page, 'shad=5');
    await error.waitFor();
    expect(await page.getByRole('heading', { level: 2 }).allTextContents()).toContain('2 rows');
    expect(await page.locator('.body .row').count()).toBe(2);
    await filter(page, 'shard=5');
    await page.getByRole('heading', { name: '1 of 2 rows' }).waitFor();
    expect(await error.count()).toBe(0);
    await filter(page, 'shad=5');
    await error.waitFor();
    expect(await page.locator('.body .row .id').allTextContents()).toEqual([A]);
    await page.getByRole('textbox', { name: 'Ids' }).fill(`${CSV}\n-,-,cid`);
    await page.getByRole('heading', { name: '1 of 3 rows' }).waitFor();
    expect(await error.count()).toBe(0);
    expectNoComplaints(visit);
  });

  it('of a link shows all rows, and exports none', async () => {
    const page = await open(CSV, `${LAYOUT}&filter=shad%3D5`);
    await page.getByText('there is no column “shad”').waitFor();
    await page.getByRole('heading', { name: '2 rows' }).waitFor();
    expect(await page.locator('.body .row').count()).toBe(2);
    const button = page.getByRole('button', { name: 'Export CSV' });
    expect(await button.getAttribute('aria-disabled')).toBe('true');
    let downloads = 0;
    page.on('download', () => downloads++);
    await button.click({ force: true });
    await page.getByLabel('Filter').press('End');
    await page.keyboard.type('0');
    expect(await page.getByText('there is no column “shad”').count()).toBe(0);
    await filter(page, 'shard=5');
    await page.getByRole('heading', { name: '1 of 2 rows' }).waitFor();
    expect(downloads).toBe(0);
    expect(await button.getAttribute('aria-disabled')).toBe('false');
  });
});

describe('an epoch in seconds', () => {
  it('is read as such, and the page says so', async () => {
    const page = await open(A);
    await typeFields(page, 'ts:41,node:10,count:12');
    await page.getByLabel('Epoch').fill('1420070400');
    await page.getByLabel('Epoch').press('Enter');
    await page.getByText('read as seconds: 2015-01-01').waitFor();
    expect(await page.getByLabel('Epoch').inputValue()).toBe('2015-01-01');
    expect(await fact(page, 'UTC')).toMatch(/^2016-/);
    await page.getByLabel('Epoch').fill('1420070400001');
    await page.getByLabel('Epoch').press('Enter');
    await expect.poll(() => page.getByLabel('Epoch').inputValue()).toBe('2015-01-01T00:00:00.001Z');
    expect(await page.getByText('read as seconds').count()).toBe(0);
  });
});
