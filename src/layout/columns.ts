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
import { checkFieldValue, idExpected, type PlacedField } from './fields.js';

type IntegerArray =
  | Uint8Array
  | Uint8ClampedArray
  | Uint16Array
  | Uint32Array
  | Int8Array
  | Int16Array
  | Int32Array
  | Float32Array
  | Float64Array
  | BigUint64Array
  | BigInt64Array;

/** For every field a column or one value. */
export type FieldColumns<Name extends string> = { readonly [K in Name]: IntegerArray | number | bigint | Date };

export interface UnpackOptions<Name extends string> {
  fields?: readonly Name[];
  wide?: boolean;
  out?: { readonly [K in NoInfer<Name>]?: ColumnArray };
}

export type UnpackedColumns<Name extends string> = { [K in Name]: ColumnArray };

/** Bits that an element of each column type holds. */
const CAPACITY: Record<ColumnType, number> = { u8: 8, u16: 16, u32: 32, f64: 53, u64: 64 };

export function packColumns(
  fields: readonly PlacedField[],
  columns: { readonly [name: string]: IntegerArray | number | bigint | Date },
  out: BigUint64Array | undefined,
): BigUint64Array {
  const packed: FieldColumn[] = [];
  const memory: ArrayBufferView[] = [];
  let base = 0n;
  let first: string | undefined;
  let rows = 1;
  for (const field of fields) {
    const argument = `columns.${field.name}`;
    const given = columns[field.name];
    if (!ArrayBuffer.isView(given)) {
      base |= checkFieldValue(argument, field, given as number) << BigInt(field.shift);
      continue;
    }
    checkAttached(argument, given);
    const values = toColumn(argument, given);
    if (first === undefined) {
      first = field.name;
      rows = values.length;
    } else if (values.length !== rows) {
      throw wrongValue(argument, `the ${rows} rows of ${first}`, values.length);
    }
    checkColumn(argument, field, values, given);
    packed.push({ values, shift: field.shift, mask: field.mask });
    memory.push(given);
  }
  const ids = checkOut(out, BigUint64Array, rows, []);
  for (const given of memory) refuseOverlap('out', ids, given);
  kernels().pack(packed, base, ids);
  return ids;
}

/**
 * A caller's array as a column for the kernels. Signed elements are read as unsigned ones of the same
 * bits: a negative one is then out of range for every field, as checkColumn sees to.
 */
function toColumn(argument: string, given: ArrayBufferView): ColumnArray {
  const { buffer, byteOffset } = given;
  const { length } = given as Uint8Array;
  switch (typeName(given)) {
    case 'Uint8Array':
    case 'Uint16Array':
    case 'Uint32Array':
    case 'Float64Array':
    case 'BigUint64Array':
      return given as ColumnArray;
    case 'Int8Array':
    case 'Uint8ClampedArray':
      return new Uint8Array(buffer, byteOffset, length);
    case 'Int16Array':
      return new Uint16Array(buffer, byteOffset, length);
    case 'Int32Array':
      return new Uint32Array(buffer, byteOffset, length);
    case 'BigInt64Array':
      return new BigUint64Array(buffer, byteOffset, length);
    case 'Float32Array':
      return Float64Array.from(given as Float32Array);
    default:
      throw wrongKind(argument, 'a typed array, a number or a bigint', given);
  }
}

const LARGEST_SIGNED: { readonly [name: string]: bigint } = {
  Int8Array: 0x7fn,
  Int16Array: 0x7fffn,
  Int32Array: 0x7fffffffn,
};

/** Refuses the first value that does not fit its field. */
function checkColumn(argument: string, field: PlacedField, values: ColumnArray, given: ArrayBufferView): void {
  const type = columnType(values);
  const signed = LARGEST_SIGNED[typeName(given)];
  const capacity = signed ?? (1n << BigInt(CAPACITY[type])) - 1n;
  const max = field.mask < capacity ? field.mask : capacity;
  const refused = (row: number) => {
    const value = (given as unknown as ArrayLike<unknown>)[row];
    return wrongValue(argument, `an integer from ${field.min} to ${type === 'f64' ? max : field.mask}`, value, row);
  };
  if (max < field.min && values.length > 0) throw refused(0);
  const fitsAnyway = type !== 'f64' && field.min === 0 && signed === undefined && max === capacity;
  const row = fitsAnyway ? -1 : kernels().firstOutside(values, BigInt(field.min), max);
  if (row >= 0) throw refused(row);
}

