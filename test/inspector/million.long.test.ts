import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';
import type { Page } from 'playwright-core';
import { afterAll, describe, expect, it } from 'vitest';
import { writeFigures } from '../../bench/figure-tables.js';
import { temporaryFolder } from '../support/cli.js';
import { drop, expectNoComplaints, snowflakes, withChromium } from '../support/inspector.js';
import { expectTime } from '../support/time.js';

const chromium = withChromium();
const MILLION = 1_000_000;
const SHOWN = MILLION.toLocaleString('en');
/** `UPDATE=1` records the times, of three pastes each. */
const RECORDS = process.env.UPDATE === '1' ? 'bench/inspector.results.json' : undefined;

/** What a person waits for, in ms. */
interface Paste {
  /** From the paste until its rows have been painted. */
  readonly shown: number;
  /** The longest that the page was held up. */
  readonly longest: number;
  /** What the page then takes to split the text and to parse its ids as BigInts: how fast this machine is now. */
  readonly parsed: number;
}

function timedPaste(page: Page, count: number): Promise<Paste> {
  return page.evaluate(`(async () => {
    const clipboardData = new DataTransfer();
    const text = ${snowflakes(count)};
    clipboardData.setData('text/plain', text);
    const frame = () => new Promise((painted) => requestAnimationFrame(painted));
    await frame();
    const tasks = [0];
    const add = (entries) => tasks.push(...entries.map(({ startTime, duration }) => (startTime < start ? 0 : duration)));
    const observer = new PerformanceObserver((list) => add(list.getEntries()));
    observer.observe({ entryTypes: ['longtask'] });
    const start = performance.now();
    await new Promise((resolve) => setTimeout(resolve)); // a task of its own, as a paste is
    document.body.dispatchEvent(new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true }));
    while (document.querySelector('[role=grid][aria-rowcount="${count + 1}"] .body .row .cell.id') === null) await frame();
    await frame();
    const shown = performance.now() - start;
    add(observer.takeRecords());
    const begin = performance.now();
    for (const line of text.split('\\n')) BigInt(line);
    return { shown, longest: Math.max(...tasks), parsed: performance.now() - begin };
  })()`);
}

/** The texts of the rows that are there. */
function rows(page: Page): Promise<string[][]> {
  return page
    .locator('.body .row')
    .evaluateAll((elements) => elements.map((row) => Array.from(row.children, (cell) => cell.textContent ?? '')));
}

describe('pasted ids', () => {
  const rows: [name: string, least: number, most: number][] = [];

  afterAll(() => {
    const table = { title: 'Pasted ids', columns: ['seconds, the least of three', 'the most'], rows };
    if (RECORDS !== undefined) writeFigures(RECORDS, [table]);
  });

  // A quiet machine shows a million in 0.4 to 0.7 s and five million in 2 s, which is 2.5 to 3.5 times what it takes to
  // parse them. Other tests share the two cores, so this allows twice that, and takes the best of three.
  it.each([MILLION, 5 * MILLION])('%i are shown in at most 6 times what it takes to parse them', async (count) => {
    const pastes: Paste[] = [];
    const isFast = ({ shown, longest, parsed }: Paste) => shown < 6 * parsed && longest < Math.max(200, parsed);
    while (pastes.length < 3 && (RECORDS !== undefined || !pastes.some(isFast))) {
      const visit = await chromium.visit();
      pastes.push(await timedPaste(visit.page, count));
      await expect
        .poll(() => visit.page.locator('footer').textContent())
        .toMatch(new RegExp(`^WebAssemblydecoded ${count.toLocaleString('en')} ids in [\\d.]+ ms`));
      console.log(await visit.page.locator('footer').textContent());
      expectNoComplaints(visit);
      await visit.page.context().close();
    }
    console.log(`ms until rows were shown, and of the longest task: ${JSON.stringify(pastes)}`);
    const seconds = pastes.map(({ shown }) => shown / 1000);
    rows.push([`${count.toLocaleString('en')} ids`, Math.min(...seconds), Math.max(...seconds)]);
    expect(pastes.some(isFast), `about time: ${JSON.stringify(pastes)}`).toBe(true);
  });
});

