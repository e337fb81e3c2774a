import { checkAttached, checkRecord, checkString, typeName, unknownName, wrongKind, wrongValue } from '../arguments.js';
import { checkOut, overlap } from '../columns/out.js';
import { checkU64Column } from '../columns/u64-column.js';
import { kernels } from '../kernels/active.js';
import {
  COLUMN_ARRAYS,
  COLUMN_TYPES,
  type ColumnArray,
  type ColumnType,
  columnType,
  type FieldColumn,
  PIECE_ROWS,
  rowsOf,
} from '../kernels/contract.js';
import { MAX_U64 } from '../u64.js';
import { checkFieldValue, expectedOf, idExpected, numberExpected, type PlacedField, timeExpected } from './fields.js';
import type { Clock } from './time.js';

/** Bits that an element of each column type holds. */
const CAPACITY: Record<ColumnType, number> = { u8: 8, u16: 16, u32: 32, f64: 53, u64: 64 };

/** A caller's column for a field, as the kernels take it. */
interface GivenColumn extends FieldColumn {
  readonly field: PlacedField;
  readonly given: ArrayBufferView;
  /** The smallest and the largest value allowed; of a time in milliseconds, in units. */
  readonly min: bigint;
  readonly max: bigint;
}

export function packColumns(
  fields: readonly PlacedField[],
  columns: { readonly [name: string]: unknown },
  out: BigUint64Array | undefined,
): BigUint64Array {
  const packed: GivenColumn[] = [];
  let base = 0n;
  let rows = 1;
  for (const field of fields) {
    const argument = `columns.${field.name}`;
    const given = columns[field.name];
    if (!ArrayBuffer.isView(given)) {
      base |= checkFieldValue(argument, field, given as number) << BigInt(field.shift);
      continue;
    }
    checkAttached(argument, given);
    const column = givenColumn(argument, field, given);
    const first = packed[0];
    if (first === undefined) rows = column.values.length;
    else if (column.values.length !== rows) {
      throw wrongValue(argument, `the ${rows} rows of ${first.field.name}`, column.values.length);
    }
    packed.push(column);
  }
  // What the kernel refuses is looked for only then, where nobody sees what it has written.
  const isOurs = out === undefined;
  for (const column of packed) if (!isOurs || column.min > 0n || column.max < column.mask) checkColumn(column);
  const ids = checkOut(out, BigUint64Array, rows, []);
  for (const { given } of packed) refuseOverlap('out', ids, given);
  if (!kernels().pack(packed, base, ids)) packed.forEach(checkColumn);
  return ids;
}

/**
 * A caller's array as a column for the kernels. Signed elements are read as unsigned ones of the same bits: a negative
 * one is then above the largest that is allowed.
 */
function givenColumn(argument: string, field: PlacedField, given: ArrayBufferView): GivenColumn {
  const { shift, mask, min, clock } = field;
  const name = typeName(given);
  const { buffer, byteOffset, length } = given as Uint8Array;
  const as = (values: ColumnArray, capacity = (1n << BigInt(CAPACITY[columnType(values)])) - 1n): GivenColumn => {
    const max = mask < capacity ? mask : capacity;
    return { field, given, values, shift, mask: max, min: BigInt(min), max };
  };
  if (name === 'BigUint64Array') return as(given as BigUint64Array);
  if (name === 'BigInt64Array') return as(new BigUint64Array(buffer, byteOffset, length));
  if (clock !== undefined) {
    if (name !== 'Float64Array') {
      throw wrongKind(argument, 'a Float64Array of Unix milliseconds, u64s of its units, or one value', given);
    }
    if (!clock.isExact) return { ...as(unitsOneByOne(argument, field, given as Float64Array)), given };
    const { scale: time, first, last } = clock;
    return { ...as(given as Float64Array), mask, time, min: first, max: last }; // units may be 2^53, which numbers are not
  }
  switch (name) {
    case 'Uint8Array':
    case 'Uint16Array':
    case 'Uint32Array':
    case 'Float64Array':
      return as(given as ColumnArray);
    case 'Uint8ClampedArray':
      return as(new Uint8Array(buffer, byteOffset, length));
    case 'Int8Array':
      return as(new Uint8Array(buffer, byteOffset, length), 0x7fn);
    case 'Int16Array':
      return as(new Uint16Array(buffer, byteOffset, length), 0x7fffn);
    case 'Int32Array':
      return as(new Uint32Array(buffer, byteOffset, length), 0x7fffffffn);
    case 'Float32Array':
      return as(Float64Array.from(given as Float32Array));
    default:
      throw wrongKind(argument, 'a typed array, a number or a bigint', given);
  }
}

