import { type Open, openChromium, openFirefox, openWebKit } from '../browsers.js';
import { MAX_MS } from '../processes.js';
import type { Outcome } from '../program/checks.js';
import type { Row } from '../row.js';
import type { Scratch } from '../scratch.js';
import { serve } from '../site.js';

export const BROWSERS = {
  Chromium: openChromium,
  Firefox: openFirefox,
  WebKit: openWebKit,
} satisfies { readonly [name: string]: Open };

/** What a page with a program in it comes to in a browser. */
export async function inBrowser<T extends Outcome>(
  open: Open,
  scratch: Scratch,
  folder: string,
  program: string,
  policy?: string,
): Promise<T> {
  await using site = await serve<T>(folder, program, policy);
  await using browser = await open(site.url, scratch);
  const late = new Promise<never>((_, reject) => {
    setTimeout(() => reject(new Error('the page has not reported')), MAX_MS).unref();
  });
  const outcome = await Promise.race([site.outcome, late]);
  return { ...outcome, version: browser.version || versionIn(outcome.version) };
}

/** ES modules as they lie in the package; and where a page's policy forbids WebAssembly, which has to be BigInt then. */
export const browsers: readonly Row[] = Object.entries(BROWSERS).flatMap(([name, open]) => [
  {
    name,
    backend: 'wasm',
    run: (scratch) => inBrowser(open, scratch, scratch.app, 'in-a-page.mjs'),
  },
  {
    name: `${name}, WebAssembly forbidden`,
    backend: 'bigint',
    run: (scratch) => inBrowser(open, scratch, scratch.app, 'in-a-page.mjs', ''),
  },
]);

const versionIn = (userAgent: string): string => /(?:Firefox|Chrome)\/(\S+)/.exec(userAgent)?.[1] ?? userAgent;
