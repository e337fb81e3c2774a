import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { drop, editLayout, expectNoComplaints, paste, snowflakes, withChromium } from '../support/inspector.js';

const chromium = withChromium();

async function open(fragment = '', rows = 3000): Promise<Page> {
  const { page } = await chromium.visit({ fragment });
  await drop(page, 'ids.txt', snowflakes(rows));
  await page.getByRole('grid').waitFor();
  return page;
}

async function filter(page: Page, text: string): Promise<void> {
  await page.getByLabel('Filter').fill(text);
  await page.getByLabel('Filter').press('Enter');
}

describe('the table', () => {
  it.each([
    'snowflake',
    'a:1,b:1,timestamp:50,c:12',
    'discord',
    'pinterest',
  ])('has cells under their headers: %s', async (layout) => {
    const page = await open(`#layout=${layout}`);
    const edges = (selector: string) =>
      page.locator(selector).evaluateAll((cells) =>
        cells.map((cell) => {
          const { left, right } = cell.getBoundingClientRect();
          return [Math.round(left), Math.round(right)];
        }),
      );
    const cells = await edges('.body .row:nth-child(3) > .cell');
    expect(cells).toEqual(await edges('.head .cell'));
    // None reaches into the next.
    expect(cells.slice(1).map(([left]) => left)).toEqual(cells.slice(0, -1).map(([, right]) => right));
  });
});

describe('the panels', () => {
  const boxOf = async (page: Page, selector: string) => {
    const box = await page.locator(selector).boundingBox();
    if (box === null) throw new Error(`${selector} is not seen`);
    return { ...box, bottom: box.y + box.height, right: box.x + box.width };
  };

  it('show what else an id could be without scrolling', async () => {
    const { page } = await chromium.visit({
      viewport: { width: 1440, height: 900 },
      fragment: '#ids=1541815603606036480',
    });
    await page.getByRole('heading', { name: 'This id' }).waitFor();
    expect((await boxOf(page, '.candidates')).bottom).toBeLessThan(900);
    expect(await page.locator('.candidates li').count()).toBe(4);
  });

  it('have the chosen id beside the table where there is room, and below it else', async () => {
    const page = await open();
    for (const width of [1100, 1440, 1099, 360]) {
      await page.setViewportSize({ width, height: 900 });
      const [table, id] = [await boxOf(page, '.table'), await boxOf(page, '.this')];
      if (width >= 1100) expect([id.y, id.x > table.right]).toEqual([table.y, true]);
      else expect([id.x, id.y > table.bottom]).toEqual([table.x, true]);
    }
    await page.setViewportSize({ width: 1440, height: 900 });
    await page.getByRole('grid').scrollIntoViewIfNeeded();
    await page.locator('.body .row').nth(5).click();
    await page.getByText('Statistics').scrollIntoViewIfNeeded();
    expect((await boxOf(page, '.this')).y).toBeGreaterThanOrEqual(0);
  });
});

describe('charts', () => {
  it('keep their place where no row matches', async () => {
    const page = await open();
    const tops = () =>
      page.evaluate(() =>
        ['.charts', '.table'].map(
          (selector) => scrollY + (document.querySelector(selector)?.getBoundingClientRect().top ?? 0),
        ),
      );
    const before = await tops();
    await filter(page, 'shard=1023');
    await page.getByText('No rows match.').nth(1).waitFor();
    expect(await tops()).toEqual(before);
    expect(await page.getByRole('heading', { name: 'Over time' }).count()).toBe(1);
    await page.getByLabel('Count ids per').selectOption('sequence');
    await filter(page, 'shard=5');
    await expect.poll(() => page.locator('.plot svg').count()).toBe(2);
    expect(await tops()).toEqual(before);
  });

  /** The texts beside the bars of each chart, and how far each is from the edges of the chart. */
  const labelsIn = (page: Page) =>
    page.locator('.chart').evaluateAll((charts) =>
      charts.map((chart) => {
        const outer = chart.getBoundingClientRect();
        return Array.from(chart.querySelectorAll('.plot b'), (label) => {
          const { left, right, top, bottom } = label.getBoundingClientRect();
          const edges = [left - outer.left, outer.right - right, outer.bottom - bottom];
          return { text: label.textContent, y: Math.round(top), left, right, edges };
        });
      }),
    );

  const ids = (step: bigint, count: number, shift = 22n) =>
    Array.from({ length: count }, (_, i) => (((60_000_000_000n << 22n) >> shift) + BigInt(i) * step) << shift).join(
      '\n',
    );

  it.each<[string, string, string]>([
    ['years', '', ids(20_000_000_000n, 20)],
    ['months', '', ids(300_000_000n, 60)],
    ['days', '', ids(4_000_000n, 200)],
    ['minutes', '', ids(1000n, 500)],
    ['seconds', '', ids(37n, 200)],
    ['milliseconds', '', ids(1n, 97)],
    ['microseconds', '#layout=timestamp:54,shard:10&epoch=1577836800000&unit=us', ids(1n, 300, 10n)],
    ['values', '#layout=a:32,b:32', ids(123_456_789n, 60)],
    ['values that are near each other', '#layout=a:32,b:32', ids(7n, 300, 0n)],
    ['small values', '#layout=a:60,b:4', Array.from({ length: 100 }, (_, i) => i).join('\n')],
  ])('have whole labels: %s', async (_, fragment, text) => {
    const { page } = await chromium.visit();
    for (const width of [1280, 360]) {
      await page.setViewportSize({ width, height: 900 });
      await page.goto('about:blank');
      await page.goto(chromium.address() + fragment);
      await paste(page, text);
      await page.locator('.plot svg').nth(1).waitFor();
      const charts = await labelsIn(page);
      expect(charts.flat().length).toBeGreaterThan(6);
      for (const labels of charts) {
        expect(labels.filter(({ edges }) => edges.some((edge) => edge < 0))).toEqual([]);
        const touching = labels.filter((label, i) =>
          labels.some(
            (other, j) => j > i && other.y === label.y && other.left < label.right + 4 && label.left < other.right + 4,
          ),
        );
        expect(touching).toEqual([]);
        const beside = labels.map(({ text, y }) => `${text} at ${y}`);
        expect(new Set(beside).size).toBe(beside.length);
      }
    }
  });
});

