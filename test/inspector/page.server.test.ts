import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { gzipSync } from 'node:zlib';
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import manifest from '../../package.json' with { type: 'json' };
import { SERVICES } from '../../src/guess/index.js';
import { defineLayout, layouts } from '../../src/index.js';
import { temporaryFolder } from '../support/cli.js';
import {
  copied,
  copiedLink,
  downloaded,
  drop,
  expectNoComplaints,
  fact,
  field,
  paste,
  sharedChromium,
  snowflakes,
  typeFields,
  type Visit,
  withChromium,
} from '../support/inspector.js';

const chromium = withChromium(sharedChromium);

const SNOWFLAKE = '154173452582932603'; // 2024-03-01T10:30:15.500Z, shard 5, sequence 123

async function open(text: string, options: Parameters<typeof chromium.visit>[0] = {}): Promise<Visit> {
  const visit = await chromium.visit({ fragment: text === SNOWFLAKE ? '#layout=snowflake' : '', ...options });
  await paste(visit.page, text);
  await visit.page.getByRole('heading', { name: 'Layout', exact: true }).waitFor();
  if (text === SNOWFLAKE) await visit.page.getByText('if its epoch is 1 Jan 2023').waitFor();
  return visit;
}

describe('one id', () => {
  it('is taken apart: fields, date, texts', async () => {
    const visit = await open(SNOWFLAKE, { timezoneId: 'America/New_York', locale: 'en-US' });
    const { page } = visit;
    expect(await field(page, 'timestamp (Unix ms)')).toBe('1709289015500');
    expect(await page.locator('.layout .fields').textContent()).toContain('36757815500 × 1 ms since 2023-01-01');
    expect(await fact(page, 'Unix ms')).toBe('1709289015500');
    expect(await field(page, 'shard')).toBe('5');
    expect(await field(page, 'sequence')).toBe('123');
    expect(await fact(page, 'UTC')).toBe('2024-03-01T10:30:15.500Z');
    expect(await fact(page, 'America/New_York')).toBe('2024-03-01T05:30:15.500-05:00');
    expect(await fact(page, 'Relative')).toMatch(/years? ago|last year/);
    expect(await fact(page, 'hexadecimal')).toBe('0223bbf03300507b');
    expect(await fact(page, 'base62')).toBe('0BO7C5bVci3');
    expect(await fact(page, "Crockford's base 32")).toBe('048XVY0SG0M3V');
    expect(await page.locator('.bit').allTextContents()).toEqual([...BigInt(SNOWFLAKE).toString(2).padStart(64, '0')]);
    await expect.poll(() => page.locator('footer').textContent()).toContain('WebAssembly');
    expectNoComplaints(visit);
  });

  it('is shown in other layouts, a few and then all, with reasons', async () => {
    const { page } = await open('13835058055282163712'); // 3 << 62
    const candidates = page.locator('.layouts button');
    expect(await candidates.count()).toBe(5);
    await page.getByRole('button', { name: /^Show \d+ more$/ }).click();
    expect(await candidates.count()).toBe(SERVICES.length);
    expect(await candidates.locator('.reason').allTextContents()).toContain(
      'impossible: the id has 64 bits, the layout has 62',
    );
    await candidates.filter({ hasText: 'mastodon' }).click();
    await expect.poll(() => field(page, 'tail')).toBe('0');
  });

  it('is typed, in any format', async () => {
    const { page } = await chromium.visit();
    await page.getByRole('textbox', { name: 'Ids' }).fill('0x0223bbf03300507b');
    await expect.poll(() => page.getByRole('heading', { name: 'This id' }).count()).toBe(1);
    expect(await fact(page, 'decimal')).toBe(SNOWFLAKE);
    await page.getByRole('textbox', { name: 'Ids' }).fill('not an id');
    await expect.poll(() => page.locator('main').textContent()).toContain('No ids found');
    await page.getByRole('button', { name: 'Clear' }).click();
    await page.getByRole('heading', { name: 'When was it made' }).waitFor();
  });

  it('is opened from a file, without a server', async () => {
    const visit = await open(SNOWFLAKE, { url: `file://${resolve('dist/inspector.html')}`, isNew: true });
    expect(await field(visit.page, 'shard')).toBe('5');
    await expect.poll(() => visit.page.locator('footer').textContent()).toContain('WebAssembly');
    expectNoComplaints(visit);
  });
});

