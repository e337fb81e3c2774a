import { checkAttached, checkBoolean, checkString, MAX_U64, typeName, wrongKind, wrongValue } from '../arguments.js';
import { checkOut, checkU64Column, overlap } from '../columns/keys.js';
import { kernels } from '../kernels/active.js';
import {
  COLUMN_ARRAYS,
  COLUMN_TYPES,
  type ColumnArray,
  type ColumnType,
  columnType,
  type FieldColumn,
  PIECE_ROWS,
  viewOf,
} from '../kernels/types.js';
import { checkFieldValue, checkNames, fieldNamed, idExpected, type PlacedField, shownValue } from './fields.js';
import { type Clock, msToUnit, unitToMs } from './time.js';
import type { ColumnsToPack, FieldSpecs, OutColumns } from './types.js';

// Columns of times that numbers hold exactly in part, such as 53 bits of microseconds, which end in 2255. Counts below
// 2^53 are handled as numbers, in halves of 32 bits: with BigInts a row takes 15 times as long. The other rows are
// converted, or refused, as single values.

/** Converts units to Unix milliseconds; refuses the first row that a number of milliseconds cannot hold exactly. */
function unitsToTimes(field: PlacedField, clock: Clock, units: BigUint64Array, ids: BigUint64Array): Float64Array {
  const { scale } = clock;
  const last = lastNumber(clock);
  const halves = new Uint32Array(units.buffer);
  const times = new Float64Array(ids.length);
  for (let row = 0; row < ids.length; row++) {
    const count = halves[2 * row + 1] * 2 ** 32 + halves[2 * row];
    times[row] =
      count >= field.min && count <= last
        ? unitToMs(count, scale)
        : Number(shownValue(field, units[row], 'ids', ids[row], row));
  }
  return times;
}

/** Converts Unix milliseconds to units; refuses the first row that does not fit the field. */
function timesToUnits(argument: string, field: PlacedField, clock: Clock, times: Float64Array): BigUint64Array {
  const { scale } = clock;
  const last = lastNumber(clock);
  const units = new BigUint64Array(times.length);
  const halves = new Uint32Array(units.buffer);
  for (let row = 0; row < times.length; row++) {
    const count = msToUnit(times[row], scale);
    if (count >= field.min && count <= last) {
      halves[2 * row] = count;
      halves[2 * row + 1] = count / 2 ** 32;
    } else units[row] = checkFieldValue(argument, field, times[row], row);
  }
  return units;
}

/** The last unit that numbers convert exactly, together with all units of the field before it; -1 if there is none. */
function lastNumber({ isExact, last }: Clock): number {
  return isExact ? Math.min(Number(last), 2 ** 53 - 1) : -1;
}

/** How many bits of an integer an element of each column type holds. */
const CAPACITY: Record<ColumnType, number> = { u8: 8, u16: 16, u32: 32, f64: 53, u64: 64 };

type GivenArray = Extract<ColumnsToPack<FieldSpecs>[string], ArrayBufferView>;

/** A caller's column for a field, in the form the kernels take. */
type GivenColumn = FieldColumn & { readonly field: PlacedField; readonly given: GivenArray };

// Ids are kept here until all rows are known to fit. New memory would take half the time of a call (4 M rows: 6 of 12 ns a
// row), so later calls use the same array, unless it has been collected. To look at all values first, and then pack them in
// place, takes as long as the copy, or longer. An engine keeps all targets of WeakRefs until the program awaits: because the
// array doubles, there are few, and MOST_SPARE_ROWS limits their size.
let spare: WeakRef<BigUint64Array> | undefined;
const MOST_SPARE_ROWS = 2 ** 22;

function spareIds(rows: number): BigUint64Array {
  let ids = spare?.deref();
  if (!ids || ids.length < rows) {
    ids = new BigUint64Array(2 * rows);
    // workerd has no WeakRef with compatibility dates before May 2025.
    spare = globalThis.WeakRef && new WeakRef(ids);
  }
  return viewOf(ids, 0, rows);
}

