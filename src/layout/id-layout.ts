import { checkRecord, checkU64, MAX_U64, wrongKind, wrongValue } from '../arguments.js';
import {
  byName,
  checkFieldValue,
  checkNames,
  type Field,
  type FieldPlace,
  type FieldSpec,
  idExpected,
  type PlacedField,
  shownValue,
  type TimeField,
  timeOfDate,
  unitsOf,
} from './fields.js';
import { type Clock, msToUnit, type TimeUnit, unitToMs } from './time.js';
import type { FieldSpecs, FieldValues, IfField, IfTime, LayoutJson, UnpackedValues } from './types.js';

// Single values. An id is handled as two 32-bit words and a field as a number: 2 to 4 times as fast as with BigInts.
// Fields above 53 bits, and times that doubles do not hold exactly, are handled as BigInts.

const id64 = /* @__PURE__ */ new BigUint64Array(1);
const words = /* @__PURE__ */ new Uint32Array(id64.buffer);

/** The field of a layout that holds time. */
export interface LayoutTime {
  readonly name: string;
  /** The instant of unit 0, in Unix milliseconds. */
  readonly epoch: number;
  readonly unit: TimeUnit;
  /** How long a unit takes: 1000, 10, 1, 0.01 or 0.001 milliseconds. */
  readonly unitMs: number;
}

/** A field, and how to read it from the two words of an id. A field that is neither high nor low lies in both words. */
type FieldPart = ReturnType<typeof partOf>;

/**
 * Bit fields in a 64-bit id, most significant first, for single ids. A {@link Layout} of `shardbits` is one of these, with
 * methods for columns of ids. Unused bits are the highest ones and are zero. Make a layout with {@link defineLayout} or
 * {@link parseLayout}, or take one of {@link layouts}.
 *
 * For a field that holds time, a number is Unix milliseconds, and a bigint is the field's own units since its epoch.
 */
export class IdLayout<S extends FieldSpecs = FieldSpecs> {
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
  readonly #parts: readonly FieldPart[];
  readonly #time: (FieldPart & TimeField) | undefined;
  readonly #shard: FieldPart | undefined;
  /** An object to copy: objects with one shape are made and read several times as fast as objects that grow. */
  readonly #blank: { readonly [name: string]: number | bigint };

