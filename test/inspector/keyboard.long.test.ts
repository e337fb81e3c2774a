import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { drop, editLayout, expectNoComplaints, paste, snowflakes, withChromium } from '../support/inspector.js';

const chromium = withChromium();

const TWEET = '1541815603606036480';

async function openOne(page: Page): Promise<void> {
  await paste(page, TWEET);
  await page.getByRole('heading', { name: 'This id' }).waitFor();
}

async function openMany(page: Page): Promise<void> {
  await drop(page, 'ids.txt', snowflakes(300));
  await page.getByRole('grid').waitFor();
  await page.getByText('Counting…').waitFor({ state: 'detached' }); // statistics can be chosen
}

/** All that can be reached, in the order of the page. */
const stopsOf = (page: Page) =>
  page.evaluate(() => {
    const stops = document.querySelectorAll<HTMLElement>(
      'button, input, select, textarea, summary, a[href], [tabindex="0"]',
    );
    const seen = Array.from(stops).filter((stop) => stop.checkVisibility() && stop.tabIndex >= 0);
    seen.forEach((stop, i) => {
      stop.dataset.stop = String(i);
    });
    return seen.length;
  });

const stopWithFocus = (page: Page) =>
  page.evaluate(() => Number((document.activeElement as HTMLElement | null)?.dataset.stop ?? -1));

const hasFocus = (page: Page, selector: string) =>
  page.evaluate((expected) => document.activeElement?.matches(expected) ?? false, selector);

