import { type Key, type Keys, Xxh64, xxh64, xxh64Many } from '../../../src/index.js';
import { each, type Table } from '../../support/argument-table.js';
import { NO_BYTES, NO_SEED, NO_U64, U64 } from '../../support/wrong-values.js';
import { bytes, MANY, ofKeys, ofLength, ofOut, texts, u64s } from './columns.js';

/** Has been given this content, with a seed of 7, before each test. */
export const stream = new Xxh64();
export const content = new Uint8Array(100);

const keys: Record<string, Key> = {
  'a text': 'abc',
  'a long text': 'ж'.repeat(50),
  'few bytes': new Uint8Array(7),
  'many bytes': content,
  'a u64': 42n,
};
const columns: Record<string, Keys> = { texts, bytes, u64s, 'signed u64s': new BigInt64Array(3) };
const long: Record<string, Keys> = {
  texts: new Array(MANY).fill(''),
  bytes: { data: new Uint8Array(1), offsets: new Uint32Array(MANY + 1) },
  u64s: new BigUint64Array(MANY),
  'signed u64s': new BigInt64Array(MANY),
};

export const HASH: Table = {
  xxh64: [
    ['data', (v) => xxh64(v), [...NO_BYTES, bytes], [], "a string, bytes or a bigint ('42' and 42n are two keys)"],
    ['data', (v) => xxh64(v), [], NO_U64, U64],
  ],
  ...each(keys, (kind, key) => [`xxh64 of ${kind}`, [['seed', (v) => xxh64(key, v), NO_SEED, [], 'a bigint']]]),
  xxh64Many: [
    ...ofKeys((v, room, rows) => xxh64Many(v, { out: room(BigUint64Array, rows) })),
    ...ofOut(BigUint64Array, (v) => xxh64Many(texts, v), ['seed', 'out']),
  ],
  ...each(columns, (kind, some) => [
    `xxh64Many of ${kind}`,
    [['seed', (seed, room) => xxh64Many(some, { seed, out: room(BigUint64Array) }), NO_SEED, [], 'a bigint']],
  ]),
  ...each(long, (kind, some) => [
    `xxh64Many of many ${kind}`,
    [ofLength(MANY, (length, room) => xxh64Many(some, { out: room(BigUint64Array, length) }))],
  ]),
  Xxh64: [['seed', (v) => new Xxh64(v), NO_SEED, [], 'a bigint']],
  'Xxh64.update': [['data', (v) => stream.update(v), [...NO_BYTES, 5n], [], 'a string or bytes']],
  'Xxh64.reset': [['seed', (v) => stream.reset(v), NO_SEED, [], 'a bigint']],
};
