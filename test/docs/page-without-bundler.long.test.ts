// The page of docs/runtimes.md that needs no bundler, in Chromium.
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { chromium } from 'playwright-core';
import { expect, it } from 'vitest';
import { chromiumOptions } from '../support/chromium.js';

const [, html = ''] = /```html\n(<!doctype html>.*?)```/s.exec(readFileSync('docs/runtimes.md', 'utf8')) ?? [];

it('is shown as it stands in the guide, with what dist/ contains', async () => {
  const server = createServer((request, response) => {
    const [, file] = /^\/node_modules\/shardbits\/(dist\/[\w.-]+\.js)$/.exec(request.url ?? '') ?? [];
    if (file !== undefined) response.writeHead(200, { 'content-type': 'text/javascript' }).end(readFileSync(file));
    else if (request.url === '/') response.writeHead(200, { 'content-type': 'text/html' }).end(html);
    else response.writeHead(404).end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const browser = await chromium.launch(chromiumOptions);
  try {
    const page = await browser.newPage();
    await page.goto(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
    await page.waitForFunction("document.querySelector('p').textContent !== ''");
    expect(await page.textContent('p')).toBe('user:42 is on shard 12.');
  } finally {
    await browser.close();
    server.close();
  }
});
