import { expect, test } from 'vitest';
import { Router } from '../../src/index.js';
import { hashLines, planLines, routeFile, routeLines, routeToDirectory } from '../../src/node/index.js';
import * as api from '../../src/rows/index.js';
import { callablesIn, callablesOf, type Entry, type Table, testWrongArguments } from '../support/argument-table.js';
import {
  NO_BOOLEAN,
  NO_CHOICE,
  NO_OBJECT,
  NO_OPTIONS,
  NO_STRING,
  named,
  outside,
  type Values,
} from '../support/wrong-values.js';

// Wrong `records`, for all that takes them. Nothing is read or written before they have been checked.

const { recordStream, routeStream } = api;

const router = new Router({ shards: 10 });
const raw = router.with({ hash: 'none' });
const rows = { format: 'csv', key: 'a' } as const;
const ndjson = { format: 'ndjson', key: 'a' } as const;
const input = '/dev/null/input';
const out = '/dev/null/out';

type RecordFormat = never; // wrong ones
const CALLS: { readonly [callable: string]: (rows: RecordFormat) => unknown } = {
  recordStream: (rows) => recordStream(rows),
  routeStream: (rows) => routeStream(router, { records: rows }),
  hashLines: (rows) => hashLines(input, { records: rows }),
  routeLines: (rows) => routeLines(input, router, { records: rows }),
  planLines: (rows) => planLines(input, router, router, { records: rows }),
  routeFile: (rows) => routeFile(input, { router, out, records: rows }),
  'routeFile of shards,': (rows) => routeFile(input, { router, out, records: rows, format: 'shard' }),
  'routeFile on two threads,': (rows) => routeFile(input, { router, out, records: rows, threads: 2 }),
  routeToDirectory: (rows) => routeToDirectory(input, { router, directory: out, records: rows }),
};

const NO_ROUTER = [...NO_OBJECT, {}, { shards: 10 }, 11, named('the class', Router)];
const NO_GIVEN_STRING = NO_STRING.filter((value) => value !== undefined);
const NO_COLUMN = NO_STRING.filter((value) => typeof value !== 'number' && !Array.isArray(value));
const NO_PATH = [...NO_COLUMN, 1, 5, 0, -0, 1.5, Number.NaN];
const NO_PATH_TEXT = ['', '.', '..', 'a.', '.a', 'a..b', '.a.b', 'a.b.'];
const NO_DELIMITER = NO_GIVEN_STRING.filter((value) => value !== null);
const NO_DELIMITER_TEXT = ['', ',,', ', ', '"', '\r', '\n', '\r\n', '\u0080', 'é', '漢', '😀', '\ud800'];
const TWICE = [['a', 'a'], ['a', 'b', 'a'], named('255 names', [...Array.from({ length: 254 }, String), '0'])];

const FORMATS = "one of 'csv', 'tsv', 'ndjson'";
const COLUMN = 'the name of a column or its number';
const NUMBER = 'an integer from 1 to 65536';
const NAMELESS = 'the number of a column, because there is no header';
const PATH = 'a path of names with dots';

const manyNumbers = named(
  '256 numbers',
  Array.from({ length: 256 }, (_, i) => i + 1),
);
const manyNames = (count: number): string[] =>
  named(
    `${count} names`,
    Array.from({ length: count }, (_, i) => `a${i}`),
  );

type Wrong = { readonly [what: string]: readonly Entry[] };

/** A wrong part of a key: alone, and beside one that is right. */
function ofPart(
  what: string,
  call: (key: unknown) => unknown,
  right: unknown,
  [kinds, values, expected]: readonly [kinds: Values, values: Values, expected: string],
): Wrong {
  const kindsInArrays = kinds.length > 0 ? [...kinds, [], ['b']] : [];
  return {
    [what]: [['records.key', call, kinds, values, expected]],
    [`${what}, before another`]: [['records.key', (part) => call([part, right]), kindsInArrays, values, expected]],
    [`${what}, after another`]: [['records.key', (part) => call([right, part]), kindsInArrays, values, expected]],
  };
}

