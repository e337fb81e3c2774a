import { wrongValue } from '../../arguments.js';
import { bytesColumnOf, type Keys } from '../../columns/keys.js';
import { xxh64Many } from '../../hash/xxh64.js';
import { formatIds, parseIds } from '../../ids/text.js';
import type { TextFormat } from '../../kernels/types.js';
import type { Layout } from '../../layout/layout.js';
import type { ShardMap } from '../../map/shard-map.js';
import { type ColumnType, kindOfColumn } from '../../partitioners/columns.js';
import type { KeyKind } from '../../partitioners/keys.js';
import { SYSTEM_NAMES, type SystemName } from '../../partitioners/systems.js';
import { partitionerNamed, type SystemVariant, systems } from '../../partitioners/variants.js';
import { jumpHashMany } from '../../routing/buckets.js';
import { Router } from '../../routing/router.js';
import type { Routing } from '../../routing/routing.js';
import { timesOf, wideIdKindOf } from '../../wide-ids/times.js';
import { TYPES } from './api.js';

const KEYS = ['VARCHAR', 'BLOB', 'UBIGINT', 'BIGINT', 'INTEGER', 'UUID'] as const;
/** Other integers, which DuckDB would convert to those of 64 bits. */
const NARROW = ['TINYINT', 'SMALLINT', 'UTINYINT', 'USMALLINT', 'UINTEGER'] as const;
const IDS = ['UBIGINT', 'BIGINT'] as const;

/** The types of parameters and results: those of DuckDB, a struct of the fields of all layouts, and one of a first and a last id. */
export type SqlType = (typeof KEYS | typeof NARROW)[number] | 'HUGEINT' | 'TIMESTAMP' | 'ANY' | 'fields' | 'range';

/** A function of SQL. */
export interface SqlFunction {
  readonly name: string;
  readonly parameters: readonly SqlType[];
  readonly returns: SqlType;
  /**
   * The results of rows.
   * @param values the first argument of each row; texts as their bytes in UTF-8
   * @param rest the further arguments, which are the same in all of these rows
   */
  apply(values: readonly any[], ...rest: readonly any[]): ArrayLike<unknown>;
}

/** What SQL calls by names. */
interface Things {
  readonly layouts: { readonly [name: string]: Layout };
  readonly maps: { readonly [name: string]: ShardMap };
  readonly routers: { readonly [name: string]: Routing<any> };
}

/** What a column of each kind of keys is for this package. */
const COLUMNS = {
  text: bytesColumnOf,
  bytes: bytesColumnOf,
  u64: (values: readonly bigint[]) => BigUint64Array.from(values),
  int64: (values: readonly (bigint | number)[]) => BigInt64Array.from(values, BigInt),
  int32: (values: readonly number[]) => Int32Array.from(values),
  uuid: (values: readonly string[]) => values,
} as const;

const columnOf = (kind: KeyKind | 'u64', values: readonly any[]) => COLUMNS[kind](values) as Keys;

/** A column as a Router takes it: an integer is a u64 of the same bits as the integer of 64 bits. */
const keysOf = (type: SqlType, values: readonly any[]): Keys =>
  columnOf(type === 'INTEGER' ? 'int64' : TYPES[type].kind, values);

/** All functions. @param fields as {@link fieldsOf} gives them */
export function functionsOf(things: Things, fields: readonly string[]): SqlFunction[] {
  return [...ofKeys(things), ...SYSTEM_NAMES.flatMap(ofSystem), ...ofIds(things, fields), ...OF_TEXTS];
}

const sqlFunction = (
  name: string,
  parameters: readonly SqlType[],
  returns: SqlType,
  apply: SqlFunction['apply'],
): SqlFunction => ({ name, parameters, returns, apply });

function named<T>(what: string, all: { readonly [name: string]: T }, name: string): T {
  if (Object.hasOwn(all, name)) return all[name];
  throw wrongValue(what, `one of ${Object.keys(all).join(', ') || 'none, because none were registered'}`, name);
}

