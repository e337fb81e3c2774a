import { wordsOf } from '../../arguments.js';
import type { ColumnArray } from '../../kernels/index.js';
import { allRows, numbersOf, sortRows } from './order.js';
import { BARS } from './settings.js';

/**
 * Counts of values in bins from `from` on, of one width. Values are above `base`, if they are too large for numbers. Dates
 * have edges of bins, the end of the last one too, in Unix microseconds: the width is in milliseconds then.
 */
export type Histogram = ReturnType<typeof histogram> & { readonly base?: bigint; readonly edges?: readonly number[] };

/** 1, 2 or 5 times a power of ten. */
export const STEPS = Array.from({ length: 60 }, (_, i) => [1, 2, 5][i % 3] * 10 ** Math.floor(i / 3));

/** Widths of bins of time that people count in, in milliseconds; below a second they are decimal. */
const TIME_WIDTHS = [
  ...STEPS.filter((micros) => micros < 1e6).map((micros) => micros / 1000),
  ...[1000, 60_000].flatMap((unit) => [1, 2, 5, 10, 15, 30].map((count) => count * unit)),
  ...[1, 2, 3, 6, 12, 24, 48, 168, 336].map((count) => count * BARS.hour),
  ...[1, 2, 3, 6, ...STEPS.map((years) => 12 * years)].map((count) => count * BARS.month),
];

/** @param unitMs what times are multiples of: narrower bins would be empty */
export const timeWidth = (span: number, mostBins: number, unitMs: number): number =>
  TIME_WIDTHS.find((width) => width >= Math.max(unitMs, span / mostBins)) ?? span;

export const numberWidth = (span: number, mostBins: number): number =>
  STEPS.find((step) => step >= span / mostBins) ?? span;

/**
 * @param laneOf the lane that each number is counted in, too
 * @param edges of bins that have not quite the same width
 */
export function histogram(
  numbers: Float64Array,
  { min, max }: { readonly min: number; readonly max: number },
  width: number,
  laneOf?: Uint8Array,
  edges?: readonly number[],
) {
  const from = edges?.[0] ?? Math.floor(min / width) * width;
  const counts = new Uint32Array(edges ? edges.length - 1 : Math.floor((max - from) / width) + 1);
  const lanes: Uint32Array<ArrayBuffer>[] = [];
  for (let i = 0; i < numbers.length; i++) {
    let bin = Math.max(0, Math.floor((numbers[i] - from) / width)); // `from` may have been rounded up
    if (edges) {
      while (bin > 0 && !(numbers[i] >= edges[bin])) bin--;
      while (numbers[i] >= edges[bin + 1]) bin++;
    }
    counts[bin]++;
    if (!laneOf) continue;
    lanes[laneOf[i]] ??= new Uint32Array(counts.length);
    lanes[laneOf[i]][bin]++;
  }
  return { from, width, counts, ...(laneOf && { lanes }) };
}

/** The row whose id is farthest from its own line, if there is one: of the kinds that mostly are within a day of it. */
export function farthestOf(rows: Uint32Array, apart: ColumnArray, kinds: Uint16Array = new Uint16Array(apart.length)) {
  const sorted = sortRows(
    sortRows(
      rows.filter((row) => apart[row] > 0),
      apart,
    ),
    kinds,
  );
  let [start, farthest]: [number, number[]] = [0, []];
  for (let end = 1; end <= sorted.length; end++) {
    if (kinds[sorted[end]] === kinds[sorted[start]]) continue;
    const [median, most] = [sorted[(start + end) >> 1], sorted[end - 1]];
    if (apart[median] <= BARS.day && !(apart[most] <= apart[farthest[0]])) farthest = [most];
    start = end;
  }
  return farthest;
}

/** Whether values are so close together that only what they are above `base` tells them apart. */
export const isAboveBase = ({ base = 0n, width, counts }: Histogram): boolean => base > width * counts.length * 1000;

/** Fewer ids than these in so long a time are no gap but chance. */
const EXPECTED_IN_GAP = 10;

/**
 * The longest runs of empty bars between others, at most five, longest first. They are longer than chance leaves any: at
 * the average rate they would have ten ids, and one run in 20,000 is as long.
 */
export function gapsIn({ counts }: Histogram): [first: number, last: number][] {
  const mean = counts.reduce((sum, ids) => sum + ids, 0) / counts.length;
  const gaps: [number, number][] = [];
  let before = -1;
  counts.forEach((ids, bar) => {
    if (ids === 0) return;
    if ((bar - before - 1) * mean >= EXPECTED_IN_GAP && before >= 0) gaps.push([before + 1, bar - 1]);
    before = bar;
  });
  return gaps.sort(([a, b], [c, d]) => d - c - (b - a)).slice(0, GAPS);
}