  /**
   * Makes a layout, which the caller freezes.
   * @param placed the fields of `S`
   * @internal
   */
  constructor(placed: readonly PlacedField[]) {
    const parts = placed.map(partOf);
    const time = parts.find((part): part is FieldPart & TimeField => part.clock !== undefined);
    this.#parts = parts;
    this.#time = time;
    this.#shard = parts.find(({ name }) => name === 'shard');
    this.#blank = byName(parts, () => 0);
    this.bits = parts.reduce((sum, { bits }) => sum + bits, 0);
    this.mask = (1n << BigInt(this.bits)) - 1n;
    this.places = Object.freeze(
      parts.map(({ name, bits, shift, mask, min }) => Object.freeze({ name, bits, shift, mask, min })),
    );
    this.fields = Object.freeze<{ [K in keyof S]: Field }>(byName(parts, ({ field }) => field));
    this.time = time && Object.freeze(timeOf(time));
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
    const given: FieldValues<FieldSpecs> = values;
    checkRecord('values', given);
    let [low, high, i] = [0, 0, 0];
    // In a `for in`, V8 reads the values without looking up their names.
    for (const name in given) {
      const part = this.#parts[i++];
      if (part?.name !== name) return this.#packAny(given);
      const { shift, min, most, clock, isHigh, isLow, factor } = part;
      const value = numberOf(given[name], clock);
      if (!(value >= min && value <= most) || Math.floor(value) !== value) return this.#packAny(given);
      if (isHigh) high |= value << (shift - 32);
      else {
        low |= value << shift;
        if (!isLow) high |= value / factor;
      }
    }
    if (i !== this.#parts.length) return this.#packAny(given);
    words[0] = low;
    words[1] = high;
    return id64[0];
  }

  /** Packs values in any order and of any kind, and refuses those that do not fit. */
  #packAny(values: FieldValues<FieldSpecs>): bigint {
    checkNames('values', values, this.#parts);
    return this.#parts.reduce((id, part) => {
      const value = checkFieldValue(`values.${part.name}`, part, values[part.name]);
      return id | (value << BigInt(part.shift));
    }, 0n);
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
    const checked = this.#checkId(id);
    id64[0] = checked;
    const [low, high] = [words[0], words[1]];
    const values = { ...this.#blank };
    for (const part of this.#parts) {
      const { name, shift, mask, min, most, clock } = part;
      if (most < 0) values[name] = shownValue(part, (checked >> BigInt(shift)) & mask, 'id', id);
      else {
        const value = numberIn(part, low, high);
        if (value < min) throw wrongValue('id', idExpected(part), id);
        values[name] = clock === undefined ? value : unitToMs(value, clock.scale);
      }
    }
    return values as UnpackedValues<S>;
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
  shardOf(this: IfField<S, 'shard', IdLayout>, id: bigint | string): number {
    const field = this.#shard;
    if (field === undefined) throw lacking('a field "shard"', this);
    const checked = this.#checkId(id);
    const shard = (checked >> BigInt(field.shift)) & field.mask;
    const isVoid = checked === shard << BigInt(field.shift) && this.#parts.some(({ min }) => min > 0);
    if (isVoid) return 0;
    if (shard > Number.MAX_SAFE_INTEGER) throw wrongValue('id', 'an id whose shard fits a number', id);
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
  dateOf(this: IfTime<S, IdLayout>, id: bigint | string): Date {
    const part = this.#timeField();
    const { name, shift, mask, most, clock } = part;
    const checked = this.#checkId(id);
    id64[0] = checked;
    const units = most < 0 ? Number.NaN : numberIn(part, words[0], words[1]);
    const date = new Date(Math.floor(unitToMs(units, clock.scale)));
    if (!Number.isNaN(date.getTime())) return date;
    const exact = clock.dateOf((checked >> BigInt(shift)) & mask);
    if (Number.isNaN(exact.getTime())) throw wrongValue('id', `an id whose ${name} fits a Date`, id);
    return exact;
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
  minIdAt(this: IfTime<S, IdLayout>, date: Date | number): bigint {
    return this.#idAt(date, (field) => BigInt(field.min));
  }

  /**
   * The largest id of an instant: all other fields have their largest value.
   * @param date a Date, or Unix milliseconds
   * @throws TypeError or RangeError as {@link IdLayout.minIdAt}
   * @example
   * layouts.discord.maxIdAt(new Date('2022-01-31'));
   */
  maxIdAt(this: IfTime<S, IdLayout>, date: Date | number): bigint {
    return this.#idAt(date, (field) => field.mask);
  }

  /**
   * When the last unit of time begins that the layout can hold. No id can be made after that unit.
   * @throws TypeError if the layout has no field that holds time
   * @throws RangeError if a Date cannot hold that time
   * @example
   * layouts.snowflake.expiresAt(); // 2092-09-06T15:47:35.551Z
   */
  expiresAt(this: IfTime<S, IdLayout>): Date {
    const { name, clock, mask } = this.#timeField();
    const date = clock.dateOf(mask);
    if (Number.isNaN(date.getTime())) {
      throw wrongValue('this', 'a layout whose times fit a Date', this, undefined, `${mask} in ${name}`);
    }
    return date;
  }

  /** The fields, in the form that {@link defineLayout} takes. */
  toJSON(): LayoutJson<S> {
    return byName(this.#parts, specOf);
  }

  #idAt(date: Date | number, other: (field: PlacedField) => bigint): bigint {
    const time = this.#timeField();
    const units = unitsOf('date', time, date);
    return this.#parts.reduce((id, field) => id | ((field === time ? units : other(field)) << BigInt(field.shift)), 0n);
  }

  #timeField(): FieldPart & TimeField {
    if (this.#time === undefined) throw withoutTime(this);
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

export const withoutTime = (layout: IdLayout): TypeError => lacking('a field that holds time', layout);

function lacking(expected: string, layout: IdLayout): TypeError {
  const names = layout.places.map(({ name }) => name).join(', ');
  return wrongKind('this', `a layout with ${expected}`, layout, undefined, `only ${names}`);
}

function parseDecimalId(text: string): bigint {
  const id = /^[0-9]{1,64}$/.test(text) ? BigInt(text) : -1n;
  if (id < 0n || id > MAX_U64) throw wrongValue('id', 'a decimal integer from 0 to 2^64 - 1', text);
  return id;
}

function partOf(field: PlacedField) {
  const { shift, bits } = field;
  const isHigh = shift >= 32;
  const isLow = shift + bits <= 32;
  return {
    ...field,
    isHigh,
    isLow,
    highMask: isHigh ? maskOf(bits) : isLow ? 0 : maskOf(shift + bits - 32),
    lowMask: isLow ? maskOf(bits) : 0,
    /** The part in the high word is multiplied by this. */
    factor: 2 ** (32 - shift),
  };
}

/** A mask of the lowest 1 to 32 bits. */
const maskOf = (bits: number): number => -1 >>> (32 - bits);

/** A value as a number, in units for a time; NaN if it is not a number or a Date. */
function numberOf(given: unknown, clock: Clock | undefined): number {
  if (clock === undefined) return typeof given === 'number' ? given : Number.NaN;
  const ms = typeof given === 'number' ? given : (timeOfDate(given) ?? Number.NaN);
  return msToUnit(ms, clock.scale);
}

/** The value of a field of at most 53 bits. */
function numberIn({ shift, isHigh, isLow, highMask, lowMask, factor }: FieldPart, low: number, high: number): number {
  if (isHigh) return ((high >>> (shift - 32)) & highMask) >>> 0;
  if (isLow) return ((low >>> shift) & lowMask) >>> 0;
  return ((high & highMask) >>> 0) * factor + (low >>> shift);
}
