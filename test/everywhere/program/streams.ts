import * as core from 'shardbits';
import { type BytesColumn, type RecordFormat, recordStream, routeStream } from 'shardbits/streams';
import type { Checks } from './checks.js';

const router = new core.Router({ shards: 1024 });

/** Lines out of a stream of bytes, cut anywhere. */
export async function lines(checks: Checks): Promise<void> {
  const shards = await all(chunked('user:42\nuser:43\r\nжизнь', 10).pipeThrough(routeStream(router)));
  checks.same('a stream, routed line by line', shards.flatMap(list), [717, 360, router.route('жизнь')]);
}

const TABLES: readonly (readonly [rows: RecordFormat, text: string, records: string[], keys: string[]])[] = [
  [
    { format: 'csv', key: 'user' },
    '\ufeffid,user\r\n1,user:42\r\n"2\n""",user:43\n3,"""жизнь"",\r\n😀"',
    ['1,user:42', '"2\n""",user:43', '3,"""жизнь"",\r\n😀"'],
    ['user:42', 'user:43', '"жизнь",\r\n😀'],
  ],
  [
    { format: 'csv', key: [2, 1], delimiter: ';', header: false },
    'é;User\n;\n',
    ['é;User', ';'],
    [core.typedKey('User', 'é'), core.typedKey('', '')],
  ],
  [
    { format: 'ndjson', key: 'user.id' },
    '{"user":{"id":"user:42"}}\r\n{"id":1,"user":{"id":"user\\u003a43"}}\n{"user":{"id":-1e3,"\\ud83d\\ude00":[]}}',
    ['{"user":{"id":"user:42"}}', '{"id":1,"user":{"id":"user\\u003a43"}}', '{"user":{"id":-1e3,"\\ud83d\\ude00":[]}}'],
    ['user:42', 'user:43', '-1e3'],
  ],
  [
    { format: 'ndjson', key: ['type', 'key'] },
    '{"key":"é\\n","type":true}\n',
    ['{"key":"é\\n","type":true}'],
    [core.typedKey('true', 'é\n')],
  ],
];

const BAD: readonly (readonly [rows: RecordFormat, text: string])[] = [
  [{ format: 'csv', key: 'user' }, 'user\n"a\n'],
  [{ format: 'csv', key: 'user' }, 'id\na\n'],
  [{ format: 'ndjson', key: 'user' }, '{"user":\n'],
];

/** Records out of a stream of bytes, cut anywhere, by the backend in use. */
export async function records(checks: Checks): Promise<void> {
  const by = (what: string) => `${what} [${core.getBackend()}]`;
  for (const [rows, text, expected, keys] of TABLES) {
    const what = by(`${rows.format} with the key ${rows.key}`);
    for (const byteLength of [1, 7, 1000]) {
      const columns = await all(chunked(text, byteLength).pipeThrough(recordStream(rows)));
      const rowsOf = (name: 'records' | 'keys') => columns.flatMap((some) => rowsIn(some[name]));
      checks.same(`${what}: records`, rowsOf('records'), expected);
      checks.same(`${what}: keys`, rowsOf('keys'), keys);
      const shards = await all(chunked(text, byteLength).pipeThrough(routeStream(router, { records: rows })));
      checks.same(`${what}: shards`, shards.flatMap(list), list(router.routeMany(keys)));
    }
  }
  for (const [rows, text] of BAD) {
    const failing = (stream: ReadableStream) => () => all(stream);
    const what = by(`bad ${rows.format} ${text}`);
    await checks.fails(what, failing(chunked(text, 5).pipeThrough(recordStream(rows))), RangeError);
    await checks.fails(what, failing(chunked(text, 5).pipeThrough(routeStream(router, { records: rows }))), RangeError);
  }
  await checks.fails('no such format', () => recordStream({ format: 'xml' as never, key: 1 }), RangeError);
  await checks.fails('no key', () => routeStream(router, { records: { format: 'csv' } as never }), TypeError);
}

/** A stream of a text's bytes in chunks of some length. */
function chunked(text: string, byteLength: number): ReadableStream<Uint8Array<ArrayBuffer>> {
  const bytes = new TextEncoder().encode(text);
  let at = 0;
  return new ReadableStream({
    pull: (controller) => {
      if (at >= bytes.length) return controller.close();
      controller.enqueue(bytes.slice(at, at + byteLength));
      at += byteLength;
    },
  });
}

/** What a stream gives. Not every platform can iterate over one. */
async function all<T>(stream: ReadableStream<T>): Promise<T[]> {
  const chunks: T[] = [];
  const reader = stream.getReader();
  for (let part = await reader.read(); !part.done; part = await reader.read()) chunks.push(part.value);
  return chunks;
}

function rowsIn({ data, offsets }: BytesColumn): string[] {
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  return list(offsets.subarray(1)).map((end, row) => decoder.decode(data.subarray(offsets[row], end)));
}

const list = (numbers: Uint32Array): number[] => Array.from(numbers);
