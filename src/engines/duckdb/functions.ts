import { wrongValue } from '../../arguments.js';
import { bytesColumnOf, type Keys } from '../../columns/keys.js';
import { xxh64Many } from '../../hash/xxh64.js';
import { formatIds, parseIds } from '../../ids/text.js';
import type { TextFormat } from '../../kernels/types.js';
import type { Layout } from '../../layout/layout.js';
import { layouts as presets } from '../../layout/presets.js';
import type { ShardMap } from '../../map/shard-map.js';
import { type ColumnType, kindsOfColumns } from '../../partitioners/columns.js';
import { SYSTEM_NAMES, type SystemName } from '../../partitioners/systems.js';
import { partitionerNamed, type SystemVariant, systems } from '../../partitioners/variants.js';
import { jumpHashMany } from '../../routing/buckets.js';
import { Router } from '../../routing/router.js';
import type { Routing, RoutingKeys } from '../../routing/routing.js';
import { timesOf, wideIdKindOf } from '../../wide-ids/times.js';
import { fieldsOf, type Layouts, type SqlFunction, type SqlType } from './values.js';

interface Things {
  readonly layouts: Layouts;
  readonly maps: { readonly [name: string]: ShardMap };
  readonly routers: { readonly [name: string]: Routing<any> };
}

/** The types of keys, and what a column of each is for this package. */
const KEYS = {
  text: bytesColumnOf,
  bytes: bytesColumnOf,
  u64: (values: readonly bigint[]) => BigUint64Array.from(values),
  i64: (values: readonly bigint[]) => BigInt64Array.from(values),
  i32: (values: readonly number[]) => Int32Array.from(values),
  uuid: (values: readonly string[]) => values,
} as const;
type KeyType = keyof typeof KEYS;
const KEY_TYPES = Object.keys(KEYS) as KeyType[];

const columnOf = (type: KeyType, values: readonly any[]): RoutingKeys => KEYS[type](values);

/** A column as a Router takes it: an integer is a u64 of the same bits as the integer of 64 bits. */
const keysOf = (type: KeyType, values: readonly any[]): Keys =>
  type === 'i32' ? BigInt64Array.from(values, BigInt) : (columnOf(type, values) as Keys);

/** The kind of keys of a partitioner that each type is. */
const KINDS = { text: 'text', bytes: 'bytes', i32: 'int32', i64: 'int64', uuid: 'uuid' } as const;

/** Other integers, which DuckDB would convert to those of 64 bits. */
const NARROW = {
  i8: { column: 'int8', sql: 'TINYINT' },
  i16: { column: 'int16', sql: 'SMALLINT' },
  u8: { column: 'uint8', sql: 'UTINYINT' },
  u16: { column: 'uint16', sql: 'USMALLINT' },
  u32: { column: 'uint32', sql: 'UINTEGER' },
} as const satisfies { [type in SqlType]?: { column: ColumnType; sql: string } };

const isNarrow = (type: SqlType): type is keyof typeof NARROW => type in NARROW;

/** All functions. */
export function functionsOf(things: Things): SqlFunction[] {
  const all = { ...presets, ...things.layouts };
  return [...routing(things), ...SYSTEM_NAMES.flatMap(ofSystem), ...ofIds(all), ...ofTexts()];
}

function named<T>(what: string, all: { readonly [name: string]: T }, name: string): T {
  if (Object.hasOwn(all, name)) return all[name];
  throw wrongValue(what, `one of ${Object.keys(all).join(', ') || 'none, because none were registered'}`, name);
}

/** The same function for every type of keys. */
const forKeys = (make: (type: KeyType) => readonly SqlFunction[]): SqlFunction[] => KEY_TYPES.flatMap(make);

