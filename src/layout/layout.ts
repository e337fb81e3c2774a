import { checkOptions, wrongKind } from '../arguments.js';
import { checkOut, checkU64Column } from '../columns/keys.js';
import { packColumns, unpackColumns } from './columns.js';
import { byName, checkNames, type PlacedField, placeFields } from './fields.js';
import { IdLayout, withoutTime } from './id-layout.js';
import { type FieldsIn, layoutIn, type Presets, presetsOf } from './presets.js';
import { fieldToSql, type SqlDialect } from './sql.js';
import type { ColumnsToPack, FieldSpecs, IfTime, OutColumns, UnpackedColumns } from './types.js';

/** Options of {@link Layout.unpackMany}. */
export interface UnpackOptions<
  S extends FieldSpecs,
  Name extends keyof S = keyof S,
  Wide extends boolean | undefined = boolean | undefined,
  Out extends OutColumns<S> | undefined = OutColumns<S> | undefined,
> {
  /** The fields to unpack; all by default. */
  fields?: readonly Name[] | undefined;
  /** `true` makes every column a BigUint64Array, with times in units. */
  wide?: Wide;
  /**
   * Columns to write to, by field. Each has a type that holds the field (for times a Float64Array, or a BigUint64Array
   * of units), is as long as `ids`, and does not overlap them. Other fields get new arrays.
   */
  out?: Out;
}

/**
 * Bit fields in a 64-bit id, most significant first. Unused bits are the highest ones and are zero. Make a layout with
 * {@link defineLayout} or {@link parseLayout}, or take one of {@link layouts}.
 *
 * For a field that holds time, a number is Unix milliseconds, and a bigint is the field's own units since its epoch.
 */
export class Layout<S extends FieldSpecs = FieldSpecs> extends IdLayout<S> {
  readonly #placed: readonly PlacedField[];

  /**
   * The same as {@link defineLayout}.
   * @param fields names of letters, digits and `_` that start with a letter; 1 to 64 bits in total
   * @throws TypeError or RangeError as {@link defineLayout}
   */
  constructor(fields: S) {
    const placed = placeFields(fields);
    super(placed);
    this.#placed = placed;
    Object.freeze(this);
  }

  /**
   * Makes a layout from its JSON.
   * @param json the parsed JSON of a layout: the fields, as {@link defineLayout} takes them
   * @throws TypeError or RangeError as {@link defineLayout}
   * @example
   * Layout.from(JSON.parse(JSON.stringify(layouts.snowflake)));
   */
  static from(json: object): Layout {
    return defineLayout(json as FieldSpecs);
  }