/** The units of times that pass what doubles hold exactly. */
function unitsOneByOne(argument: string, field: PlacedField, ms: Float64Array): BigUint64Array {
  const clock = field.clock as Clock;
  return BigUint64Array.from(ms, (value, row) => {
    const units = clock.unitAt(value);
    if (units === undefined || units < clock.first || units > clock.last)
      throw timeRefused(argument, field, value, row);
    return units;
  });
}

function timeRefused(argument: string, field: PlacedField, value: unknown, row: number): RangeError {
  return wrongValue(argument, timeExpected(field, field.clock as Clock, value), value, row);
}

/** Refuses the first value that does not fit its field. */
function checkColumn({ field, given, values, min, max, time }: GivenColumn): void {
  const argument = `columns.${field.name}`;
  if (values.length === 0) return;
  const row = min > max ? 0 : firstOutside(values, min, max, time);
  if (row < 0) return;
  const value = (given as unknown as ArrayLike<unknown>)[row];
  if (time !== undefined) throw timeRefused(argument, field, value, row);
  const expected = columnType(values) === 'f64' ? `an integer from ${min} to ${max}` : expectedOf(field);
  throw wrongValue(argument, expected, value, row);
}

function firstOutside(values: ColumnArray, min: bigint, max: bigint, time: FieldColumn['time']): number {
  if (time === undefined) return kernels().firstOutside(values, min, max);
  for (let from = 0; from < values.length; from += PIECE_ROWS) {
    const piece = rowsOf(values as Float64Array, from, Math.min(from + PIECE_ROWS, values.length));
    const { buffer, byteOffset } = kernels().scratch;
    const units = new Float64Array(buffer, byteOffset, piece.length);
    kernels().toUnits(piece, time, units);
    const row = kernels().firstOutside(units, min, max);
    if (row >= 0) return from + row;
  }
  return -1;
}

/** Where a field goes. */
interface TakenColumn extends FieldColumn {
  readonly field: PlacedField;
  /** Milliseconds that doubles do not count exactly on the way: first the units, then these. */
  readonly later?: Float64Array | undefined;
}

export function unpackColumns(
  fields: readonly PlacedField[],
  layoutMask: bigint,
  column: BigUint64Array | BigInt64Array,
  options: { fields?: readonly string[] | undefined; wide?: boolean | undefined; out?: object | undefined },
): { [name: string]: ColumnArray } {
  const { fields: names, wide = false, out } = options;
  const ids = checkU64Column('ids', column);
  if (typeof wide !== 'boolean') throw wrongKind('wide', 'a boolean', wide);
  const chosen = chooseFields(fields, names);
  checkOutNames(chosen, out);
  const given = chosen.map((field) => outColumn(field, out as { [name: string]: ColumnArray } | undefined, ids));
  checkApart(chosen, given);
  const taken = chosen.map((field, i) => takenColumn(field, given[i] ?? newColumn(field, ids.length, wide)));
  checkIds(fields, layoutMask, ids);
  for (const { field, time, later } of taken) if (time !== undefined || later !== undefined) checkTimes(field, ids);
  kernels().unpack(ids, taken);
  for (const { field, values, later } of taken) {
    const units = values as BigUint64Array;
    for (let row = 0; row < (later?.length ?? 0); row++) {
      (later as Float64Array)[row] = (field.clock as Clock).msOf(units[row] as bigint);
    }
  }
  return Object.fromEntries(taken.map(({ field, values, later }) => [field.name, later ?? values]));
}

function takenColumn(field: PlacedField, values: ColumnArray): TakenColumn {
  const { shift, mask, clock } = field;
  if (clock === undefined || columnType(values) === 'u64') return { field, values, shift, mask };
  if (clock.isExact) return { field, values, shift, mask, time: clock.scale };
  const later = values as Float64Array;
  return { field, values: new BigUint64Array(later.length), shift, mask, later };
}

function chooseFields(fields: readonly PlacedField[], names: readonly string[] | undefined): readonly PlacedField[] {
  if (names === undefined) return fields;
  if (!Array.isArray(names)) throw wrongKind('fields', 'an array of names', names);
  return names.map((name) => {
    checkString('fields', name);
    const field = fields.find((candidate) => candidate.name === name);
    if (field === undefined) throw unknownName('fields', name, namesOf(fields));
    return field;
  });
}

