/**
 * Functions for SQL in SQLite, with node:sqlite (Node.js 22.13, 23.5 and later) or better-sqlite3.
 * @module shardbits/sqlite-functions
 */

import {
  checkInteger,
  checkOptions,
  checkRecord,
  checkString,
  MAX_BUCKETS,
  namesIn,
  u64,
  unknownName,
  wrongKind,
  wrongValue,
} from '../../arguments.js';
import type { KeyKind, PartitionValue } from '../../columns/keys.js';
import { parsePeriod } from '../../dates.js';
import { xxh64 } from '../../hash/xxh64.js';
import { formatId, parseId } from '../../ids/text.js';
import type { TextFormat } from '../../kernels/types.js';
import type { IdLayout } from '../../layout/id-layout.js';
import { layouts as presets } from '../../layout/layout.js';
import { jumpHash } from '../../routing/buckets.js';
import { abilitiesOf, type Routing } from '../../routing/routing.js';

/** A database of node:sqlite (`DatabaseSync`) or better-sqlite3. */
export interface FunctionsDatabase {
  function(name: string, options: object, call: (...values: any[]) => any): unknown;
}

/** A map from shards to nodes, such as a `ShardMap` of `shardbits/map`. */
export interface NodeMap {
  nodesOf(shard: number): readonly string[];
  readonly shards: number;
}

/** Options of {@link registerSqlite}. */
export interface SqliteFunctionsOptions {
  /** Layouts by the names that SQL uses, besides the presets. */
  layouts?: { readonly [name: string]: IdLayout } | undefined;
  /** Routings, for `route_by`. */
  routers?: { readonly [name: string]: Routing<any> } | undefined;
  /** Maps, for `node_of`. */
  maps?: { readonly [name: string]: NodeMap } | undefined;
  /** What the names of all functions begin with; nothing by default. */
  prefix?: string | undefined;
}

/** A value from SQLite. All integers come as bigints. */
type SqlValue = null | bigint | number | string | Uint8Array;

/**
 * Makes functions of a connection:
 *
 * - `xxh64(key [, seed])`: the hash of a key;
 * - `jump_hash(hash, shards)`: the shard of a hash;
 * - `shard_of(key, shards [, seed])`: what `new Router({ shards, seed })` gives;
 * - `route_by(key, router)`: what one of `routers` gives; of several columns `route_by(a, b, router)`;
 * - `node_of(key, map)`: the primary node of a key, by one of `maps`;
 * - `id_time(id, layout)`: the time of an id as `YYYY-MM-DD HH:MM:SS.SSS` in UTC, as SQLite's functions of dates take it;
 * - `id_fields(id, layout)`: the fields of an id as JSON, with Unix milliseconds for a time, and decimal text for a field of
 *   more than 53 bits;
 * - `min_id_at(time, layout)`, `max_id_at(time, layout)`: the smallest and the largest id of a time, which is a date as text,
 *   in UTC if it has no offset, or a number of Unix milliseconds;
 * - `format_id(id, format)`, `parse_id(text, format)`: an id as text.
 *
 * A key is a text, a blob or an integer. Integers of SQLite have 63 bits and a sign, so hashes, ids and keys that are u64s
 * are the negative integers of the same bits from 2^63 on. For a partitioner, an integer is that number in the kind of its
 * keys; dates, times, UUIDs and decimals are texts. NULL gives NULL, except in `route_by` for systems that have a rule for it.
 * A layout, router or map is named by text. The functions are deterministic, so that indexes and
 * generated columns can use them; SQLite then needs them in every connection.
 * @param database an open database
 * @throws TypeError if an argument is of the wrong kind
 * @throws RangeError if an option is unknown, or `prefix` cannot begin a name
 * @example
 * registerSqlite(new DatabaseSync('users.db'));
 * // select shard_of(email, 64), id_time(id, 'snowflake') from users
 */
