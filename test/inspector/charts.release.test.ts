import type { Locator, Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import type { LayoutTime } from '../../src/index.js';
import { spanText } from '../../src/inspector/decode/readings.js';
import {
  barsText,
  type CountedValues,
  conditionOf,
  describe as describeBars,
} from '../../src/inspector/page/charts/charts-panel.js';
import {
  accessibilityProblems,
  copiedLink,
  drop,
  paste,
  snowflakes,
  typeFields,
  withChromium,
} from '../support/inspector.js';

const chromium = withChromium();

/** Shards 0 to 63 in turn, from 2024-11-25T10:40Z on, within 21 s: bars of 200 ms. */
async function open(options: Parameters<typeof chromium.visit>[0] = {}, rows = 3000): Promise<Page> {
  const { page } = await chromium.visit(options);
  await drop(page, 'ids.txt', snowflakes(rows));
  await page.getByRole('grid').waitFor();
  await page.locator('.plot svg').nth(1).waitFor();
  await page.locator('.charts').scrollIntoViewIfNeeded();
  return page;
}

const overTime = (page: Page) => page.getByRole('slider', { name: 'Ids over time' });
const perShard = (page: Page) => page.getByRole('slider', { name: /^Ids per / });
const tip = (page: Page) => page.locator('.tip');
const filterOf = (page: Page) => page.getByLabel('Filter').inputValue();
const shown = (page: Page) => page.locator('#rows').textContent();

async function filter(page: Page, text: string): Promise<void> {
  await page.getByLabel('Filter').fill(text);
  await page.getByLabel('Filter').press('Enter');
}

/** Where a share of a chart's width is. */
async function pointIn(chart: Locator, share: number): Promise<[number, number]> {
  await chart.scrollIntoViewIfNeeded();
  const box = await chart.boundingBox();
  if (box === null) throw new Error('no chart');
  return [box.x + box.width * share, box.y + box.height / 2];
}

describe('the words for bars', () => {
  const time: LayoutTime = { name: 'timestamp', epoch: 0, unit: 'ms', unitMs: 1 };
  const at = (iso: string) => BigInt(Date.parse(iso)) * 1000n;

  it.each([
    ['2022-06-28T16:00Z', '2022-06-28T17:00Z', '28 Jun 2022, 16:00 to 17:00 UTC'],
    ['2022-06-28T16:07:40Z', '2022-06-28T16:08Z', '28 Jun 2022, 16:07:40 to 16:08:00 UTC'],
    ['2022-06-28T16:07:40.105Z', '2022-06-28T16:07:40.110Z', '28 Jun 2022, 16:07:40.105 to 16:07:40.110 UTC'],
    ['2022-06-28T23:00Z', '2022-06-29T00:00Z', '28 Jun 2022, 23:00 to 29 Jun 2022, 00:00 UTC'],
    ['2022-06-28', '2022-06-29', '28 Jun 2022 UTC'],
    ['2022-06-28', '2022-07-05', '28 Jun 2022 to 4 Jul 2022 UTC'],
  ])('%s to %s', (from, to, text) => {
    expect(spanText(time, at(from), at(to), 'UTC')).toBe(text);
  });

  it('are of the zone, also when its clocks change', () => {
    const berlin = (from: string, to: string) => spanText(time, at(from), at(to), 'Europe/Berlin');
    expect(berlin('2022-06-28T16:00Z', '2022-06-28T17:00Z')).toBe('28 Jun 2022, 18:00 to 19:00 UTC+02:00');
    expect(berlin('2022-06-27T22:00Z', '2022-06-28T22:00Z')).toBe('28 Jun 2022 UTC+02:00');
    expect(berlin('2022-03-27T00:00Z', '2022-03-27T01:00Z')).toBe('27 Mar 2022, 01:00 UTC+01:00 to 03:00 UTC+02:00');
  });

  const shards: CountedValues = { column: 'slot', most: 1023n, zone: 'UTC' };
  const wide = { from: 0, width: 5, counts: Uint32Array.from({ length: 205 }, (_, i) => (i === 3 ? 0 : i + 1)) };

  it('name one value, or several, and none that cannot be', () => {
    const single = { from: 17, width: 1, counts: Uint32Array.of(52, 1) };
    expect(barsText(single, 0, 0, shards)).toBe('slot 17: 52 ids');
    expect(barsText(single, 0, 1, shards)).toBe('slot 17 to 18: 53 ids');
    expect(conditionOf(single, 0, 0, shards)).toBe('slot=17');
    expect(barsText(wide, 204, 204, shards)).toBe('slot 1020 to 1023: 205 ids');
    expect(conditionOf(wide, 204, 204, shards)).toBe('slot>=1020 slot<=1023');
    expect(describeBars(wide, shards)).toBe(
      '205 bars. Most: slot 1020 to 1023: 205 ids. Fewest: slot 15 to 19: 0 ids.',
    );
  });

  it('end before the next bar begins, to the microsecond', () => {
    const dates: CountedValues = { column: 'date', most: 0n, time, zone: 'UTC' };
    const hours = { from: Date.parse('2022-06-28T16:00Z'), width: 3_600_000, counts: Uint32Array.of(1204) };
    expect(barsText(hours, 0, 0, dates)).toBe('28 Jun 2022, 16:00 to 17:00 UTC: 1,204 ids');
    expect(conditionOf(hours, 0, 0, dates)).toBe('date>=2022-06-28T16:00:00.000Z date<=2022-06-28T16:59:59.999Z');
    const micros: CountedValues = { ...dates, time: { ...time, unit: 'us', unitMs: 0.001 } };
    const fine = { from: Date.parse('2022-06-28T16:00Z') + 0.14, width: 0.002, counts: Uint32Array.of(1, 1) };
    expect(conditionOf(fine, 1, 1, micros)).toBe('date>=2022-06-28T16:00:00.000142Z date<=2022-06-28T16:00:00.000143Z');
  });
});

describe('a pointer over a chart', () => {
  it('reads a bar, also at the edges', async () => {
    const page = await open();
    for (const [share, text] of [
      [0.001, 'shard 0: 47 ids'],
      [0.5, 'shard 32: 47 ids'],
      [0.999, 'shard 63: 47 ids'],
    ] as const) {
      await page.mouse.move(...(await pointIn(perShard(page), share)));
      await expect.poll(() => tip(page).textContent()).toBe(text);
      const [card, box] = await Promise.all([
        page.locator('.charts .card').nth(1).boundingBox(),
        tip(page).boundingBox(),
      ]);
      if (card === null || box === null) throw new Error('no tooltip');
      expect(box.x).toBeGreaterThan(card.x);
      expect(box.x + box.width).toBeLessThan(card.x + card.width);
    }
    await page.mouse.move(...(await pointIn(overTime(page), 0.001)));
    await expect.poll(() => tip(page).textContent()).toBe('25 Nov 2024, 10:40:00.000 to 10:40:00.200 UTC: 29 ids');
    await page.mouse.move(5, 5);
    await expect.poll(() => tip(page).count()).toBe(0);
  });

  it('filters by the bar that is clicked, and no more by a second click', async () => {
    const page = await open();
    await filter(page, 'sequence=1');
    await page.getByRole('heading', { name: '1,000 of 3,000 rows' }).waitFor();
    await page.mouse.click(...(await pointIn(perShard(page), 0.5)));
    await expect.poll(() => filterOf(page)).toBe('sequence=1 shard=32');
    await expect.poll(() => perShard(page).getAttribute('aria-valuemax')).toBe('1');
    await page.mouse.click(...(await pointIn(perShard(page), 0.2)));
    await expect.poll(() => filterOf(page)).toBe('sequence=1');
    await expect.poll(() => perShard(page).getAttribute('aria-valuemax')).toBe('64');
  });

  it('does not filter by a bar without ids, which none would match', async () => {
    const page = await open();
    await filter(page, 'shard=0 or shard=4');
    await expect.poll(() => perShard(page).getAttribute('aria-valuemax')).toBe('5');
    await page.mouse.click(...(await pointIn(perShard(page), 0.5)));
    expect(await perShard(page).getAttribute('aria-valuetext')).toBe('shard 2: 0 ids');
    expect(await filterOf(page)).toBe('shard=0 or shard=4');
  });

  it('drags over a range, and Escape takes it back', async () => {
    const page = await open();
    await page.mouse.move(...(await pointIn(perShard(page), 0.25)));
    await page.mouse.down();
    await page.mouse.move(...(await pointIn(perShard(page), 0.4)), { steps: 4 });
    await expect.poll(() => tip(page).textContent()).toBe('shard 16 to 25: 468 ids');
    await page.keyboard.press('Escape');
    await page.mouse.up();
    expect(await filterOf(page)).toBe('');
    await page.mouse.move(...(await pointIn(overTime(page), 0.5)));
    await page.mouse.down();
    await page.mouse.move(...(await pointIn(overTime(page), 0.25)), { steps: 4 });
    await page.mouse.up();
    await expect.poll(() => filterOf(page)).toMatch(/^date>=2024-11-25T\S+00Z date<=2024-11-25T\S+99Z$/);
    await expect.poll(() => shown(page)).toMatch(/^7\d\d of 3,000 rows$/);
    await page.keyboard.press('Escape');
    await expect.poll(() => shown(page)).toBe('3,000 rows');
  });
});

describe('a finger on a chart', () => {
  const touched = async () => {
    const page = await open({ viewport: { width: 360, height: 740 }, isMobile: true, hasTouch: true });
    const cdp = await page.context().newCDPSession(page);
    const touch = (type: 'touchStart' | 'touchMove' | 'touchEnd', point?: readonly [number, number]) =>
      cdp.send('Input.dispatchTouchEvent', { type, touchPoints: point ? [{ x: point[0], y: point[1] }] : [] });
    const drag = async (from: readonly [number, number], to: readonly [number, number]) => {
      await touch('touchStart', from);
      for (let i = 1; i <= 8; i++) {
        await touch('touchMove', [from[0] + ((to[0] - from[0]) * i) / 8, from[1] + ((to[1] - from[1]) * i) / 8]);
      }
      await touch('touchEnd');
    };
    return { page, drag };
  };

  it('selects a range when it moves along, and one bar with a tap', async () => {
    const { page, drag } = await touched();
    await drag(await pointIn(perShard(page), 0.25), await pointIn(perShard(page), 0.4));
    await expect.poll(() => filterOf(page)).toBe('shard>=16 shard<=25');
    await expect.poll(() => perShard(page).getAttribute('aria-valuemax')).toBe('10');
    await page.touchscreen.tap(...(await pointIn(perShard(page), 0.05)));
    await expect.poll(() => filterOf(page)).toBe('shard=16');
  });

  it('scrolls the page when it moves up', async () => {
    const { page, drag } = await touched();
    const before = await page.evaluate(() => scrollY);
    const [x, y] = await pointIn(perShard(page), 0.5);
    await drag([x, y], [x + 2, y - 200]);
    await expect.poll(() => page.evaluate(() => scrollY)).toBeGreaterThan(before);
    expect(await filterOf(page)).toBe('');
  });
});

describe('keys on a chart', () => {
  it('move over the bars, and say what they are', async () => {
    const page = await open();
    const chart = perShard(page);
    await chart.focus();
    for (const [key, text] of [
      ['ArrowRight', 'shard 1: 47 ids'],
      ['PageUp', 'shard 8: 47 ids'],
      ['ArrowLeft', 'shard 7: 46 ids'],
      ['End', 'shard 63: 47 ids'],
      ['ArrowRight', 'shard 63: 47 ids'],
      ['PageDown', 'shard 56: 47 ids'],
      ['Home', 'shard 0: 47 ids'],
      ['ArrowLeft', 'shard 0: 47 ids'],
      ['Shift+ArrowRight', 'shard 0 to 1: 94 ids'],
      ['Shift+End', 'shard 0 to 63: 3,000 ids'],
    ] as const) {
      await page.keyboard.press(key);
      expect(await chart.getAttribute('aria-valuetext'), key).toBe(text);
      expect(await tip(page).textContent()).toBe(text);
    }
    expect(await chart.locator('i').boundingBox()).toEqual(await chart.boundingBox());
    const description = page.locator(`#${await chart.getAttribute('aria-describedby')}`);
    expect(await description.textContent()).toMatch(/^64 bars. Most: .* Enter filters by them/);
    expect(await accessibilityProblems(page)).toEqual([]);
  });

  it('filter by a range, and take it back', async () => {
    const page = await open();
    const chart = perShard(page);
    await chart.focus();
    for (const key of ['PageUp', 'Shift+ArrowRight', 'Shift+ArrowRight', 'Enter']) await page.keyboard.press(key);
    await expect.poll(() => filterOf(page)).toBe('shard>=7 shard<=9');
    await expect.poll(() => chart.getAttribute('aria-valuetext')).toBe('shard 9: 47 ids');
    await page.keyboard.press('Enter');
    await expect.poll(() => filterOf(page)).toBe('shard=9');
    await expect.poll(() => chart.getAttribute('aria-valuemax')).toBe('1');
    await page.keyboard.press('Escape');
    await expect.poll(() => filterOf(page)).toBe('');
    // The bar is the same one among all.
    await expect.poll(() => chart.getAttribute('aria-valuenow')).toBe('10');
    expect(await chart.evaluate((element) => element === document.activeElement)).toBe(true);
    await page.keyboard.press('Shift+ArrowRight');
    await page.keyboard.press('Escape');
    expect(await chart.getAttribute('aria-valuetext')).toBe('shard 10: 47 ids');
  });
});

describe('a log scale', () => {
  it('makes small counts higher, and is kept in the link', async () => {
    const ids = Array.from({ length: 300 }, (_, i) => (BigInt(6e10 + i) << 22n) | (i === 0 ? 3n << 12n : 0n)).join(
      '\n',
    );
    const { page } = await chromium.visit();
    await paste(page, ids);
    await page.getByLabel('Count ids per').selectOption('shard');
    const chart = page.locator('.chart').nth(1);
    /** How many pixels of a bar are drawn, at a share of the width. */
    const heightAt = (share: number) =>
      chart.locator('svg').evaluate((element, at) => {
        const { clientHeight } = element;
        const bars = Array.from(element.querySelectorAll('path'));
        const { width } = (element as SVGSVGElement).viewBox.baseVal;
        const isDrawn = (y: number) =>
          bars.some((path) => path.isPointInFill(new DOMPoint(width * at, (y + 0.5) / clientHeight)));
        return Array.from({ length: clientHeight }, (_, y) => y).filter(isDrawn).length;
      }, share);
    await expect.poll(() => heightAt(1 / 8)).toBeGreaterThan(90);
    expect(await heightAt(7 / 8)).toBeLessThan(3);
    await page.getByRole('checkbox', { name: 'Log scale' }).nth(1).check();
    await expect.poll(() => heightAt(7 / 8)).toBeGreaterThan(5);
    expect(await heightAt(1 / 8)).toBeGreaterThan(90);
    expect(await heightAt(3 / 8)).toBe(0);
    const { page: second } = await chromium.visit({ url: await copiedLink(page) });
    const boxes = second.getByRole('checkbox', { name: 'Log scale' });
    await expect.poll(() => boxes.nth(1).isChecked()).toBe(true);
    expect(await boxes.nth(0).isChecked()).toBe(false);
  });
});

describe('charts of nothing', () => {
  it.each([360, 900])('keep their height, %d px wide', async (width) => {
    const fragment = '#zone=America/Argentina/Buenos_Aires'; // a long name beside the width of bars
    const page = await open({ viewport: { width, height: 900 }, fragment });
    const heights = () => page.locator('.charts .card').evaluateAll((cards) => cards.map((card) => card.clientHeight));
    const before = await heights();
    await filter(page, 'shard=1023');
    await page.getByText('No rows match.').nth(1).waitFor();
    expect(await heights()).toEqual(before);
    await filter(page, '');
    await typeFields(page, 'timestamp:8,shard:8');
    await page.getByText('The layout rejects every id.').nth(1).waitFor();
    expect(await heights()).toEqual(before);
  });
});
