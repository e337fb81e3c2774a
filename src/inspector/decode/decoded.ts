import type { FieldPlace, Layout, LayoutTime } from '../../index.js';
import type { ColumnArray } from '../../kernels/index.js';
import { activeKernels, type IdColumn } from '../read/id-column.js';
import { Problem } from '../read/problems.js';
import { parseDateSpan, parseUnixMs, UTC, unitFrom } from './dates.js';
import { allRows, halvesOf } from './order.js';

/** Values from `min` to `max`, or those outside. */
export interface ValueRange {
  readonly min: bigint;
  readonly max: bigint;
  readonly outside: boolean;
}

/** What a filter can be about. */
export interface FilterColumn {
  readonly key: string;
  /** Of a column of times: its values are units, which is what a time is turned into, once. */
  readonly time?: LayoutTime | undefined;
  /** A field that holds time shows numbers, of Unix milliseconds; other columns of times show dates. */
  readonly kind?: string;
  /** Of a column of texts: which of its values stand for those that begin with a text. */
  readonly rangeOf?: ((text: string) => UnitRange) | undefined;
}

interface UnitRange {
  readonly from: bigint;
  readonly to: bigint;
}

const CONDITION = /^\s*(?:and\s+)?([A-Za-z]\w*)\s*(<=|>=|!=|<|>|==?)\s*("[^"]*"|[^\s]+)/i;
const MAX = (1n << 64n) - 1n;

/**
 * Conditions that all must hold, such as `shard=5 date>=2024-03 sequence<10`.
 * @param zone of dates that have no offset
 * @throws RangeError with a message for people
 */
export function parseFilter<C extends FilterColumn>(
  text: string,
  columns: readonly C[],
  zone = UTC,
): (ValueRange & { readonly column: C })[] {
  const conditions = [];
  let rest = text;
  while (rest.trim() !== '') {
    const match = CONDITION.exec(rest);
    if (match === null) throw new RangeError(`expected a condition such as ${example(columns)}, got “${rest.trim()}”`);
    const [all, name, operator, value] = match as unknown as [string, string, string, string];
    const column = columns.find(({ key }) => key.toLowerCase() === name.toLowerCase());
    if (column === undefined) {
      throw new RangeError(`there is no column “${name}”, only ${columns.map(({ key }) => key).join(', ')}`);
    }
    const { from, to } = unitsOf(column, value.replaceAll('"', ''), zone);
    const ranges: { readonly [operator: string]: readonly [bigint, bigint] } = {
      '<': [0n, from - 1n],
      '<=': [0n, to],
      '>': [to + 1n, MAX],
      '>=': [from, MAX],
    };
    const [min, max] = ranges[operator] ?? [from, to];
    conditions.push({ column, min, max, outside: operator === '!=' });
    rest = rest.slice(all.length);
  }
  return conditions;
}

function example(columns: readonly FilterColumn[]): string {
  const column = columns.find(({ key, time }) => time === undefined && !['line', 'id'].includes(key));
  return `${column?.key ?? 'id'}=5`;
}

/** What a value stands for: of a time the units that begin within it, of which those before the epoch are below 0. */
function unitsOf({ key, time, kind, rangeOf }: FilterColumn, value: string, zone: string): UnitRange {
  if (rangeOf !== undefined) return rangeOf(value);
  const showsMs = kind === 'field';
  if (time !== undefined) {
    const span = (showsMs && parseUnixMs(value)) || parseDateSpan(value, zone);
    if (span !== undefined) return { from: unitFrom(time, span.from), to: unitFrom(time, span.to) - 1n };
  } else if (/^(\d{1,20}|0x[0-9a-f]{1,16})$/i.test(value)) return { from: BigInt(value), to: BigInt(value) };
  const expected =
    time === undefined
      ? 'a number in decimal or 0x…'
      : `${showsMs ? 'Unix milliseconds, or ' : ''}a date such as 2024-03-01 or 2024-03-01T10:30`;
  throw new RangeError(`${key}: expected ${expected}, got “${value}”`);
}

/** The rows, of some, whose value is in a range. */
export function filterRows(rows: Uint32Array, values: ColumnArray, { min, max, outside }: ValueRange): Uint32Array {
  const kept = new Uint32Array(rows.length);
  let count = 0;
  if (values instanceof BigUint64Array) {
    const halves = halvesOf(values);
    // Bounds below 0 and above 2^64 - 1 have a high half beyond those of all values.
    const [leastHigh, mostHigh] = [Number(min >> 32n), Number(max >> 32n)];
    const [leastLow, mostLow] = [Number(min & 0xffffffffn), Number(max & 0xffffffffn)];
    for (const row of rows) {
      const low = halves[2 * row];
      const high = halves[2 * row + 1];
      const inside =
        (high > leastHigh || (high === leastHigh && low >= leastLow)) &&
        (high < mostHigh || (high === mostHigh && low <= mostLow));
      if (inside !== outside) kept[count++] = row;
    }
  } else {
    // Bounds beyond 2^53 round, and are beyond every value.
    const [least, most] = [Number(min), Number(max)];
    for (const row of rows) {
      const value = values[row];
      if ((value >= least && value <= most) !== outside) kept[count++] = row;
    }
  }
  return kept.slice(0, count);
}

/** Of values that are problems: those of rows that have none, and of the others. */
export const GOOD: ValueRange = { min: 0n, max: 0n, outside: false };
export const BAD: ValueRange = { ...GOOD, outside: true };

export interface DecodedField {
  readonly place: FieldPlace;
  /** Of the field that holds time. Its values are units: exact for every id, and compared without being converted. */
  readonly time: LayoutTime | undefined;
  readonly values: ColumnArray;
}

/** The columns of a layout's fields. Rows that are no id, or none of the layout, have a problem and hold nothing of use. */
export interface Decoded {
  readonly fields: readonly DecodedField[];
  readonly problems: Uint8Array;
  /** Ids that the layout refuses. */
  readonly misfits: number;
  readonly ms: number;
}

export function decode(column: IdColumn, layout: Layout): Decoded {
  const { places, time, mask: most } = layout;
  const { ids } = column;
  const kernels = activeKernels();
  const start = performance.now();
  const fields = places.map((place) => {
    const { name, bits, shift, mask } = place;
    const isTime = name === time?.name;
    return {
      place,
      shift,
      mask,
      time: isTime ? time : undefined,
      values: new (isTime ? BigUint64Array : holderOf(bits))(ids.length),
    };
  });
  kernels.unpack(ids, fields);
  const ms = performance.now() - start;
  const problems = column.problems.slice();
  let misfits = column.wide?.timeless ?? 0;
  const refuse = (values: ColumnArray, min: bigint, max: bigint, problem: Problem) => {
    const good = filterRows(allRows(ids), problems, GOOD);
    const refused = filterRows(good, values, { min, max, outside: true });
    for (const row of refused) problems[row] = problem;
    misfits += refused.length;
  };
  if (kernels.firstOutside(ids, 0n, most) >= 0) refuse(ids, 0n, most, Problem.aboveLayout);
  for (const { place, mask, values } of fields) {
    if (place.min > 0) refuse(values, BigInt(place.min), mask, Problem.belowMin);
  }
  return { fields, problems, misfits, ms };
}

/** The narrowest array whose elements hold so many bits. */
function holderOf(bits: number): new (length: number) => ColumnArray {
  if (bits <= 8) return Uint8Array;
  if (bits <= 16) return Uint16Array;
  return bits <= 32 ? Uint32Array : bits <= 53 ? Float64Array : BigUint64Array;
}