describe('before there are ids', () => {
  it('a headline says what the page does and what to paste, and examples show it', async () => {
    const visit = await chromium.visit();
    const { page } = visit;
    const empty = page.getByRole('region', { name: 'When was it made, and by whom?' });
    expect(await empty.getByRole('paragraph').textContent()).toBe(
      'Paste an id, a link, a log, a file or a date, or try one of these:',
    );
    expect(await page.locator('.input').textContent()).toContain('Nothing leaves this page.');
    const answers: [label: string, heading: string, condition: string][] = [
      ['Discord message link', 'Mon 31 Jan 2022, 23:12:24.749 UTC', ': the link says so'],
      ['Tweet', 'Tue 28 Jun 2022, 16:07:40.105 UTC', 'if it is a tweet'],
      ['Instagram link', 'Wed 26 Aug 2020, 13:43:27.313 UTC', 'an Instagram post: the link says so'],
      ['TikTok link', 'Sat 27 Jul 2019, 13:32:33', 'a TikTok video: the link says so'],
      ['UUIDv7', 'Tue 22 Feb 2022, 19:22:22', 'a UUID of version 7'],
      ['ULID', 'Sat 30 Jul 2016, 23:54:10.259 UTC', 'if it is a ULID'],
      ['ObjectId', 'Wed 17 Oct 2012, 21:13:27', 'if it is a MongoDB ObjectId'],
      ['Log', '13 Aug 2015 to 22 Feb 2022', '4 kinds of ids'],
      ['CSV', '1 Mar 2024 to 13 May 2025', 'if their epoch is 1 Jan 2023'],
      ['Date', '1 Mar 2024 (UTC, whole day)', ''],
      ['Own layout', 'Fri 1 Mar 2024, 10:30:15.500 UTC', 'in your own layout'],
    ];
    for (const [label, heading, condition] of answers) {
      await empty.getByRole('button', { name: label, exact: true }).click();
      await page.getByRole('heading', { level: 2, name: heading }).waitFor();
      if (condition !== '') expect(await page.locator('.answer .if').textContent()).toContain(condition);
      await page.getByRole('button', { name: 'Clear' }).click();
    }
    expect(await empty.getByRole('button').count()).toBe(answers.length + 1); // and a million ids
    expectNoComplaints(visit);
  });

  it('a link that was copied without its ids or keys says so, at the button and when it is opened', async () => {
    const { page } = await chromium.visit({ fragment: '#group=all' });
    const note = page.getByText('This link has no ids: paste or drop them to see them as they were shown.');
    await note.waitFor();
    await paste(page, '1541815603606036480\n'.repeat(500));
    await page.getByRole('region', { name: 'Answer' }).waitFor();
    await page.getByRole('button', { name: 'Copy link' }).click();
    await page.getByRole('button', { name: 'Copied, without the ids' }).waitFor();
    expect(await page.locator('footer').textContent()).toContain('A link is without the ids.');
    await page.getByRole('button', { name: 'Clear' }).click();
    await page.getByRole('heading', { name: 'When was it made' }).waitFor();
    expect(await note.count()).toBe(0);
    await page.goto(`${chromium.address()}?other#ids`); // as the link is if there are no settings
    await note.waitFor();
    await page.getByRole('tab', { name: 'Shards' }).click();
    await page.getByRole('textbox', { name: 'Keys' }).fill('user:42');
    await page.getByRole('button', { name: 'Copy link' }).click();
    await page.getByRole('button', { name: 'Copied, without the keys' }).waitFor();
  });

  it('and after it, links go to the documentation and the source, in another tab that learns nothing of this one', async () => {
    const { page } = await chromium.visit();
    const links = () =>
      page
        .getByRole('link')
        .evaluateAll((all) =>
          all.map((link) => ['href', 'target', 'rel'].map((name) => `${link.getAttribute(name)}`).join(' ')),
        );
    const source = manifest.repository.url.replace(/^git\+|\.git$/g, '');
    const expected = ['/blob/HEAD/docs/inspector.md', ''].map((path) => `${source}${path} _blank noreferrer`);
    expect(await links()).toEqual(expected);
    await paste(page, SNOWFLAKE);
    await page.getByRole('heading', { name: 'This id' }).waitFor();
    expect(await links()).toEqual(expected);
    await page.context().route('https://github.com/**', (route) => route.fulfill({ body: 'opened' }));
    const [other] = await Promise.all([page.waitForEvent('popup'), page.getByRole('link', { name: 'Source' }).click()]);
    await other.getByText('opened').waitFor();
    expect(await other.evaluate(() => [opener, document.referrer])).toEqual([null, '']);
    await other.close();
  });
});

