import { expect, test } from 'vitest';
import type { BytesColumn } from '../../src/index.js';
import * as api from '../../src/wide-ids/index.js';
import { ofOut, ofTexts, u64s } from '../arguments/table/columns.js';
import { callablesIn, callablesOf, type Entry, type Table, testWrongArguments } from '../support/argument-table.js';
import { NO_DATE, NO_KEYS, NO_STRING } from '../support/wrong-values.js';
import { columnOf } from './texts.js';

const { timesOf, wideIdKindOf } = api;

const ID = '507c7f79bcf86cd7994f6c0e';
const ids = [ID, ID, ID];
const NO_KIND = ['', 'UUID', 'uuid ', 'ObjectId', 'objectId', 'uuidv7', 'toString', '__proto__', 'constructor'];
const NO_ID = ['', '1', ID.slice(1), `${ID}0`, `${ID.slice(1)}g`, ` ${ID.slice(1)}`, '漢'.repeat(24)];
const of = (texts: readonly string[] | BytesColumn) => timesOf(texts, 'objectid');

/** The argument of the bounds of a time; `last` is the last time that ids can have. */
const ofDate = (call: (date: never) => unknown, last: number, lastUnit: string): readonly Entry[] => {
  const dates = `1970-01-01T00:00:00.000Z to ${lastUnit}`;
  const ms = [-1, -0.001, last + 1, 2 ** 53, -(2 ** 53), 1e300, Number.NaN, Number.POSITIVE_INFINITY, -1 / 0];
  return [
    ['date', call, NO_DATE, [], 'a Date or a number'],
    ['date', call, [], [-1, last + 1, Number.NaN].map((time) => new Date(time)), `a date from ${dates}`],
    ['date', call, [], ms, `Unix milliseconds from 0 to ${Date.parse(lastUnit)} (${dates})`],
  ];
};
const of48Bits = (call: (date: never) => unknown) => ofDate(call, 2 ** 48 - 1, '+010889-08-02T05:31:50.655Z');
const ofSeconds = (call: (date: never) => unknown) => ofDate(call, 2 ** 32 * 1000 - 1, '2106-02-07T06:28:15.000Z');

const TABLE: Table = {
  minUuidAt: of48Bits((v) => api.minUuidAt(v)),
  maxUuidAt: of48Bits((v) => api.maxUuidAt(v)),
  minUlidAt: of48Bits((v) => api.minUlidAt(v)),
  maxUlidAt: of48Bits((v) => api.maxUlidAt(v)),
  minObjectIdAt: ofSeconds((v) => api.minObjectIdAt(v)),
  maxObjectIdAt: ofSeconds((v) => api.maxObjectIdAt(v)),
  timesOf: [
    ['texts', (v) => of(v), [...NO_KEYS, u64s, new BigInt64Array(3)]],
    ...ofTexts('texts', (v) => of(v)),
    ['texts row 1', (text) => of([ID, text, ID]), [], NO_ID, 'an ObjectId: 24 hexadecimal digits'],
    ['texts row 0', (text) => of(columnOf([text, ID])), [], NO_ID, 'an ObjectId: 24 hexadecimal digits'],
    ['texts row 9', (text) => of([...new Array(9).fill(ID), text]), [], NO_ID],
    ['kind', (kind) => timesOf(ids, kind), NO_STRING, NO_KIND, "one of 'uuid', 'ulid', 'objectid', 'ksuid', 'xid'"],
    ...ofOut(Float64Array, (options) => timesOf(ids, 'objectid', options)),
  ],
  'timesOf into an array of the caller': [
    ['texts row 2', (text, room) => timesOf([ID, ID, text], 'objectid', { out: room(Float64Array) }), [null], NO_ID],
    [
      'texts row 0',
      (text, room) => timesOf(columnOf([text, ID, ID]), 'objectid', { out: room(Float64Array) }),
      [],
      NO_ID,
    ],
    ['kind', (kind, room) => timesOf(ids, kind, { out: room(Float64Array) }), [5], ['uid']],
  ],
  wideIdKindOf: [['text', (v) => wideIdKindOf(v), NO_STRING, [], 'a string']],
};

testWrongArguments(TABLE);

test('the table has every function of shardbits/wide-ids, and no others', () => {
  expect(callablesIn(TABLE).sort()).toEqual(callablesOf(api).sort());
});
