import { wrongValue } from '../../arguments.js';
import { bytesColumnOf, isInteger, type KeyKind, type Keys, type RowValues, spansOf } from '../../columns/keys.js';
import { xxh64Many } from '../../hash/xxh64.js';
import { formatIds, parseIds } from '../../ids/text-columns.js';
import type { TextFormat } from '../../kernels/types.js';
import type { Layout } from '../../layout/layout.js';
import type { ShardMap } from '../../map/shard-map.js';
import { toMilliseconds } from '../../partitioners/encodings.js';
import { definitionOf, SYSTEM_NAMES, type SystemName } from '../../partitioners/systems.js';
import { configurationOf, partitionerNamed, systems } from '../../partitioners/variants.js';
import { jumpHashMany } from '../../routing/buckets.js';
import { Router } from '../../routing/router.js';
import { abilitiesOf, type Routing } from '../../routing/routing.js';
import { timesOf, wideIdKindOf } from '../../wide-ids/times.js';
import { kindOf, TYPES } from './api.js';

const IDS = ['UBIGINT', 'BIGINT'] as const;

/**
 * The types of parameters and results: those of DuckDB, a key of any type, a struct of the fields of all layouts, and one of a
 * first and a last id.
 */
export type SqlType =
  | ((typeof IDS)[number] | 'VARCHAR' | 'UINTEGER' | 'HUGEINT' | 'TIMESTAMP' | 'ANY')
  | ('key' | 'fields' | 'range');

/** The type of a column of keys, or those of the fields of a STRUCT or the items of a LIST. */
export type KeyTypes = string | readonly string[];

export interface ScalarFunction {
  readonly name: string;
  readonly parameters: readonly SqlType[];
  readonly returns: SqlType;
  /**
   * The results of rows.
   * @param values the first argument of each row; texts as their bytes in UTF-8
   * @param rest the {@link KeyTypes} of a key, and the further arguments, which are the same in all of these rows
   */
  apply(values: readonly any[], ...rest: readonly any[]): ArrayLike<unknown>;
  /** Whether the first argument may be NULL. Otherwise, the result is NULL then. */
  readonly takesNull: boolean;
}

/** What SQL calls by names. */
interface Things {
  readonly layouts: { readonly [name: string]: Layout };
  readonly maps: { readonly [name: string]: ShardMap };
  readonly routers: { readonly [name: string]: Routing<any> };
}

function kindIn(type: string): KeyKind {
  const kind = kindOf(type);
  if (kind === undefined) throw wrongValue('key', `one of ${Object.keys(TYPES).join(', ')}`, type);
  return kind;
}

/** Keys as a Router takes them: an integer is a u64 of the same bits as the integer of 64 bits. */
function keysOf(values: readonly any[], type: KeyTypes): Keys {
  if (typeof type !== 'string') throw wrongValue('key', 'one column', type.length);
  const kind = kindIn(type);
  if (isInteger(kind)) return integersOf(kind, values);
  if (kind === 'text' || kind === 'bytes') return bytesColumnOf(values);
  if (kind === 'uuid') return values;
  throw wrongValue('key', 'a text, bytes, a UUID or an integer', type);
}

function integersOf(kind: KeyKind, values: readonly (number | bigint | null)[]): BigUint64Array | BigInt64Array {
  const integers = values.map((value) => BigInt(value ?? 0));
  return kind === 'u64' ? BigUint64Array.from(integers) : BigInt64Array.from(integers);
}

const NOTHING = new Uint8Array();
const encoder = new TextEncoder();

/** A column as rows of a table, for keys of a kind. */
function rowsOf(values: readonly any[], type: string, kind: KeyKind): RowValues {
  const own = kindIn(type);
  const isText = ['text', 'bytes', 'uuid', 'decimal'].includes(own);
  if (!isText && own !== kind && !(isInteger(own) && isInteger(kind))) {
    throw wrongValue('key', `a key of the kind ${kind}`, type);
  }
  const bytesOf = (value: any) => (typeof value === 'string' ? encoder.encode(value) : (value ?? NOTHING));
  return {
    values: isText ? spansOf(bytesColumnOf(values.map(bytesOf))) : integersOf(own, values),
    areBytes: own === 'bytes',
    ...(values.includes(null) && { nulls: Uint8Array.from(values, (value) => Number(value === null)) }),
  };
}

/** The shards of keys. That of NULL is by the rule of the system; without a rule, it is NULL. */
function placed(router: Routing<any>, keys: readonly any[], types: KeyTypes): (number | null)[] {
  const { kinds = [], takesNull = false, routeRows } = abilitiesOf(router);
  const hasShard = (key: unknown) => takesNull || !(key === null || (Array.isArray(key) && key.includes(null)));
  const given = keys.filter(hasShard);
  const shards = routeRows === undefined ? router.routeMany(keysOf(given, types)) : new Uint32Array(given.length);
  if (routeRows !== undefined) {
    const columns = [types].flat();
    const { length } = kinds;
    if (columns.length !== length) {
      throw wrongValue('key', length === 1 ? 'one column' : `${length} columns`, columns.length);
    }
    const valuesOf = (i: number) => (typeof types === 'string' ? given : given.map((key) => key[i]));
    routeRows(
      kinds.map((kind, i) => rowsOf(valuesOf(i), columns[i], kind)),
      shards,
    );
  }
  let row = 0;
  return keys.map((key) => (hasShard(key) ? shards[row++] : null));
}

/** All functions. @param fields as {@link fieldsOf} gives them */
export function functionsOf(things: Things, fields: readonly string[]): ScalarFunction[] {
  return [...ofKeys(things), ...SYSTEM_NAMES.flatMap(ofSystem), ...ofIds(things, fields), ...OF_TEXTS];
}

