import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { layouts } from '../../src/index.js';
import { expectNoComplaints, paste, sharedChromium, type Visit, withChromium } from '../support/inspector.js';

const chromium = withChromium(sharedChromium);

const IDS = Array.from({ length: 100 }, (_, i) =>
  layouts.snowflake.pack({ timestamp: Date.UTC(2024, 10, 25) + 7 * i, shard: i % 64, sequence: 0 }),
).join('\n');

async function open(text: string): Promise<Visit> {
  const viewport = { width: 360, height: 740 };
  const visit = await chromium.visit({ viewport, isMobile: true, hasTouch: true, deviceScaleFactor: 2 });
  if (text !== '') {
    await paste(visit.page, text);
    await visit.page.getByRole('region', { name: 'Answer' }).waitFor();
  }
  return visit;
}

/** What is too small for a finger, or makes a phone zoom in. */
function tooSmall(page: Page): Promise<string[]> {
  return page.evaluate(() =>
    Array.from(document.querySelectorAll<HTMLElement>('button, select, input, textarea, summary, [role=row]')).flatMap(
      (one) => {
        const { height, width } = one.getBoundingClientRect();
        const isTyped = one.matches('select, input:not([type=checkbox]), textarea');
        // The label of a checkbox is pressed as well as the box.
        const pressed = one.closest('label')?.getBoundingClientRect().height ?? height;
        const isSmall = Math.max(height, one.matches('[type=checkbox]') ? pressed : 0) < 44;
        const zooms = isTyped && Number.parseFloat(getComputedStyle(one).fontSize) < 16;
        const name = `${one.tagName} ${one.ariaLabel ?? one.textContent}: ${width} by ${height} px`;
        return width > 0 && (isSmall || zooms) ? [name] : [];
      },
    ),
  );
}

describe('on a phone', () => {
  it.each([
    ['at first', ''],
    ['one id', '1541815603606036480'],
    ['a column', IDS],
  ])('%s has targets for fingers, and nothing is wider than the screen', async (_, text) => {
    const visit = await open(text);
    expect(await tooSmall(visit.page)).toEqual([]);
    expect(await visit.page.evaluate(() => document.documentElement.scrollWidth)).toBe(360);
    expect(await visit.page.locator('.hint:visible').count()).toBe(0);
    expectNoComplaints(visit);
  });

  it.each([
    'https://discord.com/channels/81384788765712384/381887113391505410/937847820382261308',
    '1541815603606036480',
    '6854717870488702213',
    '017f22e2-79b0-7cc3-98c4-dc0c0c07398f',
    '01ARZ3NDEKTSV4RRFFQ69G5FAV',
    '507f1f77bcf86cd799439011',
    '2NNEO9JBsuhJ3WjzGoQKFJkjg3k',
  ])('one id is answered without scrolling: its date, its service and its bits: %s', async (text) => {
    const { page } = await open(text);
    for (const selector of ['.input', '.answer h2', '.answer .if', '.bit >> nth=-1']) {
      const box = await page.locator(selector).boundingBox();
      expect((box?.y ?? 740) + (box?.height ?? 0), selector).toBeLessThanOrEqual(740);
    }
    expect(await page.evaluate(() => scrollY)).toBe(0);
    expect(await tooSmall(page)).toEqual([]);
  });

  it('so has the plan of shards', async () => {
    const { page } = await open('');
    await page.getByRole('tab', { name: 'Shards' }).click();
    await page.getByLabel('Keys, one per line').waitFor();
    expect(await tooSmall(page)).toEqual([]);
  });

  it('a column has the answer first, and then the table, whose dates are not cut', async () => {
    const { page } = await open(IDS);
    const top = async (name: string) => (await page.getByRole('heading', { name }).boundingBox())?.y ?? 0;
    const order = [await top('100 rows'), await top('Layout'), await top('Over time'), await top('This id')];
    expect(order).toEqual([...order].sort((a, b) => a - b));
    const date = page.getByRole('gridcell').first();
    expect(await date.textContent()).toMatch(/^2024-11-25T\S+Z$/);
    expect(await date.evaluate((cell) => cell.scrollWidth <= cell.clientWidth)).toBe(true);
    const grid = await page.getByRole('grid').boundingBox();
    const box = await date.boundingBox();
    expect((box?.x ?? 0) + (box?.width ?? 0)).toBeLessThan((grid?.x ?? 0) + (grid?.width ?? 0));
    const id = page.getByRole('gridcell').nth(1);
    expect(await id.textContent()).toMatch(/^\d{15,}$/);
    await page.getByRole('row').nth(3).tap();
    await expect.poll(() => page.getByRole('row').nth(3).getAttribute('aria-selected')).toBe('true');
  });

  it('an unreadable row has its text and the reason', async () => {
    const { page } = await open('937847820382261308\nnone');
    const cells = page.getByRole('row').nth(2).getByRole('gridcell');
    expect(await cells.allTextContents()).toEqual(['none', expect.stringContaining('no id found')]);
  });
});