describe('with keys alone', () => {
  it('an example is opened, a row is chosen, a column sorted', async () => {
    const visit = await chromium.visit();
    const { page } = visit;
    const focused = () => page.evaluate(() => document.activeElement?.textContent ?? '');
    const tabTo = async (text: string, most = 40) => {
      for (let i = 0; i < most && !(await focused()).startsWith(text); i++) await page.keyboard.press('Tab');
      expect(await focused()).toContain(text);
    };
    await tabTo('CSV');
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
    await expect.poll(() => page.locator('.body .row .line').allTextContents()).toEqual(['3', '2', '5', '4']);
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

  it('the box is reached by /, cleared by Escape, and what was cleared comes back by Ctrl+Z', async () => {
    const visit = await chromium.visit();
    const { page } = visit;
    const box = page.getByRole('textbox', { name: 'Ids' });
    await page.keyboard.press('/');
    expect(await hasFocus(page, 'textarea')).toBe(true);
    await page.keyboard.type('1541815603606036480 / ?');
    expect(await box.inputValue()).toBe('1541815603606036480 / ?');
    await page.getByRole('combobox', { name: 'Layout' }).selectOption('discord');
    await page.getByText('read as').waitFor();
    await page.getByRole('heading', { name: 'This id' }).click();
    await page.keyboard.press('Escape'); // it is for the box only
    await page.keyboard.press('/');
    await page.keyboard.press('Escape');
    await page.getByRole('heading', { name: 'When was it made' }).waitFor();
    expect([await box.inputValue(), await hasFocus(page, 'textarea')]).toEqual(['', true]);
    await page.keyboard.press('ControlOrMeta+z');
    await page.getByText('read as').waitFor();
    expect([await box.inputValue(), await hasFocus(page, 'textarea')]).toEqual(['1541815603606036480 / ?', true]);
    expectNoComplaints(visit);
  });

  it('the box of keys is reached by /, too', async () => {
    const { page } = await chromium.visit();
    await page.getByRole('tab', { name: 'Shards' }).click();
    await page.keyboard.press('/');
    expect(await hasFocus(page, '.keys')).toBe(true);
  });

  it('the filter has / and ? as text, and Escape for itself', async () => {
    const { page } = await chromium.visit();
    await openMany(page);
    const filter = page.getByLabel('Filter');
    await filter.focus();
    await page.keyboard.type('/?');
    expect(await filter.inputValue()).toBe('/?');
    await page.keyboard.press('Escape');
    expect(await filter.inputValue()).toBe('');
    await page.getByRole('heading', { name: '300 rows' }).waitFor();
    expect(await page.getByRole('dialog').count()).toBe(0);
  });

  it('the list of keys is opened by ?, closed by Escape, and gives back the focus', async () => {
    const visit = await chromium.visit();
    const { page } = visit;
    await openMany(page);
    await page.getByRole('grid').focus();
    const dialog = page.getByRole('dialog', { name: 'Keys' });
    for (const close of ['Escape', 'Enter']) {
      await page.keyboard.press('?');
      await dialog.waitFor();
      await page.keyboard.press('?');
      for (const key of ['/', 'Esc', 'Ctrl+Z', '← →', '↑ ↓', 'PgUp', 'Home', 'Shift', 'Enter']) {
        expect(await dialog.textContent()).toContain(key);
      }
      await page.keyboard.press(close); // the button that closes it has the focus
      await dialog.waitFor({ state: 'hidden' });
      expect(await hasFocus(page, '[role=grid]')).toBe(true);
      expect(await page.getByRole('heading', { name: '300 rows' }).count()).toBe(1);
    }
    expectNoComplaints(visit);
  });

  it.each<[string, (page: Page) => Promise<void>]>([
    ['nothing', async () => {}],
    [
      'one id',
      async (page) => {
        await openOne(page);
        await editLayout(page);
      },
    ],
    ['many ids', openMany],
  ])('reaches everything in the order of the page, and leaves it again: %s', async (_, act) => {
    for (const width of [1440, 360]) {
      const { page } = await chromium.visit({ viewport: { width, height: 900 }, timezoneId: 'Europe/Berlin' });
      await act(page);
      const count = await stopsOf(page);
      expect(count).toBeGreaterThan(8);
      await page.locator('[data-stop="0"]').focus();
      const forwards = [0];
      for (let i = 1; i < count; i++) {
        await page.keyboard.press('Tab');
        forwards.push(await stopWithFocus(page));
      }
      const inOrder = Array.from({ length: count }, (_, i) => i);
      expect(forwards).toEqual(inOrder);
      await page.keyboard.press('Tab');
      expect(await stopWithFocus(page)).toBe(-1);
      const backwards: number[] = [];
      for (let i = 0; i < count; i++) {
        await page.keyboard.press('Shift+Tab');
        backwards.push(await stopWithFocus(page));
      }
      expect(backwards).toEqual(inOrder.reverse());
    }
  });

  it('ids are typed, another reading chosen, a border moved, dates turned to local time', async () => {
    const visit = await chromium.visit({ timezoneId: 'Asia/Kolkata' });
    const { page } = visit;
    const tabTo = async (name: string) => {
      const named = (wanted: string) => {
        const { ariaLabel, textContent } = document.activeElement ?? document.body;
        return (ariaLabel ?? textContent ?? '').startsWith(wanted);
      };
      for (let i = 0; i < 60 && !(await page.evaluate(named, name)); i++) await page.keyboard.press('Tab');
      expect(await page.evaluate(named, name), name).toBe(true);
    };
    const answer = () => page.getByRole('region', { name: 'Answer' }).locator('h2').textContent();
    await page.getByRole('textbox', { name: 'Ids' }).focus();
    await page.keyboard.type(TWEET);
    await page.getByRole('heading', { name: 'This id' }).waitFor();
    await tabTo('Instagram');
    await page.keyboard.press('Enter');
    await expect.poll(answer).toBe('Wed 21 Jun 2017, 04:19:24.445 UTC');
    await tabTo('Border between timestamp and shard');
    await page.keyboard.press('ArrowRight');
    await expect.poll(() => page.getByLabel('Fields').inputValue()).toBe('timestamp:42,shard:12,sequence:10');
    await tabTo('Local');
    await page.keyboard.press('Space');
    await expect.poll(answer).toContain('UTC+05:30');
    expectNoComplaints(visit);
  });
});

describe('the focus', () => {
  it('goes to the text box after Clear', async () => {
    const { page } = await chromium.visit();
    for (const open of [openOne, openMany]) {
      await open(page);
      await page.getByRole('button', { name: 'Clear' }).click();
      await page.getByRole('heading', { name: 'When was it made' }).waitFor();
      expect(await hasFocus(page, 'textarea')).toBe(true);
    }
  });

  it('stays on a reading that is chosen, above or below', async () => {
    const { page } = await chromium.visit();
    await openOne(page);
    for (const name of ['Answer', 'What else it could be']) {
      const region = page.getByRole('region', { name });
      for (const reading of [/^discord/i, /^instagram/i, /^uid-generator/i]) {
        const button = region.getByRole('button', { name: reading });
        await button.click();
        await expect.poll(() => button.getAttribute('aria-pressed')).toBe('true');
        expect(await button.evaluate((element) => element === document.activeElement)).toBe(true);
      }
      await page.getByRole('combobox', { name: 'Layout' }).selectOption('guess');
      await page.getByText('if it is a tweet').waitFor();
    }
  });

  it('stays on the rows, the zone, and what ids are shown as', async () => {
    const { page } = await chromium.visit({ timezoneId: 'Europe/Berlin' });
    await openMany(page);
    await page.locator('.body .row').nth(3).click();
    await expect.poll(() => page.locator('.body .row').nth(3).getAttribute('aria-selected')).toBe('true');
    expect(await hasFocus(page, '[role=grid]')).toBe(true);
    await page.getByRole('button', { name: 'Local' }).click();
    await page.getByRole('columnheader', { name: 'date (Europe/Berlin)' }).waitFor();
    expect(await hasFocus(page, '.segments button')).toBe(true);
    await page.getByLabel('Show ids as').focus();
    await page.getByLabel('Show ids as').selectOption('hex');
    await page
      .locator('.body .id', { hasText: /^0\w{15}$/ })
      .first()
      .waitFor();
    expect(await hasFocus(page, '.this select')).toBe(true);
  });

  it('is never lost: what had it may be gone, and then the ids have it', async () => {
    const { page } = await chromium.visit();
    const isSomewhere = () => page.evaluate(() => document.activeElement !== document.body);
    for (const example of ['Tweet', 'CSV', 'A million ids']) {
      await page.getByRole('button', { name: example, exact: true }).focus();
      await page.keyboard.press('Enter');
      await page.getByRole('heading', { name: 'This id' }).waitFor();
      expect(await hasFocus(page, '.input')).toBe(true);
      await page.getByRole('button', { name: 'Clear' }).click();
    }
    await openOne(page);
    await page.getByLabel('Compare with').focus();
    await openMany(page);
    expect(await isSomewhere()).toBe(true);
    await page.getByRole('grid').focus();
    await drop(page, 'ids.gz', "'\\x1f\\x8b'.padEnd(99, '\\0')");
    await page.getByText('ids.gz cannot be read').waitFor();
    expect(await isSomewhere()).toBe(true);
  });
});