function ofKeys({ maps, routers }: Things): SqlFunction[] {
  const ofType = (type: (typeof KEYS)[number]) => {
    const hash = (values: readonly any[], seed = 0n) => xxh64Many(keysOf(type, values), { seed });
    const route = (values: readonly any[], n: bigint | number, seed = 0n) =>
      new Router({ shards: Number(n), seed }).routeMany(keysOf(type, values));
    return [
      sqlFunction('xxh64', [type], 'UBIGINT', hash),
      sqlFunction('xxh64', [type, 'HUGEINT'], 'UBIGINT', hash),
      sqlFunction('shard_of', [type, 'HUGEINT'], 'UINTEGER', route),
      sqlFunction('shard_of', [type, 'HUGEINT', 'HUGEINT'], 'UINTEGER', route),
      sqlFunction('node_of', [type, 'VARCHAR'], 'VARCHAR', (values, name) => {
        const map = named('map', maps, name);
        return Array.from(map.nodeColumn(route(values, map.shards)), (node) => map.nodes[node].name);
      }),
      sqlFunction('route_by', [type, 'VARCHAR'], 'UINTEGER', (values, name) => {
        const router = named('router', routers, name);
        const isOfInt32 = 'key' in router && router.key === 'int32';
        return router.routeMany(isOfInt32 ? columnOf(TYPES[type].kind, values) : keysOf(type, values));
      }),
    ];
  };
  const jump = (hashes: readonly bigint[], n: bigint) => jumpHashMany(BigUint64Array.from(hashes), Number(n));
  return [...KEYS.flatMap(ofType), sqlFunction('jump_hash', ['UBIGINT', 'HUGEINT'], 'UINTEGER', jump)];
}

/** `kafka_partition(key, n [, variant])`; not for systems that need tokens or servers. */
function ofSystem(system: SystemName): SqlFunction[] {
  const all = Object.values(systems).filter((one) => one.system === system);
  const [{ count, noun, hasServers }] = all;
  if (system === 'cassandra' || hasServers) return [];
  const name = `${system}_${noun.toLowerCase().replace(' ', '_')}`;
  const variants = all.flatMap(({ word }) => word.split(':').slice(1));
  const types = KEYS.filter((type) => all.some(({ keys }) => keys.includes(TYPES[type].kind as KeyKind)));
  return [...types, ...(types.includes('BIGINT') ? NARROW : [])].flatMap((type) => {
    const route = (values: readonly any[], n?: bigint, variant?: string) => {
      const as = all.find(({ word }) => word === (variant === undefined ? system : `${system}:${variant}`));
      if (as === undefined) throw wrongValue('variant', `one of ${variants.join(', ')}`, variant);
      const key = kindIn(as, type);
      const placed = partitionerNamed(as.word, { shards: n === undefined ? undefined : Number(n), key });
      return placed.routeMany(columnOf(key, values));
    };
    const signatures: SqlType[][] = [];
    if (count === undefined || system === 'couchbase') signatures.push([type]);
    if (count !== undefined && system !== 'clickhouse') signatures.push([type, 'HUGEINT']);
    if (variants.length > 0) signatures.push([type, 'HUGEINT', 'VARCHAR']);
    return signatures.map((parameters) => sqlFunction(name, parameters, 'UINTEGER', route));
  });
}

/** The kind of keys that integers are for a system. @throws RangeError if it hashes narrower ones in a way of its own */
function kindIn(as: SystemVariant, type: SqlType): KeyKind {
  const { kind, column } = TYPES[type];
  const known = NARROW.includes(type as never) ? kindOfColumn(as, column as ColumnType) : kind;
  if (known !== undefined) return known as KeyKind;
  const expected = `INTEGER or BIGINT, because ${as.system} hashes other integers in other ways: cast it to what it is there`;
  throw wrongValue('key', expected, type);
}

