// Visits the finished site in Chromium: as axe sees it, light and dark; on a phone; and what its search finds.
import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { type BrowserContextOptions, chromium, type Page } from 'playwright-core';

const ORIGIN = 'http://site.invalid';

/** A page of each kind: axe sees these, light and dark. */
const KINDS = [
  'index.html',
  '404.html',
  ...['index', 'inspector', 'other-languages', 'performance'].map((name) => `guides/${name}.html`),
  ...['index', 'shardbits/partitioners'].map((name) => `reference/${name}.html`),
];

/** All that the search loads: its index and its code, as gzip. If it grows, lower `MAX_SECTIONS` of search.ts. */
const MAX_SEARCH_BYTES = 80_000;

/** What readers look for, and a page that has to be among the first five answers. */
const SEARCHES: readonly (readonly [query: string, page: string])[] = [
  ['discord', 'guides/layouts'],
  ['redis', 'guides/partitioner'],
  ['weights', 'guides/shard-map'],
  ['collision', 'guides/'],
  ['move away', 'guides/faq'],
  ['content security policy', 'guides/runtimes'],
  ['kubernetes', 'guides/operating'],
  ['murmur2', 'guides/kafka'],
  ['jumpHashMany', 'reference/'],
  ['onClockBackwards', 'reference/'],
  ['PGPASSWORD', 'guides/operating'],
  ['--rejects', 'guides/files'],
  ['clock goes back', 'guides/minting'],
];

interface Axe {
  run(options: object): Promise<{ violations: { id: string; nodes: { html: string; failureSummary: string }[] }[] }>;
}
const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** What axe finds wrong with the page as it is, of all its rules or of some. */
async function accessibilityProblems(page: Page, ...rules: string[]): Promise<string[]> {
  await page.evaluate(AXE);
  const violations = await page.evaluate(
    async (options) => (await (window as unknown as { axe: Axe }).axe.run(options)).violations,
    rules.length > 0 ? { runOnly: rules } : {},
  );
  return violations.flatMap(({ id, nodes }) => nodes.map((node) => `${id}: ${node.html} ${node.failureSummary}`));
}

const TYPES: Readonly<Record<string, string>> = {
  css: 'text/css',
  html: 'text/html',
  js: 'text/javascript',
  svg: 'image/svg+xml',
  png: 'image/png',
  woff2: 'font/woff2',
};

/**
 * What is wrong with the site in a folder.
 * @param base its address on its host
 * @param isEvery whether axe sees every page, which takes a minute of a core
 */
export async function problemsInChromium(folder: string, base = '/', isEvery = false): Promise<string[]> {
  if (process.platform !== 'linux' || process.arch !== 'x64') {
    console.log('Chromium, which is only for Linux on x64, has not looked at the site');
    return [];
  }
  const { chromiumOptions } = await import('../../test/support/chromium.js');
  const browser = await chromium.launch(chromiumOptions);
  const problems: string[] = [];
  const search = new Map<string, number>();
  const open = async (options: BrowserContextOptions): Promise<Page> => {
    const page = await (await browser.newContext({ reducedMotion: 'reduce', ...options })).newPage();
    await page.route('**/*', async (route) => {
      const path = decodeURIComponent(new URL(route.request().url()).pathname).slice(base.length);
      const body = readFileSync(join(folder, path.replace(/(^|\/)$/, '$1index.html')));
      if (path.includes('ocalSearch')) search.set(path, gzipSync(body, { level: 9 }).length);
      await route.fulfill({ body, contentType: TYPES[/\w+$/.exec(path)?.[0] ?? ''] ?? 'text/html' });
    });
    page.on('pageerror', (error) => problems.push(`${page.url()}: ${error}`));
    page.on('console', (message) => message.type() === 'error' && problems.push(`${page.url()}: ${message.text()}`));
    return page;
  };
  const page = await open({ viewport: { width: 1440, height: 900 } });
  const phone = await open({ viewport: { width: 360, height: 740 }, javaScriptEnabled: false });

  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  for (const file of files.filter((name) => name.endsWith('.html') && !name.startsWith('inspector')).sort()) {
    const note = (found: string[]) => problems.push(...found.map((problem) => `${file}: ${problem}`));
    await phone.goto(ORIGIN + base + file);
    const width = await phone.evaluate(() => document.documentElement.scrollWidth);
    if (width > 360) note([`is ${width} px wide on a phone of 360`]);
    if (file === 'index.html') {
      const picture = phone.locator('.picture img:visible');
      const width = await picture.evaluateAll(([image]) => (image as HTMLImageElement | undefined)?.naturalWidth);
      if (!width) note(['the picture is not seen before scripts run']);
    }
    if (!isEvery && !KINDS.includes(file)) continue;
    await page.emulateMedia({ colorScheme: 'light' });
    await page.goto(ORIGIN + base + file);
    note(await accessibilityProblems(page));
    await page.emulateMedia({ colorScheme: 'dark' });
    note(await accessibilityProblems(page, 'color-contrast'));
  }

  await page.goto(ORIGIN + base);
  await page.getByRole('button', { name: 'Search' }).click();
  const box = page.getByRole('searchbox');
  const results = page.locator('.results .result');
  for (const [query, expected] of SEARCHES) {
    await box.fill(query);
    const found = page.locator(`.results li:nth-child(-n + 5) .result[href^="${base}${expected}"]`);
    await found
      .first()
      .waitFor({ timeout: 10_000 })
      .catch(async () => {
        const links = await results.evaluateAll((links) => links.map((link) => link.getAttribute('href')));
        problems.push(`The search for ${query} finds ${links.slice(0, 5).join(', ')}: expected ${expected}`);
      });
    await box.fill('');
    await results.first().waitFor({ state: 'hidden' });
  }
  await box.fill('kafka');
  await results.first().waitFor();
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme });
    problems.push(...(await accessibilityProblems(page)).map((problem) => `The search: ${problem}`));
  }
  await browser.close();

  const bytes = [...search.values()].reduce((sum, size) => sum + size, 0);
  console.log(`The search loads ${bytes} bytes of gzip`);
  if (search.size !== 2 || bytes > MAX_SEARCH_BYTES) {
    problems.push(
      `The search loads ${bytes} bytes from ${[...search.keys()]}: expected 2 files, ${MAX_SEARCH_BYTES} bytes`,
    );
  }
  return problems;
}
