import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { gzipSync } from 'node:zlib';
import { expect, it } from 'vitest';
import { Router, xxh64Many } from '../../src/index.js';
import {
  hashLines,
  type Input,
  lineColumns,
  lineStream,
  planLines,
  routeFile,
  routeStream,
  routeToDirectory,
} from '../../src/node/index.js';
import { onBothBackends } from '../support/backends.js';
import { temporaryFolder } from '../support/cli.js';

const router = new Router({ shards: 10 });
const text = '\ufeff12\n\ufeff3\n';
const keys = ['12', '\ufeff3'];
const shards = [...router.routeMany(keys)];

function file(bytes: string | Uint8Array): string {
  const path = join(temporaryFolder(), 'keys');
  writeFileSync(path, bytes);
  return path;
}

function streamOf(bytes: Uint8Array, byteLength: number): Readable {
  const pieces = Array.from({ length: Math.ceil(bytes.length / byteLength) }, (_, i) =>
    bytes.subarray(i * byteLength, (i + 1) * byteLength),
  );
  return Readable.from(pieces);
}

/** TypeScript does not know that these streams can be iterated. */
function all<T>(stream: ReadableStream<T>): AsyncIterable<T> {
  return stream as unknown as AsyncIterable<T>;
}

onBothBackends('a byte order mark is not part of the first key', () => {
  const inputs: [name: string, input: () => Input][] = [
    ['of a file', () => file(text)],
    ['of a compressed file', () => file(gzipSync(text))],
    ['of a stream', () => Readable.from([Buffer.from(text)])],
    ['of a stream that cuts it to bytes', () => streamOf(Buffer.from(text), 1)],
    ['of a stream that cuts it in two', () => streamOf(Buffer.from(text), 2)],
    ['of a compressed stream', () => streamOf(gzipSync(text), 1)],
  ];

  it.each(inputs)('%s, for each that reads lines', async (_, input) => {
    const folder = temporaryFolder();
    const hashes: bigint[] = [];
    for await (const batch of hashLines(input())) hashes.push(...batch.hashes);
    expect(hashes).toEqual([...xxh64Many(keys)]);

    const texts: string[] = [];
    for await (const { data } of lineColumns(input())) texts.push(Buffer.from(data).toString());
    expect(texts.join('')).toBe(keys.join(''));

    expect(await planLines(input(), router, router.with({ shards: 1 }))).toMatchObject({
      total: 2,
      flows: expect.arrayContaining([{ from: shards[0], to: 0, count: 1 }]),
    });

    await routeToDirectory(input(), { router, directory: join(folder, 'shards') });
    const written = readdirSync(join(folder, 'shards')).map((name) =>
      readFileSync(join(folder, 'shards', name), 'utf8'),
    );
    expect(written.filter((rows) => rows !== '').join('')).toBe(
      shards[0] === shards[1] || shards[0] < shards[1] ? '12\n\ufeff3\n' : '\ufeff3\n12\n',
    );

    const out = join(folder, 'out');
    const several = await routeFile([input(), input()], { router, out });
    expect(readFileSync(out, 'utf8')).toBe(
      keys
        .map((key, i) => `${shards[i]}\t${key}\n`)
        .join('')
        .repeat(2),
    );
    expect(several.keys).toBe(4);
  });

  it('of u64s', async () => {
    for (const input of [
      file('\ufeff18446744073709551615\n7'),
      streamOf(Buffer.from('\ufeff18446744073709551615\n7'), 1),
    ]) {
      const hashes: bigint[] = [];
      for await (const batch of hashLines(input, { keys: 'u64', hash: 'none' })) hashes.push(...batch.hashes);
      expect(hashes).toEqual([2n ** 64n - 1n, 7n]);
    }
  });

  it('of Web Streams', async () => {
    for (const byteLength of [1, 2, 3, 100]) {
      const web = () => Readable.toWeb(streamOf(Buffer.from(text), byteLength)) as ReadableStream<Uint8Array>;
      const texts: string[] = [];
      for await (const { data } of all(web().pipeThrough(lineStream()))) texts.push(Buffer.from(data).toString());
      expect(texts.join('')).toBe(keys.join(''));
      const routed: number[] = [];
      for await (const some of all(web().pipeThrough(routeStream(router)))) routed.push(...some);
      expect(routed).toEqual(shards);
    }
  });

  it('and counts as read: progress comes to the size of the file', async () => {
    const out = join(temporaryFolder(), 'out');
    const byteLength = Buffer.byteLength(text);
    expect(await routeFile(file(text), { router, out })).toEqual({ keys: 2, bytes: byteLength });
    expect(await routeFile(Readable.from([Buffer.from(text)]), { router, out })).toEqual({
      keys: 2,
      bytes: byteLength,
    });
  });
});
