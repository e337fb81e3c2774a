import type { LayoutTime } from '../../index.js';
import { spanText } from '../decode/answer.js';
import type { Histogram } from '../decode/histogram.js';
import { isoText } from '../decode/times.js';
import { plural } from './numbers.js';

/** What the values are that a chart counts. */
export interface CountedValues {
  /** What a filter calls them. */
  readonly column: string;
  readonly name: string;
  /** The last bar may reach beyond it. */
  readonly most: bigint;
  /** Of dates: the bars are of Unix milliseconds then. */
  readonly time?: LayoutTime | undefined;
  readonly zone: string;
}

/** How many ids the bars from one to another have. */
export function idsIn({ counts }: Histogram, first: number, last: number): number {
  return counts.subarray(first, last + 1).reduce((sum, ids) => sum + ids, 0);
}

/** `28 Jun 2022, 16:00 to 17:00 UTC: 1,204 ids`, `shard 17: 52 ids`. */
export function barsText(histogram: Histogram, first: number, last: number, counted: CountedValues): string {
  const { time, name, zone } = counted;
  const [from, to] = valuesOf(histogram, first, last, counted);
  const range =
    time === undefined ? `${name} ${from}${to === from ? '' : ` to ${to}`}` : spanText(time, from, to + 1n, zone);
  return `${range}: ${plural(idsIn(histogram, first, last), 'id')}`;
}

/** What a filter says of bars: `shard=17`, `date>=2022-06-28T16:00:00.000Z date<=2022-06-28T16:59:59.999Z`. */
export function conditionOf(histogram: Histogram, first: number, last: number, counted: CountedValues): string {
  const { time, column, zone } = counted;
  const [from, to] = valuesOf(histogram, first, last, counted).map((value) =>
    time === undefined ? value : isoText(time, value, zone),
  );
  return from === to ? `${column}=${from}` : `${column}>=${from} ${column}<=${to}`;
}

/** A filter without what it says of a column. */
export function without(filter: string, { column }: CountedValues): string {
  return filter
    .replace(new RegExp(`\\s*(?:\\band\\s+)?\\b${column}\\s*(<=|>=|!=|<|>|==?)\\s*("[^"]*"|\\S+)`, 'gi'), '')
    .trim();
}

/** For those who do not see it. */
export function describe(histogram: Histogram, counted: CountedValues): string {
  const { counts } = histogram;
  const bars = (ids: number) => {
    const at = counts.indexOf(ids);
    return barsText(histogram, at, at, counted);
  };
  return `${plural(counts.length, 'bar')}. Most: ${bars(Math.max(...counts))}. Fewest: ${bars(Math.min(...counts))}.`;
}

/** The first value and the last; of dates in Unix microseconds. */
function valuesOf(
  { from, width }: Histogram,
  first: number,
  last: number,
  { time, most }: CountedValues,
): [bigint, bigint] {
  const edge = (bar: number) => {
    const value = from + bar * width;
    const whole = Math.floor(value); // 1,000 times a date may be too much for a number
    return time === undefined ? BigInt(whole) : BigInt(whole) * 1000n + BigInt(Math.round((value - whole) * 1000));
  };
  const end = edge(last + 1) - 1n;
  return [edge(first), time === undefined && end > most ? most : end];
}