const sqlFunction = (
  name: string,
  parameters: readonly SqlType[],
  returns: SqlType,
  apply: ScalarFunction['apply'],
  takesNull = false,
): ScalarFunction => ({ name, parameters, returns, apply, takesNull });

function named<T>(what: string, all: { readonly [name: string]: T }, name: string): T {
  if (Object.hasOwn(all, name)) return all[name];
  throw wrongValue(what, `one of ${Object.keys(all).join(', ') || 'none, because none were registered'}`, name);
}

function ofKeys({ maps, routers }: Things): ScalarFunction[] {
  const hash = (keys: readonly any[], types: KeyTypes, seed = 0n) => xxh64Many(keysOf(keys, types), { seed });
  const route = (keys: readonly any[], types: KeyTypes, n: bigint | number, seed = 0n) =>
    new Router({ shards: Number(n), seed }).routeMany(keysOf(keys, types));
  const nodes = (keys: readonly any[], types: KeyTypes, name: string) => {
    const map = named('map', maps, name);
    return Array.from(map.nodeColumn(route(keys, types, map.shards)), (node) => map.nodes[node].name);
  };
  const routeBy = (keys: readonly any[], types: KeyTypes, name: string) => {
    const router = named('router', routers, name);
    if ('system' in router) checkTexts(router.system as SystemName, types);
    return placed(router, keys, types);
  };
  const takesNull = Object.values(routers).some((router) => abilitiesOf(router).takesNull);
  const jump = (hashes: readonly bigint[], n: bigint) => jumpHashMany(BigUint64Array.from(hashes), Number(n));
  return [
    sqlFunction('xxh64', ['key'], 'UBIGINT', hash),
    sqlFunction('xxh64', ['key', 'HUGEINT'], 'UBIGINT', hash),
    sqlFunction('shard_of', ['key', 'HUGEINT'], 'UINTEGER', route),
    sqlFunction('shard_of', ['key', 'HUGEINT', 'HUGEINT'], 'UINTEGER', route),
    sqlFunction('node_of', ['key', 'VARCHAR'], 'VARCHAR', nodes),
    sqlFunction('route_by', ['key', 'VARCHAR'], 'UINTEGER', routeBy, takesNull),
    sqlFunction('jump_hash', ['UBIGINT', 'HUGEINT'], 'UINTEGER', jump),
  ];
}

/** Refuses an ENUM for a system that hashes it in another way than its texts. DuckDB does not tell JSON from other texts. */
function checkTexts(system: SystemName, types: KeyTypes): void {
  if (!definitionOf(system).otherTexts?.includes('enum') || ![types].flat().includes('ENUM')) return;
  throw wrongValue('key', `VARCHAR, because ${system} hashes an enumeration in another way`, 'ENUM');
}

/** `kafka_partition(key, n [, variant])`; not for systems that need tokens or servers. */
function ofSystem(system: SystemName): ScalarFunction[] {
  const all = Object.values(systems).filter((one) => one.system === system);
  const [{ count, noun, hasServers }] = all;
  if (system === 'cassandra' || hasServers) return [];
  const name = `${system}_${noun.toLowerCase().replace(' ', '_')}`;
  const variants = all.flatMap(({ word }) => word.split(':').slice(1));
  const route = (keys: readonly any[], types: KeyTypes, n?: bigint, variant?: string) => {
    const as = all.find(({ word }) => word === (variant === undefined ? system : `${system}:${variant}`));
    if (as === undefined) throw wrongValue('variant', `one of ${variants.join(', ')}`, variant);
    checkTexts(system, types);
    const key = typeof types === 'string' ? kindIn(types) : types.map(kindIn);
    return placed(partitionerNamed(as.word, { shards: n === undefined ? undefined : Number(n), key }), keys, types);
  };
  const signatures: SqlType[][] = [];
  if (count === undefined || system === 'couchbase') signatures.push(['key']);
  if (count !== undefined && system !== 'clickhouse') signatures.push(['key', 'HUGEINT']);
  if (variants.length > 0) signatures.push(['key', 'HUGEINT', 'VARCHAR']);
  const takesNull = all.some((one) => configurationOf(one, { shards: 1 }).columns?.takesNull);
  return signatures.map((parameters) => sqlFunction(name, parameters, 'UINTEGER', route, takesNull));
}

const toTime = (ms: number) => ({ micros: BigInt(Math.round(ms * 1000)) });
/** Of microseconds, the millisecond in which they are. */
const toMs = (micros: bigint) => Number(toMilliseconds(micros));
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

function ofIds({ layouts }: Things, fields: readonly string[]): ScalarFunction[] {
  const layoutNamed = (name: string) => named('layout', layouts, name);
  const withTime = (name: string): Layout<{ timestamp: number }> => {
    const layout: Layout<any> = layoutNamed(name);
    if (layout.time === undefined) throw wrongValue('layout', 'a layout whose ids have a time', name);
    return layout;
  };
  const ofType = (type: (typeof IDS)[number]) => {
    const idsOf = (values: readonly bigint[]) => integersOf(TYPES[type], values);
    return [
      sqlFunction('id_time', [type, 'VARCHAR'], 'TIMESTAMP', (ids, name) =>
        Array.from(withTime(name).datesOf(idsOf(ids)), toTime),
      ),
      sqlFunction('id_fields', [type, 'VARCHAR'], 'fields', (ids, name) => {
        const layout = layoutNamed(name);
        const columns: { [field: string]: ArrayLike<number | bigint> } = layout.unpackMany(idsOf(ids));
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
    const micros = typeof value === 'object' && 'micros' in value ? value.micros : undefined;
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