/** CSV and TSV alike. */
function ofTable(format: 'csv' | 'tsv', call: (rows: RecordFormat) => unknown): Wrong {
  const ofKey = (key: unknown) => call({ format, key } as RecordFormat);
  const ofNumber = (key: unknown) => call({ format, key, header: false } as RecordFormat);
  return {
    ...ofPart(`a column of ${format}`, ofKey, 'x', [NO_COLUMN, [], COLUMN]),
    ...ofPart(`a column of ${format} by its number`, ofKey, 'x', [[], outside(1, 65536), NUMBER]),
    ...ofPart(`a column of ${format} without a header`, ofNumber, 7, [[], ['', 'a', '1'], NAMELESS]),
    [`columns of ${format}`]: [
      ['records.key', ofKey, [], [[]], 'at least one column'],
      ['records.key', ofKey, [], [...TWICE, [1, 1], ['a', 1, 'b', 1]], 'each column once'],
      ['records.key', ofKey, [], [manyNumbers, manyNames(256), manyNames(1000)], 'at most 255 columns'],
    ],
    [`columns of ${format} that are not there`]: [['records.key', () => ofKey(new Array(1)), [undefined]]],
    [`two columns of ${format} that are none`]: [['records.key', (part) => ofKey([part, part]), [undefined, null, 1n]]],
    [`no columns of ${format}`]: [['records.key', () => call({ format } as RecordFormat), [undefined], [], COLUMN]],
    [`the header of ${format}`]: [
      ['records.header', (header) => call({ format, key: 1, header } as RecordFormat), NO_BOOLEAN, [], 'a boolean'],
      ['records.ragged', (ragged) => call({ format, key: 1, ragged } as RecordFormat), NO_BOOLEAN, [], 'a boolean'],
    ],
  };
}

function ofNdjson(call: (rows: RecordFormat) => unknown): Wrong {
  const ofKey = (key: unknown) => call({ format: 'ndjson', key } as RecordFormat);
  return {
    ...ofPart('a path', ofKey, 'x', [NO_PATH, NO_PATH_TEXT, PATH]),
    paths: [
      ['records.key', ofKey, [], [[]], 'at least one column'],
      ['records.key', ofKey, [], [...TWICE, ['a.b', 'a', 'a.b']], 'each column once'],
      ['records.key', ofKey, [], [manyNames(32), manyNames(256)]],
    ],
    'paths that are not there': [['records.key', () => ofKey(new Array(1)), [undefined]]],
    'two paths that are none': [['records.key', (part) => ofKey([part, part]), [undefined, null, 1]]],
    'no paths': [['records.key', () => call({ format: 'ndjson' } as RecordFormat), [undefined], [], PATH]],
    'the header of ndjson': [
      ['records.header', (header) => call({ ...ndjson, header } as RecordFormat), NO_BOOLEAN, [], 'a boolean'],
      [
        'records.header',
        (header) => call({ ...ndjson, header } as RecordFormat),
        [],
        [true, false],
        "undefined with format 'ndjson'",
      ],
    ],
  };
}

function ofDelimiter(call: (rows: RecordFormat) => unknown): Wrong {
  const given = (more: object) => (delimiter: never) => call({ ...rows, ...more, delimiter } as RecordFormat);
  const expected = 'one ASCII character, not a quote or a line break';
  return {
    'a delimiter': [
      ['records.delimiter', given({}), NO_DELIMITER, [], 'a string'],
      ['records.delimiter', given({}), [], NO_DELIMITER_TEXT, expected],
    ],
    'a delimiter that is null': [['records.delimiter', given({}), [null], [], 'a string']],
    'a delimiter of tsv': [
      ['records.delimiter', given({ format: 'tsv' }), [], [',', '\t', ''], "undefined except with format 'csv'"],
    ],
    'a delimiter of ndjson': [
      ['records.delimiter', given(ndjson), [], [',', '\n', ''], "undefined except with format 'csv'"],
    ],
  };
}

function ofDumps(call: (rows: RecordFormat) => unknown): Wrong {
  const quoted = (more: object) => (quote: never) => call({ ...rows, ...more, quote } as RecordFormat);
  const escaped = (more: object) => (given: never) => call({ ...rows, ...more, escape: given } as RecordFormat);
  const delimited = (more: object) => (delimiter: never) => call({ ...rows, ...more, delimiter } as RecordFormat);
  const NO_VALUE = 'a character other than a letter, a digit, the delimiter or one of : . + -';
  const plain = 'a character other than a letter or a digit if there are escapes or no quotes';
  return {
    quotes: [
      ['records.quote', quoted({}), NO_CHOICE, [], "one of 'none'"],
      ['records.quote', quoted({}), [], ['', '"', 'None'], "one of 'none'"],
      ['records.quote', quoted(ndjson), [], ['none'], "undefined with format 'ndjson'"],
    ],
    'an escape character': [
      ['records.escape', escaped({}), NO_DELIMITER, [], 'a string'],
      ['records.escape', escaped({}), [], NO_DELIMITER_TEXT, 'one ASCII character, not a quote or a line break'],
      ['records.escape', escaped({}), [], [',', 'n', '0', 'Z', ':', '.', '+', '-'], NO_VALUE],
    ],
    'an escape character of ndjson': [
      ['records.escape', escaped(ndjson), [], ['\\', ''], "undefined with format 'ndjson'"],
    ],
    'a delimiter that an escape makes another character': [
      ['records.delimiter', delimited({ escape: '\\' }), [], ['n', 'N', '0'], plain],
    ],
    'a delimiter that is in values without quotes': [
      ['records.delimiter', delimited({ quote: 'none' }), [], ['n', 'N', '0'], plain],
    ],
  };
}

