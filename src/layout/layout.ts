import { checkOptions, checkRecord, checkU64, unknownName, wrongKind, wrongValue } from '../arguments.js';
import { MAX_U64 } from '../u64.js';
import { type FieldColumns, packColumns, type UnpackedColumns, type UnpackOptions, unpackColumns } from './columns.js';
import {
  checkFieldValue,
  dateToUnits,
  type Field,
  type FieldSpec,
  idExpected,
  isDate,
  type PlacedField,
  placeFields,
  unitsToDate,
} from './fields.js';
import { fieldsToSql, type SqlDialect } from './sql.js';

/**
 * Bit fields in a 64-bit id, most significant first; bits to spare lie on top and are zero. Made by
 * {@link defineLayout}, {@link parseLayout}, or ready in {@link layouts}.
 */
export class Layout<Name extends string = string> {
  /** How many bits the fields take in all, 1 to 64. */
  readonly bits: number;
  /** The fields by name, most significant first; {@link defineLayout} takes them again. */
  readonly fields: { readonly [K in Name]: Field };
  /** The bits that the fields take: 2^bits - 1. */
  readonly mask: bigint;
  readonly #placed: readonly PlacedField[];
  readonly #time: PlacedField | undefined;
  readonly #shard: PlacedField | undefined;

  /** @throws TypeError or RangeError as {@link defineLayout} */
  constructor(fields: { readonly [K in Name]: FieldSpec }) {
    this.#placed = placeFields(fields);
    this.#time = this.#placed.find((field) => field.epoch !== undefined);
    this.#shard = this.#placed.find((field) => field.name === 'shard');
    this.bits = this.#placed.reduce((sum, field) => sum + field.bits, 0);
    this.mask = (1n << BigInt(this.bits)) - 1n;
    const shown = this.#placed.map(({ name, shift: _, mask: __, ...field }) => [name, Object.freeze(field)]);
    this.fields = Object.freeze(Object.fromEntries(shown));
    Object.freeze(this);
  }

  /**
   * The id made of these values.
   * @param values a number (a safe integer) or a bigint for every field; for the timestamp field
   *   also a Date, of which whole units count
   * @returns 0 to mask
   * @throws TypeError if a value is missing or of the wrong kind
   * @throws RangeError if a value does not fit its field, or is of no field: nothing is truncated
   * @example
   * layouts.pinterest.pack({ shard: 3429, type: 1, local: 7075733 }); // 241294492511762325n
   */
  pack(values: { readonly [K in Name]: number | bigint | Date }): bigint {
    this.#checkNames('values', values);
    let id = 0n;
    for (const field of this.#placed) {
      const value = checkFieldValue(`values.${field.name}`, field, values[field.name as Name]);
      id |= value << BigInt(field.shift);
    }
    return id;
  }

