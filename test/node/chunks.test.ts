import { Readable } from 'node:stream';
import { describe, expect, it, vi } from 'vitest';
import { runOperation } from '../../src/node/jobs/run.js';
import { checkRecordFormat } from '../../src/rows/format.js';
import { ROUTE } from '../../src/rows/operations/route.js';
import { startIn } from '../../src/rows/sources/cut.js';
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