function routing({ maps, routers }: Things): SqlFunction[] {
  return [
    ...forKeys((type) => {
      const hash = (values: readonly any[], seed = 0n) => xxh64Many(keysOf(type, values), { seed });
      const route = (values: readonly any[], n: bigint, seed = 0n) =>
        new Router({ shards: Number(n), seed }).routeMany(keysOf(type, values));
      return [
        { name: 'xxh64', parameters: [type], returns: 'u64', apply: (values) => hash(values) },
        { name: 'xxh64', parameters: [type, 'integer'], returns: 'u64', apply: hash },
        { name: 'shard_of', parameters: [type, 'integer'], returns: 'shard', apply: (values, n) => route(values, n) },
        { name: 'shard_of', parameters: [type, 'integer', 'integer'], returns: 'shard', apply: route },
        {
          name: 'node_of',
          parameters: [type, 'text'],
          returns: 'text',
          apply(values, name) {
            const map = named('map', maps, name);
            const shards = new Router({ shards: map.shards }).routeMany(keysOf(type, values));
            return Array.from(map.nodeColumn(shards), (node) => map.nodes[node].name);
          },
        },
        {
          name: 'route_by',
          parameters: [type, 'text'],
          returns: 'shard',
          apply(values, name) {
            const router = named('router', routers, name);
            const isOfInt32 = 'key' in router && router.key === 'int32';
            return router.routeMany((isOfInt32 ? columnOf(type, values) : keysOf(type, values)) as Keys);
          },
        },
      ];
    }),
    {
      name: 'jump_hash',
      parameters: ['u64', 'integer'],
      returns: 'shard',
      apply: (keys, n) => jumpHashMany(BigUint64Array.from(keys), Number(n)),
    },
  ];
}

/** `kafka_partition(key, n [, variant])`; not for systems that need tokens or servers. */
function ofSystem(name: SystemName): SqlFunction[] {
  const all = Object.values(systems).filter(({ system }) => system === name);
  const [{ count, noun, hasServers }] = all;
  if (name === 'cassandra' || hasServers) return [];
  const variants = all.flatMap(({ word }) => word.split(':').slice(1));
  const types = (Object.keys(KINDS) as (keyof typeof KINDS)[]).filter((type) =>
    all.some(({ keys }) => keys.includes(KINDS[type])),
  );
  const narrow = types.includes('i64') ? (Object.keys(NARROW) as (keyof typeof NARROW)[]) : [];
  return [...types, ...narrow].flatMap((type) => {
    const route = (values: readonly any[], n: bigint | undefined, variant?: string) => {
      const as = all.find(({ word }) => word === (variant === undefined ? name : `${name}:${variant}`));
      if (as === undefined) throw wrongValue('variant', `one of ${variants.join(', ')}`, variant);
      const key = isNarrow(type) ? asKnown(as, type) : type;
      const shards = n === undefined ? undefined : Number(n);
      const made = partitionerNamed(as.word, { shards, key: KINDS[key] });
      return made.routeMany(columnOf(key, isNarrow(type) && key === 'i64' ? values.map(BigInt) : values) as never);
    };
    const usual = { name: `${name}_${noun.toLowerCase().replace(' ', '_')}`, returns: 'shard' } as const;
    const needsVariant = name === 'clickhouse';
    const signatures: SqlFunction[] = [];
    const add = (parameters: readonly SqlType[], apply: SqlFunction['apply']) =>
      signatures.push({ ...usual, parameters, apply });
    if (count === undefined || name === 'couchbase') add([type], (values) => route(values, undefined));
    if (count !== undefined && !needsVariant) add([type, 'integer'], (values, n) => route(values, n));
    if (variants.length > 0) add([type, 'integer', 'text'], route);
    return signatures;
  });
}

/** The type of keys that narrower integers are for a system. @throws RangeError if it hashes them in a way of its own */
function asKnown(as: SystemVariant, type: keyof typeof NARROW): 'i32' | 'i64' {
  const kind = kindsOfColumns(as)[NARROW[type].column];
  if (kind !== undefined) return kind === 'int32' && as.keys.includes('int32') ? 'i32' : 'i64';
  const expected = `INTEGER or BIGINT, because ${as.system} hashes other integers in other ways: cast it to what it is there`;
  throw wrongValue('key', expected, NARROW[type].sql);
}

const IDS = ['u64', 'i64'] as const;
const idsOf = (type: (typeof IDS)[number], values: readonly bigint[]) => KEYS[type](values);

