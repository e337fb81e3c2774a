import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { request } from 'node:http';
import { describe, expect, it, onTestFinished } from 'vitest';
import { shardbits } from '../support/cli.js';
import { runHere } from '../support/run-here.js';

interface Answer {
  status: number | undefined;
  headers: NodeJS.Dict<string | string[]>;
  body: string;
}

async function start(): Promise<{ child: ChildProcess; port: number }> {
  const child = spawn(process.execPath, ['dist/cli.js', 'inspect', '--port', '0']);
  onTestFinished(() => void child.kill());
  const [line] = (await once(child.stdout as NodeJS.ReadableStream, 'data')) as [Buffer];
  const [, port] = /^http:\/\/127\.0\.0\.1:(\d+)\/\n$/.exec(line.toString()) ?? [];
  return { child, port: Number(port) };
}

function ask(port: number, { method = 'GET', path = '/', host = `127.0.0.1:${port}` } = {}): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const asked = request({ port, host: '127.0.0.1', method, path, headers: { Host: host } }, (response) => {
      let body = '';
      response.on('data', (chunk) => {
        body += chunk;
      });
      response.on('end', () => resolve({ status: response.statusCode, headers: response.headers, body }));
    });
    asked.on('error', reject).end();
  });
}

describe('inspect', () => {
  it('serves the page, with what it may do in the headers, too', async () => {
    const { port } = await start();
    const { status, headers, body } = await ask(port);
    expect([status, body]).toEqual([200, readFileSync('dist/inspector.html', 'utf8')]);
    expect(headers['content-security-policy']).toMatch(
      /^default-src 'none'; .*connect-src 'none'.*frame-ancestors 'none'$/,
    );
    expect(headers).toMatchObject({
      'content-type': 'text/html; charset=utf-8',
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
    });
    expect(await ask(port, { path: '/?a=b', host: `localhost:${port}` })).toMatchObject({ status: 200 });
    expect(await ask(port, { method: 'HEAD' })).toMatchObject({ status: 200, body: '' });
  });

  it('serves nothing else, to nobody else', async () => {
    const { port } = await start();
    expect(await ask(port, { path: '/cli.js' })).toMatchObject({ status: 404 });
    expect(await ask(port, { path: '/../package.json' })).toMatchObject({ status: 404 });
    expect(await ask(port, { method: 'POST' })).toMatchObject({ status: 405, headers: { allow: 'GET, HEAD' } });
    for (const host of [
      'example.com',
      `example.com:${port}`,
      `127.0.0.1.example.com:${port}`,
      `127.0.0.1:${port + 1}`,
    ]) {
      expect(await ask(port, { host })).toMatchObject({ status: 403 });
    }
  });

  it('ends with Ctrl-C, as other commands do', async () => {
    const { child } = await start();
    child.kill('SIGINT');
    expect(await once(child, 'exit')).toEqual([null, 'SIGINT']);
  });

  it('says so where the port is taken, or is none', async () => {
    const { port } = await start();
    expect(await shardbits(['inspect', '--port', String(port)])).toMatchObject({
      code: 1,
      stderr: `error: port ${port} is in use; --port 0 takes one that is free\n`,
    });
    expect(await runHere(['inspect', '--port', '65536'])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('--port: expected 0 to 65535, got 65536'),
    });
    expect(await runHere(['inspect', '--port', 'web'])).toMatchObject({ code: 2 });
  });
});