describe('Clear', () => {
  const undo = (page: Page) => page.getByRole('button', { name: 'Undo' });

  it('is taken back, with the settings', async () => {
    const { page } = await open(`id,shard\n${SNOWFLAKE},5\n286435872092454913,6`, { timezoneId: 'Europe/Berlin' });
    await typeFields(page, 'timestamp:41,node:10,count:12');
    await page.getByLabel('Filter').fill('node=5');
    await page.getByLabel('Filter').press('Enter');
    await page.getByRole('heading', { name: '1 of 2 rows' }).waitFor();
    const url = await copiedLink(page);
    await page.getByRole('button', { name: 'Clear' }).click();
    await expect.poll(() => page.url()).not.toContain('node');
    await page.getByRole('button', { name: 'Local' }).click(); // what was chosen after it stays
    await undo(page).click();
    await page.getByRole('heading', { name: '1 of 2 rows' }).waitFor();
    expect(await page.getByLabel('Fields').inputValue()).toBe('timestamp:41,node:10,count:12');
    expect(await page.getByRole('textbox', { name: 'Ids' }).inputValue()).toContain(SNOWFLAKE);
    expect(await page.getByRole('button', { name: 'Local' }).getAttribute('aria-pressed')).toBe('true');
    await page.getByRole('button', { name: 'UTC', exact: true }).click();
    await expect.poll(() => page.url()).toBe(url);
    expect(await undo(page).count()).toBe(0);
  });

  it.each([
    ['many ids', (page: Page) => drop(page, 'ids.txt', snowflakes(2000)), '2,000 rows'],
    ['a date', (page: Page) => paste(page, '2024-03-01'), '1 Mar 2024 (UTC, whole day)'],
  ])('is taken back: %s', async (_, act, heading) => {
    const { page } = await chromium.visit();
    await act(page);
    await page.getByRole('heading', { name: heading }).waitFor();
    await page.getByRole('button', { name: 'Clear' }).click();
    await undo(page).click();
    await page.getByRole('heading', { name: heading }).waitFor();
    await expect.poll(() => page.getByRole('button', { name: 'Clear' }).count()).toBe(1);
  });

  it('is not offered to be taken back once there is something else, nor before', async () => {
    const { page } = await chromium.visit();
    expect(await undo(page).count()).toBe(0);
    await paste(page, SNOWFLAKE);
    await page.getByRole('button', { name: 'Clear' }).click();
    expect(await undo(page).count()).toBe(1);
    const box = page.getByRole('textbox', { name: 'Ids' });
    await box.fill('1541815603606036480');
    await page.getByText('if it is a tweet').waitFor();
    await box.fill('');
    await page.getByRole('heading', { name: 'When was it made' }).waitFor();
    expect(await undo(page).count()).toBe(0);
  });
});

