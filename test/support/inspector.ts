import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { text } from 'node:stream/consumers';
import { type Browser, type BrowserContextOptions, chromium, type Download, type Page } from 'playwright-core';
import { afterAll, beforeAll, expect, onTestFinished } from 'vitest';
import { shared } from './shared.js';

/** A page, with what went wrong in it. */
export interface Visit {
  readonly page: Page;
  /** Errors and warnings on the console, and what was thrown. */
  readonly complaints: string[];
  /** All that was asked for over the network. */
  readonly requests: string[];
}

/** Where the inspector is, and how to visit it. */
export interface Chromium {
  readonly address: () => string;
  /** `isNew`: in a page that no other test has, because this one changes more of it than the next visit resets. */
  visit(options?: BrowserContextOptions & { url?: string; fragment?: string; isNew?: boolean }): Promise<Visit>;
}

// On a machine that has other work.
const START_MS = 60_000;
const PATIENCE_MS = 10_000;

/** The browser that the run shares. It reads no files of this machine; what it gets from here is copied. */
export const sharedChromium = async (): Promise<Browser> => chromium.connect(await shared('chromium'));

/**
 * The `shardbits inspect` of the run, and a browser, by default one that lasts for the file of tests. The pages of the
 * shared browser are visited again by later tests: a new page takes as much time as most tests do.
 */
export function withChromium(start: () => Promise<Browser> = launch): Chromium {
  let browser: Browser;
  let address = '';
  const free = new Map<string, Visit[]>();

  beforeAll(async () => {
    address = await shared('inspect');
    browser = await start();
  }, START_MS);

  afterAll(() => browser?.close());

  return {
    address: () => address,
    async visit({ url = address, fragment = '', isNew = start !== sharedChromium, ...options } = {}) {
      const kind = JSON.stringify(options);
      const left = isNew ? undefined : free.get(kind)?.pop();
      const visit = left ?? (await open(browser, options));
      if (left !== undefined) await reset(left);
      onTestFinished(async () => {
        if (isNew) return visit.page.context().close(); // what is drawn in it would slow the other tests down
        free.set(kind, [...(free.get(kind) ?? []), visit]);
      });
      await visit.page.goto(url + fragment);
      return visit;
    },
  };
}

async function open(browser: Browser, options: BrowserContextOptions): Promise<Visit> {
  const viewport = { width: 1280, height: 900 };
  const context = await browser.newContext({ viewport, permissions: ['clipboard-write'], ...options });
  context.setDefaultTimeout(PATIENCE_MS);
  await context.addInitScript(noteCopies);
  const visit: Visit = { page: await context.newPage(), complaints: [], requests: [] };
  visit.page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) visit.complaints.push(message.text());
  });
  visit.page.on('pageerror', (error) => visit.complaints.push(String(error)));
  visit.page.on('request', (request) => visit.requests.push(request.url()));
  return visit;
}

/** Keeps what the page copies: all pages of the run have one clipboard. */
function noteCopies(): void {
  const { prototype } = globalThis.Clipboard ?? {}; // only where the page may be trusted
  if (prototype === undefined) return;
  const { write, writeText } = prototype;
  prototype.writeText = async function (text) {
    await writeText.call(this, text);
    Object.assign(window, { copied: text });
  };
  prototype.write = async function (items) {
    const [text] = await Promise.all([
      items[0]?.getType('text/plain').then((blob) => blob.text()),
      write.call(this, items),
    ]);
    Object.assign(window, { copied: text });
  };
}

/** What the page copied last. */
export function copied(page: Page): Promise<string> {
  return page.evaluate(() => (window as unknown as { copied: string }).copied);
}

/** Leaves nothing of a visit: what it kept and pointed at, and an address that differs by its fragment only. */
async function reset({ page, complaints, requests }: Visit): Promise<void> {
  await page.mouse.move(0, 0);
  await page.evaluate(() => {
    localStorage.clear();
    history.replaceState(null, '', '/?left'); // else the next visit would be no navigation
  });
  complaints.length = requests.length = 0;
}

