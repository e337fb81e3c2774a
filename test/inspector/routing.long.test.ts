import { gzipSync } from 'node:zlib';
import type { Page } from 'playwright-core';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { Router } from '../../src/index.js';
import { routeRead } from '../../src/inspector/decode/keys/plan.js';
import { readPasted } from '../../src/inspector/decode/keys/read.js';
import { isRing, ROUTED_BY } from '../../src/inspector/decode/keys/routing.js';
import { DEFAULTS } from '../../src/inspector/decode/settings.js';
import { connectKeys, type KeysAnswer, type KeysRequest } from '../../src/inspector/page/keys/worker.js';
import { partitioner, systems } from '../../src/partitioners/index.js';
import {
  accessibilityProblems,
  copiedLink,
  drop,
  expectNoComplaints,
  fact,
  paste,
  withChromium,
} from '../support/inspector.js';
import { routeKeys, withServers } from '../support/routed-keys.js';
import { IS_WHOLE } from '../support/scale.js';

const chromium = withChromium();

const KEYS = Array.from({ length: 300 }, (_, i) => `${['user:', 'é{a}', '{b}', '日本'][i % 4]}${i}`).join('\n');
const IDS = Array.from({ length: 300 }, (_, i) => `${41771983423143n * BigInt(i)}`).join('\n');
const ID = '1541815603606036480';

async function openKeys(page: Page, text = KEYS): Promise<void> {
  await page.getByRole('tab', { name: 'Shards' }).click();
  await page.getByLabel('Keys, one per line').fill(text);
}

const status = async (page: Page) =>
  (await page.locator('.answered [role=status]').textContent())?.replaceAll('\u00a0', ' ');
const side = (page: Page, name: 'Now' | 'Then') => page.getByRole('group', { name });
const now = (page: Page, label: string) => side(page, 'Now').getByLabel(label);
const rows = (page: Page) =>
  page
    .locator('.plan .some tbody tr')
    .evaluateAll((rows) => rows.map((row) => Array.from(row.children, ({ textContent }) => textContent)));

