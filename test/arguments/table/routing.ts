import * as api from '../../../src/index.js';
import { each, integer, type Room, type Table } from '../../support/argument-table.js';
import {
  lost,
  NO_BIGINT,
  NO_BYTES,
  NO_CHOICE,
  NO_KEYS,
  NO_OBJECT,
  NO_SEED,
  NO_STRING,
  NO_TEXT,
  NO_U32S,
  NO_U64,
  NO_U64S,
  named,
  U64,
} from '../../support/wrong-values.js';
import { bytes, ofKeys, ofOut, texts, u64s } from './columns.js';

const { fastRange, fastRangeMany, groupByShard, jumpHash, jumpHashMany, planReshard, Router, typedKey } = api;

const MAX_SHARDS = 2 ** 31 - 1;
const MAX_N = 2 ** 32 - 1;
const none = new BigUint64Array(0);
const router = new Router({ shards: 4 });
const raw = new Router({ shards: 4, hash: 'none' });
const into = (room: Room, rows = 3) => ({ out: room(Uint32Array, rows) });

const NO_ROUTER = [...NO_OBJECT, {}, { shards: 10 }, 11, named('the class', Router)];
const NO_DOWN = [null, 1, 5, 5n, {}, { 1: true }, '1', '12', true, () => 1];
const ALL_DOWN = [[0], [0, 1, 2], [3, 2, 1, 0]];
const NO_SEED_TEXT = ['', '-1', '5n', '0x5', '1e3', '1.5', ' 5', '123456789012345678901'];
const OPTIONS = 'only shards, strategy, hash, seed, down';
const STRATEGIES = "one of 'jump', 'fastrange', 'modulo'";
const HASHES = "one of 'xxh64', 'none'";
const NOT_U64S = "a BigUint64Array with hash 'none'";

const lists: Record<string, (shard: number) => Iterable<number>> = {
  'an Array': (shard) => [0, shard],
  'a Set': (shard) => new Set([shard]),
  'the keys of a Map': (shard) => new Map([[shard, 'a']]).keys(),
};

