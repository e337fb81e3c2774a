import { setTimeout } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { describe, expect, it } from 'vitest';
import { Router } from '../../src/index.js';
import { wasm } from '../../src/kernels/index.js';
import { recordStream, routeStream } from '../../src/rows/index.js';
import { all, chunked } from '../support/streams.js';

const router = new Router({ shards: 1000 });

/** Writes bytes to a stream, and gives it up from that side. */
async function aborted(bytes: Uint8Array, { writable, readable }: TransformStream<Uint8Array, unknown>): Promise<void> {
  const writer = writable.getWriter();
  const reader = readable.getReader();
  const written = writer.write(bytes);
  await reader.read();
  await written;
  await writer.abort(new Error('enough'));
  await reader.read();
}

describe('the memory of streams of records', () => {
  it('is given back when they end, fail, are aborted or given up', async () => {
    const lines = (line: string, end = '') => Buffer.from(`a,b\n${line.repeat(100_000 / line.length)}${end}`);
    const [csv, quoted] = [lines('"1""",2\n'), lines('"x\n",2\n', '"')];
    const ndjson = lines('{"a":"\\n","b":2}\n').subarray(4);
    const of = (format: 'csv' | 'ndjson'): readonly (() => TransformStream<Uint8Array, unknown>)[] => {
      const rows = { format, key: ['b', 'a'] } as const;
      return [() => recordStream(rows), () => routeStream(router, { records: rows })];
    };
    const everyWay = async () => {
      for (const [bytes, streams] of [
        [csv, of('csv')],
        [ndjson, of('ndjson')],
      ] as const) {
        for (const make of streams) {
          await all(chunked(bytes, 10_000).pipeThrough(make()));
          const reader = chunked(bytes, 10_000).pipeThrough(make()).getReader();
          await reader.read();
          await reader.cancel();
          await expect(aborted(bytes, make())).rejects.toThrow('enough');
          const signal = AbortSignal.timeout(1);
          const stuck = new WritableStream({ write: () => setTimeout(20) });
          await expect(chunked(bytes, 100).pipeThrough(make()).pipeTo(stuck, { signal })).rejects.toThrow();
        }
      }
      for (const make of of('csv')) {
        await expect(all(chunked(quoted, 10_000).pipeThrough(make()))).rejects.toThrow('expected a closing quote');
        await expect(all(chunked(ndjson, 10_000).pipeThrough(make()))).rejects.toThrow('expected');
      }
    };
    await everyWay();
    setFlagsFromString('--expose-gc');
    const collect = runInNewContext('gc') as () => void;
    const before = wasm.scratch.buffer.byteLength;
    for (let i = 0; i < 5; i++) {
      await everyWay();
      collect();
      await setTimeout(1); // what is collected is told later
    }
    expect(wasm.scratch.buffer.byteLength - before).toBeLessThan(6 * 1024 * 1024); // each holds more than one megabyte
  });

  it('is not taken before something is written', async () => {
    const before = wasm.scratch.buffer.byteLength;
    const streams = Array.from({ length: 1000 }, () => recordStream({ format: 'csv', key: 1 }));
    for (const { writable, readable } of streams.slice(0, 500)) {
      await Promise.all([writable.close(), all(readable)]);
    }
    expect(wasm.scratch.buffer.byteLength).toBe(before);
  });
});
