import { checkOptions, checkU64, MAX_U64, wrongKind, wrongValue } from '../arguments.js';
import { checkOut, checkU64Column } from '../columns/keys.js';
import { packColumns, unpackColumns } from './columns.js';
import {
  checkNames,
  type Field,
  type FieldPlace,
  type FieldSpec,
  type PlacedField,
  placeFields,
  SingleValues,
  type TimeField,
  unitsOf,
} from './fields.js';
import { fieldsToSql, type SqlDialect } from './sql.js';
import type { TimeUnit } from './time.js';
import type {
  ColumnsToPack,
  FieldSpecs,
  FieldValues,
  IfField,
  IfTime,
  OutColumns,
  UnpackedColumns,
  UnpackedValues,
} from './types.js';

/** The field of a layout that holds time. */
export interface LayoutTime {
  readonly name: string;
  /** The instant of unit 0, in Unix milliseconds. */
  readonly epoch: number;
  readonly unit: TimeUnit;
  /** How long a unit takes: 1000, 10, 1, 0.01 or 0.001 milliseconds. */
  readonly unitMs: number;
}

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
export class Layout<S extends FieldSpecs = FieldSpecs> {
  /** How many bits the fields take in all, 1 to 64. */
  readonly bits: number;
  /** The fields by name, most significant first, in the form that {@link defineLayout} takes. */
  readonly fields: { readonly [K in keyof S]: Field };
  /** The bits that the fields take: 2^bits - 1. */
  readonly mask: bigint;
  /** Where the fields lie, most significant first. */
  readonly places: readonly FieldPlace[];
  /** The field that holds time; undefined if there is none. */
  readonly time: LayoutTime | undefined;
  readonly #placed: readonly PlacedField[];
  readonly #single: SingleValues;
  readonly #time: TimeField | undefined;
  readonly #shard: PlacedField | undefined;

