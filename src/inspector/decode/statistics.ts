import type { ColumnArray } from '../../kernels/index.js';
import { numbersOf } from './histogram.js';
import { halvesOf } from './rows.js';
import { sortRows } from './sort.js';

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

const valueIn = (values: ColumnArray, row: number) => BigInt(values[row] as bigint | number);

/** The commonest first; of equals, the smallest. */
function sharesOf(rows: Uint32Array, values: ColumnArray): Share[] {
  const { first, counts } = runsOf(rows, values);
  return counts
    .map((count, i) => ({ value: valueIn(values, first[i] as number), count }))
    .sort((a, b) => b.count - a.count);
}

/** How many rows have each value, the smallest value first, and the first of them. */
function runsOf(rows: Uint32Array, values: ColumnArray): { first: number[]; counts: number[] } {
  const [size, words] = values instanceof BigUint64Array ? [2, halvesOf(values)] : [1, values];
  const first: number[] = [];
  const counts: number[] = [];
  let before = Number.NaN;
  for (const row of sortRows(rows, values)) {
    const [a, b] = [size * before, size * row];
    if (words[a] === words[b] && words[a + size - 1] === words[b + size - 1]) (counts[counts.length - 1] as number)++;
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
    const width = (numbers[at] as number) - (numbers[at - 1] as number);
    if (width <= (gaps[GAPS - 1]?.width ?? 0)) continue;
    gaps = [...gaps, { at, width }].sort((a, b) => b.width - a.width).slice(0, GAPS);
  }
  const span = ((numbers.at(-1) ?? 0) - (numbers[0] ?? 0)) * unitMs;
  const valueAt = (at: number) => valueIn(values, sorted[at] as number);
  return {
    gaps: gaps.map(({ at }) => ({ from: valueAt(at - 1), to: valueAt(at) })),
    rate: span > 0 ? (1000 * (rows.length - 1)) / span : undefined,
  };
}
