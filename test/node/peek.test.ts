import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { setTimeout } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import type { Input } from '../../src/node/files/input.js';
import { peek } from '../../src/node/jobs/guessed-ids.js';
import { temporaryFolder } from '../support/cli.js';

const bytesOf = (input: Input) => buffer(input as Readable);

/** What is seen of some chunks, and how many of them have been read for that. */
async function peekedOf(chunks: readonly (string | Uint8Array)[]) {
  let read = 0;
  function* some() {
    for (const chunk of chunks) {
      read++;
      yield Buffer.from(chunk);
    }
  }
  const { start, whole } = await peek(Readable.from(some(), { highWaterMark: 1 }));
  const seen = (await bytesOf(start)).toString();
  return { seen, read, whole: await bytesOf(whole) };
}

describe('peek', () => {
  it('sees all of what is short', async () => {
    for (const chunks of [[], ['a'], ['a\n', 'b'], ['a', '\nb\n']]) {
      const { seen, whole } = await peekedOf(chunks);
      expect([seen, whole.toString()]).toEqual([chunks.join(''), chunks.join('')]);
    }
  });

  it('sees whole lines of what is long, and keeps the rest', async () => {
    const chunks = Array.from({ length: 100 }, (_, i) => `${'x'.repeat(9999)}\n${i}`);
    const { seen, read, whole } = await peekedOf(chunks);
    expect(read).toBeLessThan(32);
    expect(seen.length).toBeGreaterThan(256 * 1024 - 10_000);
    expect(chunks.join('').startsWith(seen)).toBe(true);
    expect(seen.at(-1)).toBe('\n');
    expect(whole.toString()).toBe(chunks.join(''));
  });

  it('reads no more than it takes for 1,000 lines', async () => {
    const chunks = Array.from({ length: 3000 }, (_, i) => `${i}\n`);
    const { seen, read, whole } = await peekedOf(chunks);
    expect(seen).toBe(chunks.slice(0, 1000).join(''));
    expect(read).toBeLessThan(1010);
    expect(whole.toString()).toBe(chunks.join(''));
  });

  it('sees a line that is longer than that, as far as it has come', async () => {
    const { seen, whole } = await peekedOf(Array.from({ length: 20 }, () => 'x'.repeat(65_536)));
    expect(seen).toBe('x'.repeat(4 * 65_536));
    expect(whole.length).toBe(20 * 65_536);
  });

  it('decompresses', async () => {
    const text = 'abc\n'.repeat(100_000);
    const { seen, whole } = await peekedOf([gzipSync(gzipSync(text))]);
    expect([seen, whole.toString()]).toEqual(['abc\n'.repeat(1000), text]);
  });

  it('leaves files to be read again', async () => {
    const path = join(temporaryFolder(), 'lines');
    writeFileSync(path, gzipSync('1\n2\n'));
    const { start, whole } = await peek(path);
    expect([(await bytesOf(start)).toString(), whole]).toEqual(['1\n2\n', path]);
  });

  it('passes failures on in their places', async () => {
    async function* failing(...chunks: string[]) {
      for (const chunk of chunks) yield Buffer.from(chunk);
      await setTimeout(10); // a stream that fails drops what has not been read
      throw new Error('unplugged');
    }
    await expect(peek(Readable.from(failing()))).rejects.toThrow('unplugged');
    const { start, whole } = await peek(Readable.from(failing('1\n', '2', '3')));
    expect((await bytesOf(start)).toString()).toBe('1\n');
    const seen: string[] = [];
    const reading = async () => {
      for await (const chunk of whole as Readable) {
        seen.push(Buffer.from(chunk).toString());
        await setTimeout(5);
      }
    };
    await expect(reading()).rejects.toThrow('unplugged');
    expect(seen).toEqual(['1\n', '2', '3']);
  });

  it('ends a stream that is not read further', async () => {
    const stream = new Readable({ read() {} });
    stream.push('1\n'.repeat(1000));
    const { whole } = await peek(stream);
    (whole as Readable).destroy();
    for (let ms = 0; !stream.destroyed && ms < 1000; ms++) await setTimeout(1);
    expect(stream.destroyed).toBe(true);
  });
});