/** The text of a file that the page has made. The browser may be on another machine, as far as Playwright knows. */
export async function downloaded(download: Download): Promise<string> {
  return text(await download.createReadStream());
}

export async function launch(): Promise<Browser> {
  const { chromiumOptions } = await import('./chromium.js'); // which starts Chromium once to try it
  return chromium.launch(chromiumOptions);
}

/** Pastes as a person does, a text of any size: the clipboard of a headless browser is nobody's. */
export async function paste(page: Page, text: string): Promise<void> {
  await page.evaluate((pasted) => {
    const clipboardData = new DataTransfer();
    clipboardData.setData('text/plain', pasted);
    const target = document.activeElement ?? document.body;
    const event = new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true });
    // What the page leaves to the browser goes where the cursor is.
    if (target.dispatchEvent(event)) document.execCommand('insertText', false, pasted);
  }, text);
}

/** Drops a file. Its text is an expression, so that 20 MB are made in the page and need not go there. */
export async function drop(page: Page, name: string, text: string): Promise<void> {
  await page.evaluate(`{
    const dataTransfer = new DataTransfer();
    dataTransfer.items.add(new File([${text}], ${JSON.stringify(name)}));
    document.body.dispatchEvent(new DragEvent('drop', { dataTransfer, bubbles: true, cancelable: true }));
  }`);
}

/** An expression for so many snowflakes, a line each: 7 ms apart from 2024-11-25T10:40Z on, shards 0 to 63 in turn. */
export function snowflakes(count: number): string {
  return `Array.from({ length: ${count} }, (_, i) =>
    (BigInt(60_000_000_000 + i * 7) << 22n) | (BigInt((i * 37) % 64) << 12n) | BigInt(i % 3)).join('\\n')`;
}

const AXE = createRequire(import.meta.url).resolve('axe-core/axe.min.js');

/** What axe finds wrong with the page as it is. */
export async function accessibilityProblems(page: Page): Promise<string[]> {
  // A page that lets no script in but its own has this one from the debugger.
  await page.evaluate(readFileSync(AXE, 'utf8'));
  return page.evaluate(async () => {
    const { axe } = window as unknown as {
      axe: { run(): Promise<{ violations: { id: string; nodes: { html: string; failureSummary: string }[] }[] }> };
    };
    const { violations } = await axe.run();
    return violations.flatMap(({ id, nodes }) => nodes.map((node) => `${id}: ${node.html} ${node.failureSummary}`));
  });
}

/** The link that a reader copies. */
export async function copiedLink(page: Page): Promise<string> {
  await page.evaluate(() => Object.assign(window, { copied: '' })); // what was copied before
  await page.getByRole('button', { name: 'Copy link' }).click();
  await expect.poll(() => copied(page)).not.toBe('');
  return copied(page);
}

/** Shows what a layout is edited by, if it is not seen already. */
export async function editLayout(page: Page): Promise<void> {
  if (!(await page.getByLabel('Fields').isVisible())) await page.getByText('Edit layout').click();
}

/** Types the fields of a layout, and waits until the page has them: it may then replace what is in the box of the epoch. */
export async function typeFields(page: Page, fields: string): Promise<void> {
  await editLayout(page);
  await page.getByLabel('Fields').fill(fields);
  await page.getByLabel('Fields').press('Enter');
  const names = fields.split(',').map((field) => field.replace(/:.*/, ''));
  await expect
    .poll(async () => (await page.locator('.field dt').allTextContents()).map((name) => name.replace(' (Unix ms)', '')))
    .toEqual(names);
}

export function expectNoComplaints({ complaints }: Visit): void {
  expect(complaints).toEqual([]);
}

/** What the page says a field holds. */
export function field(page: Page, name: string): Promise<string | null> {
  return page
    .locator('.field', { has: page.getByText(name, { exact: true }) })
    .locator('.value')
    .textContent();
}

/** What the page says of an id. */
export function fact(page: Page, name: string): Promise<string | null> {
  return page
    .locator('.fact', { has: page.getByText(name, { exact: true }) })
    .locator('dd')
    .first()
    .textContent();
}