describe('a layout', () => {
  const spec = (page: Page) => page.getByLabel('Fields').inputValue();

  it('is chosen, typed, and given an epoch', async () => {
    const { page } = await open(SNOWFLAKE);
    await page.getByRole('combobox', { name: 'Layout' }).selectOption('clientEntity');
    await expect.poll(() => field(page, 'client')).toBe(String(BigInt(SNOWFLAKE) >> 40n));
    await typeFields(page, 'timestamp:41,node:10,count:12');
    await expect.poll(() => field(page, 'node')).toBe('5');
    expect(await fact(page, 'UTC')).toBe('1971-03-02T10:30:15.500Z');
    await page.getByLabel('Epoch').fill('2023-01-01');
    await page.getByLabel('Epoch').press('Enter');
    await expect.poll(() => fact(page, 'UTC')).toBe('2024-03-01T10:30:15.500Z');
    await page.getByLabel('Unit').selectOption('10ms');
    await expect.poll(() => fact(page, 'UTC')).toMatch(/^2034-/);
    await page.getByLabel('Fields').fill('timestamp:41,node:99');
    await page.getByLabel('Fields').press('Enter');
    await page.getByText('from 1 to 64 bits a field').waitFor();
  });

  it('may count microseconds', async () => {
    const layout = defineLayout({ timestamp: { bits: 54, epoch: Date.UTC(2020, 0), unit: 'us' }, shard: 10 });
    const start = Date.UTC(2024, 2, 1, 10, 30, 15, 500);
    const timestamp = Float64Array.from({ length: 300 }, (_, i) => start + i / 1000);
    const ids = layout.packMany({ timestamp, shard: Uint16Array.from(timestamp, (_, i) => i % 64) });
    const visit = await open(ids.join('\n'));
    const { page } = visit;
    await typeFields(page, 'timestamp:54,shard:10');
    await page.getByLabel('Epoch').fill('2020');
    await page.getByLabel('Epoch').press('Enter');
    await page.getByLabel('Unit').selectOption('1 µs');
    await expect.poll(() => fact(page, 'UTC')).toBe('2024-03-01T10:30:15.500000Z');
    await page.locator('.body .row').nth(7).click();
    expect(await fact(page, 'UTC')).toBe('2024-03-01T10:30:15.500007Z');
    expect(await fact(page, 'Unix ms')).toBe('1709289015500.007');
    const chart = page.locator('.chart .pointed').first();
    await page.getByText('UTC, bars of 2 µs').waitFor();
    await chart.scrollIntoViewIfNeeded();
    const box = await chart.boundingBox();
    if (box === null) throw new Error('no chart');
    await page.mouse.move(box.x + box.width * 0.25, box.y + 20);
    await page.mouse.down();
    await page.mouse.move(box.x + box.width * 0.5, box.y + 20, { steps: 4 });
    await page.mouse.up();
    const filter = page.getByLabel('Filter');
    await expect
      .poll(() => filter.inputValue())
      .toMatch(/^date>=2024-03-01T10:30:15.50007\dZ date<=2024-03-01T10:30:15.5001[45]\dZ$/);
    await filter.fill('timestamp>=1709289015500.1 timestamp<=2024-03-01T10:30:15.500109Z');
    await filter.press('Enter');
    await page.getByRole('heading', { name: '10 of 300 rows' }).waitFor();
    await page.waitForURL(/unit=us.*filter=timestamp/);
    const { page: second } = await chromium.visit({ url: await copiedLink(page) });
    await second.getByRole('heading', { name: '10 of 300 rows' }).waitFor();
    expect(await second.getByRole('columnheader').allTextContents()).toContain('timestamp (Unix ms)');
    expect(await second.locator('.body .row .time').nth(1).textContent()).toBe('1709289015500.1');
    expectNoComplaints(visit);
  });

  it('is drawn: borders are dragged', async () => {
    const { page } = await open(SNOWFLAKE);
    expect(await spec(page)).toBe('timestamp:41,shard:10,sequence:12');
    const border = page.getByRole('slider', { name: 'Border between timestamp and shard' });
    const from = await border.boundingBox();
    const bit = await page.locator('.bit').first().boundingBox();
    if (from === null || bit === null) throw new Error('no border');
    await page.mouse.move(from.x + from.width / 2, from.y + from.height / 2);
    await page.mouse.down();
    await page.mouse.move(from.x + from.width / 2 - bit.width * 3, from.y + from.height / 2, { steps: 6 });
    await page.mouse.up();
    await expect.poll(() => spec(page)).toBe('timestamp:38,shard:13,sequence:12');
    await expect.poll(() => page.getByRole('combobox', { name: 'Layout' }).inputValue()).toBe('own');
  });

  it('is drawn by keys, and keeps its epoch', async () => {
    const { page } = await open(SNOWFLAKE);
    const border = page.getByRole('slider', { name: 'Border between shard and sequence' });
    await border.focus();
    await page.keyboard.press('ArrowRight');
    await expect.poll(() => spec(page)).toBe('timestamp:41,shard:11,sequence:11');
    expect(await border.getAttribute('aria-valuetext')).toBe('shard 11 bits, sequence 11 bits');
    expect(await border.evaluate((element) => element === document.activeElement)).toBe(true);
    await page.keyboard.press('Home');
    await expect.poll(() => spec(page)).toBe('timestamp:41,shard:1,sequence:21');
    await page.getByRole('slider', { name: 'Border above timestamp' }).press('ArrowLeft');
    await expect.poll(() => spec(page)).toBe('timestamp:42,shard:1,sequence:21');
    expect(await page.getByLabel('Epoch').inputValue()).toBe('2023-01-01');
  });
});