export function packColumns(
  fields: readonly PlacedField[],
  columns: ColumnsToPack<FieldSpecs>,
  out: BigUint64Array | undefined,
): BigUint64Array {
  const packed: GivenColumn[] = [];
  let base = 0n;
  let rows = 1;
  for (const field of fields) {
    const argument = `columns.${field.name}`;
    const given = columns[field.name];
    if (!ArrayBuffer.isView(given)) {
      base |= checkFieldValue(argument, field, given) << BigInt(field.shift);
      continue;
    }
    checkAttached(argument, given);
    const column = givenColumn(argument, field, given);
    const first = packed[0];
    if (first === undefined) rows = column.values.length;
    else if (column.values.length !== rows) {
      throw wrongValue(argument, `${rows} rows, as ${first.field.name} has`, column.values.length);
    }
    packed.push(column);
  }
  if (out !== undefined) {
    checkOut(out, BigUint64Array, rows, []);
    for (const { given } of packed) refuseOverlap('out', out, given);
  }
  const ids = out && rows <= MOST_SPARE_ROWS ? spareIds(rows) : new BigUint64Array(rows);
  if (!kernels().pack(packed, base, ids) || packed.some(({ field }) => firstBelowMin(ids, field) >= 0)) {
    for (const { field, given } of packed) refuseFirst(field, given);
    // Columns on shared memory that another thread writes to.
    throw wrongValue('columns', 'columns that do not change', columns, undefined, 'some that changed');
  }
  // The caller's array is written only after all rows are known to fit.
  out?.set(ids);
  return out ?? ids;
}

function refuseFirst(field: PlacedField, given: GivenArray): void {
  given.forEach((value: number | bigint, row) => {
    const bits = typeof value === 'bigint' && field.mask === MAX_U64 ? value & MAX_U64 : value;
    checkFieldValue(`columns.${field.name}`, field, bits, row);
  });
}

/** Also of another realm. */
const isFloats = (given: GivenArray): given is Float64Array => typeName(given) === 'Float64Array';

function givenColumn(argument: string, field: PlacedField, given: GivenArray): GivenColumn {
  const { shift, mask, clock, most } = field;
  const name = typeName(given);
  const column = (values: ColumnArray, capacity = mask): GivenColumn => {
    return { field, given, values, shift, mask: mask < capacity ? mask : capacity };
  };
  if (clock !== undefined && !name.startsWith('Big')) {
    if (!isFloats(given)) {
      throw wrongKind(argument, 'a Float64Array of Unix milliseconds, u64s of its units, or one value', given);
    }
    if (most < 0) return column(timesToUnits(argument, field, clock, given));
    if (clock.unit === 'ms') return { ...column(given), epoch: clock.epoch };
    const units = new Float64Array(given.length);
    for (let row = 0; row < units.length; row++) units[row] = msToUnit(given[row], clock.scale);
    return column(units);
  }
  let values = name === 'Float32Array' ? Float64Array.from(given as Float32Array) : (given as ColumnArray);
  if (/^(Big)?Int|Clamped/.test(name)) {
    // The unsigned integers of the same bits: a negative one then exceeds the largest allowed value.
    const Unsigned = COLUMN_ARRAYS[`u${8 * given.BYTES_PER_ELEMENT}` as 'u8'];
    values = new Unsigned(given.buffer, given.byteOffset, given.length);
  }
  const capacity = CAPACITY[columnType(values)];
  if (!capacity) throw wrongKind(argument, 'a typed array, a number or a bigint', given);
  return column(values, (1n << BigInt(capacity - (/^I/.test(name) ? 1 : 0))) - 1n);
}

export function unpackColumns(
  fields: readonly PlacedField[],
  layoutMask: bigint,
  column: BigUint64Array | BigInt64Array,
  options: {
    fields?: readonly string[] | undefined;
    wide?: boolean | undefined;
    out?: OutColumns<FieldSpecs> | undefined;
  },
): { [name: string]: ColumnArray } {
  const { fields: names, wide = false, out } = options;
  const ids = checkU64Column('ids', column);
  checkBoolean('wide', wide);
  const chosen = chooseFields(fields, names);
  if (out !== undefined) checkNames('out', out, chosen);
  const given = chosen.map((field) => outColumn(field, out, ids));
  checkApart(chosen, given);
  const columns = chosen.map((field, i) => given[i] ?? newColumn(field, ids.length, wide));
  checkIds(fields, layoutMask, ids);
  const [taken, later]: [FieldColumn[], (() => void)[]] = [[], []];
  chosen.forEach((field, i) => {
    const { shift, mask, clock, most } = field;
    const values = columns[i];
    if (clock === undefined || columnType(values) === 'u64') taken.push({ values, shift, mask });
    else if (most < 0) {
      const units = new BigUint64Array(ids.length);
      kernels().unpack(ids, [{ values: units, shift, mask }]);
      const times = unitsToTimes(field, clock, units, ids);
      later.push(() => (values as Float64Array).set(times));
    } else if (clock.unit === 'ms') taken.push({ values, shift, mask, epoch: clock.epoch });
    else {
      taken.push({ values, shift, mask });
      later.push(() => {
        for (let row = 0; row < ids.length; row++) values[row] = unitToMs(Number(values[row]), clock.scale);
      });
    }
  });
  kernels().unpack(ids, taken);
  for (const set of later) set();
  return Object.fromEntries(chosen.map(({ name }, i) => [name, columns[i]]));
}