export function registerSqlite(database: FunctionsDatabase, options?: SqliteFunctionsOptions): void {
  if (typeof database?.function !== 'function') {
    throw wrongKind('database', 'a database of node:sqlite (Node.js 22.13, 23.5 or later) or better-sqlite3', database);
  }
  const given = checkOptions(options, ['layouts', 'routers', 'maps', 'prefix']);
  const { prefix = '' } = given;
  if (!/^(?:[A-Za-z_]\w*)?$/.test(checkString('prefix', prefix))) {
    throw wrongValue('prefix', 'letters, digits and _ that start with a letter', prefix);
  }
  const layoutNamed = finder<IdLayout>('layout', { ...presets, ...given.layouts });
  const routerNamed = finder('router', given.routers);
  const mapNamed = finder('map', given.maps);
  const timeLayoutNamed = (name: SqlValue): IdLayout => {
    const layout = layoutNamed(name);
    if (layout.time === undefined) throw wrongValue('layout', 'a layout with a field that holds time', name);
    return layout;
  };
  // A number would become a REAL, and a bigint becomes an INTEGER.
  const functions: { readonly [name: string]: ScalarCall } = {
    xxh64: (key, seed = 0n) => signed(hashOf(key, seed)),
    jump_hash: (hash, shards) => BigInt(jumpHash(u64(integerOf('hash', hash)), shardsOf(shards))),
    shard_of: (key, shards, seed = 0n) => BigInt(jumpHash(hashOf(key, seed), shardsOf(shards))),
    route_by: (...values) => {
      const router = routerNamed(values.pop());
      const { kinds = [undefined], takesNull } = abilitiesOf(router);
      const { length } = kinds;
      if (values.length !== length) {
        throw wrongValue('key', length === 1 ? 'one value' : `${length} values`, values.length);
      }
      if (values.includes(null) && !takesNull) return null;
      const keys = values.map((key, i) => keyFor(kinds[i], key));
      const isOfColumns = 'key' in router && Array.isArray(router.key);
      return BigInt(router.route(isOfColumns ? keys : keys[0]));
    },
    node_of: (key, name) => {
      const map = mapNamed(name);
      return map.nodesOf(jumpHash(hashOf(key, 0n), map.shards))[0];
    },
    id_time: (id, name) => {
      const date = timeLayoutNamed(name).dateOf(idOf(id));
      return date.toISOString().replace('T', ' ').replace('Z', '');
    },
    id_fields: (id, name) => {
      const fields: { [field: string]: unknown } = layoutNamed(name).unpack(idOf(id));
      return JSON.stringify(fields, (_, value) => (typeof value === 'bigint' ? String(value) : value));
    },
    min_id_at: (time, name) => signed(timeLayoutNamed(name).minIdAt(timeOf(time))),
    max_id_at: (time, name) => signed(timeLayoutNamed(name).maxIdAt(timeOf(time))),
    format_id: (id, format) => formatId(idOf(id), formatOf(format)),
    parse_id: (text, format) => signed(parseId(textOf('text', text), formatOf(format))),
  };
  for (const [name, call] of Object.entries(functions)) {
    for (const count of COUNTS[name] ?? [2]) define(database, `${prefix}${name}`, count, call);
  }
}

/** How many arguments functions take, if not two; undefined: any number of keys, NULL among them, and a name. */
const COUNTS: { readonly [name: string]: readonly (number | undefined)[] } = {
  xxh64: [1, 2],
  shard_of: [2, 3],
  route_by: [undefined],
};

type ScalarCall = (...values: SqlValue[]) => unknown;

/** node:sqlite takes `useBigIntArguments`, and better-sqlite3 `safeIntegers`. Both read the length of the function. */
function define(database: FunctionsDatabase, name: string, count: number | undefined, call: ScalarCall): void {
  const varargs = count === undefined;
  const hasNull = (values: SqlValue[]) => (varargs ? values.at(-1) === null : values.includes(null));
  const orNull = (...values: SqlValue[]) => (hasNull(values) ? null : call(...values));
  Object.defineProperty(orNull, 'length', { value: count ?? 0 });
  const options = { deterministic: true, useBigIntArguments: true, safeIntegers: true, varargs };
  database.function(name, options, orNull);
}

/** Makes a function that gives what SQL names. */
function finder<T>(kind: string, known: { readonly [name: string]: T } = {}): (name: SqlValue | undefined) => T {
  checkRecord(`${kind}s`, known);
  return (name) => {
    const text = textOf(kind, name);
    if (!Object.hasOwn(known, text)) throw unknownName(kind, text, namesIn(known));
    return known[text];
  };
}

const signed = (value: bigint): bigint => BigInt.asIntN(64, value);

function integerOf(argument: string, value: SqlValue): bigint {
  if (typeof value !== 'bigint') throw wrongKind(argument, 'an integer', value);
  return value;
}

const idOf = (id: SqlValue): bigint => u64(integerOf('id', id));

const shardsOf = (shards: SqlValue): number =>
  checkInteger('shards', Number(integerOf('shards', shards)), 1, MAX_BUCKETS);

const textOf = (argument: string, value: any): string => checkString(argument, value);
const formatOf = (format: SqlValue) => textOf('format', format) as TextFormat;

function keyOf(key: SqlValue): string | Uint8Array | bigint {
  if (typeof key === 'bigint') return u64(key);
  if (typeof key === 'number' || key === null) throw wrongKind('key', 'a text, a blob or an integer', key);
  return key;
}

/** A key of a kind. Integers have a sign, while a u64 has the bits of a negative integer. */
function keyFor(kind: KeyKind | undefined, key: SqlValue): PartitionValue {
  if (key === null) return null;
  if (typeof key !== 'bigint' || kind === undefined || kind === 'u64') return keyOf(key);
  return ['int64', 'time', 'timestamp'].includes(kind) ? key : Number(key);
}

const hashOf = (key: SqlValue, seed: SqlValue): bigint => xxh64(keyOf(key), integerOf('seed', seed));

/** Unix milliseconds from a number or a date. */
function timeOf(time: SqlValue): number {
  if (typeof time === 'bigint' || typeof time === 'number') return Number(time);
  const period = parsePeriod(textOf('time', time));
  if (period === undefined) throw wrongValue('time', 'a date that exists, such as 2024-03-01 10:30:15.500', time);
  return period.from + period.us / 1000;
}