const MICROS = 1000n;
const toTime = (ms: number) => ({ micros: BigInt(Math.round(ms * 1000)) });
/** Of microseconds, the millisecond in which they are. */
const toMs = (micros: bigint) => Number((micros - (((micros % MICROS) + MICROS) % MICROS)) / MICROS);
/** Whether the times of a layout have microseconds. */
const hasMicros = ({ time }: Layout): boolean => time !== undefined && time.unitMs < 1;
/** The last microsecond of a millisecond. */
const LAST_US = 0.999;

/**
 * The fields of all layouts, and whether each holds times. A struct of SQL has one type for all layouts.
 * @throws RangeError if a field holds times in one layout only
 */
export function fieldsOf(layouts: Things['layouts']): { readonly [name: string]: boolean } {
  const fields: { [name: string]: boolean } = {};
  for (const [of, layout] of Object.entries(layouts)) {
    for (const name of Object.keys(layout.fields)) {
      const isTime = name === layout.time?.name;
      fields[name] ??= isTime;
      if (fields[name] !== isTime) {
        const expected = `a field ${name} that ${isTime ? 'holds no times' : 'holds times'}, as in other layouts`;
        throw wrongValue(`layouts.${of}`, expected, name);
      }
    }
  }
  return fields;
}

function ofIds({ layouts }: Things, fields: readonly string[]): SqlFunction[] {
  const layoutNamed = (name: string) => named('layout', layouts, name);
  const withTime = (name: string): Layout<{ timestamp: number }> => {
    const layout = layoutNamed(name);
    if (layout.time === undefined) throw wrongValue('layout', 'a layout whose ids have a time', name);
    return layout as Layout<any>;
  };
  const ofType = (type: (typeof IDS)[number]) => {
    const idsOf = (values: readonly bigint[]) => COLUMNS[TYPES[type].kind as 'u64' | 'int64'](values);
    return [
      sqlFunction('id_time', [type, 'VARCHAR'], 'TIMESTAMP', (ids, name) =>
        Array.from(withTime(name).datesOf(idsOf(ids)), toTime),
      ),
      sqlFunction('id_fields', [type, 'VARCHAR'], 'fields', (ids, name) => {
        const layout = layoutNamed(name);
        const columns = layout.unpackMany(idsOf(ids)) as { [field: string]: ArrayLike<number | bigint> };
        return ids.map((_, row) => {
          const entries = fields.map((field) => {
            const value = columns[field]?.[row];
            if (value === undefined) return [field, null];
            return [field, field === layout.time?.name ? toTime(Number(value)) : BigInt(value)];
          });
          return { entries: Object.fromEntries(entries) };
        });
      }),
      sqlFunction('format_id', [type, 'VARCHAR'], 'VARCHAR', (ids, format: TextFormat) =>
        formatIds(idsOf(ids), format),
      ),
    ];
  };
  return [
    ...IDS.flatMap(ofType),
    sqlFunction('id_range', ['TIMESTAMP', 'VARCHAR'], 'range', (times, name) => {
      const layout = withTime(name);
      return times.map((micros) => {
        const ms = toMs(micros);
        return { entries: { first: layout.minIdAt(ms), last: layout.maxIdAt(hasMicros(layout) ? ms + LAST_US : ms) } };
      });
    }),
    sqlFunction('pack_id', ['ANY', 'VARCHAR'], 'UBIGINT', (structs, name) => {
      const layout = layoutNamed(name);
      return structs.map((struct) => layout.pack(fieldsIn(struct, layout)));
    }),
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

const OF_TEXTS = [
  sqlFunction('parse_id', ['VARCHAR', 'VARCHAR'], 'UBIGINT', (texts, format: TextFormat) =>
    parseIds(bytesColumnOf(texts), format),
  ),
  sqlFunction('wide_id_time', ['VARCHAR'], 'TIMESTAMP', (texts) =>
    texts.map((bytes: Uint8Array) => {
      const text = decoder.decode(bytes);
      const kind = wideIdKindOf(text);
      if (kind === undefined) throw wrongValue('id', 'a UUID, ULID, ObjectId, KSUID or xid', text);
      return toTime(timesOf([text], kind)[0]);
    }),
  ),
];
