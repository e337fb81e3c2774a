/**
 * Route keys and decode ids in DuckDB, by functions of SQL.
 * @module shardbits/duckdb
 */

import type { DuckDBConnection, DuckDBDataChunk, DuckDBType, DuckDBVector } from '@duckdb/node-api';
import {
  checkOptions,
  checkRecord,
  checkString,
  describeValue,
  visible,
  wrongKind,
  wrongValue,
} from '../../arguments.js';
import { detailsOf } from '../../errors.js';
import type { IdLayout } from '../../layout/id-layout.js';
import { layoutOf, layouts as presets } from '../../layout/layout.js';
import { ShardMap } from '../../map/shard-map.js';
import { checkRouting, type Routing } from '../../routing/routing.js';
import { type Api, asBytes, checkVectors, loadApi } from './api.js';
import { fieldsOf, functionsOf, type KeyTypes, type ScalarFunction, type SqlType } from './functions.js';

export interface DuckdbOptions {
  /** Layouts of your own, by the names with which SQL calls them. The presets, such as `discord`, are always there. */
  layouts?: { readonly [name: string]: IdLayout } | undefined;
  /** Shard maps, by the names with which `node_of` calls them. */
  maps?: { readonly [name: string]: ShardMap } | undefined;
  /** Routers, partitioners or other routings, by the names with which `route_by` calls them. */
  routers?: { readonly [name: string]: Routing<any> } | undefined;
  /** Put before the name of each function; empty by default. */
  prefix?: string | undefined;
}

/**
 * Makes the functions of this package in the database instance of a connection. All of its connections have them; they
 * run on the thread of this program. NULL gives NULL, except as a key of systems that have a rule for it. The guide to DuckDB
 * lists the functions.
 * @throws TypeError or RangeError for options of the wrong kind or value; Error that names the package if
 *   `@duckdb/node-api` is not installed. All as rejections
 * @example
 * const connection = await (await DuckDBInstance.create()).connect();
 * await register(connection);
 * await connection.run("copy (select *, shard_of(email, 64) as shard from 'users.parquet') to 'out' (partition_by (shard))");
 */
export async function register(connection: DuckDBConnection, options?: DuckdbOptions): Promise<void> {
  const given = checkOptions<DuckdbOptions>(options, ['layouts', 'maps', 'routers', 'prefix']);
  const { layouts = {}, maps = {}, routers = {}, prefix = '' } = given;
  if (typeof connection?.registerScalarFunction !== 'function') {
    throw wrongKind('connection', 'a DuckDBConnection', connection);
  }
  checkString('prefix', prefix);
  checkRecord('layouts', layouts);
  const own = Object.entries(layouts).map(([name, layout]) => [name, layoutOf(`layouts.${name}`, layout)]);
  checkRecord('maps', maps);
  for (const [name, map] of Object.entries(maps)) {
    if (!(map instanceof ShardMap)) throw wrongKind(`maps.${name}`, 'a ShardMap', map);
  }
  checkRecord('routers', routers);
  for (const [name, router] of Object.entries(routers)) checkRouting(`routers.${name}`, router);
  const api = await loadApi('shardbits/duckdb');
  await checkVectors(api, connection, 'shardbits/duckdb');
  const { ANY, BIGINT, HUGEINT, STRUCT, TIMESTAMP, UBIGINT, UINTEGER, VARCHAR } = api;
  const all = { ...presets, ...Object.fromEntries(own) };
  const fields = Object.entries(fieldsOf(all));
  const types: { readonly [type in SqlType]: DuckDBType } = {
    ...{ ANY, BIGINT, HUGEINT, TIMESTAMP, UBIGINT, UINTEGER, VARCHAR, key: ANY },
    range: STRUCT({ first: UBIGINT, last: UBIGINT }),
    fields: STRUCT(Object.fromEntries(fields.map(([name, isTime]) => [name, isTime ? TIMESTAMP : UBIGINT]))),
  };
  const names = fields.map(([name]) => name);
  for (const one of functionsOf({ layouts: all, maps, routers }, names)) {
    const name = prefix + one.name;
    connection.registerScalarFunction(
      api.DuckDBScalarFunction.create({
        name,
        parameterTypes: one.parameters.map((type) => types[type]),
        returnType: types[one.returns],
        specialHandling: one.takesNull,
        mainFunction: (_, input, output) => run(api, name, one, input, output),
      }),
    );
  }
}