function ofRows(call: (rows: RecordFormat) => unknown, noRows: Values): Wrong {
  const misspelt = ['keys', 'Format', 'delimeter', 'headers'];
  return {
    rows: [
      ['records', call, noRows, [], 'an object'],
      [
        'records',
        (name) => call({ ...rows, [name]: 1 } as RecordFormat),
        [],
        misspelt,
        'only format, key, delimiter, quote, escape, header, ragged',
      ],
      ['records', (name) => call({ ...ndjson, [name]: undefined } as RecordFormat), [], ['added', 'path']],
      ['records.format', (format) => call({ ...rows, format } as RecordFormat), [...NO_CHOICE, undefined], [], FORMATS],
      [
        'records.format',
        (format) => call({ ...rows, format } as RecordFormat),
        [],
        ['', 'CSV', 'json', 'toString'],
        FORMATS,
      ],
    ],
    ...ofTable('csv', call),
    ...ofTable('tsv', call),
    ...ofNdjson(call),
    ...ofDelimiter(call),
    ...ofDumps(call),
  };
}

const ROWS: Table = Object.fromEntries(
  Object.entries(CALLS).flatMap(([callable, call]) => {
    const wrong = ofRows(call, callable === 'recordStream' ? NO_OBJECT : NO_OPTIONS);
    return Object.entries(wrong).map(([what, entries]) => [`${callable} ${what}`, entries]);
  }),
);

/** Options of routeFile: a name for a column that is not added. */
function ofUnused(options: { records?: typeof ndjson; format?: 'shard' | 'u32' | 'tsv' }): readonly Entry[] {
  const call = (asColumn: never) => routeFile(input, { router, out, ...options, asColumn });
  return [
    ['asColumn', call, [null, 5, ['a']], [], 'a string'],
    ['asColumn', call, [], ['', 'shard', 'bucket'], 'undefined except with records and without format'],
  ];
}

const BESIDE: Table = {
  routeStream: [
    ['router', (v) => routeStream(v, { records: rows }), NO_ROUTER, [], 'a Router, a Partitioner or another Routing'],
    ['options', (v) => routeStream(router, v), NO_OPTIONS, [], 'an object'],
    [
      'options',
      (name) => routeStream(router, { records: rows, [name]: 1 }),
      [],
      ['row', 'asColumn'],
      'only keys, records',
    ],
    [
      'keys',
      (keys) => routeStream(router, { records: rows, keys }),
      NO_CHOICE,
      ['', 'u32'],
      "one of 'text', 'u64', 'hex', 'base64'",
    ],
    ['keys', (keys) => routeStream(raw, { records: rows, keys }), [], ['text'], "'u64' with hash 'none'"],
  ],
  'routeFile and its column': [
    [
      'asColumn',
      (asColumn) => routeFile(input, { router, out, records: rows, asColumn }),
      NO_GIVEN_STRING,
      [],
      'a string',
    ],
  ],
  'routeFile and a column of lines': ofUnused({}),
  'routeFile and a column of lines as text': ofUnused({ format: 'tsv' }),
  'routeFile and a column of shards': ofUnused({ records: ndjson, format: 'shard' }),
  'routeFile and a column of numbers': ofUnused({ records: ndjson, format: 'u32' }),
  'routeFile and its format': [
    ['format', (format) => routeFile(input, { router, out, records: rows, format }), NO_CHOICE, ['', 'csv', 'ndjson']],
    [
      'format',
      (format) => routeFile(input, { router, out, records: rows, format }),
      [],
      ['tsv'],
      "'shard' or 'u32' with records",
    ],
  ],
  'routeToDirectory and its options': [
    [
      'options',
      (name) => routeToDirectory(input, { router, directory: out, records: rows, [name]: 'shard' }),
      [],
      ['format'],
    ],
    [
      'asColumn',
      (asColumn) => routeToDirectory(input, { router, directory: out, records: rows, asColumn }),
      [],
      ['shard'],
      'undefined except with hive',
    ],
  ],
};

testWrongArguments({ ...ROWS, ...BESIDE });

test('the table has every function of shardbits/streams', () => {
  const tested = callablesIn({ ...ROWS, ...BESIDE });
  expect(callablesOf(api).filter((name) => !tested.includes(name))).toEqual(['lineStream']); // which has no arguments
});