describe('keys in the page', () => {
  it('go where the library routes them, by each system', async () => {
    const visit = await chromium.visit();
    const { page } = visit;
    await openKeys(page);
    const some = IS_WHOLE ? ROUTED_BY : ROUTED_BY.filter((_, i) => i % 10 === 0); // a second each, mostly of waiting
    for (const by of some) {
      const keys = systems[by]?.keys.includes('text') === false ? IDS : KEYS;
      const routed = routeKeys(keys, { by });
      await openKeys(page, keys);
      await now(page, 'Routed by').selectOption(by);
      if (isRing(by)) {
        const { nodes, toNodes } = withServers({ by });
        await page.getByLabel('Nodes', { exact: true }).fill(nodes);
        await page.getByLabel('Nodes, then').fill(toNodes);
      }
      await expect.poll(() => status(page)).toContain(by);
      const expected = routed.some.map((row) => row.filter((cell) => cell !== undefined));
      const shown = async () =>
        (await rows(page)).map((cells) => (isRing(by) ? [cells[0], cells[3], cells[4]] : cells));
      await expect.poll(shown, { message: by }).toEqual(expected);
      if (routed.balance === undefined) continue;
      expect(await fact(page, 'Fullest ÷ average')).toContain(`${routed.balance.maxToMean.toFixed(2)}`);
      if (typeof routed.moves === 'string') await page.getByText(routed.moves).waitFor();
      else expect(await fact(page, 'Moved')).toContain(`${routed.moves.moved} keys, `);
    }
    expectNoComplaints(visit);
  });

  it('that come with their shards show who placed them, and are routed in the same way', async () => {
    const visit = await chromium.visit();
    const { page } = visit;
    const kafka = partitioner('kafka', { partitions: 12 });
    const placed = KEYS.split('\n').map(
      (key, i) => `${i === 7 ? (kafka.route(key) + 1) % 12 : kafka.route(key)}\t${key}`,
    );
    await openKeys(page, placed.join('\n'));
    const told = page.locator('.told');
    await told
      .getByText("Kafka's Java client, 12 partitions: 299 of 300 rows; 1 row was placed by something else")
      .waitFor();
    const stray = KEYS.split('\n')[7] as string;
    const belongs = kafka.route(stray);
    await told.getByText(`In another shard: ${stray} (in ${(belongs + 1) % 12}, not ${belongs})`).waitFor();
    expect(await accessibilityProblems(page)).toEqual([]);
    await told.getByRole('button', { name: 'Route keys like this' }).click();
    await expect.poll(() => status(page)).toContain('From 12 to 15 partitions by kafka');
    expect((await rows(page))[0]?.slice(0, 2)).toEqual([
      KEYS.split('\n')[0],
      String(kafka.route(KEYS.split('\n')[0] as string)),
    ]);
    await openKeys(page, KEYS);
    await expect.poll(() => told.count()).toBe(0);
    expectNoComplaints(visit);
  });

  it('show what a quarter more would move, in numbers and in a picture', async () => {
    const { page } = await chromium.visit({ fragment: '#by=jump&n=16' });
    await openKeys(page);
    await expect.poll(() => status(page)).toMatch(/From 16 to 20 shards by jump: \d+ of 300 keys/);
    const { moves, balance } = routeKeys(KEYS, { by: 'jump', n: '16' });
    if (typeof moves === 'string') throw new Error(moves);
    expect(await status(page)).toContain(
      `${moves.moved} of 300 keys move (${(moves.moved / 3).toFixed(0)} %); that is the least possible`,
    );
    expect(await fact(page, 'Moved')).toBe(`${moves.moved} keys, ${(moves.moved / 3).toFixed(2)} %`);
    expect(await fact(page, 'Ideal')).toBe('60 keys, 20.00 %');
    expect(await fact(page, 'Fullest')).toBe(`shard ${balance?.fullest}: ${balance?.most} keys`);
    const bars = page.getByRole('img', { name: /^Keys per shard/ });
    expect(await bars.count()).toBe(2);
    const drawn = (path: string | null) => (path?.match(/M/g) ?? []).length;
    const arrivals = await bars.nth(1).locator('path').nth(1).getAttribute('d');
    expect(drawn(arrivals)).toBe(4);
    expect(drawn(await bars.nth(1).locator('path').nth(2).getAttribute('d'))).toBe(0);
  });

  it('are routed with a seed, and round shards that are down', async () => {
    const { page } = await chromium.visit();
    await openKeys(page, 'a\nb');
    await page.getByLabel('shards', { exact: true }).fill('3');
    await now(page, 'seed').fill('7');
    await now(page, 'shards down').fill('1');
    const router = new Router({ shards: 3, seed: 7n, down: [1] });
    await expect
      .poll(async () => (await rows(page)).map((cells) => cells.slice(0, 2)))
      .toEqual(['a', 'b'].map((key) => [key, String(router.route(key))]));
  });

  it('keep what was seen of them while an option is wrong, which is explained beside its box', async () => {
    const { page } = await chromium.visit();
    await openKeys(page);
    await expect.poll(() => status(page)).toContain('From 16 to ');
    const before = await rows(page);
    const box = page.getByLabel('shards', { exact: true });
    await box.fill('0');
    const message = page.getByText('"shards": expected an integer from 1 to 2147483647, got 0');
    await message.waitFor();
    expect(await box.getAttribute('aria-invalid')).toBe('true');
    expect(await box.getAttribute('aria-describedby')).toBe(await message.getAttribute('id'));
    expect(await rows(page)).toEqual(before);
    expect(await page.getByLabel('Keys, one per line').inputValue()).toBe(KEYS);
    await box.fill('5');
    await expect.poll(() => status(page)).toContain('From 5 to 7 shards');
    expect(await message.count()).toBe(0);
  });

  it('stay when the other tab has ids, which are not in a link of this one', async () => {
    const { page } = await chromium.visit();
    await openKeys(page);
    await page.getByRole('tab', { name: 'Ids' }).click();
    await drop(page, 'id.txt', `'${ID}'`);
    await page.getByRole('heading', { name: 'This id' }).waitFor();
    await page.getByRole('tab', { name: 'Shards' }).click();
    expect(await page.getByLabel('Keys, one per line').inputValue()).toBe(KEYS);
    expect(await rows(page)).toHaveLength(50);
    expect(await copiedLink(page)).toBe(`${chromium.address()}#tab=shards`);
    await page.getByRole('tab', { name: 'Ids' }).click();
    await page.getByRole('heading', { name: 'This id' }).waitFor();
  });

  it('are pasted anywhere, and are not taken for ids', async () => {
    const { page } = await chromium.visit({ fragment: '#tab=shards' });
    await page.locator('.plan').waitFor();
    await paste(page, `${ID}\n`.repeat(1000));
    await expect.poll(() => status(page)).toContain('of 1,000 keys move');
    await page.getByRole('tab', { name: 'Ids' }).click();
    expect(await page.getByRole('textbox', { name: 'Ids' }).inputValue()).toBe('');
  });

  it('are not in the link, which has everything else', async () => {
    const { page } = await chromium.visit({ fragment: '#by=rdkafka:murmur2&n=12' });
    await openKeys(page, 'private');
    await expect.poll(() => status(page)).toContain('From 12 to 15 partitions by rdkafka:murmur2');
    expect(await copiedLink(page)).toBe(`${chromium.address()}#tab=shards&by=rdkafka:murmur2&n=12`);
    await now(page, 'Routed by').selectOption('modulo');
    await now(page, 'shards down').fill('3, 4');
    await now(page, 'seed').fill('9');
    const link = await copiedLink(page);
    const { page: second } = await chromium.visit({ url: link });
    expect(await now(second, 'shards down').inputValue()).toBe('3, 4');
    expect(await now(second, 'seed').inputValue()).toBe('9');
    expect(await now(second, 'Routed by').inputValue()).toBe('modulo');
    expect(await second.getByLabel('Keys, one per line').inputValue()).toBe('');
  });

  it('may be a hundred thousand', async () => {
    const visit = await chromium.visit();
    const { page } = visit;
    const keys = Array.from({ length: 100_000 }, (_, i) => `user:${i}`).join('\n');
    await openKeys(page, 'before');
    await page.getByLabel('Keys, one per line').focus();
    await paste(page, keys);
    await now(page, 'Routed by').selectOption('clickhouse:cityHash64');
    await expect.poll(() => status(page)).toContain('of 100,000 keys move');
    await expect.poll(() => status(page)).toContain('From 16 to 20 shards by clickhouse:cityHash64');
    await page.getByText('The first 50 keys:').waitFor();
    const { balance } = routeKeys(keys, { by: 'clickhouse:cityHash64' });
    expect(await fact(page, 'Fullest')).toContain(
      `shard ${balance?.fullest}: ${balance?.most.toLocaleString('en')} keys`,
    );
    expect(await page.getByLabel('Keys, one per line').inputValue()).toHaveLength(2001);
    await page.getByLabel('Keys, one per line').focus();
    await paste(page, 'after');
    await expect.poll(() => status(page)).toMatch(/of 1 key move/);
    expect(await page.getByLabel('Keys, one per line').inputValue()).toBe('after');
    await page.getByRole('button', { name: 'Clear keys' }).click();
    await expect.poll(() => status(page)).toContain('% of the keys move');
    expectNoComplaints(visit);
  });

  it('are typed and routed without a mouse', async () => {
    const { page } = await chromium.visit();
    const isOn = (selector: string) => page.evaluate((text) => document.activeElement?.matches(text), selector);
    const tabTo = async (selector: string) => {
      for (let i = 0; i < 40 && !(await isOn(selector)); i++) await page.keyboard.press('Tab');
      expect(await isOn(selector)).toBe(true);
    };
    await tabTo('[role=tab]');
    await page.keyboard.press('End');
    await tabTo('.side select');
    await page.keyboard.type('redis');
    await tabTo('.keys');
    await page.keyboard.type('foo\nbar');
    await expect
      .poll(() => rows(page))
      .toEqual([
        ['foo', '12182'],
        ['bar', '5061'],
      ]);
    await tabTo('.scrolls');
  });
});

