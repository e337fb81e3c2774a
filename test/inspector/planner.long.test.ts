import { readFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { Router } from '../../src/index.js';
import { partitioner } from '../../src/partitioners/index.js';
import {
  accessibilityProblems,
  copied,
  copiedLink,
  downloaded,
  expectNoComplaints,
  fact,
  withChromium,
} from '../support/inspector.js';

const chromium = withChromium();

const KEYS = Array.from({ length: 300 }, (_, i) => `user:${i}`);
const ON_NODES = '#n=64&nodes=db-1,db-2:2,db-3&toNodes=db-1,db-2:2,db-3,db-4';

const status = async (page: Page) =>
  (await page.locator('.answered [role=status]').textContent())?.replaceAll('\u00a0', ' ');
const typeKeys = (page: Page, keys = KEYS) => page.getByLabel('Keys, one per line').fill(keys.join('\n'));
const openFiles = (page: Page, files: { name: string; text: string | Buffer }[]) =>
  page
    .getByLabel('Files of keys')
    .setInputFiles(files.map(({ name, text }) => ({ name, mimeType: '', buffer: Buffer.from(text) })));

describe('without keys', () => {
  it('the tab answers for keys that are made up, and says what moving means and what else would do', async () => {
    const visit = await chromium.visit();
    const { page } = visit;
    await page.getByRole('tab', { name: 'Ids' }).focus();
    await page.keyboard.press('ArrowRight');
    await expect
      .poll(() => status(page))
      .toBe('From 16 to 20 shards by jump: 20 % of the keys move; that is the least possible.');
    expect(await page.getByRole('tab', { name: 'Shards' }).evaluate((tab) => tab === document.activeElement)).toBe(
      true,
    );
    await page.getByText('A Router only names shards').waitFor();
    await page.getByText('Keep 16 shards and move 3 of them to new nodes').waitFor();
    await page.getByText('The keys are as even as chance allows.').waitFor();
    await page.getByLabel('Routed by', { exact: true }).selectOption('modulo');
    await expect.poll(() => status(page)).toMatch(/ 80 % of the keys move; the least possible is 20 %\.$/);
    await page.getByText(/With jump, (19|20).% would move instead of 80.%/).waitFor();
    await page.getByLabel('Routed by', { exact: true }).selectOption('discord');
    await expect.poll(() => status(page)).toContain('by discord: 80 % of the keys move');
    await page.goto(`${chromium.address()}#toBy=nobody`);
    await expect.poll(() => status(page)).toContain('From 16 to 20 shards by jump');
    expectNoComplaints(visit);
  });

  it('the script of the tab is not run before the tab is opened', async () => {
    const { page } = await chromium.visit();
    const scripts = () => page.evaluate(() => [document.scripts.length, 'shards' in window]);
    expect(await scripts()).toEqual([2, false]);
    await page.getByRole('tab', { name: 'Shards' }).click();
    await page.locator('.plan').waitFor();
    await page.getByRole('tab', { name: 'Ids' }).click();
    await page.getByRole('tab', { name: 'Shards' }).click();
    expect(await scripts()).toEqual([3, false]);
  });

  it('the tab also answers where no worker may be started', async () => {
    const { page } = await chromium.visit();
    await page.route('**/*', async (route) => {
      const body = readFileSync('dist/inspector.html', 'utf8').replace('worker-src blob:', "worker-src 'none'");
      await route.fulfill({ body, contentType: 'text/html' });
    });
    await page.goto(`${chromium.address()}#tab=shards`);
    await page.reload();
    await expect.poll(() => status(page)).toContain('20 % of the keys move');
  });
});

describe('a plan in the page', () => {
  it('changes only Then, which follows Now where it is empty', async () => {
    const visit = await chromium.visit({ fragment: '#n=16' });
    const { page } = visit;
    await typeKeys(page);
    const number = page.getByLabel('shards, then');
    expect(await number.getAttribute('placeholder')).toBe('20');
    await number.fill('20');
    await expect.poll(() => status(page)).toContain('From 16 to 20 shards by jump: ');
    await page.getByLabel('Routed by', { exact: true }).selectOption('modulo');
    await expect.poll(() => status(page)).toContain('From 16 to 20 shards by modulo: ');
    await page.getByLabel('Routed by, then').selectOption('kafka');
    await page.getByLabel('partitions, then').fill('');
    await expect.poll(() => status(page)).toContain('From 16 shards by modulo to 16 partitions by kafka: ');
    const [from, to] = [new Router({ shards: 16, strategy: 'modulo' }), partitioner('kafka', { partitions: 16 })];
    const moved = KEYS.filter((key) => from.route(key) !== to.route(key)).length;
    expect(await status(page)).toContain(`${moved} of 300 keys move`);
    expect(await status(page)).toMatch(/; the least possible is 0 %\.$/);
    expect(await copiedLink(page)).toBe(`${chromium.address()}#tab=shards&by=modulo&n=16&toBy=kafka`);
    expectNoComplaints(visit);
  });

  it('is over nodes with names, and says what is wrong with them', async () => {
    const { page } = await chromium.visit({ fragment: ON_NODES });
    await typeKeys(page);
    // Until the keys have been read, it shows 20,000 made-up ones.
    const ofTyped = /db-4new\d+\+\d+$/;
    await page.getByRole('region', { name: 'Keys of each node' }).filter({ hasText: ofTyped }).waitFor();
    expect(await page.locator('.some th').allTextContents()).toEqual([
      'key',
      'node now',
      'node then',
      'shard now',
      'shard then',
    ]);
    expect(await fact(page, 'Shards that move')).toMatch(/^1[23]$/);
    expect(await page.locator('.shell code').textContent()).toContain(
      'map change map.json --add db-4 --out map-2.json',
    );
    const box = page.getByLabel('Nodes, then');
    await box.fill('db-1, db-2:0');
    const message = page.getByText('db-2: weight: expected a number above 0, at most 1000000000, got 0');
    await message.waitFor();
    expect(await box.getAttribute('aria-describedby')).toBe(await message.getAttribute('id'));
    await box.fill('');
    await page.getByText('Type the nodes, or the shards, of Then to see what moves.').waitFor();
  });

  it('gives its moves as a file and as a copy', async () => {
    const { page } = await chromium.visit({ fragment: '#n=16&toN=20' });
    await typeKeys(page);
    const download = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Download moves' }).click();
    const file = await download;
    expect(file.suggestedFilename()).toBe('moves.csv');
    const csv = await downloaded(file);
    const [from, to] = [new Router({ shards: 16 }), new Router({ shards: 20 })];
    const moves = KEYS.filter((key) => from.route(key) !== to.route(key));
    expect(csv).toBe(`key,from,to\r\n${moves.map((key) => `${key},${from.route(key)},${to.route(key)}\r\n`).join('')}`);
    await page.getByRole('button', { name: 'Copy', exact: true }).click();
    await expect.poll(() => copied(page)).toBe(csv);
    await page.getByRole('button', { name: 'Copy the command' }).click();
    await expect.poll(() => copied(page)).toBe('shardbits plan keys.txt --from 16 --to 20');
  });
});

describe('files of keys', () => {
  it('have their keys in a column, and their shards in another one', async () => {
    const visit = await chromium.visit({ fragment: '#n=12' });
    const { page } = visit;
    const kafka = partitioner('kafka', { partitions: 12 });
    const csv = KEYS.map((key, i) => `${i},"${key}",${kafka.route(key)}`).join('\r\n');
    await openFiles(page, [{ name: 'users.csv.gz', text: gzipSync(`nr,email,shard\r\n${csv}`) }]);
    await page.getByText("Kafka's Java client, 12 partitions: 300 of 300 rows").waitFor();
    expect(await page.getByLabel('Key column').inputValue()).toBe('email');
    expect(await page.getByLabel('Shard column').inputValue()).toBe('shard');
    expect(await page.locator('.some tbody td').first().textContent()).toBe('user:0');
    expect(await page.locator('.shell code').textContent()).toBe(
      'shardbits plan users.csv.gz --csv --key email --from 12 --to 15',
    );
    await page.getByLabel('Shard column').selectOption('none');
    await expect.poll(() => page.locator('.told').count()).toBe(0);
    await page.getByLabel('Key column').selectOption('nr');
    await expect.poll(() => page.locator('.some tbody td').first().textContent()).toBe('0');
    await openFiles(page, [{ name: 'keys.ndjson', text: '{"user":{"id":12345678901234567890}}\n{"user":{}}\n' }]);
    await expect.poll(() => page.locator('.some tbody td').first().textContent()).toBe('12345678901234567890');
    await page.getByText('1 row has no key.').waitFor();
    expectNoComplaints(visit);
  });
});

describe('evenness', () => {
  it('is one verdict, which names the worst', async () => {
    const { page } = await chromium.visit({ fragment: '#n=16' });
    await typeKeys(page, [...KEYS, ...new Array<string>(300).fill('hot')]);
    const shard = new Router({ shards: 16 }).route('hot');
    const verdict = page.locator('.verdict');
    await expect.poll(() => verdict.textContent()).toContain('less even than chance:');
    expect(await verdict.textContent()).toMatch(
      new RegExp(
        `^(Now|Then) less even than chance: shard ${shard} has 3\\d\\d keys, chance gives at most \\d\\d\\. Keys repeat`,
      ),
    );
  });
});

describe.each([1200, 360])('a plan on %i px', (width) => {
  it.each([
    ON_NODES,
    '#by=ketama',
    '#n=4&toN=0',
    '#by=kafka&n=12&toBy=jump',
  ])('%s is accessible, and no wider', async (fragment) => {
    const { page } = await chromium.visit({ fragment, reducedMotion: 'reduce', viewport: { width, height: 900 } });
    await typeKeys(page, [...KEYS, 'long'.repeat(100)]);
    await page.locator('.plan, .side .error:not(:empty)').first().waitFor();
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme });
      expect(await accessibilityProblems(page), colorScheme).toEqual([]);
    }
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(width);
  });
});
