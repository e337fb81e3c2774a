import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import {
  accessibilityProblems,
  drop,
  expectNoComplaints,
  paste,
  snowflakes,
  withChromium,
} from '../support/inspector.js';
import { scaled } from '../support/scale.js';

const chromium = withChromium();

const STATES: readonly [string, (page: Page) => Promise<void>][] = [
  ['nothing', async () => {}],
  [
    'one id',
    async (page) => {
      await paste(page, '1541815603606036480');
      await page.getByRole('heading', { name: 'This id' }).waitFor();
      await page.getByLabel('Date (UTC)').fill('2024-03');
    },
  ],
  [
    'many ids, some bad',
    async (page) => {
      await drop(page, 'ids.txt', `${snowflakes(3000)} + '\\nbad\\n13835058055282163712'`);
      await page.getByRole('grid').waitFor();
    },
  ],
];

describe.each(['light', 'dark'] as const)('in %s', (colorScheme) => {
  it.each(STATES)('axe finds nothing wrong: %s', async (_, act) => {
    const visit = await chromium.visit({ colorScheme, reducedMotion: 'reduce' });
    await act(visit.page);
    expect(await accessibilityProblems(visit.page)).toEqual([]);
    expectNoComplaints(visit);
  });
});

describe('light and dark', () => {
  it('are as the system has them, until one is chosen', async () => {
    const { page } = await chromium.visit({ colorScheme: 'dark' });
    const background = () => page.evaluate(() => getComputedStyle(document.documentElement).backgroundColor);
    const dark = await background();
    expect(dark).toBe('rgb(15, 17, 21)');
    const button = page.getByRole('button', { name: 'Dark' });
    expect(await button.getAttribute('aria-pressed')).toBe('true');
    await button.click();
    expect(await background()).toBe('rgb(246, 246, 243)');
    await page.reload();
    expect(await background()).toBe('rgb(246, 246, 243)');
    await page.getByRole('button', { name: 'Dark' }).click();
    expect(await background()).toBe(dark);
  });
});

describe('on a phone', () => {
  it.each(STATES)('nothing is wider than 360 px: %s', async (_, act) => {
    const { page } = await chromium.visit({ viewport: { width: 360, height: 740 }, isMobile: true, hasTouch: true });
    await act(page);
    const widths = await page.evaluate(() => [document.documentElement.scrollWidth, visualViewport?.width]);
    expect(widths[0]).toBeLessThanOrEqual(360);
    expect(widths[1]).toBe(360);
  });
});

describe('with keys alone', () => {
  it('an example is opened, a row is chosen, a column sorted', async () => {
    const visit = await chromium.visit();
    const { page } = visit;
    const focused = () => page.evaluate(() => document.activeElement?.textContent ?? '');
    const tabTo = async (text: string, most = 40) => {
      for (let i = 0; i < most && !(await focused()).startsWith(text); i++) await page.keyboard.press('Tab');
      expect(await focused()).toContain(text);
    };
    await tabTo('A CSV with a bad row');
    await page.keyboard.press('Enter');
    const grid = page.getByRole('grid');
    await grid.waitFor();
    const toGrid = async () => {
      for (let i = 0; i < 40; i++) {
        if (await grid.evaluate((element) => element === document.activeElement)) return;
        await page.keyboard.press('Tab');
      }
      throw new Error('the grid has no focus');
    };
    await toGrid();
    await page.keyboard.press('ArrowDown');
    await expect.poll(() => page.locator('[aria-selected=true] .line').textContent()).toBe('3');
    const active = await grid.getAttribute('aria-activedescendant');
    expect(await page.locator(`#${active} .id`).textContent()).toBe('286435872092454913');
    await tabTo('shard');
    await page.keyboard.press('Enter');
    await expect.poll(() => page.locator('.body .row .line').allTextContents()).toEqual(['3', '2', '6', '5', '4']);
    expectNoComplaints(visit);
  });

  it('can see where it is: every stop has an outline', async () => {
    const { page } = await chromium.visit();
    await paste(page, '1541815603606036480\n154173452582932603');
    await page.getByRole('grid').waitFor();
    for (let i = 0; i < 30; i++) {
      await page.keyboard.press('Tab');
      const style = await page.evaluate(() => {
        const { activeElement } = document;
        const { outlineStyle, outlineWidth } = getComputedStyle(activeElement ?? document.body);
        return activeElement === document.body ? '' : `${outlineStyle} ${outlineWidth}`;
      });
      if (style !== '') expect(style).toBe('solid 2px');
    }
  });
});

describe('what is seen', () => {
  it('does not jump', async () => {
    const { page } = await chromium.visit();
    await page.evaluate(() => {
      const shifts = window as unknown as { shifted: number };
      shifts.shifted = 0;
      new PerformanceObserver((list) => {
        for (const entry of list.getEntries() as unknown as { hadRecentInput: boolean; value: number }[]) {
          if (!entry.hadRecentInput) shifts.shifted += entry.value;
        }
      }).observe({ type: 'layout-shift', buffered: true });
    });
    await paste(page, '1541815603606036480');
    await page.getByRole('heading', { name: 'This id' }).waitFor();
    await drop(page, 'ids.txt', snowflakes(scaled(200_000)));
    await page.getByRole('grid').waitFor();
    await expect.poll(() => page.locator('footer').textContent(), { timeout: 5000 }).toContain('faster than BigInt');
    expect(await page.evaluate(() => (window as unknown as { shifted: number }).shifted)).toBeLessThan(0.01);
  });
});