describe.each(['light', 'dark'] as const)('routed keys in %s', (colorScheme) => {
  it.each([
    ['with moves', '#by=modulo'],
    ['with an error', '#by=jump&n=0'],
    ['with tokens', '#by=cassandra'],
  ])('axe finds nothing wrong %s', async (_, fragment) => {
    const { page } = await chromium.visit({ colorScheme, fragment, reducedMotion: 'reduce' });
    await openKeys(page);
    await page.locator(fragment.endsWith('0') ? '.error:not(:empty)' : '.plan').waitFor();
    expect(await accessibilityProblems(page)).toEqual([]);
  });
});

describe('on a phone', () => {
  it('nothing is wider than 360 px', async () => {
    const { page } = await chromium.visit({ viewport: { width: 360, height: 740 }, isMobile: true });
    for (const by of ['clickhouse:murmurHash3_64', 'cassandra']) {
      await openKeys(page, `${'long'.repeat(100)}\n${KEYS}`);
      await now(page, 'Routed by').selectOption(by);
      await expect.poll(() => status(page)).toContain(by);
      expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(360);
    }
  });
});

describe('files of keys', () => {
  it('are dropped on the box of keys, plain or packed', async () => {
    const { page } = await chromium.visit();
    await openKeys(page);
    const files = { 'a.txt': Buffer.from('user:1\nuser:2'), 'b.gz': gzipSync('user:3\n') };
    const dropOn = (dropped: [name: string, bytes: number[]][]) =>
      page.locator('.keys').evaluate((box, all) => {
        const dataTransfer = new DataTransfer();
        for (const [name, bytes] of all) dataTransfer.items.add(new File([Uint8Array.from(bytes)], name));
        box.dispatchEvent(new DragEvent('drop', { dataTransfer, bubbles: true, cancelable: true }));
      }, dropped);
    await dropOn(Object.entries(files).map(([name, bytes]) => [name, [...bytes]]));
    await expect.poll(() => page.locator('.keys').textContent()).toBe('3 keys a.txt, b.gz');
    expect((await rows(page)).map(([key]) => key)).toEqual(['user:1', 'user:2', 'user:3']);
    await dropOn([['x.png', [0x89, 0x50, 0x4e, 0x47, 0, 0, 0, 1]]]);
    await page.getByText('x.png cannot be read: it is not text').waitFor();
    await page.getByRole('button', { name: 'Clear keys' }).click();
    expect(await page.locator('.keys').inputValue()).toBe('');
  });
});