describe('a million ids', () => {
  it('are dropped as a file, scrolled to the end, sorted, filtered and exported', async () => {
    const visit = await chromium.visit();
    const { page } = visit;
    await drop(page, 'million.txt', snowflakes(MILLION));
    const grid = page.getByRole('grid');
    await grid.waitFor();
    await page.getByText('million.txt').waitFor();
    expect(await page.locator('textarea').count()).toBe(0);
    expect(await page.locator('.sized').evaluate((element) => element.clientHeight)).toBeLessThan(17_000_000);

    await grid.focus();
    await page.keyboard.press('End');
    await expect.poll(async () => (await rows(page)).at(-1)?.[0]).toBe(String(MILLION));
    await page.keyboard.press('ArrowUp');
    await expect.poll(() => page.locator('[aria-selected=true] .line').textContent()).toBe(String(MILLION - 1));
    await grid.evaluate((element) => element.scrollTo(0, element.scrollHeight / 2));
    await expect.poll(async () => Math.abs(Number((await rows(page))[20]?.[0]) - MILLION / 2)).toBeLessThan(1000);
    const before = Number((await rows(page))[20]?.[0]);
    const box = await grid.boundingBox();
    await page.mouse.move((box?.x ?? 0) + 100, (box?.y ?? 0) + 100);
    await page.mouse.wheel(0, 300);
    await expect.poll(async () => Number((await rows(page))[20]?.[0]) - before).toBe(10);

    await page.getByRole('columnheader', { name: 'id' }).getByRole('button').click();
    await page.getByRole('columnheader', { name: /^id/ }).getByRole('button').click();
    await expect.poll(async () => (await rows(page))[0]?.[0]).toBe(String(MILLION));
    await page.getByLabel('Filter').fill('shard=37 sequence=1');
    await page.getByLabel('Filter').press('Enter');
    // shard 37: lines 1 + 64 k; sequence 1: every third of those.
    await page.getByRole('heading', { name: '5,209 of 1,000,000 rows' }).waitFor();
    await page.getByLabel('Filter').fill('');
    await page.getByRole('heading', { name: '1,000,000 rows' }).waitFor();
    await page.waitForURL((url) => !url.hash.includes('filter') && !url.hash.includes('ids='));
    expect(await page.locator('footer').textContent()).toContain('A link is without the ids.');

    const [download] = await Promise.all([
      page.waitForEvent('download', { timeout: 60_000 }),
      page.getByRole('button', { name: 'Export CSV' }).click(),
    ]);
    const path = `${temporaryFolder()}/ids.csv`;
    await download.saveAs(path);
    let lines = 0;
    for await (const line of createInterface(createReadStream(path))) {
      if (lines === 1) expect(line).toMatch(/^1000000,\d{18},20\d\d-\d\d-\d\dT/);
      lines++;
    }
    expect(lines).toBe(1 + MILLION);
    expectNoComplaints(visit);
  });
});

describe('keys', () => {
  it('may be a million, which do not hold up the page', async () => {
    const { page } = await chromium.visit({ fragment: '#n=16&toN=20' });
    const status = page.locator('.answered [role=status]');
    await page.getByLabel('Keys, one per line').waitFor();
    await page.evaluate((rows) => {
      const state = window as unknown as { longest: number; seen: number };
      state.longest = 0;
      new PerformanceObserver((list) => {
        for (const { duration } of list.getEntries()) state.longest = Math.max(state.longest, duration);
      }).observe({ type: 'longtask' });
      setTimeout(() => {
        for (const end = performance.now() + 120; performance.now() < end; ); // which the observer has to notice
      });
      const text = Array.from({ length: rows }, (_, i) => `user:${String(i).padStart(14, '0')}`).join('\n');
      const file = new File([text], 'million.txt');
      // The text is made here, which does not count.
      setTimeout(() => {
        state.seen = state.longest;
        state.longest = 0;
        const dataTransfer = new DataTransfer();
        dataTransfer.items.add(file);
        const box = document.querySelector('.keys') as Element;
        box.dispatchEvent(new DragEvent('drop', { dataTransfer, bubbles: true, cancelable: true }));
      }, 1000);
    }, MILLION);
    await expect.poll(() => page.locator('.keys.files').textContent()).toContain(`${SHOWN} keys`);
    expect(await status.textContent()).toContain(`of ${SHOWN} keys move`);
    await page.getByLabel('shards, then').fill('32');
    await expect.poll(() => status.textContent()).toContain('to 32 shards');
    const download = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Download moves' }).click();
    await download;
    const { longest, seen } = await page.evaluate(() => {
      const { longest, seen } = window as unknown as { longest: number; seen: number };
      return { longest, seen };
    });
    expect(seen).toBeGreaterThan(100);
    console.log(`longest task of the page with a million keys: ${longest} ms`);
    expectTime(longest, 200); // 100 ms on a machine that has no other work
  });
});