describe('tables', () => {
  const CSV = ['user;order;total', `ada;${SNOWFLAKE};12`, 'bob;oops;7', 'cid;286435872092454913;9', 'dan;;1'].join(
    '\n',
  );

  it('have their column guessed, and chosen', async () => {
    const visit = await open(CSV);
    const { page } = visit;
    expect(await page.getByLabel('Column').inputValue()).toBe('order');
    expect(await page.locator('.input .summary').textContent()).toBe(
      '2 ids · a table · 2 unreadable rows · the first line is the header',
    );
    await page.getByLabel('Column').selectOption('total');
    await expect.poll(() => page.locator('.input .summary').textContent()).toContain('4 ids');
    expectNoComplaints(visit);
  });

  it('keep bad rows, with line and reason, and show them alone', async () => {
    const { page } = await open(CSV);
    expect(await page.locator('.reasons').textContent()).toBe(
      '1 row: not an id: the cell is empty · 1 row: no id found',
    );
    await page.getByLabel('Which rows').selectOption('bad');
    await expect
      .poll(() => page.locator('.body .row').allTextContents())
      .toEqual(['3oopsbob7no id found', '5dan1not an id: the cell is empty']);
    await page.locator('.body .row').first().click();
    await page.getByText('Line 3 is unreadable').waitFor();
  });

  it('may be JSON, or JSON lines in a file', async () => {
    const { page } = await open(`{"items":[{"order":{"id":${SNOWFLAKE}}},{"order":{"id":286435872092454913}}]}`);
    expect(await page.locator('.input .summary').textContent()).toBe('2 ids · JSON');
    await drop(page, 'ids.jsonl', `'{"n":1,"id":"${SNOWFLAKE}"}\\n{"n":2}\\n'`);
    await expect.poll(() => page.locator('.input .summary').textContent()).toBe('1 id · JSON · 1 unreadable row');
    expect(await page.getByLabel('Column').inputValue()).toBe('id');
  });

  it('are sorted, filtered and exported', async () => {
    const ids = layouts.snowflake.packMany({
      timestamp: Float64Array.from({ length: 500 }, (_, i) => Date.UTC(2024, 10, 25, 10, 40) + i * 60_000),
      shard: Uint16Array.from({ length: 500 }, (_, i) => (i * 7) % 11),
      sequence: 0,
    });
    const { page } = await open(ids.join('\n'));
    const column = (index: number) =>
      page.locator('.body .row').evaluateAll((rows, i) => rows.map((row) => row.children[i]?.textContent), index);
    await page.getByRole('columnheader', { name: 'shard', exact: true }).getByRole('button').click();
    await expect.poll(async () => (await column(4))[0]).toBe('0');
    await page
      .getByRole('columnheader', { name: /^shard/ })
      .getByRole('button')
      .click();
    await expect.poll(async () => (await column(4))[0]).toBe('10');
    expect(await page.getByRole('columnheader', { name: /^shard/ }).getAttribute('aria-sort')).toBe('descending');
    await page.getByLabel('Filter').fill('shard=3 date<2024-11-25T14');
    await page.getByLabel('Filter').press('Enter');
    await expect.poll(() => page.getByRole('grid').getAttribute('aria-rowcount')).toBe('19');
    await page.getByRole('heading', { name: '18 of 500 rows' }).waitFor();
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Export CSV' }).click(),
    ]);
    const path = `${temporaryFolder()}/ids.csv`;
    await download.saveAs(path);
    const rows = readFileSync(path, 'utf8').trimEnd().split('\r\n');
    expect(rows[0]).toBe('line,id,date,timestamp,shard,sequence,problem');
    expect(rows).toHaveLength(19);
    for (const row of rows.slice(1)) {
      const [line, id, date, , shard] = row.split(',') as [string, string, string, string, string];
      expect([id, date, shard]).toEqual([
        String(ids[Number(line) - 1]),
        layouts.snowflake.dateOf(id).toISOString(),
        '3',
      ]);
    }
    await page.getByLabel('Filter').fill('shad=3');
    await page.getByLabel('Filter').press('Enter');
    await page.getByText('there is no column “shad”').waitFor();
  });
});