function checkOutNames(chosen: readonly PlacedField[], out: object | undefined): void {
  if (out === undefined) return;
  checkRecord('out', out);
  for (const name of Object.keys(out)) {
    if (!namesOf(chosen).includes(name)) throw unknownName('out', name, namesOf(chosen));
  }
}

function namesOf(fields: readonly PlacedField[]): string[] {
  return fields.map((field) => field.name);
}

function newColumn({ bits, clock }: PlacedField, rows: number, wide: boolean): ColumnArray {
  const narrow = clock ? 'f64' : COLUMN_TYPES.find((candidate) => CAPACITY[candidate] >= bits);
  return new COLUMN_ARRAYS[wide ? 'u64' : (narrow as ColumnType)](rows);
}

function outColumn(
  field: PlacedField,
  out: { readonly [name: string]: ColumnArray | undefined } | undefined,
  ids: BigUint64Array,
): ColumnArray | undefined {
  const column = out && Object.hasOwn(out, field.name) ? out[field.name] : undefined;
  if (column === undefined) return undefined;
  const argument = `out.${field.name}`;
  const type = ArrayBuffer.isView(column) ? columnType(column) : undefined;
  const isTime = field.clock !== undefined;
  const types: readonly ColumnType[] = isTime ? ['f64', 'u64'] : COLUMN_TYPES;
  if (type === undefined || !types.includes(type)) {
    const [last, ...others] = types.map((name) => COLUMN_ARRAYS[name].name).reverse();
    throw wrongKind(argument, `a ${others.reverse().join(', ')} or ${last}`, column);
  }
  checkAttached(argument, column);
  if (!isTime && CAPACITY[type] < field.bits) {
    throw wrongValue(argument, `elements of ${field.bits} bits or more`, column);
  }
  if (column.length !== ids.length) throw wrongValue(argument, `a length of ${ids.length}`, column.length);
  refuseOverlap(argument, column, ids);
  return column;
}

/** Two fields must not go to the same memory. */
function checkApart(fields: readonly PlacedField[], columns: readonly (ColumnArray | undefined)[]): void {
  columns.forEach((column, i) => {
    for (const other of columns.slice(0, i)) {
      if (column && other) refuseOverlap(`out.${fields[i]?.name}`, column, other);
    }
  });
}

function refuseOverlap(argument: string, column: ArrayBufferView, other: ArrayBufferView): void {
  if (!overlap(column, other)) return;
  throw wrongValue(argument, 'memory apart from other columns', column, undefined, 'an overlap');
}

/** Refuses the first id with bits above the layout, or with a field below its min. */
function checkIds(fields: readonly PlacedField[], layoutMask: bigint, ids: BigUint64Array): void {
  const row = layoutMask === MAX_U64 ? -1 : kernels().firstOutside(ids, 0n, layoutMask);
  if (row >= 0) {
    throw wrongValue('ids', `an id of at most ${layoutMask.toString(2).length} bits`, ids[row], row);
  }
  for (const field of fields) {
    const bad = field.min > 0 ? firstOutsideIn(ids, field, BigInt(field.min), field.mask) : -1;
    if (bad >= 0) throw wrongValue('ids', idExpected(field), ids[bad], bad);
  }
}

/** Refuses the first id whose time a number of milliseconds cannot be. */
function checkTimes(field: PlacedField, ids: BigUint64Array): void {
  const { first, last } = field.clock as Clock;
  const row = first === BigInt(field.min) && last === field.mask ? -1 : firstOutsideIn(ids, field, first, last);
  if (row >= 0) throw wrongValue('ids', numberExpected(field), ids[row], row);
}

/** The first id whose field is not from min to max, or -1. */
function firstOutsideIn(ids: BigUint64Array, { shift, mask }: PlacedField, min: bigint, max: bigint): number {
  if (min > max) return ids.length > 0 ? 0 : -1;
  for (let from = 0; from < ids.length; from += PIECE_ROWS) {
    const piece = rowsOf(ids, from, Math.min(from + PIECE_ROWS, ids.length));
    const values = rowsOf(kernels().scratch, 0, piece.length);
    kernels().unpack(piece, [{ values, shift, mask }]);
    const row = kernels().firstOutside(values, min, max);
    if (row >= 0) return from + row;
  }
  return -1;
}