function chooseFields(fields: readonly PlacedField[], names: readonly string[] | undefined): readonly PlacedField[] {
  if (names === undefined) return fields;
  if (!Array.isArray(names)) throw wrongKind('fields', 'an array of names', names);
  return [...new Set(names)].map((name) => fieldNamed('fields', checkString('fields', name), fields));
}

function newColumn({ bits, clock }: PlacedField, rows: number, wide: boolean): ColumnArray {
  const narrow = clock ? 'f64' : COLUMN_TYPES.find((candidate) => CAPACITY[candidate] >= bits);
  return new COLUMN_ARRAYS[wide || !narrow ? 'u64' : narrow](rows);
}

function outColumn(
  field: PlacedField,
  out: OutColumns<FieldSpecs> | undefined,
  ids: BigUint64Array,
): ColumnArray | undefined {
  const column = out && Object.hasOwn(out, field.name) ? out[field.name] : undefined;
  if (column === undefined) return undefined;
  const argument = `out.${field.name}`;
  const type = ArrayBuffer.isView(column) ? columnType(column) : undefined;
  const isTime = field.clock !== undefined;
  if (type === undefined || (isTime && CAPACITY[type] < CAPACITY.f64)) {
    const narrow = isTime ? '' : 'Uint8Array, Uint16Array, Uint32Array, ';
    throw wrongKind(argument, `a ${narrow}Float64Array or BigUint64Array`, column);
  }
  checkAttached(argument, column);
  if (!isTime && CAPACITY[type] < field.bits) {
    throw wrongValue(argument, `elements of ${field.bits} bits or more`, column);
  }
  if (column.length !== ids.length) throw wrongValue(argument, `a length of ${ids.length}`, column.length);
  refuseOverlap(argument, column, ids);
  return column;
}

function checkApart(fields: readonly PlacedField[], columns: readonly (ColumnArray | undefined)[]): void {
  columns.forEach((column, i) => {
    for (const other of columns.slice(0, i)) {
      if (column && other) refuseOverlap(`out.${fields[i]?.name}`, column, other);
    }
  });
}

function refuseOverlap(argument: string, column: ArrayBufferView, other: ArrayBufferView): void {
  if (!overlap(column, other)) return;
  throw wrongValue(argument, 'no overlap with other columns', column, undefined, 'an overlap');
}

/** Refuses the first id with bits above the layout, or with a field below its min. */
function checkIds(fields: readonly PlacedField[], layoutMask: bigint, ids: BigUint64Array): void {
  const row = layoutMask === MAX_U64 ? -1 : kernels().firstOutside(ids, 0n, layoutMask);
  if (row >= 0) throw wrongValue('ids', `an id of at most ${layoutMask.toString(2).length} bits`, ids[row], row);
  for (const field of fields) {
    const bad = firstBelowMin(ids, field);
    if (bad >= 0) throw wrongValue('ids', idExpected(field), ids[bad], bad);
  }
}

/** The first id whose field is below its min, or -1. */
function firstBelowMin(ids: BigUint64Array, { shift, mask, min }: PlacedField): number {
  if (min === 0) return -1;
  for (let from = 0; from < ids.length; from += PIECE_ROWS) {
    const piece = viewOf(ids, from, Math.min(from + PIECE_ROWS, ids.length));
    const values = viewOf(kernels().scratch, 0, piece.length);
    kernels().unpack(piece, [{ values, shift, mask }]);
    const row = kernels().firstOutside(values, BigInt(min), mask);
    if (row >= 0) return from + row;
  }
  return -1;
}
