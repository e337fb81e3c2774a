// Takes the pictures of the built page for the documentation: npx tsx test/inspector/screenshots.ts.

import { mkdirSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import type { BrowserContextOptions, Page } from 'playwright-core';
import { launch } from '../support/inspector.js';

const FOLDER = 'docs/pictures';
const MAX_BYTES = 150_000;

async function million(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'A million ids' }).click();
  await page.getByRole('heading', { name: '1,000,000 rows' }).waitFor();
}

interface Picture extends BrowserContextOptions {
  readonly name: string;
  readonly fragment?: string;
  readonly act?: (page: Page) => Promise<void>;
}

const PICTURES: readonly Picture[] = [
  { name: 'empty', viewport: { width: 1200, height: 620 } },
  { name: 'one-id', viewport: { width: 1200, height: 860 }, fragment: '#ids=1541815603606036480' },
  { name: 'million', viewport: { width: 1200, height: 1020 }, act: million },
  { name: 'dark', viewport: { width: 1200, height: 1020 }, colorScheme: 'dark', act: million },
  {
    name: 'phone',
    viewport: { width: 360, height: 740 },
    isMobile: true,
    hasTouch: true,
    deviceScaleFactor: 2,
    fragment: '#ids=286435872092454913',
  },
];

mkdirSync(FOLDER, { recursive: true });
const browser = await launch();
for (const { name, fragment = '', act, ...options } of PICTURES) {
  const context = await browser.newContext({ locale: 'en-GB', timezoneId: 'Europe/Berlin', ...options });
  const page = await context.newPage();
  await page.goto(`file://${resolve('dist/inspector.html')}${fragment}`);
  if (fragment !== '') await page.getByRole('heading', { name: 'This id' }).waitFor();
  await act?.(page);
  const path = `${FOLDER}/${name}.png`;
  await page.screenshot({ path });
  const { size } = statSync(path);
  console.log(`${path}: ${size} bytes`);
  if (size > MAX_BYTES) throw new Error(`${path} has more than ${MAX_BYTES} bytes`);
  await context.close();
}
await browser.close();
