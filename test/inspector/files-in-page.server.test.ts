import { gzipSync } from 'node:zlib';
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { expectNoComplaints, sharedChromium, withChromium } from '../support/inspector.js';
import { zstdOf } from '../support/zstd.js';

const chromium = withChromium(sharedChromium);
const A = '175928847299117063';
const B = '1541815603606036480';

/** Drops files together, as from a folder. */
async function dropAll(page: Page, files: Record<string, Uint8Array>): Promise<void> {
  const entries = Object.entries(files).map(([name, bytes]) => [name, [...bytes]] as const);
  await page.evaluate((dropped) => {
    const dataTransfer = new DataTransfer();
    for (const [name, bytes] of dropped) dataTransfer.items.add(new File([Uint8Array.from(bytes)], name));
    document.body.dispatchEvent(new DragEvent('drop', { dataTransfer, bubbles: true, cancelable: true }));
  }, entries);
}

const summary = (page: Page) => page.locator('.input .summary').textContent();
const bytesOf = (text: string) => new TextEncoder().encode(text);

describe('files', () => {
  it('are read together, plain, as gzip and as zstd', async () => {
    const visit = await chromium.visit();
    const { page } = visit;
    await dropAll(page, {
      'a.txt': bytesOf(`${A}\n${B}`),
      'b.txt.gz': gzipSync(`${B}\n-1\n`),
      'c.log.zst': zstdOf(`saved user_id=${A}\nstopped`),
    });
    await expect.poll(() => summary(page)).toBe('4 ids · 3 files · 2 unreadable rows');
    const places = await page.locator('.body .row .line').allTextContents();
    expect(places).toEqual(['a.txt:1', 'a.txt:2', 'b.txt.gz:1', 'b.txt.gz:2', 'c.log.zst:1:15', 'c.log.zst:2:1']);
    expectNoComplaints(visit);
  });

  it('of gzip may have several parts', async () => {
    const { page } = await chromium.visit();
    const ids = Array.from({ length: 300 }, (_, i) => `${BigInt(A) + BigInt(i)}\n`);
    const stored = (text: string) => gzipSync(gzipSync(text), { level: 0 }); // a header inside of a part
    for (const [parts, count] of [
      [[gzipSync(`${A}\n`), gzipSync(B)], 2],
      [[...ids.map((id) => gzipSync(id)), gzipSync('')], 300],
      [ids.slice(0, 5).map(stored), 5],
    ] as const) {
      await dropAll(page, { 'ids.gz': Buffer.concat(parts) });
      await expect.poll(() => summary(page)).toBe(`${count} ids · one per line`);
    }
  });

  it('are picked together', async () => {
    const { page } = await chromium.visit();
    await page.getByLabel('Files of ids').setInputFiles([
      { name: 'a.txt', mimeType: 'text/plain', buffer: Buffer.from(A) },
      { name: 'b.txt', mimeType: 'text/plain', buffer: Buffer.from(B) },
    ]);
    await expect.poll(() => summary(page)).toBe('2 ids · 2 files · one per line');
  });

  it.each([
    ['without a byte', { 'empty.csv': new Uint8Array(0) }, 'empty.csv cannot be read: it is empty'],
    ['of blank lines', { 'blank.txt': bytesOf('\n \n') }, 'blank.txt cannot be read: it is empty'],
    ['of nothing, compressed', { 'empty.gz': gzipSync('') }, 'empty.gz cannot be read: it is empty'],
    [
      'without a byte, of several',
      { 'a.txt': new Uint8Array(0), 'b.txt': new Uint8Array(0) },
      'a.txt, b.txt cannot be read: it is empty',
    ],
  ])('%s are told to be empty, and ids before them go', async (_, files, message) => {
    const visit = await chromium.visit();
    const { page } = visit;
    await dropAll(page, { 'ids.txt': bytesOf(`${A}\n${B}`) });
    await page.getByRole('region', { name: 'Answer' }).waitFor();
    await dropAll(page, files);
    await expect.poll(() => page.getByRole('alert').textContent()).toBe(message);
    expect(await page.getByRole('region', { name: 'Answer' }).count()).toBe(0);
    expectNoComplaints(visit);
  });

  it('say what is wrong with them', async () => {
    const { page } = await chromium.visit();
    const error = page.getByRole('alert');
    const whole = gzipSync(A);
    await dropAll(page, { 'ids.gz': whole.subarray(0, whole.length - 9) });
    await error.getByText('ids.gz cannot be read: it is truncated: its gzip data has no end.').waitFor();
    await dropAll(page, { 'ids.gz': Buffer.concat([gzipSync(B), whole.subarray(0, whole.length - 9)]) });
    await error.getByText('ids.gz cannot be read: it is truncated: its gzip data has no end.').waitFor();
    await dropAll(page, { 'ids.gz': Buffer.concat([whole, Buffer.from('text')]) });
    await error.getByText('ids.gz cannot be read: something else follows its gzip data.').waitFor();
    await dropAll(page, { 'photo.png': Uint8Array.of(0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0, 0, 0, 0x0d) });
    await error.getByText('photo.png cannot be read: it is not text but a PNG image.').waitFor();
    await dropAll(page, { 'ids.txt': bytesOf(A) });
    await expect.poll(() => summary(page)).toBe('1 id');
    expect(await error.count()).toBe(0);
  });
});

describe('a log', () => {
  it('has its ids found, and one of several chosen', async () => {
    const { page } = await chromium.visit();
    await page.getByRole('textbox', { name: 'Ids' }).fill(`user_id=${A} message_id=${B}\nuser_id=${B} message_id=${A}`);
    await expect.poll(() => summary(page)).toBe('4 ids · found in text');
    const kinds = page.getByRole('list', { name: 'Kinds of ids' });
    await kinds.getByRole('button', { name: 'message_id' }).click();
    await expect.poll(() => summary(page)).toBe('2 ids · found in text');
    expect(await page.locator('.body .row .line').allTextContents()).toEqual(['1:39', '2:40']);
  });
});