/** Rows that have the same further arguments. */
type Group = { readonly rest: readonly unknown[]; readonly rows: number[]; readonly values: unknown[] };

/** Calls a function for the rows of a chunk, once for all with the same types of keys and further arguments. */
function run(api: Api, name: string, one: ScalarFunction, input: DuckDBDataChunk, output: DuckDBVector<any>): void {
  const { rowCount } = input;
  const [first, ...others] = one.parameters.map((type, i): Values => {
    const vector = called(name, () => vectorAt(input, i));
    return type === 'key' ? keysIn(api, vector, rowCount) : valuesIn(api, vector, rowCount, i === 0);
  });
  const groups: Group[] = [];
  for (let row = 0; row < rowCount; row++) {
    const value = first.at(row);
    const rest = others.map((values) => values.at(row));
    if (first.typesAt !== undefined) rest.unshift(first.typesAt(row));
    if ((value === null && !one.takesNull) || rest.includes(null)) {
      output.setItem(row, null);
      continue;
    }
    // Usually they are constants.
    let group = groups.find((other) => other.rest.every((argument, i) => argument === rest[i]));
    if (group === undefined) {
      group = { rest, rows: [], values: [] };
      groups.unshift(group);
    }
    group.rows.push(row);
    group.values.push(value);
  }
  for (const { rest, rows, values } of groups) {
    const results = called(name, () => one.apply(values, ...rest));
    for (const [i, row] of rows.entries()) output.setItem(row, results[i]);
  }
  output.flush();
}

interface Values {
  at(row: number): unknown;
  /** The types of a key; the same ones are the same object. NULL instead of several columns has none. */
  typesAt?(row: number): KeyTypes | null;
}

function vectorAt(input: DuckDBDataChunk, column: number): DuckDBVector {
  try {
    return input.getColumnVector(column);
  } catch (cause) {
    if (!detailsOf(cause).message.includes('SQLNULL')) throw cause;
    throw wrongValue('key', 'a type for each NULL, such as NULL::BIGINT', null);
  }
}

function valuesIn(api: Api, vector: DuckDBVector, rows: number, isFirst: boolean): Values {
  const values = isFirst && vector instanceof api.DuckDBVarCharVector ? asBytes(api, vector, rows) : vector;
  return { at: (row) => plainOf(values.getItem(row)) };
}

/** Keys of one column or, in a STRUCT or a LIST, of several. */
function keysIn(api: Api, vector: DuckDBVector, rows: number): Values {
  if (vector instanceof api.DuckDBStructVector) {
    const { entryNames } = vector.type;
    const fields = entryNames.map((_, i) => keysIn(api, vector.entryVectorAt(i), rows));
    const types = fields.map(({ typesAt }) => String(typesAt?.(0)));
    return {
      at: (row) => fields.map((field) => field.at(row)),
      typesAt: (row) => (vector.isItemValid(row) ? types : null),
    };
  }
  if (vector instanceof api.DuckDBListVector) {
    const { childVector } = vector;
    const items = keysIn(api, childVector, childVector.itemCount);
    const type = String(items.typesAt?.(0));
    const known: (readonly string[])[] = [];
    const typesOf = (length: number) => {
      known[length] ??= new Array<string>(length).fill(type);
      return known[length];
    };
    return {
      at(row) {
        const from = vector.getEntryOffset(row);
        return vector.getItemVector(row) && typesOf(vector.getEntryLength(row)).map((_, i) => items.at(from + i));
      },
      typesAt: (row) => vector.getItemVector(row) && typesOf(vector.getEntryLength(row)),
    };
  }
  const type = String(vector.type).replace(/\(.*/s, '');
  return { ...valuesIn(api, vector, rows, true), typesAt: () => type };
}

/** An error of the library, without the row: it is one of the chunk. */
function called<T>(name: string, call: () => T): T {
  try {
    return call();
  } catch (error) {
    const { argument, expected, got, message } = detailsOf(error);
    if (argument === undefined || expected === undefined) throw new Error(`${name}: ${message}`, { cause: error });
    throw new Error(visible(`${name}: ${argument}: expected ${expected}, got ${describeValue(got)}`), { cause: error });
  }
}

/** A value of DuckDB as one of JavaScript: bytes, a text, a number, a bigint, or entries of a struct. */
function plainOf(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if ('days' in value) return value.days;
  if ('bytes' in value) return value.bytes;
  if ('micros' in value) return value.micros;
  if ('entries' in value) return value.entries;
  return String(value); // a UUID or a decimal
}