describe('a link', () => {
  it('brings back what was seen', async () => {
    const { page } = await open(`id\n${SNOWFLAKE}\nbad\n286435872092454913`);
    await typeFields(page, 'timestamp:41,node:10,count:12');
    await page.getByLabel('Epoch').fill('2023-01-01');
    await page.getByLabel('Epoch').press('Enter');
    await page.getByLabel('Filter').fill('node>=0');
    await page.getByLabel('Filter').press('Enter');
    await page.getByRole('columnheader', { name: 'count', exact: true }).getByRole('button').click();
    await expect.poll(() => page.url()).toContain('sort=count');
    await page.locator('.body .row').first().click();
    const seen = (other: Page) =>
      Promise.all([
        other.locator('main').innerText(),
        ...['Epoch', 'Fields', 'Filter'].map((label) => other.getByLabel(label).inputValue()),
      ]);
    const { page: second } = await chromium.visit({ url: await copiedLink(page) });
    await second.getByRole('grid').waitFor();
    await expect.poll(() => seen(second)).toEqual(await seen(page));
  });

  it('is copied', async () => {
    const { page } = await open('1541815603606036480');
    expect(await copiedLink(page)).toBe(`${chromium.address()}#ids=1541815603606036480`);
  });

  it.each(['%20', '~', '%C2%A0'])('without ids has none: %j', async (ids) => {
    const { page } = await chromium.visit({ fragment: `#layout=snowflake&ids=${ids}` });
    await page.getByRole('heading', { name: 'When was it made' }).waitFor();
    expect(await page.getByRole('alert').filter({ hasText: 'cannot be read' }).count()).toBe(0);
    await paste(page, SNOWFLAKE);
    await expect.poll(() => field(page, 'shard')).toBe('5');
  });
});