describe('keys that change', () => {
  afterEach(() => vi.unstubAllGlobals());

  it('while an answer is on its way are answered once, with those that came last', () => {
    const posted: KeysRequest[] = [];
    let answer: (answer: KeysAnswer) => void = () => {};
    vi.stubGlobal(
      'Worker',
      class {
        constructor() {
          answer = (data) => (this as unknown as Worker).onmessage?.({ data } as MessageEvent);
        }
        postMessage(request: KeysRequest) {
          posted.push(request);
        }
      },
    );
    const heard: string[] = [];
    const client = connectKeys([], (heardOf) => {
      if (heardOf.kind === 'routed') heard.push(String(heardOf.routed.keys));
      if (heardOf.kind === 'failed') heard.push(heardOf.message);
    });
    answer({ kind: 'ready' });
    const routed = (text: string): KeysAnswer => ({
      kind: 'routed',
      routed: routeRead(readPasted(text), DEFAULTS).routed,
    });
    for (const text of ['a', 'a\nb', 'a\nb\nc']) client.route({ text }, DEFAULTS);
    answer(routed('a'));
    answer({ kind: 'failed', during: 'route', message: 'wrong' });
    client.route({ text: 'd' }, DEFAULTS);
    expect(posted.map((request) => request.kind === 'route' && 'text' in request.keys && request.keys.text)).toEqual([
      'a',
      'a\nb\nc',
      'd',
    ]);
    expect(heard).toEqual(['1', 'wrong']);
  });
});