  /**
   * Makes a column of ids from a column, or one value, for each field.
   * @param columns typed arrays of one length (integers; a BigInt64Array is read as unsigned), or single values as
   *   {@link Layout.pack} takes them. For the field that holds time a Float64Array of Unix milliseconds, or a
   *   BigUint64Array of units
   * @param options.out where the ids go; as long as the columns, without overlapping them
   * @returns `out`, or a new array; one row if no column is an array
   * @throws TypeError if a column is missing or of the wrong kind
   * @throws RangeError if a value does not fit its field (the error has the row), lengths differ,
   *   or `out` overlaps a column; nothing has been written then
   * @example
   * layouts.snowflake.packMany({ timestamp: Date.now(), shard: 5, sequence: Uint16Array.of(0, 1, 2) });
   */
  packMany(columns: ColumnsToPack<S>, options?: { out?: BigUint64Array | undefined }): BigUint64Array {
    checkNames('columns', columns, this.#placed);
    return packColumns(this.#placed, columns, checkOptions(options, ['out']).out);
  }

  /**
   * Unpacks a column of ids into a column for each field. Each is the narrowest of Uint8Array, Uint16Array, Uint32Array,
   * Float64Array (33 to 53 bits) and BigUint64Array that holds the field; the one that holds time is a Float64Array of
   * Unix milliseconds, as in {@link Layout.unpack}.
   * @param ids a BigInt64Array is read as the same bits
   * @throws TypeError if an argument is of the wrong kind
   * @throws RangeError if an id has bits above the layout or any field below its `min`, even one that was not
   *   asked for (the error has the row), or a column in `out` does not fit; nothing has been written then
   * @example
   * const { shard } = layouts.snowflake.unpackMany(ids, { fields: ['shard'] }); // Uint16Array
   */
  unpackMany(ids: BigUint64Array | BigInt64Array): UnpackedColumns<S, keyof S & string, undefined, undefined>;
  // Overloads without type parameters can also be called on a union of layouts.
  /** All columns as BigUint64Arrays, times in units. */
  unpackMany(
    ids: BigUint64Array | BigInt64Array,
    options: { wide: true },
  ): UnpackedColumns<S, keyof S & string, true, undefined>;
  /** The columns of the fields that `options` name, in the arrays of `out` or new ones. */
  unpackMany<
    const Name extends keyof S & string = keyof S & string,
    const Wide extends boolean | undefined = undefined,
    const Out extends OutColumns<S> | undefined = undefined,
  >(
    ids: BigUint64Array | BigInt64Array,
    options?: UnpackOptions<S, Name, Wide, Out>,
  ): UnpackedColumns<S, Name, Wide, Out>;
  unpackMany(ids: BigUint64Array | BigInt64Array, options?: UnpackOptions<FieldSpecs, string>): object {
    return unpackColumns(this.#placed, this.mask, ids, checkOptions(options, ['fields', 'wide', 'out']));
  }

  /**
   * The times of ids in Unix milliseconds: the time column of {@link Layout.unpackMany}.
   * @param ids a BigInt64Array is read as the same bits
   * @param options.out where the times go; as long as `ids`, without overlapping them
   * @throws TypeError if the layout has no field that holds time, or an argument is of the wrong kind
   * @throws RangeError as {@link Layout.unpackMany}
   * @example
   * layouts.twitter.datesOf(ids); // Float64Array [1656432460105, …]
   */
  datesOf(
    this: IfTime<S, Layout>,
    ids: BigUint64Array | BigInt64Array,
    options?: { out?: Float64Array | undefined },
  ): Float64Array {
    if (this.time === undefined) throw withoutTime(this);
    const { name } = this.time;
    const column = checkU64Column('ids', ids);
    const out = checkOut(checkOptions(options, ['out']).out, Float64Array, column.length, [column]);
    unpackColumns(this.#placed, this.mask, column, { fields: [name], out: { [name]: out } });
    return out;
  }

  /**
   * SQL expressions that unpack the fields of an id in a database. They give the same numbers as `unpackMany`, with Unix
   * milliseconds for a time, and need no parentheses inside larger expressions. Bits above the layout are ignored.
   * @param column the column of ids: `id`, `t.id` or `schema.t.id`. Any part may be quoted as in the dialect
   *   (without backslashes); reserved words must be
   * @param dialect `postgres` (the default): ids are bigint, negative from 2^63 on; fields are bigint, or numeric
   *   for 64 bits. `mysql`: ids are BIGINT or BIGINT UNSIGNED. `clickhouse`: ids are UInt64
   * @returns an expression for each field
   * @throws TypeError if an argument is not a string
   * @throws RangeError if `column` is not such a name, or there is no such dialect
   * @example
   * layouts.snowflake.toSql('id').shard; // '((id >> 12) & 1023)'
   */
  toSql(column: string, dialect: SqlDialect = 'postgres'): { -readonly [K in keyof S]: string } {
    return byName(this.#placed, fieldToSql(column, dialect));
  }
}

/**
 * What a caller gave as a layout, with the methods for columns. It may be a layout of `shardbits/ids`, or of another copy
 * of this package.
 */
export function layoutOf(argument: string, given: IdLayout<any>): Layout {
  if (given instanceof Layout) return given;
  const { places, fields }: Partial<IdLayout<any>> = Object(given);
  if (!Array.isArray(places) || typeof fields !== 'object') throw wrongKind(argument, 'a Layout', given);
  return new Layout(fields);
}

/**
 * Makes a layout from its fields, most significant first: `{ name: bits }`, or an object for a field. A field
 * with an `epoch` or a `unit`, or named `timestamp`, holds time: it counts units (by default milliseconds)
 * since its epoch (by default 1970). `shardOf` reads the field named `shard`.
 * @param fields names of letters, digits and `_` that start with a letter; 1 to 64 bits in total
 * @throws TypeError if a field is of the wrong kind
 * @throws RangeError if bits are out of range, a name is not allowed, or two fields hold time
 * @example
 * const layout = defineLayout({ timestamp: { bits: 42, epoch: Date.UTC(2024, 0) }, shard: 8, sequence: 14 });
 */
export function defineLayout<const S extends FieldSpecs>(fields: S): Layout<S> {
  return new Layout(fields);
}

/**
 * Well-known layouts. The epoch of `snowflake` is 2023-01-01, that of `sonyflake` 2014-09-01; the others have the epochs
 * of their makers. All are in UTC. If a system was set up with another epoch or other widths, define your own layout.
 *
 * | layout | fields, most significant first | source |
 * | --- | --- | --- |
 * | clientEntity | client 22, entity 40 | a client and an entity number |
 * | pinterest | shard 16, type 10, local 36 | Pinterest, "Sharding Pinterest" |
 * | ragedb | local 38, type 16 (0 is an error), shard 10 | RageDB |
 * | snowflake | timestamp 41 ms, shard 10, sequence 12 | after Twitter's, with one shard number |
 * | twitter | timestamp 41 ms, datacenter 5, worker 5, sequence 12 | twitter-archive/snowflake |
 * | instagram | timestamp 41 ms, shard 13, sequence 10 | Instagram engineering |
 * | discord | timestamp 42 ms, worker 5, process 5, increment 12 | Discord developer documentation |
 * | mastodon | timestamp 48 ms, tail 16 | mastodon/mastodon `lib/mastodon/snowflake.rb` |
 * | sonyflake | timestamp 39 of 10 ms, sequence 8, machine 16 | sony/sonyflake |
 * | uidGenerator | timestamp 28 s, worker 22, sequence 13 | baidu/uid-generator; full since 2024-11-20 |
 * | interned | prefix 14, sequence 50 (from 1) | interned strings |
 * | atproto | timestamp 53 µs, clock 10; as text `sortable32` | atproto.com/specs/tid |
 * | tidb | timestamp 46 ms, logical 18 | TiDB documentation, "TimeStamp Oracle (TSO) in TiDB" |
 * | linkedin | timestamp 41 ms, tail 22 | obsidianforensics/unfurl `unfurl/parsers/parse_linkedin.py` |
 * | tsid | timestamp 42 ms, tail 22; as text `crockford32` | f4b6a3/tsid-creator, vladmihalcea/hypersistence-tsid |
 * | cockroachdb | timestamp 48 of 10 µs, node 15 | cockroachdb/cockroach, `unique_rowid()` in `pkg/sql/sem/builtins` |
 * | hazelcast | timestamp 41 ms, sequence 6, node 16 | hazelcast/hazelcast `FlakeIdGeneratorProxy.java` |
 * | threads | as instagram | public posts of Threads: their ids are made shortly before their dates |
 */
export const layouts = /* @__PURE__ */ presetsOf<{ readonly [P in keyof Presets]: Layout<Presets[P]> }>(defineLayout);

/**
 * Makes a layout from text: the name of a preset, or fields with their bits, most significant first.
 * @param spec `snowflake`, or `timestamp:41,shard:10,sequence:12`
 * @throws TypeError if `spec` is not a string
 * @throws RangeError if `spec` is neither, or its fields are not a layout (see {@link defineLayout})
 * @example
 * parseLayout('client:22,entity:40').unpack(135239930216451n);
 */
export function parseLayout<const Spec extends string>(spec: Spec): Layout<FieldsIn<Spec>>;
export function parseLayout(spec: string): Layout {
  return layoutIn<Layout>(spec, layouts, defineLayout);
}