describe('nothing leaves the page', () => {
  it('which works without a network, and asks for nothing', async () => {
    const visit = await chromium.visit({ isNew: true });
    await visit.page.context().setOffline(true);
    await paste(visit.page, '1541815603606036480');
    await expect.poll(() => field(visit.page, 'datacenter')).toBe('11');
    expect(visit.requests.filter((url) => !/^(blob|data):/.test(url))).toEqual([chromium.address()]);
    const tried = await visit.page.evaluate(() =>
      fetch('/').then(
        () => 'sent',
        () => 'refused',
      ),
    );
    expect(tried).toBe('refused');
  });

  it('runs nothing that was pasted into it', async () => {
    const { page } = await chromium.visit();
    const code = 'globalThis.ran=1';
    const html = `<img src=x onerror="${code}"><svg onload="${code}"><script>${code}</script><a href="javascript:${code}">`;
    await paste(
      page,
      ['id,name', `1541815603606036480,${html}`, `1541815603606036481,"=cmd|${html}"`, html].join('\n'),
    );
    await expect.poll(() => page.locator('body').textContent()).toContain('1541815603606036481');
    expect(await page.evaluate(() => 'ran' in globalThis)).toBe(false);
    expect(await page.locator('main img[src=x], main svg[onload], main a[href^="javascript:"]').count()).toBe(0);
  });

  it('also where WebAssembly is forbidden: BigInt gives the same', async () => {
    const ids = Array.from({ length: 300 }, (_, i) => (BigInt(i) * 0x9e3779b97f4a7c15n) % 2n ** 63n).join('\n');
    const seen = async (forbid: boolean) => {
      const { page } = await chromium.visit({ isNew: forbid });
      if (forbid) {
        await page.route('**/*', async (route) => {
          const page = readFileSync('dist/inspector.html', 'utf8').replace(" 'wasm-unsafe-eval'", '');
          await route.fulfill({ body: page, contentType: 'text/html' });
        });
        await page.reload();
      }
      await paste(page, ids);
      await page.getByRole('grid').waitFor();
      await expect
        .poll(() => page.locator('footer').textContent())
        .toContain(forbid ? 'BigInt: WebAssembly is not available' : 'WebAssembly');
      await page.getByText('Counting…').waitFor({ state: 'detached' });
      return page.locator('main').innerText();
    };
    expect(await seen(true)).toBe(await seen(false));
  });
});

describe('rows', () => {
  it('are copied as they would be exported', async () => {
    const { page } = await chromium.visit();
    await drop(page, 'ids.txt', snowflakes(300));
    await page.getByRole('searchbox', { name: 'Filter' }).fill('line<=2');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: '2 of 300 rows' }).waitFor();
    await page.getByRole('combobox', { name: 'Export as' }).selectOption('JSON');
    await page.getByRole('button', { name: 'Copy rows' }).click();
    await page.getByText('Copied').waitFor();
    const rows = JSON.parse(await copied(page));
    expect(rows).toMatchObject([{ line: 1 }, { line: 2 }]);
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Export JSON' }).click(),
    ]);
    expect(download.suggestedFilename()).toBe('ids.json');
    expect(JSON.parse(await downloaded(download))).toEqual(rows);
  });
});

describe('an export', () => {
  it('is named by its own format, whatever is chosen while it is made', async () => {
    const { page } = await chromium.visit();
    await drop(page, 'ids.txt', snowflakes(100_000));
    await page.getByRole('heading', { name: '100,000 rows' }).waitFor();
    const download = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Export CSV' }).click();
    await page.getByRole('combobox', { name: 'Export as' }).selectOption('JSON');
    expect((await download).suggestedFilename()).toBe('ids.csv');
  });
});

describe('the file', () => {
  it('is at most 147 KB of gzip, and at most 100 KB without the script of the Shards tab', () => {
    const html = readFileSync('dist/inspector.html', 'utf8');
    const [, second = ''] = /<script type="text\/plain">(.*?)<\/script>/s.exec(html) ?? [];
    const sizeOf = (text: string) => gzipSync(text, { level: 9 }).length;
    const [all, first] = [sizeOf(html), sizeOf(html.replace(second, ''))];
    console.log(`inspector.html: ${all} bytes of gzip, ${first} without the script of the Shards tab`);
    expect(second.length).toBeGreaterThan(100_000);
    expect(all).toBeLessThanOrEqual(147 * 1024);
    expect(first).toBeLessThanOrEqual(100 * 1024);
  });

  it('refers to nothing outside of itself', () => {
    const html = readFileSync('dist/inspector.html', 'utf8');
    expect(html).toContain("default-src 'none'");
    expect(html).toContain("connect-src 'none'");
    expect(html).not.toContain('unsafe-inline');
    expect(html.match(/(src|href)="(?!data:)/g)).toBeNull();
  });
});