const MICROS = 1000n;
const toTime = (ms: number) => ({ micros: BigInt(Math.round(ms * 1000)) });
/** Of microseconds, the millisecond in which they are. */
const toMs = (micros: bigint) => Number((micros - (((micros % MICROS) + MICROS) % MICROS)) / MICROS);
/** Whether the times of a layout have microseconds. */
const hasMicros = ({ time }: Layout): boolean => time !== undefined && time.unitMs < 1;
/** The last microsecond of a millisecond. */
const LAST_US = 0.999;

function ofIds(layouts: Layouts): SqlFunction[] {
  const names = Object.keys(fieldsOf(layouts));
  const withTime = (name: string): Layout => {
    const layout = named('layout', layouts, name);
    if (layout.time === undefined) throw wrongValue('layout', 'a layout whose ids have a time', name);
    return layout;
  };
  return [
    ...IDS.flatMap((type): SqlFunction[] => [
      {
        name: 'id_time',
        parameters: [type, 'text'],
        returns: 'time',
        apply: (ids, name) => Array.from(withTime(name).datesOf(idsOf(type, ids)), toTime),
      },
      {
        name: 'id_fields',
        parameters: [type, 'text'],
        returns: 'fields',
        apply(ids, name) {
          const layout = named('layout', layouts, name);
          const columns = layout.unpackMany(idsOf(type, ids)) as { [field: string]: ArrayLike<number | bigint> };
          return ids.map((_, row) => {
            const entries = names.map((field) => {
              const value = columns[field]?.[row];
              if (value === undefined) return [field, null];
              return [field, field === layout.time?.name ? toTime(Number(value)) : BigInt(value)];
            });
            return { entries: Object.fromEntries(entries) };
          });
        },
      },
      {
        name: 'format_id',
        parameters: [type, 'text'],
        returns: 'text',
        apply: (ids, format: TextFormat) => formatIds(idsOf(type, ids), format),
      },
    ]),
    {
      name: 'id_range',
      parameters: ['time', 'text'],
      returns: 'range',
      apply(times, name) {
        const layout = withTime(name) as Layout<{ timestamp: number }>;
        return times.map((micros) => {
          const ms = toMs(micros);
          return {
            entries: { first: layout.minIdAt(ms), last: layout.maxIdAt(hasMicros(layout) ? ms + LAST_US : ms) },
          };
        });
      },
    },
    {
      name: 'pack_id',
      parameters: ['any', 'text'],
      returns: 'u64',
      apply(structs, name) {
        const layout = named('layout', layouts, name);
        return structs.map((struct) => layout.pack(fieldsIn(struct, layout)));
      },
    },
  ];
}

/** The fields in a struct: those that are NULL are left out, and times are Unix milliseconds. */
function fieldsIn(struct: unknown, layout: Layout): { [name: string]: number | bigint } {
  if (typeof struct !== 'object' || struct === null) throw wrongValue('fields', 'a STRUCT', struct);
  const entries = Object.entries(struct).filter(([, value]) => value !== null);
  const fields = entries.map(([name, value]) => {
    const micros = typeof value === 'object' && 'micros' in value ? (value.micros as bigint) : undefined;
    if (micros !== undefined) return [name, hasMicros(layout) ? Number(micros) / 1000 : toMs(micros)];
    return [name, name === layout.time?.name ? Number(value) : value];
  });
  return Object.fromEntries(fields);
}

const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
const textOf = (bytes: Uint8Array) => decoder.decode(bytes);

function ofTexts(): SqlFunction[] {
  return [
    {
      name: 'parse_id',
      parameters: ['text', 'text'],
      returns: 'u64',
      apply: (texts, format: TextFormat) => parseIds(bytesColumnOf(texts), format),
    },
    {
      name: 'wide_id_time',
      parameters: ['text'],
      returns: 'time',
      apply: (texts) =>
        texts.map((bytes: Uint8Array) => {
          const text = textOf(bytes);
          const kind = wideIdKindOf(text);
          if (kind === undefined) throw wrongValue('id', 'a UUID, ULID, ObjectId, KSUID or xid', text);
          return toTime(timesOf([text], kind)[0]);
        }),
    },
  ];
}
