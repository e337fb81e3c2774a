import { checkInteger, checkOneOf, checkRecord, typeName, unknownName, wrongKind, wrongValue } from '../arguments.js';
import { Clock, MAX_DATE_MS, TIME_UNITS, type TimeUnit } from './time.js';

/** A field of a layout: its number of bits, or an object that says more. */
export type FieldSpec =
  | number
  | {
      /** How many bits the field has, 1 to 64. */
      readonly bits: number;
      /** The instant that counts as 0: a Date or Unix milliseconds. A field with an epoch holds time. */
      readonly epoch?: Date | number | undefined;
      /** What the field counts; `ms` by default. A field with a unit holds time. */
      readonly unit?: TimeUnit | undefined;
      /** The smallest value allowed, in units for a time; 0 by default. */
      readonly min?: number | undefined;
    };

/** A field of a {@link Layout}. Only a field that holds time has an epoch (Unix milliseconds) and a unit. */
export interface Field {
  readonly bits: number;
  readonly min: number;
  readonly epoch?: number;
  readonly unit?: TimeUnit;
}

/** A field with its place in an id. */
export interface FieldPlace {
  readonly name: string;
  /** 1 to 64. */
  readonly bits: number;
  /** How many bits of the id lie below the field. */
  readonly shift: number;
  /** The largest value: 2^bits - 1. */
  readonly mask: bigint;
  /** The smallest value allowed, in units for a time. */
  readonly min: number;
}

export interface PlacedField extends FieldPlace {
  /** What {@link Layout.fields} has of it. */
  readonly field: Field;
  readonly clock: Clock | undefined;
  /** The largest value, if numbers hold all values, and all times in milliseconds, exactly; otherwise -1. */
  readonly most: number;
}

export type TimeField = PlacedField & { readonly clock: Clock };

/** Checks the fields of a layout and works out their places, most significant first. */
export function placeFields(specs: { readonly [name: string]: FieldSpec }): PlacedField[] {
  checkRecord('fields', specs);
  const fields = Object.entries(specs).map(([name, spec]) => [name, Object.freeze(checkField(name, spec))] as const);
  const bits = fields.reduce((sum, [, field]) => sum + field.bits, 0);
  if (fields.length === 0) throw wrongValue('fields', 'at least one field', 0);
  if (bits > 64) throw wrongValue('fields', 'at most 64 bits in all', bits);
  const times = fields.filter(([, field]) => field.unit !== undefined).map(([name]) => name);
  if (times.length > 1) throw wrongValue('fields', 'at most one timestamp field', times.join());
  let shift = bits;
  return fields.map(([name, field]) => {
    const { bits, min, epoch, unit } = field;
    shift -= bits;
    const mask = (1n << BigInt(bits)) - 1n;
    const clock = unit === undefined ? undefined : new Clock(epoch ?? 0, unit, BigInt(min), mask);
    const isExact = clock === undefined || (clock.isExact && clock.first === BigInt(min) && clock.last === mask);
    return { name, field, bits, shift, mask, min, clock, most: bits <= 53 && isExact ? Number(mask) : -1 };
  });
}

export function byName<F extends FieldPlace, Name extends PropertyKey, T>(
  fields: readonly F[],
  of: (field: F) => T,
): { [K in Name]: T } {
  return Object.fromEntries(fields.map((field) => [field.name, of(field)])) as { [K in Name]: T };
}

export function checkNames(argument: string, values: object, fields: readonly FieldPlace[]): void {
  checkRecord(argument, values);
  for (const name of Object.keys(values)) fieldNamed(argument, name, fields);
}

export function fieldNamed<F extends FieldPlace>(argument: string, name: string, fields: readonly F[]): F {
  const field = fields.find((candidate) => candidate.name === name);
  if (field !== undefined) return field;
  const known = fields.map((one) => one.name);
  throw unknownName(argument, name, known);
}

