import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import {
  accessibilityProblems,
  drop,
  editLayout,
  expectNoComplaints,
  paste,
  snowflakes,
  withChromium,
} from '../support/inspector.js';
import { IS_WHOLE, scaled } from '../support/scale.js';

const chromium = withChromium();

const TWEET = '1541815603606036480';
const STATES: readonly [string, (page: Page) => Promise<void>][] = [
  ['nothing', async () => {}],
  [
    'one id',
    async (page) => {
      await paste(page, TWEET);
      await page.getByRole('heading', { name: 'This id' }).waitFor();
    },
  ],
  [
    'one id with all details, another reading, and local time',
    async (page) => {
      await paste(page, TWEET);
      await page.getByRole('button', { name: /^Show \d+ more$/ }).click();
      await editLayout(page);
      await page.getByRole('region', { name: 'Answer' }).getByRole('button', { name: 'Instagram' }).click();
      await page.getByRole('button', { name: 'Local', exact: true }).click();
      await page.getByText('UTC+02:00').waitFor();
    },
  ],
  [
    'the list of keys',
    async (page) => {
      await page.keyboard.press('?');
      await page.getByRole('dialog').waitFor();
    },
  ],
  [
    'nothing any more: Clear can be taken back',
    async (page) => {
      await paste(page, TWEET);
      await page.getByRole('button', { name: 'Clear' }).click();
      await page.getByRole('button', { name: 'Undo' }).waitFor();
    },
  ],
  [
    'two ids compared, and code',
    async (page) => {
      await paste(page, TWEET);
      await page.getByLabel('Compare with').fill('1541815603606036481');
      await page.getByLabel('Language').selectOption('javascript');
    },
  ],
  [
    'a date',
    async (page) => {
      await paste(page, '2024-03');
      await page.getByRole('row', { name: 'UUIDv7' }).waitFor();
    },
  ],
  ['a column with statistics', (page) => openColumn(page, true)],
  [
    'a column with a filter that matches nothing',
    async (page) => {
      await openColumn(page);
      await filter(page, 'line>9999');
      await page.getByText('No rows match').first().waitFor();
    },
  ],
  [
    'a column with a filter that is wrong',
    async (page) => {
      await openColumn(page);
      await filter(page, 'shad=5');
      await page.getByText('there is no column').waitFor();
    },
  ],
  [
    'bad rows alone, and one of them chosen',
    async (page) => {
      await openColumn(page);
      await page.getByLabel('Which rows').selectOption('bad');
      await page.getByRole('heading', { name: / of 3,002 rows/ }).waitFor();
      await page.locator('.body .row').first().click();
      await page.getByText('is unreadable').waitFor();
    },
  ],
  [
    'an own layout with an error',
    async (page) => {
      await paste(page, TWEET);
      await editLayout(page);
      await page.getByLabel('Fields').fill('timestamp:41,node:99');
      await page.getByLabel('Fields').press('Enter');
      await page.getByText('from 1 to 64 bits a field').waitFor();
    },
  ],
  [
    'a plan of shards over nodes, with a mistake in them',
    async (page) => {
      await page.getByRole('tab', { name: 'Shards' }).click();
      await page.getByLabel('Nodes', { exact: true }).fill('db-1, db-2:2');
      await page.getByLabel('Nodes, then').fill('db-1, db-2:2, db-3');
      await page.getByLabel('Keys, one per line').fill(Array.from({ length: 300 }, (_, i) => `user:${i}`).join('\n'));
      await page.getByRole('region', { name: 'Keys of each node' }).waitFor();
      await page.getByLabel('Nodes, then').fill('db-1, db-1');
      await page.getByText('a name that no other node has').waitFor();
    },
  ],
  [
    'a file that cannot be read',
    async (page) => {
      await drop(page, 'ids.gz', "'\\x1f\\x8b'.padEnd(99, '\\0')");
      await page.getByText('ids.gz cannot be read').waitFor();
    },
  ],
];

async function openColumn(page: Page, statistics = false): Promise<void> {
  await drop(page, 'ids.txt', `${snowflakes(3000)} + '\\nbad\\n13835058055282163712'`);
  await page.getByRole('grid').waitFor();
  if (!statistics) return;
  await page.getByText('Statistics').click();
  await page.getByText('Longest gaps').waitFor();
}

async function filter(page: Page, text: string): Promise<void> {
  await page.getByLabel('Filter').fill(text);
  await page.getByLabel('Filter').press('Enter');
}

// In part, each width and each scheme once.
const LOOKS = (
  [
    [1440, 'light'],
    [360, 'dark'],
    [1440, 'dark'],
    [360, 'light'],
  ] as const
).slice(0, IS_WHOLE ? 4 : 2);

describe('axe', () => {
  it.each(STATES)('finds nothing wrong, light or dark, wide or narrow: %s', async (_, act) => {
    const visit = await chromium.visit({ reducedMotion: 'reduce', timezoneId: 'Europe/Berlin' });
    const { page } = visit;
    await act(page);
    for (const [width, colorScheme] of LOOKS) {
      await page.setViewportSize({ width, height: 900 });
      await page.emulateMedia({ colorScheme });
      expect(await accessibilityProblems(page), `${width} px, ${colorScheme}`).toEqual([]);
    }
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
    const { page } = await chromium.visit({
      viewport: { width: 360, height: 740 },
      isMobile: true,
      hasTouch: true,
      timezoneId: 'Europe/Berlin',
    });
    await act(page);
    const widths = await page.evaluate(() => [document.documentElement.scrollWidth, visualViewport?.width]);
    expect(widths[0]).toBeLessThanOrEqual(360);
    expect(widths[1]).toBe(360);
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
    await expect.poll(() => page.locator('footer').textContent()).toContain('decoded');
    expect(await page.evaluate(() => (window as unknown as { shifted: number }).shifted)).toBeLessThan(0.01);
  });
});
