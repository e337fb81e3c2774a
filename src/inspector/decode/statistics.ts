import type { ColumnArray } from '../../kernels/index.js';
import { halvesOf, sortRows } from './order.js';

/** Counts of values in bins of one width, from `from` on. */
export interface Histogram {
  readonly from: number;
  readonly width: number;
  readonly counts: Uint32Array;
}

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** Widths of bins of time that people count in, in milliseconds; below a second they are decimal. */
const TIME_WIDTHS = [
  ...[1000, 2000, 5000, 10_000, 15_000, 30_000],
  ...[MINUTE, 2 * MINUTE, 5 * MINUTE, 10 * MINUTE, 15 * MINUTE, 30 * MINUTE],
  ...[HOUR, 2 * HOUR, 3 * HOUR, 6 * HOUR, 12 * HOUR, DAY, 2 * DAY, 7 * DAY, 14 * DAY, 30 * DAY, 90 * DAY, 365 * DAY],
];

/** @param unitMs what times are multiples of: narrower bins would be empty */
export function timeWidth(span: number, mostBins: number, unitMs: number): number {
  const least = Math.max(unitMs, span / mostBins);
  if (least <= 500) return numberWidth(least * 1000, 1) / 1000;
  return TIME_WIDTHS.find((width) => width >= least) ?? 365 * DAY * Math.ceil(least / (365 * DAY));
}

/** 1, 2 or 5 times a power of ten, at least 1. */
export function numberWidth(span: number, mostBins: number): number {
  const least = span / mostBins;
  if (least <= 1) return 1;
  const power = 10 ** Math.floor(Math.log10(least));
  return power * ([1, 2, 5, 10].find((step) => step * power >= least) ?? 10);
}

/** The values of some rows as numbers: wide ones lose what a chart would not show. */
export function numbersOf(rows: Uint32Array, values: ColumnArray): Float64Array {
  const numbers = new Float64Array(rows.length);
  if (values instanceof BigUint64Array) {
    const halves = halvesOf(values);
    for (let i = 0; i < rows.length; i++) {
      const at = 2 * rows[i];
      numbers[i] = halves[at + 1] * 2 ** 32 + halves[at];
    }
  } else for (let i = 0; i < rows.length; i++) numbers[i] = values[rows[i]];
  return numbers;
}

export interface NumberRange {
  readonly min: number;
  readonly max: number;
}

/** The smallest and the largest; undefined of none. */
export function rangeOf(numbers: Float64Array): NumberRange | undefined {
  if (numbers.length === 0) return undefined;
  let min = Number.POSITIVE_INFINITY;
  let max = Number.NEGATIVE_INFINITY;
  for (let i = 0; i < numbers.length; i++) {
    const value = numbers[i];
    if (value < min) min = value;
    if (value > max) max = value;
  }
  return { min, max };
}

/** @param scale from numbers to what bins are of: units to microseconds */
export function histogram(
  numbers: Float64Array,
  { min, max }: NumberRange,
  widthOf: (span: number) => number,
  { factor, offset }: { factor: number; offset: number } = { factor: 1, offset: 0 },
): Histogram {
  const [first, last] = [min * factor + offset, max * factor + offset];
  const width = widthOf(last - first + factor);
  const from = Math.floor(first / width) * width;
  const counts = new Uint32Array(Math.floor((last - from) / width) + 1);
  for (let i = 0; i < numbers.length; i++) {
    const value = numbers[i] * factor + offset;
    const bin = Math.max(0, Math.floor((value - from) / width)); // `from` may have been rounded up
    counts[bin] = counts[bin] + 1;
  }
  return { from, width, counts };
}

/** What operators ask of many ids. */
export interface Statistics {
  /** Ids that are there more than once, and how many rows could go without losing one. */
  readonly repeated: number;
  readonly spare: number;
  /** The longest times without an id, the longest first. */
  readonly gaps: readonly Gap[];
  /** The values that most ids have, of the field that is counted by. */
  readonly top: readonly Share[];
  readonly values: number;
  /** How much more ids the first of them has than the mean of all that have any. */
  readonly maxToMean: number;
  /** Ids a second from the first to the last; undefined without times, or with one time alone. */
  readonly rate: number | undefined;
}

export interface Gap {
  /** In units of the time column. */
  readonly from: bigint;
  readonly to: bigint;
}

export interface Share {
  readonly value: bigint;
  readonly count: number;
}

const GAPS = 5;
const TOP = 8;

/**
 * @param rows those that are ids
 * @param times units of the time field, and how many milliseconds one is
 * @param by the field that is counted by, or the shards that ids are routed to
 * @param all with those that have no values
 */
export function statisticsOf(
  rows: Uint32Array,
  ids: BigUint64Array | Uint32Array,
  times: { readonly values: ColumnArray; readonly unitMs: number } | undefined,
  by: ColumnArray | undefined,
  all = rows,
): Statistics {
  const seen = runsOf(all, ids).counts;
  const shares = by === undefined ? [] : sharesOf(rows, by);
  const values = shares.length;
  return {
    repeated: seen.filter((count) => count > 1).length,
    spare: all.length - seen.length,
    ...(times === undefined ? { gaps: [], rate: undefined } : paceOf(rows, times.values, times.unitMs)),
    top: shares.slice(0, TOP),
    values,
    maxToMean: values && ((shares[0]?.count ?? 0) * values) / rows.length,
  };
}

const valueIn = (values: ColumnArray, row: number) => BigInt(values[row]);

/** The commonest first; of equals, the smallest. */
function sharesOf(rows: Uint32Array, values: ColumnArray): Share[] {
  const { first, counts } = runsOf(rows, values);
  return counts.map((count, i) => ({ value: valueIn(values, first[i]), count })).sort((a, b) => b.count - a.count);
}

/** How many rows have each value, the smallest value first, and the first of them. */
function runsOf(rows: Uint32Array, values: ColumnArray): { first: number[]; counts: number[] } {
  const [size, words] = values instanceof BigUint64Array ? [2, halvesOf(values)] : [1, values];
  const first: number[] = [];
  const counts: number[] = [];
  let before = Number.NaN;
  for (const row of sortRows(rows, values)) {
    const [a, b] = [size * before, size * row];
    if (words[a] === words[b] && words[a + size - 1] === words[b + size - 1]) counts[counts.length - 1]++;
    else {
      first.push(row);
      counts.push(1);
    }
    before = row;
  }
  return { first, counts };
}

function paceOf(rows: Uint32Array, values: ColumnArray, unitMs: number): Pick<Statistics, 'gaps' | 'rate'> {
  const sorted = sortRows(rows, values);
  const numbers = numbersOf(sorted, values);
  let gaps: { at: number; width: number }[] = [];
  for (let at = 1; at < numbers.length; at++) {
    const width = numbers[at] - numbers[at - 1];
    if (width <= (gaps[GAPS - 1]?.width ?? 0)) continue;
    gaps = [...gaps, { at, width }].sort((a, b) => b.width - a.width).slice(0, GAPS);
  }
  const span = ((numbers.at(-1) ?? 0) - (numbers[0] ?? 0)) * unitMs;
  const valueAt = (at: number) => valueIn(values, sorted[at]);
  return {
    gaps: gaps.map(({ at }) => ({ from: valueAt(at - 1), to: valueAt(at) })),
    rate: span > 0 ? (1000 * (rows.length - 1)) / span : undefined,
  };
}