describe('an export', () => {
  it('says how far it is, and the page goes on', async () => {
    const page = await open('', 200_000);
    await page.evaluate(() => {
      const seen = new Set<string>();
      Object.assign(window, { seen });
      new MutationObserver(() => {
        const text = document.querySelector('[role=progressbar]')?.textContent;
        if (text) seen.add(text);
      }).observe(document.body, { subtree: true, childList: true, characterData: true });
    });
    const button = page.getByRole('button', { name: 'Export CSV' });
    await button.focus();
    const [download] = await Promise.all([page.waitForEvent('download'), page.keyboard.press('Enter')]);
    expect(download.suggestedFilename()).toBe('ids.csv');
    const seen = await page.evaluate(() => [...(window as unknown as { seen: Set<string> }).seen]);
    expect(seen.length).toBeGreaterThan(3);
    for (const text of seen) expect(text).toMatch(/^Exporting \d+%$/);
    await expect.poll(() => page.getByRole('progressbar').count()).toBe(0);
    expect(await button.evaluate((element) => element === document.activeElement)).toBe(true);
  });
});

describe('the focus', () => {
  it('stays where a setting was changed', async () => {
    const page = await open();
    const focused = (selector: string) =>
      page.evaluate((expected) => document.activeElement === document.querySelector(expected), selector);
    const settle = () => page.waitForTimeout(300);
    await editLayout(page);
    for (const [label, value, shows] of [
      ['Filter', 'shard=5', () => page.getByRole('heading', { name: 'of 3,000 rows' }).waitFor()],
      ['Epoch (UTC)', '2020-01-01', settle],
      ['Fields', 'ts:41,node:10,count:12', settle],
    ] as const) {
      const box = page.getByLabel(label, { exact: true });
      await box.focus();
      await box.fill(value);
      await page.keyboard.press('Enter');
      await shows();
      expect(await box.evaluate((element) => element === document.activeElement), label).toBe(true);
      expect(await box.inputValue()).toBe(value);
    }
    for (const name of ['Unit', 'Id format', 'Which rows', 'Count ids per', 'Show ids as', 'Layout']) {
      const select = page.getByRole('combobox', { name, exact: true });
      await select.focus();
      const before = await select.inputValue();
      await page.keyboard.press('ArrowDown');
      await settle();
      if ((await select.inputValue()) === before) await page.keyboard.press('ArrowUp');
      await settle();
      expect(await select.evaluate((element) => element === document.activeElement), name).toBe(true);
    }
    await page.locator('.head .cell button').nth(1).focus();
    await page.keyboard.press('Enter');
    await settle();
    expect(await focused('.head .cell:nth-child(2) button')).toBe(true);
  });
});

describe('the footer', () => {
  it('is at the end of the page', async () => {
    const page = await open();
    const { position, bottom, end } = await page.evaluate(() => {
      const footer = document.querySelector('footer') as HTMLElement;
      const main = document.querySelector('main') as HTMLElement;
      return {
        position: getComputedStyle(footer).position,
        bottom: footer.getBoundingClientRect().top,
        end: main.getBoundingClientRect().bottom,
      };
    });
    expect(position).toBe('static');
    expect(bottom).toBeGreaterThanOrEqual(end);
  });
});

describe('in forced colours', () => {
  it('everything that a colour says is seen', async () => {
    const visit = await chromium.visit({ forcedColors: 'active', timezoneId: 'Europe/Berlin' });
    const { page } = visit;
    await drop(page, 'ids.txt', snowflakes(3000));
    await page.getByRole('grid').waitFor();
    const style = (selector: string, property: string) =>
      page
        .locator(selector)
        .first()
        .evaluate((element, name) => getComputedStyle(element).getPropertyValue(name), property);
    const background = (selector: string) => style(selector, 'background-color');
    const bits = await Promise.all(['.bit.c0', '.bit.c1', '.bit.c2'].map(background));
    expect(new Set(bits).size).toBe(3);
    expect(new Set(await Promise.all(['.swatch', '.fields .c1 .swatch'].map(background))).size).toBe(2);
    expect(await background('.border')).toBeDefined();
    const row = await background('.body .row[aria-selected=false]');
    expect(await background('.body .row[aria-selected=true]')).not.toBe(row);
    const borders = (selector: string) =>
      Promise.all(['true', 'false'].map((on) => style(`${selector}[aria-pressed=${on}]`, 'border-top-color')));
    await page.getByRole('combobox', { name: 'Layout' }).selectOption('discord');
    await page.locator('.chip[aria-pressed=true]').waitFor();
    for (const selector of ['.chip', '.layouts button', '.segments button']) {
      expect(new Set(await borders(selector)).size, selector).toBe(2);
    }
    await page.getByRole('grid').focus();
    await page.keyboard.press('ArrowDown');
    expect(await style('.body .row.active', 'outline-style')).toBe('solid');
    expect(await style('.plot svg', 'forced-color-adjust')).toBe('none');
    expect(await style('.plot svg', 'fill')).not.toBe(await background('body'));
    expectNoComplaints(visit);
  });
});