  /**
   * The values of an id's fields: numbers where the field has 53 bits or fewer, otherwise bigints.
   * @param id 0 to mask, as a bigint or in decimal
   * @throws TypeError if `id` is neither a bigint nor a string
   * @throws RangeError if it is not a u64, has bits above the layout, or a field below its `min`
   * @example
   * layouts.pinterest.unpack('241294492511762325'); // { shard: 3429, type: 1, local: 7075733 }
   */
  unpack(id: bigint | string): { [K in Name]: number | bigint } {
    const checked = this.#checkId(id);
    const values = this.#placed.map((field) => {
      const value = (checked >> BigInt(field.shift)) & field.mask;
      if (value < BigInt(field.min)) {
        throw wrongValue('id', idExpected(field), id);
      }
      return [field.name, field.bits <= 53 ? Number(value) : value];
    });
    return Object.fromEntries(values);
  }

  /**
   * A column of ids from a column, or one value, for each field.
   * @param columns typed arrays of one length (integers; a BigInt64Array is read as unsigned),
   *   numbers, bigints, or for the timestamp field a Date
   * @param options.out where the ids go, of the length of the columns, apart from them
   * @returns `out`, or a new array; of one row if no column is an array
   * @throws TypeError if a column is missing or of the wrong kind
   * @throws RangeError if a value does not fit its field (the message names the row), lengths differ,
   *   or `out` overlaps a column; nothing has been written then
   * @example
   * layouts.snowflake.packMany({ timestamp: new Date(), shard: 5, sequence: Uint16Array.of(0, 1, 2) });
   */
  packMany(columns: FieldColumns<Name>, options?: { out?: BigUint64Array }): BigUint64Array {
    this.#checkNames('columns', columns);
    return packColumns(this.#placed, columns, checkOptions(options, ['out']).out);
  }

  /**
   * The columns of the fields of a column of ids.
   * @param ids a BigInt64Array is read as the same bits
   * @param options.fields which fields; all unless given
   * @param options.wide BigUint64Arrays throughout; otherwise the narrowest of Uint8Array,
   *   Uint16Array, Uint32Array, Float64Array (33 to 53 bits) and BigUint64Array that holds the field
   * @param options.out columns to write to, by field; of one of those types that holds the field, as
   *   long as `ids` and apart from them. Fields not in it get new arrays
   * @throws TypeError if an argument is of the wrong kind
   * @throws RangeError if an id has bits above the layout or a field below its `min`, also one not
   *   asked for (the message names the row), or a column in `out` does not fit; nothing has been
   *   written then
   * @example
   * const { shard } = layouts.snowflake.unpackMany(ids, { fields: ['shard'] }); // Uint16Array
   */
  unpackMany<F extends Name = Name>(ids: BigUint64Array, options?: UnpackOptions<F>): UnpackedColumns<F> {
    const checked = checkOptions(options, ['fields', 'wide', 'out']);
    return unpackColumns(this.#placed, this.mask, ids, checked as UnpackOptions<string>) as UnpackedColumns<F>;
  }

  /**
   * The shard in an id. In a layout with a `min` (RageDB's type), an id of which only shard bits are
   * set is no id at all: it belongs to shard 0.
   * @param id 0 to mask, as a bigint or in decimal
   * @throws TypeError if the layout has no field `shard`, or `id` is of the wrong kind
   * @throws RangeError if `id` is out of range, or its shard above 2^53 - 1
   * @example
   * layouts.ragedb.shardOf(65538n); // 2
   */
  shardOf(id: bigint | string): number {
    const field = this.#shard;
    if (field === undefined) throw new TypeError(`this layout has no shard field, only ${this.#names()}`);
    const checked = this.#checkId(id);
    const shard = (checked >> BigInt(field.shift)) & field.mask;
    const isVoid = checked === shard << BigInt(field.shift) && this.#placed.some(({ min }) => min > 0);
    if (isVoid) return 0;
    if (shard > Number.MAX_SAFE_INTEGER) throw wrongValue('id', 'an id whose shard a number can hold', id);
    return Number(shard);
  }

  /**
   * The instant in an id: when its unit of time begins.
   * @param id 0 to mask, as a bigint or in decimal
   * @throws TypeError if the layout has no timestamp field, or `id` is of the wrong kind
   * @throws RangeError if `id` is out of range, or its instant is beyond what a Date holds
   * @example
   * layouts.twitter.dateOf(1541815603606036480n); // 2022-06-28T16:07:40.105Z
   */
  dateOf(id: bigint | string): Date {
    const field = this.#timeField();
    return unitsToDate(field, (this.#checkId(id) >> BigInt(field.shift)) & field.mask);
  }

  /**
   * The smallest id of an instant: all other fields are 0, or their `min`. With the timestamp on top,
   * as in all presets, every id from then on is at least this.
   * @throws TypeError if the layout has no timestamp field, or `date` is not a Date
   * @throws RangeError if the layout does not reach `date`
   * @example
   * layouts.discord.minIdAt(new Date('2022-01-31')); // where created in February: id >= this
   */
  minIdAt(date: Date): bigint {
    return this.#idAt(date, (field) => BigInt(field.min));
  }

  /**
   * The largest id of an instant: all other fields are full.
   * @throws TypeError if the layout has no timestamp field, or `date` is not a Date
   * @throws RangeError if the layout does not reach `date`
   * @example
   * layouts.discord.maxIdAt(new Date('2022-01-31'));
   */
  maxIdAt(date: Date): bigint {
    return this.#idAt(date, (field) => field.mask);
  }

  /**
   * The last instant the layout can hold; no id can be made once that unit of time is over.
   * @throws TypeError if the layout has no timestamp field
   * @throws RangeError if that is beyond what a Date holds
   * @example
   * layouts.snowflake.expiresAt(); // 2092-09-06T15:47:35.551Z
   */
  expiresAt(): Date {
    const field = this.#timeField();
    return unitsToDate(field, field.mask);
  }

  /**
   * SQL expressions for the fields of an id in a database: the numbers that `unpackMany` gives. They can stand
   * in larger expressions as they are. Bits above the layout are dropped, not refused.
   * @param column where the ids are: `id`, `t.id` or `schema.t.id`, any part of it quoted as the dialect
   *   does (no backslashes); a reserved word has to be
   * @param dialect `postgres` (unless given): a bigint column, from 2^63 on negative; fields are bigint, one
   *   of 64 bits numeric. `mysql`: BIGINT or BIGINT UNSIGNED. `clickhouse`: UInt64
   * @returns an expression for each field
   * @throws TypeError if an argument is not a string
   * @throws RangeError if `column` is no such name, or the dialect is another
   * @example
   * layouts.snowflake.toSql('id').shard; // '((id >> 12) & 1023)'
   */
  toSql(column: string, dialect: SqlDialect = 'postgres'): { [K in Name]: string } {
    return Object.fromEntries(fieldsToSql(this.#placed, column, dialect)) as { [K in Name]: string };
  }

  #idAt(date: Date, other: (field: PlacedField) => bigint): bigint {
    const time = this.#timeField();
    if (!isDate(date)) throw wrongKind('date', 'a Date', date);
    const units = dateToUnits('date', time, date);
    return this.#placed.reduce(
      (id, field) => id | ((field === time ? units : other(field)) << BigInt(field.shift)),
      0n,
    );
  }

  #timeField(): PlacedField {
    if (this.#time === undefined) throw new TypeError(`this layout has no timestamp field, only ${this.#names()}`);
    return this.#time;
  }

  #checkId(id: bigint | string): bigint {
    const checked = typeof id === 'string' ? parseDecimalId(id) : checkU64('id', id);
    if (checked > this.mask) throw wrongValue('id', `an id of at most ${this.bits} bits`, id);
    return checked;
  }

  #checkNames(argument: string, values: object): void {
    checkRecord(argument, values);
    for (const name of Object.keys(values)) {
      if (!Object.hasOwn(this.fields, name)) {
        throw unknownName(argument, name, Object.keys(this.fields));
      }
    }
  }

  #names(): string {
    return this.#placed.map(({ name }) => name).join(', ');
  }
}

function parseDecimalId(text: string): bigint {
  const id = /^[0-9]{1,64}$/.test(text) ? BigInt(text) : -1n;
  if (id < 0n || id > MAX_U64) throw wrongValue('id', 'a decimal integer from 0 to 2^64 - 1', text);
  return id;
}

/**
 * A layout from its fields, most significant first: `{ name: bits }`, or more about a field. A field
 * with an `epoch` or a `unit`, or called `timestamp`, holds the time: whole units (milliseconds
 * unless given) since its epoch (1970 unless given). A field called `shard` is what `shardOf` reads.
 * @param fields names of letters, digits and `_`, starting with a letter; 1 to 64 bits in all
 * @throws TypeError if a field is of the wrong kind
 * @throws RangeError if bits are out of range, a name is not allowed, or two fields hold the time
 * @example
 * const layout = defineLayout({ timestamp: { bits: 42, epoch: Date.UTC(2024, 0) }, shard: 8, sequence: 14 });
 */
export function defineLayout<const Name extends string>(fields: { readonly [K in Name]: FieldSpec }): Layout<Name> {
  return new Layout(fields);
}
