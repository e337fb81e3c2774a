import * as api from '../../../src/index.js';
import { type Entry, each, type Table } from '../../support/argument-table.js';
import { utf8 } from '../../support/bytes.js';
import {
  NO_BIGINT,
  NO_BOOLEAN,
  NO_DECIMAL,
  NO_KEYS,
  NO_OPTIONS,
  NO_STRING,
  NO_U64,
  NO_U64S,
  U64,
} from '../../support/wrong-values.js';
import { ofTexts, u64s } from './columns.js';

const { formatId, formatIdColumn, formatIds, parseId, parseIds } = api;

/** 2^64, the longest row of the largest digit, and longer ones. */
const TOO_LARGE = {
  dec: ['18446744073709551616', '99999999999999999999', '100000000000000000000', '184467440737095516150'],
  hex: ['10000000000000000', 'fffffffffffffffff'],
  base62: ['LygHa16AHYG', 'zzzzzzzzzzz', '100000000000'],
  crockford32: ['G000000000000', 'ZZZZZZZZZZZZZ', '10000000000000'],
  sortable32: ['k222222222222', 'zzzzzzzzzzzzz', '32222222222222'],
};

function columnOf(...rows: readonly string[]): api.BytesColumn {
  let end = 0;
  const offsets = Uint32Array.of(0, ...rows.map((text) => (end += utf8(text).length)));
  return { data: utf8(rows.join('')), offsets };
}

const NO_FORMAT = ['', 'decimal', 'DEC', 'base32', 'base64', 'toString', '__proto__'];
const FORMATS = "one of 'dec', 'hex', 'base62', 'crockford32', 'sortable32'";
const ofFormat = (call: (format: never) => unknown): Entry => ['format', call, NO_STRING, NO_FORMAT, FORMATS];

const ofPadded = (call: (options: never) => unknown): readonly Entry[] => [
  ['options', call, NO_OPTIONS, [], 'an object'],
  ['padded', (padded) => call({ padded } as never), NO_BOOLEAN, [], 'a boolean'],
];

export const IDS: Table = {
  formatId: [
    ['id', (v) => formatId(v, 'dec'), NO_BIGINT, NO_U64, U64],
    ofFormat((v) => formatId(1n, v)),
    ...ofPadded((v) => formatId(1n, 'dec', v)),
  ],
  formatIds: [
    ['ids', (v) => formatIds(v, 'dec'), NO_U64S],
    ofFormat((v) => formatIds(u64s, v)),
    ...ofPadded((v) => formatIds(u64s, 'dec', v)),
  ],
  formatIdColumn: [
    ['ids', (v) => formatIdColumn(v, 'dec'), NO_U64S],
    ofFormat((v) => formatIdColumn(u64s, v)),
    ...ofPadded((v) => formatIdColumn(u64s, 'dec', v)),
  ],
  parseId: [['text', (v) => parseId(v, 'dec'), NO_STRING, NO_DECIMAL], ofFormat((v) => parseId('1', v))],
  parseIds: [
    ['texts', (v) => parseIds(v, 'dec'), [...NO_KEYS, u64s, new BigInt64Array(3)]],
    ...ofTexts('texts', (v) => parseIds(v, 'dec')),
    ['texts row 1', (text) => parseIds(['1', text], 'dec'), [], NO_DECIMAL],
    ofFormat((v) => parseIds(['1'], v)),
  ],
  ...each(TOO_LARGE, (format, tooLarge) => {
    const [wrong, expected] = [[...tooLarge, '', 'no id'], `an integer from 0 to 2^64 - 1 in ${format}`];
    const before = formatIds(new BigUint64Array(39_999), format); // more than one piece of text
    const read = (rows: readonly string[] | api.BytesColumn) => parseIds(rows, format);
    return [
      `parseIds in ${format}`,
      [
        ['texts row 1', (text) => read(['3', text]), [], wrong, expected],
        ['texts row 2', (text) => read(columnOf('3', '2', text)), [], wrong, expected],
        ['texts row 3', (text) => read(columnOf('3', '2', '3', text, '3')), [], wrong, expected],
        ['texts row 39999', (text) => read([...before, text]), [], ['no id'], expected],
        ['texts row 39999', ([text]: [string]) => read(columnOf(...before, text)), [], [['no id']], expected],
      ],
    ];
  }),
  ...each(TOO_LARGE, (format, tooLarge) => [
    `parseId in ${format}`,
    [['text', (v) => parseId(v, format), [], [...tooLarge, ''], `an integer from 0 to 2^64 - 1 in ${format}`]],
  ]),
};
