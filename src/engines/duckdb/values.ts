import type { DuckDBType } from '@duckdb/node-api';
import { wrongValue } from '../../arguments.js';
import type { Layout } from '../../layout/layout.js';
import { layouts as presets } from '../../layout/presets.js';
import type { Api } from './api.js';

/** The types of parameters and results, by our names. */
export type SqlType = keyof ReturnType<typeof typesOf>;

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

/** Layouts by the names with which SQL calls them. */
export interface Layouts {
  readonly [name: string]: Layout;
}

/** @param own layouts besides the presets */
export function typesOf(api: Api, own: Layouts) {
  const { STRUCT, UBIGINT, TIMESTAMP } = api;
  const fields = fieldsOf({ ...presets, ...own });
  const ofFields = Object.entries(fields).map(([name, isTime]) => [name, isTime ? TIMESTAMP : UBIGINT] as const);
  return {
    text: api.VARCHAR as DuckDBType,
    bytes: api.BLOB as DuckDBType,
    u64: UBIGINT as DuckDBType,
    i64: api.BIGINT as DuckDBType,
    i32: api.INTEGER as DuckDBType,
    i16: api.SMALLINT as DuckDBType,
    i8: api.TINYINT as DuckDBType,
    u32: api.UINTEGER as DuckDBType,
    u16: api.USMALLINT as DuckDBType,
    u8: api.UTINYINT as DuckDBType,
    uuid: api.UUID as DuckDBType,
    time: TIMESTAMP as DuckDBType,
    /** An integer of any size. */
    integer: api.HUGEINT as DuckDBType,
    any: api.ANY as DuckDBType,
    shard: api.UINTEGER as DuckDBType,
    range: STRUCT({ first: UBIGINT, last: UBIGINT }) as DuckDBType,
    fields: STRUCT(Object.fromEntries(ofFields)) as DuckDBType,
  };
}

/** The fields of all layouts, and whether each holds times. A struct of SQL has one type for all layouts. */
export function fieldsOf(layouts: Layouts): { readonly [name: string]: boolean } {
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

/** A value of DuckDB as one of JavaScript: bytes, a text, a number, a bigint, or entries of a struct. */
export function plainOf(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if ('bytes' in value) return value.bytes;
  if ('micros' in value) return value.micros;
  if ('entries' in value) return value.entries;
  return String(value); // a UUID
}
