import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PassThrough, Readable, Writable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { Router } from '../../src/index.js';
import { wasm } from '../../src/kernels/index.js';
import { routeFile } from '../../src/node/index.js';
import { onBothBackends } from '../support/backends.js';
import { temporaryFolder } from '../support/cli.js';
import { randomU64s } from '../support/random.js';
import { IS_FULL, scaled } from '../support/scale.js';
import { wrong } from '../support/wrong-argument.js';

const router = new Router({ shards: 1000, seed: 5n, down: [1, 2] });
const keys = Array.from(randomU64s(scaled(30_000)), (value, i) => 'key '.repeat(i % 9) + value);
const text = keys.join('\n');

/** A stream that keeps what is written to it. */
function collector(): Writable & { text(): string } {
  const chunks: Buffer[] = [];
  const stream = new Writable({
    write(chunk: Buffer, _, done) {
      chunks.push(chunk);
      setImmediate(done); // slower than it is written to
    },
  });
  return Object.assign(stream, { text: () => Buffer.concat(chunks).toString() });
}

function keysFile(contents = text): string {
  const path = join(temporaryFolder(), 'keys');
  writeFileSync(path, contents);
  return path;
}

onBothBackends('routeFile', () => {
  it('gives what routeMany gives, to a file and to a stream that is slow to take it', async () => {
    const expected = Array.from(router.routeMany(keys), (shard, i) => `${shard}\t${keys[i]}\n`).join('');
    const out = join(temporaryFolder(), 'out');
    const progress = await routeFile(keysFile(), { router, out });
    expect(progress).toEqual({ keys: keys.length, bytes: text.length });
    expect(readFileSync(out, 'utf8')).toBe(expected);
    const stream = collector();
    await routeFile(Readable.from([text.slice(0, 100_001), text.slice(100_001)]), { router, out: stream });
    expect(stream.text()).toBe(expected);
  });

  it('cuts a stream into lines the same way wherever its chunks end', async () => {
    const bytes = Buffer.from('a\r\nbc\n\r\n\nd\re\nlast');
    const whole = collector();
    await routeFile(Readable.from([bytes]), { router, out: whole });
    for (let at = 0; at <= bytes.length; at++) {
      const cut = collector();
      await routeFile(Readable.from([bytes.subarray(0, at), bytes.subarray(at)]), { router, out: cut });
      expect(cut.text()).toBe(whole.text());
    }
  });

  it('several at once do not disturb each other, lines longer than memory at the start included', async () => {
    const long = `${'x'.repeat(IS_FULL ? 3_000_000 : 1_500_000)}\n`;
    const contents = [text, long + text, `${text}\n${long}`, long.repeat(3)];
    const outs = contents.map(() => collector());
    await Promise.all(contents.map((content, i) => routeFile(keysFile(content), { router, out: outs[i] as Writable })));
    contents.forEach((content, i) => {
      const lines = content.endsWith('\n') ? content.slice(0, -1).split('\n') : content.split('\n');
      const expected = Array.from(router.routeMany(lines), (shard, row) => `${shard}\t${lines[row]}\n`).join('');
      expect(outs[i].text() === expected).toBe(true);
    });
  });

  it('tells its progress, which only grows, up to the whole', async () => {
    const seen: [number, number][] = [];
    const onProgress = ({ keys, bytes }: { keys: number; bytes: number }) => seen.push([keys, bytes]);
    await routeFile([keysFile(), keysFile('one more')], { router, out: collector(), onProgress });
    expect(seen).toEqual([...seen].sort(([a], [b]) => a - b));
    expect(seen.at(-1)).toEqual([keys.length + 1, text.length + 8]);
  });
});

describe('routeFile', () => {
  it('refuses options of the wrong kind or value, and leaves nothing', async () => {
    const folder = temporaryFolder();
    const out = join(folder, 'out');
    const refused = (options: object) =>
      expect(routeFile('no-such-file', { router, out, ...options } as never)).rejects;
    await refused({ router: {} }).toThrow(TypeError);
    await refused({ format: 'csv' }).toThrow(wrong('format'));
    await refused({ keys: 'u32' }).toThrow(wrong('keys'));
    await refused({ outt: 1 }).toThrow(wrong('options'));
    await refused({ router: new Router({ shards: 3, hash: 'none' }) }).toThrow(
      /^"keys": expected 'u64' with hash 'none', got "text"$/,
    );
    await expect(routeFile('x', undefined as never)).rejects.toThrow(TypeError);
    expect(readdirSync(folder)).toEqual([]);
  });

  it('gives its memory back, also after a failure', async () => {
    await routeFile(keysFile(), { router, out: collector() });
    const before = wasm.scratch.buffer.byteLength;
    for (let i = 0; i < 20; i++) {
      await expect(routeFile(keysFile(), { router, out: collector(), keys: 'u64' })).rejects.toThrow(
        /keys:2: expected/,
      );
      await routeFile(keysFile(), { router, out: collector() });
    }
    expect(wasm.scratch.buffer.byteLength).toBe(before);
  });

  it('can be given up, and leaves nothing', async () => {
    const folder = temporaryFolder();
    const controller = new AbortController();
    const endless = new PassThrough();
    endless.write('a\n');
    const running = routeFile(endless, {
      router,
      out: join(folder, 'out'),
      signal: controller.signal,
      onProgress: () => controller.abort(),
    });
    await expect(running).rejects.toMatchObject({ name: 'AbortError' });
    expect(readdirSync(folder)).toEqual([]);
  });

  it('passes on that a stream has failed', async () => {
    const failing = new Writable({ write: (_chunk, _encoding, done) => done(new Error('no more')) });
    failing.on('error', () => {});
    await expect(routeFile(keysFile(), { router, out: failing })).rejects.toThrow('no more');
  });
});