export const ROUTING: Table = {
  jumpHash: [
    ['key', (v) => jumpHash(v, 10), NO_BIGINT, NO_U64, U64],
    integer('buckets', (v) => jumpHash(1n, v), 1, MAX_SHARDS),
  ],
  jumpHashMany: [
    ['keys', (v, room) => jumpHashMany(v, 10, into(room)), NO_U64S, [], 'a BigUint64Array'],
    integer('buckets', (v, room) => jumpHashMany(u64s, v, into(room)), 1, MAX_SHARDS),
    ...ofOut(Uint32Array, (v) => jumpHashMany(u64s, 10, v)),
  ],
  'jumpHashMany of no keys': [integer('buckets', (v) => jumpHashMany(none, v), 1, MAX_SHARDS)],
  fastRange: [
    ['hash', (v) => fastRange(v, 10), NO_BIGINT, NO_U64, U64],
    integer('n', (v) => fastRange(1n, v), 1, MAX_N),
  ],
  fastRangeMany: [
    ['hashes', (v, room) => fastRangeMany(v, 10, into(room)), NO_U64S, [], 'a BigUint64Array'],
    integer('n', (v, room) => fastRangeMany(u64s, v, into(room)), 1, MAX_N),
    ...ofOut(Uint32Array, (v) => fastRangeMany(u64s, 10, v)),
  ],
  'fastRangeMany of no hashes': [integer('n', (v) => fastRangeMany(none, v), 1, MAX_N)],

  'Router.from': [
    ['json', (v) => Router.from(v), NO_OBJECT, [], 'an object'],
    ['json', (name) => Router.from({ shards: 4, [name]: 1 }), [], ['shard', 'Seed'], OPTIONS],
    ['seed', (seed) => Router.from({ shards: 4, seed }), [null, 5, 5n, {}, ['5']], [], 'a string'],
    ['seed', (seed) => Router.from({ shards: 4, seed }), [], NO_SEED_TEXT, 'a decimal integer from 0 to 2^64 - 1'],
    integer('shards', (shards) => Router.from({ shards }), 1, MAX_SHARDS),
  ],
  Router: [
    ['options', (v) => new Router(v), NO_OBJECT, [], 'an object'],
    ['options', (name) => new Router({ shards: 4, [name]: 1 }), [], ['shard', 'Seed', 'straregy'], OPTIONS],
    integer('shards', (shards) => new Router({ shards }), 1, MAX_SHARDS),
    ['strategy', (strategy) => new Router({ shards: 4, strategy }), NO_CHOICE, ['', 'Jump', 'ring'], STRATEGIES],
    ['strategy', (strategy) => new Router({ shards: 4, strategy }), [], ['toString'], STRATEGIES],
    ['hash', (hash) => new Router({ shards: 4, hash }), NO_CHOICE, ['', 'xxh32', 'XXH64', 'murmur'], HASHES],
    ['seed', (seed) => new Router({ shards: 4, seed }), NO_SEED, [], 'a bigint'],
    ['down', (down) => new Router({ shards: 4, down }), NO_DOWN, [], 'an iterable of shards'],
    ['down', (down: []) => new Router({ shards: down.length, down }), [], ALL_DOWN, 'at least one shard to be up'],
    [
      'down',
      ([shard]: [number]) => new Router({ shards: 4, down: Uint8Array.of(0, shard) }),
      [],
      [[4]],
      'an integer from 0 to 3',
    ],
  ],
  'Router by fastrange': [integer('shards', (shards) => new Router({ shards, strategy: 'fastrange' }), 1, MAX_SHARDS)],
  ...each(lists, (kind, list) => [
    `Router with shards down in ${kind}`,
    [integer('down', (shard) => new Router({ shards: 4, down: list(shard) }), 0, 3)],
  ]),
  'Router.route': [
    [
      'key',
      (v) => router.route(v),
      [...NO_BYTES, bytes],
      [],
      "a string, bytes or a bigint ('42' and 42n are two keys)",
    ],
    ['key', (v) => router.route(v), [], NO_U64, U64],
  ],
  'Router.route without a hash': [
    ['key', (v) => raw.route(v), [...NO_BIGINT, new Uint8Array(8), new ArrayBuffer(8)], NO_U64, U64],
  ],
  'Router.routeMany': [
    ...ofKeys((v, room, rows) => router.routeMany(v, into(room, rows))),
    ...ofOut(Uint32Array, (v) => router.routeMany(texts, v)),
  ],
  'Router.routeMany without a hash': [
    ['keys', (v, room) => raw.routeMany(v, into(room)), NO_KEYS],
    ['keys', (v, room) => raw.routeMany(v, into(room)), [texts, [], bytes], [], NOT_U64S],
    ['keys row 0', (text, room) => raw.routeMany([text], into(room, 1)), NO_TEXT, [], 'a string'],
  ],
  'Router.with': [
    ['changes', (v) => router.with(v), NO_OBJECT, [], 'an object'],
    ['changes', (name) => router.with({ [name]: 5 }), [], ['shard', 'Down'], OPTIONS],
    integer('shards', (shards) => router.with({ shards }), 1, MAX_SHARDS, ['4', 4n, null]),
    ['down', ([shards]: [number]) => new Router({ shards: 9, down: [8] }).with({ shards }), [], [[8], [5], [1]]],
  ],
  typedKey: [
    ['type', (v) => typedKey(v, 'b'), NO_STRING, [], 'a string'],
    ['key', (v) => typedKey('a', v), NO_STRING, [], 'a string'],
  ],
  planReshard: [
    ...ofKeys((v) => planReshard(v, router, router)),
    ['from', (v) => planReshard(texts, v, router), NO_ROUTER, [], 'a Router, a Partitioner or another Routing'],
    ['to', (v) => planReshard(texts, router, v), NO_ROUTER, [], 'a Router, a Partitioner or another Routing'],
  ],
  'planReshard to no hash': [['keys', (v) => planReshard(v, router, raw), [texts, [], bytes], [], NOT_U64S]],
  'planReshard from no hash': [['keys', (v) => planReshard(v, raw, router), [texts, [], bytes], [], NOT_U64S]],
  groupByShard: [
    [
      'shards',
      (v) => groupByShard(v, 4),
      NO_U32S.filter((value) => !(value instanceof Uint8Array)),
      [],
      'a Uint8Array, Uint16Array or Uint32Array',
    ],
    ['shards', (v) => groupByShard(v, 4), lost('Uint8Array', 'Uint16Array')],
    ['shards row 2', (shard) => groupByShard(Uint8Array.of(0, 1, shard), 2), [], [3, 255], 'a shard from 0 to 1'],
    ['shards row 1', (shard) => groupByShard(Uint16Array.of(0, shard), 300), [], [300, 65535], 'a shard from 0 to 299'],
    ['shards row 0', (shard) => groupByShard(Uint32Array.of(shard, 1, 9), 3), [], [3, 5], 'a shard from 0 to 2'],
    ['shards row 1', (shard) => groupByShard(Uint32Array.of(0, shard, 7), 3), [], [3, MAX_N], 'a shard from 0 to 2'],
    ['shards row 2', (shard) => groupByShard(Uint32Array.of(0, 1, shard), 2), [], [2, 7], 'a shard from 0 to 1'],
    integer('count', (v) => groupByShard(Uint32Array.of(0), v), 1, MAX_SHARDS),
  ],
  'groupByShard of no rows': [integer('count', (v) => groupByShard(new Uint32Array(), v), 1, MAX_SHARDS)],
};
