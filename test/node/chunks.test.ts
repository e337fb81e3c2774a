import { readdirSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { afterAll, describe, expect, it, vi } from 'vitest';
import type { Routing } from '../../src/index.js';
import { type Input, inUtf8 } from '../../src/node/files/input.js';
import { checkJob, threadsFor } from '../../src/node/jobs/job.js';
import { runOperation } from '../../src/node/jobs/run.js';
import { checkRecordFormat } from '../../src/rows/format.js';
import { ROUTE } from '../../src/rows/operations/route.js';
import { startIn } from '../../src/rows/sources/cut.js';
import { temporaryFolder } from '../support/cli.js';
import { router, startHere, testChunks } from './chunk-outcomes.js';

describe('chunks of a few bytes give what one thread does', () => testChunks(8));

it('what a stream has given is worked on when it pauses', async () => {
  const seen: string[] = [];
  const pieces = ['a\n', 'b\nc', 'c\nd\n', 'e'];
  const paused = async function* () {
    for (const [i, piece] of pieces.entries()) {
      // The next piece comes when the complete lines before it have been routed.
      await vi.waitFor(() => expect(seen.length).toBe([0, 1, 2, 4][i]), { timeout: 10_000 });
      yield Buffer.from(piece);
    }
  };
  const options = { routing: router, keys: 'text', format: 'tsv' } as const;
  const job = { inputs: [Readable.from(paused())], format: undefined, threads: 2 };
  const sharing = { sharedBytes: 1, chunkBytes: 1000, start: startHere };
  for await (const { value } of runOperation(job, ROUTE, options, sharing)) {
    seen.push(...Buffer.from(value.bytes).toString().split('\n').slice(0, -1));
  }
  expect(seen).toEqual(['a', 'b', 'cc', 'd', 'e'].map((key) => `${router.route(key)}\t${key}`));
});

describe('the other threads', () => {
  const folder = temporaryFolder(afterAll);
  const options = { routing: router, keys: 'text', format: 'tsv' } as const;

  /** What happens with a file of three rows, in its order. */
  async function steps(sharedBytes: number, share?: () => typeof options | undefined): Promise<string[]> {
    const path = join(folder, 'keys');
    writeFileSync(path, 'a\nb\nc\n');
    const seen: string[] = [];
    const operation: typeof ROUTE = {
      ...ROUTE,
      open(...given) {
        seen.push('open');
        return ROUTE.open(...given);
      },
    };
    const start: typeof startHere = (...given) => {
      seen.push('start');
      const threads = startHere(...given);
      const close = async () => {
        seen.push('close');
        await threads.close();
      };
      const begin: typeof threads.begin = (job) => {
        seen.push('begin');
        threads.begin(job);
      };
      return { ...threads, begin, close };
    };
    const job = { inputs: [path], format: undefined, threads: 2 };
    for await (const { value } of runOperation(job, operation, options, { sharedBytes, start, share })) {
      seen.push(...Buffer.from(value.bytes).toString().split('\n').slice(0, -1));
    }
    return seen;
  }

  const rows = ['a', 'b', 'c'].map((key) => `${router.route(key)}\t${key}`);

  it('start before a large file is read', async () => {
    const seen = await steps(1);
    expect([...seen.slice(0, 6), seen.at(-1)]).toEqual(['open', 'start', ...rows, 'begin', 'close']);
  });

  it('do not start for a small one', async () => {
    expect(await steps(100)).toEqual(['open', ...rows]);
  });

  it('are ended if the work cannot be shared', async () => {
    expect(await steps(1, () => undefined)).toEqual(['open', 'start', ...rows, 'close']);
  });
});

describe('the rest of a file', () => {
  const folder = temporaryFolder(afterAll);
  const options = { routing: router, keys: 'text', format: 'shard' } as const;
  const CSV = checkRecordFormat({ format: 'csv', key: 1, header: false }, ['shard']);
  const sharing = { sharedBytes: 1, chunkBytes: 1000, start: startHere };

  it('that has become shorter is an error', async () => {
    const path = join(folder, 'shorter');
    writeFileSync(path, 'key\n'.repeat(300_000));
    const job = { inputs: [path], format: undefined, threads: 2 };
    const results = runOperation(job, ROUTE, options, sharing);
    await results.next();
    truncateSync(path, 0);
    await expect(async () => {
      for await (const _ of results);
    }).rejects.toThrow(`${path}: the file has become shorter while it was read`);
  });

  it.skipIf(process.platform !== 'linux')('is closed after a failure', async () => {
    const path = join(folder, 'bad.csv');
    writeFileSync(path, `${'a,b\n'.repeat(300_000)}a\n${'a,b\n'.repeat(300_000)}`);
    const open = () => readdirSync('/proc/self/fd').length;
    const before = open();
    for (let i = 0; i < 5; i++) {
      const job = { inputs: [path], format: CSV, threads: 3 };
      await expect(async () => {
        for await (const _ of runOperation(job, ROUTE, options, sharing));
      }).rejects.toThrow('expected 2 fields');
    }
    expect(open()).toBe(before);
  });
});

describe('as many threads as save time are', () => {
  const folder = temporaryFolder(afterAll);
  const of = (name: string, mib: number, start = Buffer.alloc(0)) => {
    const path = join(folder, name);
    writeFileSync(path, start);
    truncateSync(path, mib * 1024 * 1024);
    return path;
  };
  const GZIP = Buffer.of(0x1f, 0x8b, 8);
  const UTF_16 = Buffer.of(0xff, 0xfe);

  it.each<[what: string, inputs: () => Input[], of16: number, of2: number]>([
    ['small files', () => [of('a', 40), of('b', 55)], 1, 1],
    ['files of 96 MiB together', () => [of('a', 40), of('b', 56)], 3, 2],
    ['a file of 400 MiB', () => [of('a', 400)], 12, 2],
    ['large files', () => [of('a', 400), of('b', 400)], 16, 2],
    ['a compressed file', () => [of('a', 400, GZIP)], 4, 1],
    ['a file of UTF-16', () => [of('a', 400, UTF_16)], 4, 1],
    ['a small file in another encoding', () => [inUtf8(of('a', 1), 'latin1')], 4, 1],
    ['a file and a compressed one', () => [of('a', 400), of('b', 1, GZIP)], 4, 1],
    ['a stream', () => [Readable.from([])], 4, 1],
    ['no such file', () => [join(folder, 'none')], 1, 1],
  ])('for %s', (_, inputs, of16, of2) => {
    expect([16, 2, 1].map((cores) => threadsFor(inputs(), cores))).toEqual([of16, of2, 1]);
  });

  it('one for a routing of your own', () => {
    const own: Routing<string> = { shards: 1, route: () => 0, routeMany: () => new Uint32Array(1), toJSON: () => ({}) };
    expect(checkJob(of('a', 400), { threads: 'auto' }, undefined, { router: own }).threads).toBe(1);
  });
});

describe('startIn', () => {
  const csv = checkRecordFormat({ format: 'csv', key: 1 });
  const at = (text: string, place: number) => startIn(Buffer.from(text), place, 'first', csv);

  it.each<[why: string, text: string, place: number, start: number]>([
    ['the place itself', 'a,b\nc,d\n', 4, 4],
    ['the next line', 'a,b\nc,d\n', 1, 4],
    ['not a line break in quotes that are opened after the place', 'a,b\nc,"\n"\nd,e\n', 5, 10],
    ['not a line break in quotes that were opened before it', 'a,"b\nb\nb"\nc,d\n', 4, 10],
    ['not within quotes with doubled ones', 'a,"b\n""b""\n"\nc,d\n', 5, 13],
    ['none, if no line ends', 'a,"b\nb\nb",c', 1, -1],
  ])('finds %s', (_, text, place, start) => {
    expect(at(text, place)).toBe(start);
  });

  const dump = checkRecordFormat({ format: 'csv', key: 1, escape: '\\' });
  const bare = checkRecordFormat({ format: 'csv', key: 1, quote: 'none' });

  it.each<[why: string, format: typeof csv, text: string, place: number, start: number]>([
    ['not an escaped line break', dump, 'a,b\\\nb\nc,d\n', 1, 7],
    ['not an escaped line break of two characters', dump, 'a,b\\\r\nb\r\nc,d\n', 1, 9],
    ['a line break after an escaped escape character', dump, 'a,b\\\\\nc,d\n', 1, 6],
    ['not within quotes with an escaped one', dump, 'a,"b\n\\"x\nb"\nc,d\n', 4, 12],
    ['every line break, if there are no quotes', bare, 'a,"b\nc,"d\n', 1, 5],
  ])('finds %s', (_, format, text, place, start) => {
    expect(startIn(Buffer.from(text), place, 'first', format)).toBe(start);
  });
});
