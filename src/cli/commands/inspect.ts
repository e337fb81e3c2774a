import { readFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { detailsOf } from '../../errors.js';
import type { CliCommand } from '../options/command.js';
import { integerFrom } from '../options/usage.js';
import { print, say } from '../terminal.js';

// Only this machine can connect. To show the page to others, its owner can send them the file.
const HOST = '127.0.0.1';
const PORT = 4242;
const portNumber = integerFrom(0, 65535, '0 to 65535');

export function define(command: CliCommand): void {
  command
    .description(
      'Serve the inspector on this machine: a page that decodes ids, one or a million. Ctrl-C ends it.\nNothing leaves the page, which needs no server: dist/inspector.html can be opened as a file.',
    )
    .option('--port <n>', 'the port on 127.0.0.1; 0 takes one that is free', portNumber, PORT)
    .examples('shardbits inspect --port 8080')
    .action(async ({ port }: { port: number }) => {
      const server = serverOf(readFileSync(new URL('../inspector.html', import.meta.url), 'utf8'));
      const address = await listen(server, port);
      await print(`http://${HOST}:${address.port}/\n`);
      say('Ctrl-C ends it.');
    });
}

function listen(server: Server, port: number): Promise<AddressInfo> {
  return new Promise((resolve, reject) => {
    server.once('error', (error) => {
      const busy = detailsOf(error).code === 'EADDRINUSE';
      reject(busy ? new Error(`port ${port} is in use; --port 0 takes one that is free`) : error);
    });
    server.listen(port, HOST, () => resolve(server.address() as AddressInfo));
  });
}

function serverOf(page: string): Server {
  // Only a header can forbid framing; a policy inside the page cannot.
  const policy = /http-equiv="Content-Security-Policy" content="([^"]*)"/.exec(page)?.[1] ?? '';
  const headers = {
    'Content-Security-Policy': `${policy}; frame-ancestors 'none'`,
    'X-Content-Type-Options': 'nosniff',
    'Referrer-Policy': 'no-referrer',
    'Cross-Origin-Opener-Policy': 'same-origin',
    'Cross-Origin-Resource-Policy': 'same-origin',
    'Cache-Control': 'no-cache',
  };
  return createServer((request, response) => {
    const { status, text } = answerTo(request);
    const body = new TextEncoder().encode(status === 200 ? page : `${text}\n`);
    response.writeHead(status, {
      ...headers,
      'Content-Type': `text/${status === 200 ? 'html' : 'plain'}; charset=utf-8`,
      'Content-Length': body.length,
      ...(status === 405 ? { Allow: 'GET, HEAD' } : {}),
    });
    response.end(request.method === 'HEAD' ? undefined : body);
  });
}

function answerTo({ method = '', url = '', headers, socket }: IncomingMessage): { status: number; text: string } {
  // Otherwise somebody else's domain that resolves to this machine (DNS rebinding) could read the page as its own.
  const hosts = [HOST, 'localhost'].flatMap((name) => [`${name}:${socket.localPort}`, name]);
  if (!hosts.includes((headers.host ?? '').toLowerCase())) {
    return { status: 403, text: `expected the host ${HOST}, got another` };
  }
  if (method !== 'GET' && method !== 'HEAD') return { status: 405, text: 'expected GET or HEAD' };
  return url.split('?')[0] === '/' ? { status: 200, text: '' } : { status: 404, text: 'not found: the only page is /' };
}
