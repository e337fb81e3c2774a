import { checkInteger, checkOneOf, checkRecord, typeName, unknownName, wrongKind, wrongValue } from '../arguments.js';

/** What a field is: its bits, or more. */
export type FieldSpec =
  | number
  | {
      /** 1 to 64. */
      readonly bits: number;
      /** Makes it the timestamp field: the instant that counts as 0, in Unix milliseconds if a number. */
      readonly epoch?: Date | number;
      /** Makes it the timestamp field: what it counts; `ms` unless given. */
      readonly unit?: TimeUnit;
      /** The smallest value allowed; 0 unless given. */
      readonly min?: number;
    };

export type TimeUnit = 's' | 'ms' | '10ms';

export const UNIT_MS: Record<TimeUnit, number> = { s: 1000, ms: 1, '10ms': 10 };

/** A field as a layout has it. A timestamp field has an epoch (Unix milliseconds) and a unit. */
export interface Field {
  readonly bits: number;
  readonly min: number;
  readonly epoch?: number;
  readonly unit?: TimeUnit;
}

/** A field with its place in the id, for the arithmetic. */
export interface PlacedField extends Field {
  readonly name: string;
  readonly shift: number;
  readonly mask: bigint;
}

const MAX_DATE_MS = 8.64e15;

/** Checks the fields of a layout and puts them in place, most significant first. */
export function placeFields(specs: { readonly [name: string]: FieldSpec }): PlacedField[] {
  checkRecord('fields', specs);
  const fields = Object.entries(specs).map(([name, spec]) => [name, checkField(name, spec)] as const);
  const bits = fields.reduce((sum, [, field]) => sum + field.bits, 0);
  if (fields.length === 0) throw wrongValue('fields', 'at least one field', 0);
  if (bits > 64) throw wrongValue('fields', 'at most 64 bits in all', bits);
  const times = fields.filter(([, field]) => field.epoch !== undefined);
  if (times.length > 1) {
    throw wrongValue('fields', 'one timestamp field at most', times.map(([name]) => name).join());
  }
  let shift = bits;
  return fields.map(([name, field]) => {
    shift -= field.bits;
    return { name, shift, mask: (1n << BigInt(field.bits)) - 1n, ...field };
  });
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
  return {
    bits,
    min,
    epoch: checkEpoch(`${argument}.epoch`, epoch === undefined ? 0 : epoch),
    unit: checkOneOf(`${argument}.unit`, unit === undefined ? 'ms' : unit, ['s', 'ms', '10ms']),
  };
}

function checkEpoch(argument: string, epoch: Date | number): number {
  return checkInteger(argument, isDate(epoch) ? epoch.getTime() : epoch, -MAX_DATE_MS, MAX_DATE_MS);
}

/** What an id has to be whose field is below its `min`. */
export const idExpected = ({ name, min }: PlacedField): string => `an id whose ${name} is at least ${min}`;

/** A field's value from what a caller gave, as a bigint; refuses what does not fit. */
export function checkFieldValue(argument: string, field: PlacedField, given: number | bigint | Date): bigint {
  const value = isDate(given) ? dateToUnits(argument, field, given) : given;
  const expected = () => `an integer from ${field.min} to ${field.mask}`;
  if (typeof value === 'number') {
    if (!Number.isInteger(value)) throw wrongValue(argument, expected(), given);
    if (!Number.isSafeInteger(value)) {
      throw wrongValue(argument, 'a safe integer or a bigint', given);
    }
  } else if (typeof value !== 'bigint') {
    throw wrongKind(
      argument,
      field.epoch === undefined ? 'a number or a bigint' : 'a number, a bigint or a Date',
      given,
    );
  }
  const big = BigInt(value);
  if (big < BigInt(field.min) || big > field.mask) throw wrongValue(argument, expected(), given);
  return big;
}

/** The units of a timestamp field at an instant: whole units, as one that has begun counts. */
export function dateToUnits(argument: string, field: PlacedField, date: Date): bigint {
  if (field.epoch === undefined || field.unit === undefined) throw wrongKind(argument, 'a number or a bigint', date);
  const ms = Number(date);
  const unitMs = BigInt(UNIT_MS[field.unit]);
  const since = Number.isNaN(ms) ? -1n : BigInt(ms) - BigInt(field.epoch);
  const units = since / unitMs;
  if (since < 0n || units < BigInt(field.min) || units > field.mask) {
    const first = instantOf(field, BigInt(field.min));
    const last = instantOf(field, field.mask);
    throw wrongValue(argument, `a date from ${first ?? 'never'} ${last === undefined ? 'on' : `to ${last}`}`, date);
  }
  return units;
}

/** The instant at which a timestamp's units begin. */
export function unitsToDate(field: PlacedField, units: bigint): Date {
  const ms = msOf(field, units);
  if (ms > MAX_DATE_MS) throw wrongValue('id', 'an instant that a Date can hold, in milliseconds', ms);
  return new Date(Number(ms));
}

function msOf(field: PlacedField, units: bigint): bigint {
  return BigInt(field.epoch as number) + units * BigInt(UNIT_MS[field.unit as TimeUnit]);
}

function instantOf(field: PlacedField, units: bigint): string | undefined {
  const ms = msOf(field, units);
  return ms > MAX_DATE_MS ? undefined : new Date(Number(ms)).toISOString();
}

/** Also one from another realm. */
export function isDate(value: unknown): value is Date {
  return typeName(value) === 'Date';
}