/** Bars that chance does not make so high: so many standard deviations above the median, and half as high again. */
const DEVIATIONS = 5;
const FULLER = 1.5;
const FEW_BARS = 4;

/**
 * The bars that are much fuller than most: hot shards. None if they are more than a quarter, because then no bar is like
 * the others. Empty bars do not count, because fields may have values that nobody uses.
 */
export function hotIn({ counts }: Histogram): number[] {
  const sorted = counts.filter((ids) => ids > 0).sort();
  const median = sorted[Math.floor(sorted.length / 2)] ?? 0;
  const most = Math.max(median + DEVIATIONS * Math.sqrt(median), FULLER * median);
  const hot = Array.from(counts.keys()).filter((bar) => counts[bar] > most);
  return sorted.length < FEW_BARS || hot.length * 4 > sorted.length ? [] : hot;
}

const GAPS = 5;
const TOP = 8;
const NONE = new Uint32Array(0);

/**
 * What operators ask of many ids.
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
) {
  const runs = runsOf(all, ids);
  const shares = runsOf(by ? rows : NONE, by ?? NONE);
  // The commonest value comes first; of equally common ones, the smallest.
  const commonest = sortRows(allRows(shares.counts), shares.counts, true);
  return {
    /** How many ids are there more than once, and how many rows could go without losing one. */
    repeated: runs.counts.filter((count) => count > 1).length,
    spare: all.length - runs.counts.length,
    ...paceOf(rows, times?.values, times?.unitMs),
    /** The values that most ids have, of the field that is counted by. */
    top: Array.from(commonest.subarray(0, TOP), (run) => {
      return { value: BigInt(by?.[shares.firsts[run]] ?? 0), count: shares.counts[run] };
    }),
    values: commonest.length,
    /** How many more ids the first value has than the mean of all that have any. */
    maxToMean: ((shares.counts[commonest[0]] ?? 0) * commonest.length) / (rows.length || 1),
  };
}

/** How many rows have each value, the smallest value first, and the first row of them. */
export function runsOf(rows: Uint32Array, values: ColumnArray) {
  const [size, words] = values instanceof BigUint64Array ? [2, wordsOf(values)] : [1, values];
  const [firsts, counts] = [new Uint32Array(rows.length), new Uint32Array(rows.length)];
  let [runs, before] = [0, Number.NaN];
  for (const row of sortRows(rows, values)) {
    const [a, b] = [size * before, size * row];
    if (words[a] !== words[b] || words[a + size - 1] !== words[b + size - 1]) firsts[runs++] = row;
    counts[runs - 1]++;
    before = row;
  }
  return { firsts: firsts.subarray(0, runs), counts: counts.subarray(0, runs) };
}

/** 1 for each row whose value is in another row, too. @param rows those that have values */
export function duplicatesIn(rows: Uint32Array, values: BigUint64Array | Uint32Array): Uint8Array {
  const isDuplicate = new Uint8Array(values.length);
  const sorted = sortRows(rows, values);
  for (let at = 1; at < sorted.length; at++) {
    const [before, row] = [sorted[at - 1], sorted[at]];
    if (values[before] === values[row]) isDuplicate[before] = isDuplicate[row] = 1;
  }
  return isDuplicate;
}

/**
 * The longest times without an id and the busiest second, in units of the time column, and the ids a second if they have
 * more than one time. A second has at least one unit.
 */
function paceOf(rows: Uint32Array, values: ColumnArray = NONE, unitMs = 1) {
  const sorted = values.length === 0 ? NONE : sortRows(rows, values);
  const numbers = numbersOf(sorted, values);
  const second = Math.max(1, Math.round(1000 / unitMs));
  let gaps: { at: number; width: number }[] = [];
  let peak = { at: 0, count: 0 };
  let start = 0;
  for (let at = 0; at < numbers.length; at++) {
    while (numbers[at] - numbers[start] >= second) start++;
    if (at - start >= peak.count) peak = { at: start, count: at - start + 1 };
    const width = at === 0 ? 0 : numbers[at] - numbers[at - 1];
    if (width <= (gaps[GAPS - 1]?.width ?? 0)) continue;
    gaps = [...gaps, { at, width }].sort((a, b) => b.width - a.width).slice(0, GAPS);
  }
  const span = ((numbers.at(-1) ?? 0) - (numbers[0] ?? 0)) * unitMs;
  const unitsAt = (at: number) => BigInt(values[sorted[at]]);
  return {
    gaps: gaps.map(({ at }) => ({ from: unitsAt(at - 1), to: unitsAt(at) })),
    rate: span > 0 ? (1000 * (rows.length - 1)) / span : undefined,
    /** The first of the busiest seconds: when it begins, and the first unit after it. */
    peak: span > 0 ? { from: unitsAt(peak.at), to: unitsAt(peak.at) + BigInt(second), count: peak.count } : undefined,
  };
}
