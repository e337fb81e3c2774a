import * as zlib from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { decompressed } from '../../src/node/files/decompress.js';

const { zstdCompressSync } = zlib as { zstdCompressSync?: (bytes: Uint8Array) => Uint8Array };

async function* inPieces(pieces: readonly Uint8Array[]): AsyncGenerator<Uint8Array> {
  yield* pieces;
}

async function textOf(pieces: readonly Uint8Array[]): Promise<string> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of decompressed(inPieces(pieces), 'file.zst')) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}

/** The bytes whole, one by one, and cut in two at every place. */
function* splits(bytes: Uint8Array): Iterable<Uint8Array[]> {
  yield [bytes];
  yield Array.from(bytes, (byte) => Uint8Array.of(byte));
  for (let at = 1; at < bytes.length; at++) yield [bytes.subarray(0, at), bytes.subarray(at)];
}

describe('what is decompressed', () => {
  it.each<[name: string, bytes: Uint8Array]>([
    ['text', Buffer.from('a\nb\n')],
    ['gzip', zlib.gzipSync('a\nb\n')],
    ...(zstdCompressSync ? [['zstd', zstdCompressSync(Buffer.from('a\nb\n'))] as [string, Uint8Array]] : []),
  ])('is closed when it is read no further: %s', async (_name, bytes) => {
    let isClosed = false;
    async function* source(): AsyncGenerator<Uint8Array> {
      try {
        yield bytes;
        yield bytes;
      } finally {
        isClosed = true;
      }
    }
    for await (const _ of decompressed(source(), 'file')) break;
    await expect.poll(() => isClosed).toBe(true);
  });
});

// Node 22.15 and later can. `npm run test:node24` runs these.
describe.skipIf(zstdCompressSync === undefined)('zstd', () => {
  const frame = (text: string): Uint8Array => zstdCompressSync?.(Buffer.from(text)) ?? new Uint8Array(0);
  const a = frame('a\n'.repeat(1000));
  const b = frame('b\n');
  // RFC 8878, 3.1.2: what readers skip; programs keep notes of their own there
  const skipped = Buffer.from('502a4d1803000000616263', 'hex');

  it.each([
    ['a frame', [a], 'a\n'.repeat(1000)],
    ['several frames, as of files that were concatenated', [b, a, b], `b\n${'a\n'.repeat(1000)}b\n`],
    ['a frame of nothing before others', [frame(''), b], 'b\n'],
    ['nothing', [frame('')], ''],
    ['a skippable frame before others', [skipped, b], 'b\n'],
    ['skippable frames between and behind others', [b, skipped, b, skipped], 'b\nb\n'],
  ])('is decompressed, however it comes: %s', async (_name, frames, text) => {
    for (const pieces of splits(Buffer.concat(frames))) expect(await textOf(pieces)).toBe(text);
  });

  it.each([
    ['cut short', [b.subarray(0, -1)]],
    ['cut short in a later frame', [b, a.subarray(0, -1)]],
    ['cut short at the start of a later frame', [b, a.subarray(0, 3)]],
    ['followed by something else', [b, Buffer.from('text\n')]],
    ['cut short in a skippable frame', [b, skipped.subarray(0, -1)]],
  ])('is refused, however it comes: %s', async (_name, frames) => {
    for (const pieces of splits(Buffer.concat(frames))) await expect(textOf(pieces)).rejects.toThrow();
  });
});