export function unpackColumns(
  fields: readonly PlacedField[],
  layoutMask: bigint,
  column: BigUint64Array,
  { fields: names, wide = false, out }: UnpackOptions<string>,
): UnpackedColumns<string> {
  const ids = checkU64Column('ids', column);
  if (typeof wide !== 'boolean') throw wrongKind('wide', 'a boolean', wide);
  const chosen = chooseFields(fields, names);
  checkOutNames(chosen, out);
  const columns = chosen.map((field) => {
    const given = out && Object.hasOwn(out, field.name) ? out[field.name] : undefined;
    checkOutColumn(field, given, ids);
    const values = given ?? newColumn(field, ids.length, wide);
    return { name: field.name, values, shift: field.shift, mask: field.mask };
  });
  checkApart(columns);
  checkIds(fields, layoutMask, ids);
  kernels().unpack(ids, columns);
  return Object.fromEntries(columns.map(({ name, values }) => [name, values]));
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

function newColumn(field: PlacedField, rows: number, wide: boolean): ColumnArray {
  const type = wide ? 'u64' : COLUMN_TYPES.find((candidate) => CAPACITY[candidate] >= field.bits);
  return new COLUMN_ARRAYS[type as ColumnType](rows);
}

function checkOutColumn(field: PlacedField, column: ColumnArray | undefined, ids: BigUint64Array): void {
  if (column === undefined) return;
  const argument = `out.${field.name}`;
  const type = ArrayBuffer.isView(column) ? columnType(column) : undefined;
  if (type === undefined)
    throw wrongKind(argument, 'a Uint8Array, Uint16Array, Uint32Array, Float64Array or BigUint64Array', column);
  checkAttached(argument, column);
  if (CAPACITY[type] < field.bits) {
    throw wrongValue(argument, `elements of ${field.bits} bits or more`, column);
  }
  if (column.length !== ids.length) {
    throw wrongValue(argument, `a length of ${ids.length}`, column.length);
  }
  refuseOverlap(argument, column, ids);
}

/** Two fields must not go to the same memory. */
function checkApart(columns: readonly { name: string; values: ColumnArray }[]): void {
  columns.forEach(({ name, values }, i) => {
    for (const other of columns.slice(0, i)) refuseOverlap(`out.${name}`, values, other.values);
  });
}

function refuseOverlap(argument: string, column: ArrayBufferView, other: ArrayBufferView): void {
  if (overlap(column, other))
    throw wrongValue(argument, 'memory apart from other columns', column, undefined, 'an overlap');
}

/** Refuses the first id with bits above the layout, or with a field below its min. */
function checkIds(fields: readonly PlacedField[], layoutMask: bigint, ids: BigUint64Array): void {
  const row = layoutMask === MAX_U64 ? -1 : kernels().firstOutside(ids, 0n, layoutMask);
  if (row >= 0) {
    throw wrongValue('ids', `an id of at most ${layoutMask.toString(2).length} bits`, ids[row], row);
  }
  for (const field of fields.filter(({ min }) => min > 0)) {
    const bad = firstBelowMin(field, ids);
    if (bad >= 0) {
      throw wrongValue('ids', idExpected(field), ids[bad], bad);
    }
  }
}

function firstBelowMin(field: PlacedField, ids: BigUint64Array): number {
  for (let from = 0; from < ids.length; from += PIECE_ROWS) {
    const piece = rowsOf(ids, from, Math.min(from + PIECE_ROWS, ids.length));
    const values = rowsOf(kernels().scratch, 0, piece.length);
    kernels().unpack(piece, [{ values, shift: field.shift, mask: field.mask }]);
    const row = kernels().firstOutside(values, BigInt(field.min), field.mask);
    if (row >= 0) return from + row;
  }
  return -1;
}