function checkField(name: string, spec: FieldSpec): Field {
  const argument = `fields.${name}`;
  // A leading digit would also make JavaScript reorder the fields.
  if (!/^[A-Za-z][A-Za-z0-9_]*$/.test(name)) {
    throw wrongValue('fields', 'names of letters, digits and _ that start with a letter', name);
  }
  if (typeof spec !== 'number') checkRecord(argument, spec);
  const { bits, epoch, unit, min = 0, ...rest } = typeof spec === 'number' ? { bits: spec } : spec;
  for (const other of Object.keys(rest)) throw unknownName(argument, other, ['bits', 'epoch', 'unit', 'min']);
  checkInteger(`${argument}.bits`, bits, 1, 64);
  checkInteger(`${argument}.min`, min, 0, Math.min(2 ** bits - 1, Number.MAX_SAFE_INTEGER));
  if (epoch === undefined && unit === undefined && name !== 'timestamp') return { bits, min };
  const start = epoch === undefined ? 0 : (timeOfDate(epoch) ?? (epoch as number));
  return {
    bits,
    min,
    epoch: checkInteger(`${argument}.epoch`, start, -MAX_DATE_MS, MAX_DATE_MS),
    unit: checkOneOf(`${argument}.unit`, unit === undefined ? 'ms' : unit, TIME_UNITS),
  };
}

/** The time of a Date from any realm, in Unix milliseconds; undefined for anything else. */
export function timeOfDate(given: unknown): number | undefined {
  return typeName(given) === 'Date' ? Date.prototype.getTime.call(given) : undefined;
}

export const idExpected = ({ name, min }: FieldPlace): string => `an id whose ${name} is at least ${min}`;

/** Checks the value that a caller gave for a field and returns it, in units for a time. */
export function checkFieldValue(
  argument: string,
  field: FieldPlace & { readonly clock?: Clock | undefined },
  given: number | bigint | Date,
  row?: number,
): bigint {
  const { clock, min, mask } = field;
  if (clock !== undefined && typeof given !== 'bigint') {
    return unitsOf(argument, { clock, min, mask }, given, row, 'a Date, a number or a bigint');
  }
  const expected = `an integer from ${min} to ${mask}`;
  if (typeof given === 'number') {
    if (!Number.isInteger(given)) throw wrongValue(argument, expected, given, row);
    if (!Number.isSafeInteger(given)) throw wrongValue(argument, 'a safe integer or a bigint', given, row);
  } else if (typeof given !== 'bigint') throw wrongKind(argument, 'a number or a bigint', given);
  if (given < min || given > mask) throw wrongValue(argument, expected, given, row);
  return BigInt(given);
}

/**
 * The unit of time that an instant falls into.
 * @param given a Date, or Unix milliseconds small enough for a number to hold them exactly
 */
export function unitsOf(
  argument: string,
  { clock, min, mask }: Pick<TimeField, 'clock' | 'min' | 'mask'>,
  given: number | Date,
  row?: number,
  expectedKind = 'a Date or a number',
): bigint {
  const isNumber = typeof given === 'number';
  const ms = isNumber ? given : timeOfDate(given);
  if (ms === undefined) throw wrongKind(argument, expectedKind, given);
  const units = clock.unitAt(ms, isNumber ? undefined : MAX_DATE_MS);
  const [first, last] = isNumber ? [clock.first, clock.last] : [BigInt(min), mask];
  if (units === undefined || units < first || units > last) {
    const dates = `${clock.show(first)} to ${clock.show(last)}`;
    const expected = isNumber
      ? `Unix milliseconds from ${clock.msOf(first)} to ${clock.msOf(last)} (${dates})`
      : `a date from ${dates}`;
    throw wrongValue(argument, expected, given, row);
  }
  return units;
}

/** The value of a field for the caller: Unix milliseconds for a time, a bigint above 53 bits, otherwise a number. */
export function shownValue(field: PlacedField, value: bigint, argument: string, id: unknown, row?: number) {
  const { bits, min, clock } = field;
  if (value < min) throw wrongValue(argument, idExpected(field), id, row);
  if (clock === undefined) return bits <= 53 ? Number(value) : value;
  if (value < clock.first || value > clock.last) {
    const expected = `an id whose ${field.name} in milliseconds is exact as a number (wide columns hold units)`;
    throw wrongValue(argument, expected, id, row);
  }
  return clock.msOf(value);
}
