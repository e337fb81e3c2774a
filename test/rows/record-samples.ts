import { Readable } from 'node:stream';
import { Router, typedKey } from '../../src/index.js';
import { routeLines } from '../../src/node/index.js';
import { type RecordFormat, recordStream, routeStream } from '../../src/rows/index.js';
import { all, chunked, rowsIn } from '../support/streams.js';

export const router = new Router({ shards: 1000, down: [3], seed: 5n });

export interface Found {
  records: string[];
  keys: string[];
}

/** What comes of bytes in chunks of these lengths, over and over. */
export async function recordsOf(rows: RecordFormat, text: string, ...byteLengths: number[]): Promise<Found> {
  const chunks = await all(chunked(Buffer.from(text), ...byteLengths).pipeThrough(recordStream(rows)));
  return { records: rowsIn(chunks.map(({ records }) => records)), keys: rowsIn(chunks.map(({ keys }) => keys)) };
}

export async function shardsOf(rows: RecordFormat, text: string, ...byteLengths: number[]): Promise<number[]> {
  const shards = await all(
    chunked(Buffer.from(text), ...byteLengths).pipeThrough(routeStream(router, { records: rows })),
  );
  return shards.flatMap((some) => [...some]);
}

export async function shardsOfLines(rows: RecordFormat, text: string): Promise<number[]> {
  const shards: number[] = [];
  for await (const batch of routeLines(Readable.from([text]), router, { records: rows })) shards.push(...batch.shards);
  return shards;
}

export const TABLES: readonly (readonly [
  name: string,
  rows: RecordFormat,
  text: string,
  records: string[],
  keys: string[],
])[] = [
  [
    'CSV with quotes, line breaks in them and a byte order mark',
    { format: 'csv', key: 'e\n"mail"' },
    '\ufeffid,"e\n""mail"""\r\n1,"a\r\nb\n"\r\n2,"""c"",d"\n"\n",жизнь😀\n4,',
    ['1,"a\r\nb\n"', '2,"""c"",d"', '"\n",жизнь😀', '4,'],
    ['a\r\nb\n', '"c",d', 'жизнь😀', ''],
  ],
  ['CSV with empty lines', { format: 'csv', key: 1 }, '\r\na\n\n\r\n""\n\nb', ['""', 'b'], ['', 'b']],
  ['CSV of a header', { format: 'csv', key: 'a' }, 'a,b\r\n', [], []],
  ['CSV of a header without a line end', { format: 'csv', key: 'a' }, '"a",b', [], []],
  ['CSV of nothing', { format: 'csv', key: 'a' }, '', [], []],
  ['CSV of a byte order mark', { format: 'csv', key: 'a' }, '\ufeff', [], []],
  [
    'CSV without a header',
    { format: 'csv', key: 2, header: false },
    '\ufeffa,b\n"c\n",d\n,""',
    ['a,b', '"c\n",d', ',""'],
    ['b', 'd', ''],
  ],
  ['CSV with ;', { format: 'csv', key: 'b', delimiter: ';' }, 'a;b\n1,2;"3;4"\n', ['1,2;"3;4"'], ['3;4']],
  [
    'CSV with spaces',
    { format: 'csv', key: 'b', delimiter: ' ' },
    'a b\n1 2\n"3 4" 5\n',
    ['1 2', '"3 4" 5'],
    ['2', '5'],
  ],
  [
    'CSV with control characters',
    { format: 'csv', key: 2, delimiter: '\x1f', header: false },
    'a\x1fb\n\x1f"\x1f"\n',
    ['a\x1fb', '\x1f"\x1f"'],
    ['b', '\x1f'],
  ],
  ['CSV with letters', { format: 'csv', key: 'b', delimiter: 'x' }, 'axb\n1x2\n"x"xy\n', ['1x2', '"x"xy'], ['2', 'y']],
  [
    'CSV by two columns',
    { format: 'csv', key: ['type', 1] },
    'id,type\r\n1,User\r\n"ж""1",ü\r\n,\r\n',
    ['1,User', '"ж""1",ü', ','],
    [typedKey('User', '1'), typedKey('ü', 'ж"1'), typedKey('', '')],
  ],
  [
    'CSV by three columns',
    { format: 'csv', key: [3, 1, 2], header: false },
    'b,c,"a:"\n,,\n',
    ['b,c,"a:"', ',,'],
    [typedKey('a:', typedKey('b', 'c')), typedKey('', typedKey('', ''))],
  ],
  [
    'TSV',
    { format: 'tsv', key: 'name' },
    'id\tname\n1\t"a\t\n"\n2\tb,c;d\n',
    ['1\t"a\t\n"', '2\tb,c;d'],
    ['a\t\n', 'b,c;d'],
  ],
  [
    'TSV by two columns without a header',
    { format: 'tsv', key: [2, 1], header: false },
    'a\tb\n',
    ['a\tb'],
    [typedKey('b', 'a')],
  ],
  [
    'NDJSON',
    { format: 'ndjson', key: 'a' },
    '\ufeff{"a":"x"}\r\n{"b":{"a":1},"a":"\\u00e9\\n\\ud83d\\ude00\\""} \n {"a":-1.50e+3}\n{"a":true}\n{"a":""}',
    ['{"a":"x"}', '{"b":{"a":1},"a":"\\u00e9\\n\\ud83d\\ude00\\""} ', ' {"a":-1.50e+3}', '{"a":true}', '{"a":""}'],
    ['x', 'é\n😀"', '-1.50e+3', 'true', ''],
  ],
  [
    'NDJSON by a path',
    { format: 'ndjson', key: 'a.b.c' },
    '{"a":{"b":{"c":"жизнь"},"c":1}}\n{"a":{"a":{"b":2},"b":{"b":3,"c":0}}}\n',
    ['{"a":{"b":{"c":"жизнь"},"c":1}}', '{"a":{"a":{"b":2},"b":{"b":3,"c":0}}}'],
    ['жизнь', '0'],
  ],
  [
    'NDJSON by two paths',
    { format: 'ndjson', key: ['b.type', 'a'] },
    '{"a":"\\u0061:","b":{"type":"ü"}}\n{"b":{"type":false},"a":""}\n',
    ['{"a":"\\u0061:","b":{"type":"ü"}}', '{"b":{"type":false},"a":""}'],
    [typedKey('ü', 'a:'), typedKey('false', '')],
  ],
  ['NDJSON of nothing', { format: 'ndjson', key: 'a' }, '', [], []],
];