  /** @throws TypeError or RangeError as {@link defineLayout} */
  constructor(fields: S) {
    const placed = placeFields(fields);
    const time = placed.find((field): field is TimeField => field.clock !== undefined);
    this.#placed = placed;
    this.#single = new SingleValues(placed);
    this.#time = time;
    this.#shard = placed.find(({ name }) => name === 'shard');
    this.bits = placed.reduce((sum, field) => sum + field.bits, 0);
    this.mask = (1n << BigInt(this.bits)) - 1n;
    this.places = Object.freeze(
      placed.map(({ name, bits, shift, mask, min }) => Object.freeze({ name, bits, shift, mask, min })),
    );
    this.fields = Object.freeze(Object.fromEntries(placed.map(({ name, field }) => [name, field]))) as {
      [K in keyof S]: Field;
    };
    this.time = time && Object.freeze(timeOf(time));
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
   * Makes an id from a value for every field.
   * @param values a number (a safe integer) or a bigint for each field; for the field that holds time a Date, a number
   *   of Unix milliseconds, or a bigint of units. A time between two units is rounded down
   * @returns 0 to mask
   * @throws TypeError if a value is missing or of the wrong kind
   * @throws RangeError if a value does not fit its field (nothing is truncated), or there is no such field
   * @example
   * layouts.snowflake.pack({ timestamp: Date.now(), shard: 5, sequence: 0 });
   */
  pack(values: FieldValues<S>): bigint {
    return this.#single.pack(values as FieldValues<FieldSpecs>);
  }

  /**
   * The values of an id's fields. A field of up to 53 bits is a number, a wider one a bigint. The field that holds time
   * is the Unix milliseconds at which its unit begins, with a fraction if units are shorter than a millisecond.
   * @param id 0 to mask, as a bigint or in decimal
   * @throws TypeError if `id` is neither a bigint nor a string
   * @throws RangeError if `id` is not a u64, has bits above the layout, a field below its `min`, or a time that a number
   *   cannot hold exactly: beyond 2^53 milliseconds, or 2^43 (the year 2248) if units are shorter than a millisecond
   * @example
   * layouts.snowflake.unpack('286435872092454913'); // { timestamp: 1740822833628, shard: 0, sequence: 1 }
   */
  unpack(id: bigint | string): UnpackedValues<S> {
    return this.#single.unpack(this.#checkId(id), id) as UnpackedValues<S>;
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
   * The shard of an id. In a layout where a field has a `min`, such as the type of RageDB, a number with no bits set
   * outside the shard is not an id: its shard is 0.
   * @param id 0 to mask, as a bigint or in decimal
   * @throws TypeError if the layout has no field `shard`, or `id` is of the wrong kind
   * @throws RangeError if `id` is out of range, or its shard is above 2^53 - 1
   * @example
   * layouts.ragedb.shardOf(65538n); // 2
   */
  shardOf(this: IfField<S, 'shard', Layout>, id: bigint | string): number {
    const field = this.#shard;
    if (field === undefined) throw lacking('a field "shard"', this);
    const checked = this.#checkId(id);
    const shard = (checked >> BigInt(field.shift)) & field.mask;
    const isVoid = checked === shard << BigInt(field.shift) && this.#placed.some(({ min }) => min > 0);
    if (isVoid) return 0;
    if (shard > Number.MAX_SAFE_INTEGER) {
      throw wrongValue('id', 'an id whose shard fits a number', id);
    }
    return Number(shard);
  }

  /**
   * The date of an id: when its unit of time begins, in whole milliseconds.
   * @param id 0 to mask, as a bigint or in decimal
   * @throws TypeError if the layout has no field that holds time, or `id` is of the wrong kind
   * @throws RangeError if `id` is out of range, or a Date cannot hold its time
   * @example
   * layouts.twitter.dateOf(1541815603606036480n); // 2022-06-28T16:07:40.105Z
   */
  dateOf(this: IfTime<S, Layout>, id: bigint | string): Date {
    const { name } = this.#timeField();
    const date = this.#single.dateOf(this.#checkId(id));
    if (Number.isNaN(date.getTime())) throw wrongValue('id', `an id whose ${name} fits a Date`, id);
    return date;
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
    const { name } = this.#timeField();
    const column = checkU64Column('ids', ids);
    const out = checkOut(checkOptions(options, ['out']).out, Float64Array, column.length, [column]);
    unpackColumns(this.#placed, this.mask, column, { fields: [name], out: { [name]: out } });
    return out;
  }

  /**
   * The smallest id of an instant: all other fields are 0, or their `min`. If time is the highest field, as in every
   * preset that has one, all ids made at `date` or later are at least this.
   * @param date a Date, or Unix milliseconds
   * @throws TypeError if the layout has no field that holds time, or `date` is of the wrong kind
   * @throws RangeError if the time field cannot hold `date`
   * @example
   * layouts.discord.minIdAt(new Date('2022-01-31')); // where created in February: id >= this
   */
  minIdAt(this: IfTime<S, Layout>, date: Date | number): bigint {
    return this.#idAt(date, (field) => BigInt(field.min));
  }

  /**
   * The largest id of an instant: all other fields have their largest value.
   * @param date a Date, or Unix milliseconds
   * @throws TypeError or RangeError as {@link Layout.minIdAt}
   * @example
   * layouts.discord.maxIdAt(new Date('2022-01-31'));
   */
  maxIdAt(this: IfTime<S, Layout>, date: Date | number): bigint {
    return this.#idAt(date, (field) => field.mask);
  }

  /**
   * When the last unit of time begins that the layout can hold. No id can be made after that unit.
   * @throws TypeError if the layout has no field that holds time
   * @throws RangeError if a Date cannot hold that time
   * @example
   * layouts.snowflake.expiresAt(); // 2092-09-06T15:47:35.551Z
   */
  expiresAt(this: IfTime<S, Layout>): Date {
    const { name, clock, mask } = this.#timeField();
    const date = clock.dateOf(mask);
    if (Number.isNaN(date.getTime())) {
      throw wrongValue('this', 'a layout whose times fit a Date', this, undefined, `${mask} in ${name}`);
    }
    return date;
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
    return Object.fromEntries(fieldsToSql(this.#placed, column, dialect)) as { [K in keyof S]: string };
  }

  /** The fields, in the form that {@link defineLayout} takes. */
  toJSON(): { -readonly [K in keyof S]: FieldSpec } {
    return Object.fromEntries(this.#placed.map((field) => [field.name, specOf(field)])) as {
      [K in keyof S]: FieldSpec;
    };
  }

  #idAt(date: Date | number, other: (field: PlacedField) => bigint): bigint {
    const time = this.#timeField();
    const units = unitsOf('date', time, date);
    return this.#placed.reduce(
      (id, field) => id | ((field === time ? units : other(field)) << BigInt(field.shift)),
      0n,
    );
  }

  #timeField(): TimeField {
    if (this.#time === undefined) throw lacking('a field that holds time', this);
    return this.#time;
  }

  #checkId(id: bigint | string): bigint {
    if (typeof id === 'bigint' && id >= 0n && id <= this.mask) return id;
    const checked = typeof id === 'string' ? parseDecimalId(id) : checkU64('id', id);
    if (checked > this.mask) throw wrongValue('id', `an id of at most ${this.bits} bits`, id);
    return checked;
  }
}

function timeOf({ name, clock: { epoch, unit, scale } }: TimeField): LayoutTime {
  return { name, epoch, unit, unitMs: scale.mul / scale.div };
}

function specOf({ bits, min, clock }: PlacedField): FieldSpec {
  if (clock === undefined && min === 0) return bits;
  return { bits, ...(clock && { epoch: clock.epoch, unit: clock.unit }), ...(min > 0 && { min }) };
}

function lacking(expected: string, layout: { readonly places: readonly FieldPlace[] }): TypeError {
  const names = layout.places.map(({ name }) => name).join(', ');
  return wrongKind('this', `a layout with ${expected}`, layout, undefined, `only ${names}`);
}

function parseDecimalId(text: string): bigint {
  const id = /^[0-9]{1,64}$/.test(text) ? BigInt(text) : -1n;
  if (id < 0n || id > MAX_U64) throw wrongValue('id', 'a decimal integer from 0 to 2^64 - 1', text);
  return id;
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
