import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { extname, join } from 'node:path';
import { text } from 'node:stream/consumers';
import type { Outcome } from './program/checks.js';

const TYPES: { readonly [extension: string]: string } = {
  '.js': 'text/javascript',
  '.mjs': 'text/javascript',
  '.wasm': 'application/wasm',
};

export interface Site<T = Outcome> extends AsyncDisposable {
  readonly url: string;
  /** What the program in the page says of itself. */
  readonly outcome: Promise<T>;
}

/**
 * Serves a folder, and a page that runs a program in it, unbundled.
 * @param policy what the page's Content-Security-Policy allows beside scripts of its own; none unless given
 */
export async function serve<T = Outcome>(folder: string, program: string, policy?: string): Promise<Site<T>> {
  let reported: (outcome: T) => void = () => {};
  const outcome = new Promise<T>((resolve) => {
    reported = resolve;
  });
  const server = createServer(async (request, response) => {
    const path = new URL(request.url ?? '/', 'http://localhost').pathname;
    if (path === '/report') {
      reported(JSON.parse(await text(request)));
      response.end();
    } else if (path === '/') {
      const headers =
        policy === undefined ? {} : { 'content-security-policy': `script-src 'self' 'nonce-here' ${policy}` };
      response.writeHead(200, { 'content-type': 'text/html', ...headers }).end(page(program));
    } else {
      const body = await readFile(join(folder, path)).catch(() => undefined);
      response.writeHead(body ? 200 : 404, { 'content-type': TYPES[extname(path)] ?? 'text/plain' }).end(body);
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    outcome,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function page(program: string): string {
  const at = '/node_modules/shardbits/dist';
  const imports = {
    shardbits: `${at}/index.js`,
    'shardbits/kernels': `${at}/kernels.js`,
    'shardbits/streams': `${at}/streams.js`,
    'shardbits/partitioners': `${at}/partitioners.js`,
    'shardbits/detect': `${at}/detect.js`,
    'shardbits/wide-ids': `${at}/wide-ids.js`,
  };
  return `<!doctype html>
    <meta charset="utf-8">
    <script type="importmap" nonce="here">${JSON.stringify({ imports })}</script>
    <script type="module" src="/${program}"></script>`;
}
