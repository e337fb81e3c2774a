import { gzipSync } from 'node:zlib';
import { expect, it } from 'vitest';
import type { Run, RunOptions } from '../support/cli.js';
import { randomBytes } from '../support/random.js';
import { file, tsv, words } from './keys.js';

/** Runs a command line, in this process or as one of its own. */
type Runner = (args: string[], options?: Pick<RunOptions, 'input'>) => Promise<Run>;

/** Files whose lines are keys, by name. @param megabytes how long the longest lines are */
function lineInputs(megabytes: number): [name: string, bytes: Uint8Array][] {
  const long = Buffer.alloc(1_000_000 * megabytes, 'long line ');
  return [
    ['lines', Buffer.from('a\nbc\ndef\n')],
    ['a last line without a newline', Buffer.from('a\nbc\ndef')],
    ['CRLF', Buffer.from('a\r\nbc\r\n\r\nx\ry\r\nlast\r')],
    ['empty lines', Buffer.from('\n\na\n\n\n')],
    ['no bytes', Buffer.from('')],
    ['one newline', Buffer.from('\n')],
    [`one line of ${megabytes} MB`, long],
    [
      `lines of ${megabytes} MB among others`,
      Buffer.concat([Buffer.from('a\n'), long, Buffer.from('\r\nb\n'), long, Buffer.from('\n\nc')]),
    ],
    ['bytes that are not UTF-8', randomBytes(100_000)],
    ['NUL', Buffer.from('a\0b\n\0\n')],
    ['a byte order mark, which is not part of the first key, and others, which are', Buffer.from('\ufeffa\n\ufeffb\n')],
    ['nothing but a byte order mark', Buffer.from('\ufeff')],
    ['part of a byte order mark', Buffer.of(0xef, 0xbb)],
    ['more empty lines than fit a batch', Buffer.alloc(40_000, '\n')],
    [
      'lines that end at the reads',
      Buffer.concat(Array.from({ length: 40 }, () => Buffer.from(`${'x'.repeat(65_535)}\n`))),
    ],
  ];
}

/** Tests that `route` takes each line of some input as a key. @param megabytes how long the longest lines are */
export function takesLines(
  megabytes: number,
  { fromFile, fromPipe }: { fromFile(bytes: Uint8Array): Runner; fromPipe: Runner },
): void {
  it.each(lineInputs(megabytes))('from a file and from a pipe: %s', async (_, bytes) => {
    const expected = tsv(bytes);
    const ofFile = await fromFile(bytes)(['route', file(bytes), '--shards', '1024']);
    expect(ofFile).toMatchObject({ code: 0, stderr: '' });
    expect(ofFile.stdout.equals(expected)).toBe(true);
    const ofPipe = await fromPipe(['route', '--shards', '1024'], { input: [bytes] });
    expect(ofPipe).toMatchObject({ code: 0, stderr: '' });
    expect(ofPipe.stdout.equals(expected)).toBe(true);
  });

  it('from a pipe in one-byte writes', async () => {
    const bytes = Buffer.from('a\r\nbc\n\n\xffé\r\n\r\nlast\r', 'latin1');
    const { stdout } = await fromPipe(['route', '--shards', '1024'], {
      input: Array.from(bytes, (byte) => Uint8Array.of(byte)),
    });
    expect(stdout).toEqual(tsv(bytes));
  });

  it('from several files, each with a last line of its own, and from standard input as -', async () => {
    const paths = ['a\nb', '\ufeffc', '', 'd\n'].map(file);
    const { stdout } = await fromPipe(['route', ...paths, '-', '--shards', '1024'], { input: ['\ufeffe\nf'] });
    expect(stdout).toEqual(tsv(Buffer.from('a\nb\nc\nd\ne\nf')));
  });
}

/** Tests that `route` reads gzip. @param run for a file, and for a pipe in small and in large writes */
export function readsCompressed(run: { fromFile: Runner; small: Runner; large: Runner }): void {
  const compressed: [name: string, bytes: Buffer][] = [
    ['gzip', gzipSync(words)],
    ['gzip of several pieces', Buffer.concat([gzipSync(words.subarray(0, 1000)), gzipSync(words.subarray(1000))])],
  ];

  it.each(compressed)('from a file, and from a pipe in writes of any size: %s', async (_, bytes) => {
    const expected = tsv(words);
    const ofFile = await run.fromFile(['route', file(bytes), '--shards', '1024', '--threads', '2']);
    expect(ofFile).toMatchObject({ code: 0, stderr: '' });
    expect(ofFile.stdout.equals(expected)).toBe(true);
    for (const [byteLength, runPiped] of [
      [1000, run.small],
      [1e7, run.large],
    ] as const) {
      const input = Array.from(bytes.subarray(0, 5), (byte) => Uint8Array.of(byte)); // one by one where it is recognised
      for (let at = 5; at < bytes.length; at += byteLength)
        input.push(bytes.subarray(at, at + byteLength) as (typeof input)[0]);
      const piped = await runPiped(['route', '--shards', '1024'], { input });
      expect(piped).toMatchObject({ code: 0, stderr: '' });
      expect(piped.stdout.equals(expected)).toBe(true);
    }
  });
}
