import type { ColumnArray } from '../../kernels/index.js';
import { halvesOf } from './rows.js';

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
      const at = 2 * (rows[i] as number);
      numbers[i] = (halves[at + 1] as number) * 2 ** 32 + (halves[at] as number);
    }
  } else for (let i = 0; i < rows.length; i++) numbers[i] = values[rows[i] as number] as number;
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
    const value = numbers[i] as number;
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
    const value = (numbers[i] as number) * factor + offset;
    const bin = Math.max(0, Math.floor((value - from) / width)); // `from` may have been rounded up
    counts[bin] = (counts[bin] as number) + 1;
  }
  return { from, width, counts };
}
