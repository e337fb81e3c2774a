import { Blob } from 'node:buffer';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { setTimeout } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, it } from 'vitest';
import { Router } from '../../src/index.js';
import { wasm } from '../../src/kernels/index.js';
import { type GivenInput, lineColumns, lineStream, routeFile, routeStream } from '../../src/node/index.js';
import { onBothBackends } from '../support/backends.js';
import { keysIn, temporaryFolder } from '../support/cli.js';
import { randomU64s } from '../support/random.js';
import { IS_WHOLE } from '../support/scale.js';
import { all, chunked, rowsIn } from '../support/streams.js';
import { wrong } from '../support/wrong-argument.js';

const router = new Router({ shards: 1000, down: [3] });
const text = Array.from(
  randomU64s(IS_WHOLE ? 40_000 : 10_000),
  (value, i) => `${'key '.repeat(i % 9)}${value}${i % 5 ? '\n' : '\r\n'}`,
).join('');

onBothBackends('Web Streams', () => {
  it.each([
    ['whole', [1e9]],
    ['in chunks of all sizes', [1, 7, 65_536, 3, 300_000]],
    ['in chunks of 10 bytes', [10]],
  ])('cut bytes into columns of lines, and into shards: %s', async (_, byteLengths) => {
    const bytes = Buffer.from(text).subarray(0, byteLengths.includes(10) ? (IS_WHOLE ? 20_000 : 10_000) : undefined);
    const keys = keysIn(bytes).map((key) => Buffer.from(key).toString());
    const columns = await all(chunked(bytes, ...byteLengths).pipeThrough(lineStream()));
    expect(rowsIn(columns).join('\n')).toBe(keys.join('\n'));
    const shards = await all(chunked(bytes, ...byteLengths).pipeThrough(routeStream(router)));
    expect(Uint32Array.from(shards.flatMap((some) => [...some]))).toEqual(router.routeMany(keys));
  });

  it('take u64 keys, and what other streams give, such as that of a Blob', async () => {
    const keys = randomU64s(1000);
    const blob = new Blob([keys.join('\n')]);
    const stream = blob.stream() as unknown as ReadableStream<Uint8Array>;
    const shards = await all(stream.pipeThrough(routeStream(router, { keys: 'u64' })));
    expect(shards.flatMap((some) => [...some])).toEqual([...router.routeMany(keys)]);
  });

  it('are inputs of whole jobs, and so are URLs of files', async () => {
    const path = join(temporaryFolder(), 'keys.txt');
    writeFileSync(path, 'a\nb\n');
    const rows = async (input: GivenInput | readonly GivenInput[]) => {
      const out = join(temporaryFolder(), 'out');
      await routeFile(input, { router, out });
      return readFileSync(out, 'utf8');
    };
    const expected = await rows(path);
    expect(await rows(pathToFileURL(path))).toBe(expected);
    expect(await rows(new Blob(['a\nb\n']).stream() as unknown as ReadableStream<Uint8Array>)).toBe(expected);
    expect(await rows([chunked(Buffer.from('a\n'), 1), pathToFileURL(path)])).toBe(
      `${expected.split('\n')[0]}\n${expected}`,
    );
    const url = new URL('https://example.com/keys.txt');
    await expect(rows(url)).rejects.toThrow('"input": expected the URL of a file, got "https://example.com/keys.txt"');
  });

  it('fail by bad data with its line, and by chunks that are no bytes', async () => {
    const bad = chunked(Buffer.from('1\n2\nx\n'), 3).pipeThrough(routeStream(router, { keys: 'u64' }));
    await expect(all(bad)).rejects.toMatchObject({
      message: 'line 3: expected a decimal integer from -2^63 to 2^64 - 1, got "x"',
      code: 'ERR_OUT_OF_RANGE',
      line: 3,
      got: 'x',
    });
    const strings = new ReadableStream({ start: (controller) => controller.enqueue('a\n') });
    await expect(all(strings.pipeThrough(lineStream()))).rejects.toThrow(wrong('chunk'));
    expect(() => routeStream(router, { keys: 'u32' as never })).toThrow(RangeError);
    expect(() => routeStream(new Router({ shards: 3, hash: 'none' }))).toThrow(/^"keys": expected 'u64' with hash/);
  });

  it('give their memory back when they end, fail or are given up', async () => {
    const some = Buffer.from(text).subarray(0, IS_WHOLE ? 500_000 : 25_000);
    await all(chunked(some, 1000).pipeThrough(routeStream(router)));
    setFlagsFromString('--expose-gc');
    const collect = runInNewContext('gc') as () => void;
    const before = wasm.scratch.buffer.byteLength;
    for (let i = 0; i < (IS_WHOLE ? 30 : 6); i++) {
      await all(chunked(some, 100_000).pipeThrough(routeStream(router)));
      await expect(all(chunked(some, 10).pipeThrough(routeStream(router, { keys: 'u64' })))).rejects.toThrow();
      const reader = chunked(some, 1000).pipeThrough(routeStream(router)).getReader();
      await reader.read();
      await reader.cancel();
      collect();
      await setTimeout(1); // what is collected is told later
    }
    expect(wasm.scratch.buffer.byteLength - before).toBeLessThan(8 * 1024 * 1024); // each holds one megabyte
  });
});

it('lines as columns are good for as long as they are kept', async () => {
  const columns = await all(lineColumns(Readable.from([text.slice(0, 77_777), text.slice(77_777)])));
  expect(columns.length).toBeGreaterThan(1);
  expect(rowsIn(columns)).toEqual(keysIn(Buffer.from(text)).map((key) => Buffer.from(key).toString()));
});
