import type { ColumnArray } from '../../kernels/index.js';
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
  const counts = by === undefined ? [] : countsOf(rows, by);
  const most = counts[0]?.count ?? 0;
  return {
    ...repeatsOf(all, ids),
    ...(times === undefined ? { gaps: [], rate: undefined } : paceOf(rows, times.values, times.unitMs)),
    top: counts.slice(0, TOP),
    values: counts.length,
    maxToMean: counts.length === 0 ? 0 : most / (rows.length / counts.length),
  };
}

function repeatsOf(rows: Uint32Array, ids: BigUint64Array | Uint32Array): Pick<Statistics, 'repeated' | 'spare'> {
  // As halves: comparing bigints takes ten times as long.
  const size = ids.BYTES_PER_ELEMENT / 4;
  const halves = new Uint32Array(ids.buffer, ids.byteOffset, ids.length * size);
  const sorted = sortRows(rows, ids, false);
  let [repeated, spare] = [0, 0];
  let isAgain = false;
  for (let i = 1; i < sorted.length; i++) {
    const [a, b] = [size * (sorted[i - 1] as number), size * (sorted[i] as number)];
    const isSame = halves[a] === halves[b] && halves[a + size - 1] === halves[b + size - 1];
    if (isSame) spare++;
    if (isSame && !isAgain) repeated++;
    isAgain = isSame;
  }
  return { repeated, spare };
}

function paceOf(rows: Uint32Array, values: ColumnArray, unitMs: number): Pick<Statistics, 'gaps' | 'rate'> {
  const sorted = sortRows(rows, values, false);
  const at = (i: number) => BigInt(values[sorted[i] as number] as bigint | number);
  const numbers = Float64Array.from(sorted, (row) => Number(values[row]));
  let gaps: { i: number; width: number }[] = [];
  let least = 0;
  for (let i = 1; i < numbers.length; i++) {
    const width = (numbers[i] as number) - (numbers[i - 1] as number);
    if (width <= least) continue;
    gaps.push({ i, width });
    if (gaps.length <= 2 * GAPS) continue;
    gaps = longest(gaps);
    least = gaps.at(-1)?.width ?? 0;
  }
  const span = ((numbers.at(-1) ?? 0) - (numbers[0] ?? 0)) * unitMs;
  return {
    gaps: longest(gaps).map(({ i }) => ({ from: at(i - 1), to: at(i) })),
    rate: span > 0 ? (1000 * (rows.length - 1)) / span : undefined,
  };
}

function longest(gaps: { i: number; width: number }[]): { i: number; width: number }[] {
  return gaps.sort((a, b) => b.width - a.width || a.i - b.i).slice(0, GAPS);
}

/** How many rows have each value, the commonest first; of equals, the smallest first. */
function countsOf(rows: Uint32Array, values: ColumnArray): Share[] {
  const sorted = sortRows(rows, values, false);
  const counts: Share[] = [];
  let from = 0;
  for (let i = 1; i <= sorted.length; i++) {
    if (i < sorted.length && values[sorted[i] as number] === values[sorted[from] as number]) continue;
    counts.push({ value: BigInt(values[sorted[from] as number] as bigint | number), count: i - from });
    from = i;
  }
  return counts.sort((a, b) => b.count - a.count);
}
