// What route.test.ts does in its own process, as processes, with longer lines.
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { shardbits } from '../support/cli.js';
import { runHere } from '../support/run-here.js';
import { file, tsv, words } from './keys.js';
import { lineInputs } from './line-inputs.js';

describe('route takes a line as a key', () => {
  it.each(lineInputs(10))('from a file and from a pipe: %s', async (_, bytes) => {
    const expected = tsv(bytes);
    const run = bytes.length > 8_000_000 ? shardbits : runHere; // threads are started from the built package
    const fromFile = await run(['route', file(bytes), '--shards', '1024']);
    expect(fromFile).toMatchObject({ code: 0, stderr: '' });
    expect(fromFile.stdout.equals(expected)).toBe(true);
    const fromPipe = await shardbits(['route', '--shards', '1024'], { input: [bytes] });
    expect(fromPipe).toMatchObject({ code: 0, stderr: '' });
    expect(fromPipe.stdout.equals(expected)).toBe(true);
  });

  it('from a pipe in one-byte writes', async () => {
    const bytes = Buffer.from('a\r\nbc\n\n\xffé\r\n\r\nlast\r', 'latin1');
    const { stdout } = await shardbits(['route', '--shards', '1024'], {
      input: Array.from(bytes, (byte) => Uint8Array.of(byte)),
    });
    expect(stdout).toEqual(tsv(bytes));
  });

  it('from several files, each with a last line of its own, and from standard input as -', async () => {
    const paths = ['a\nb', '\ufeffc', '', 'd\n'].map(file);
    const { stdout } = await shardbits(['route', ...paths, '-', '--shards', '1024'], { input: ['\ufeffe\nf'] });
    expect(stdout).toEqual(tsv(Buffer.from('a\nb\nc\nd\ne\nf')));
  });
});

describe('route reads what is compressed', () => {
  const compressed: [name: string, bytes: Buffer][] = [
    ['gzip', gzipSync(words)],
    ['gzip of several pieces', Buffer.concat([gzipSync(words.subarray(0, 1000)), gzipSync(words.subarray(1000))])],
  ];

  it.each(compressed)('from a file, and from a pipe in writes of any size: %s', async (_, bytes) => {
    const expected = tsv(words);
    const run = await shardbits(['route', file(bytes), '--shards', '1024', '--threads', '2']);
    expect(run).toMatchObject({ code: 0, stderr: '' });
    expect(run.stdout.equals(expected)).toBe(true);
    for (const [byteLength, run] of [
      [1000, shardbits],
      [1e7, runHere],
    ] as const) {
      const input = Array.from(bytes.subarray(0, 5), (byte) => Uint8Array.of(byte)); // one by one where it is recognised
      for (let at = 5; at < bytes.length; at += byteLength)
        input.push(bytes.subarray(at, at + byteLength) as (typeof input)[0]);
      const piped = await run(['route', '--shards', '1024'], { input });
      expect(piped).toMatchObject({ code: 0, stderr: '' });
      expect(piped.stdout.equals(expected)).toBe(true);
    }
  });
});

describe('route routes', () => {
  it('the same without WebAssembly', async () => {
    const { stdout } = await shardbits(['route', '--shards', '1024'], { input: [words], node: ['--jitless'] });
    expect(stdout.equals(tsv(words))).toBe(true);
  });
});
