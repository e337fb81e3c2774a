import type { Placement } from '../../map/index.js';
import { type Balance, balanceOf } from '../../node/index.js';
import { inLines } from '../terminal.js';
import { rateOf } from './output.js';

const BAR_WIDTH = 40;
const BINS = 12;

/** Counts of shards by their labels, if they have any. */
export function countedBy(
  placement: Placement<any>,
  perShard: Float64Array,
): { readonly counts: Float64Array; readonly names: readonly string[] | undefined } {
  const { labels, names = [] } = placement;
  if (labels === undefined) return { counts: perShard, names: undefined };
  const counts = new Map(names.map((name) => [name, 0]));
  for (const [shard, label] of labels.entries()) counts.set(label, (counts.get(label) ?? 0) + perShard[shard]);
  return { counts: Float64Array.from(counts.values()), names: [...counts.keys()] };
}

/** What the counts are about. By default, shards that are all up. */
interface Counted {
  readonly down?: readonly number[] | undefined;
  /** The names of the nodes, if the counts are those of nodes. */
  readonly nodes?: readonly string[] | undefined;
}

/** The balance of keys over the shards that are up, or over nodes, as text and bars. */
export function summarize(all: Float64Array, ms: number, { down = [], nodes }: Counted = {}): string {
  const what = nodes === undefined ? 'shard' : 'node';
  const { counts, keys, min, max, mean, deviation } = balanceOfUp(all, down);
  const isDown = new Set(down);
  const labels = (i: number) => nodes?.[i] ?? `shard ${i}${isDown.has(i) ? ' (down)' : ''}`;
  const relative = mean > 0 ? ` (${((100 * deviation) / mean).toFixed(2)} % of the mean)` : '';
  return inLines([
    `keys        ${number(keys)}`,
    `throughput  ${rateOf(keys, ms)} (${(ms / 1000).toFixed(2)} s)`,
    `${`${what}s`.padEnd(10)}  ${number(counts.length)}${down.length > 0 ? ` up, ${number(down.length)} down` : ''}`,
    `${`per ${what}`.padEnd(10)}  min ${number(min)}, mean ${number(mean)}, max ${number(max)}`,
    `deviation   ${number(deviation)}${relative}`,
    '',
    ...(all.length <= 2 * BINS
      ? [
          `keys by ${what}`,
          ...bars(
            Array.from(all, (count, i) => [labels(i), count] as const),
            max,
          ),
        ]
      : histogram(counts, min, max, what)),
  ]);
}

/** The balance as one JSON object of numbers. `shards` counts all shards; the rest is about those that are up. */
export function summaryJson(all: Float64Array, ms: number, { down = [], nodes }: Counted): string {
  const { keys, min, mean, max, deviation } = balanceOfUp(all, down);
  const keysPerSecond = (1000 * keys) / Math.max(ms, 0.001);
  const counted = nodes === undefined ? { shards: all.length, down: down.length } : { nodes: all.length };
  const summary = { keys, seconds: ms / 1000, keysPerSecond, ...counted };
  return `${JSON.stringify({ ...summary, min, mean, max, deviation })}\n`;
}

function balanceOfUp(all: Float64Array, down: readonly number[]): Balance & { counts: Float64Array; keys: number } {
  const isDown = new Set(down);
  const counts = all.filter((_, shard) => !isDown.has(shard));
  return { counts, keys: counts.reduce((sum, count) => sum + count, 0), ...balanceOf(counts) };
}

/** How many shards or nodes have how many keys. */
function histogram(counts: Float64Array, min: number, max: number, what: string): string[] {
  const width = Math.max(1, Math.ceil((max - min + 1) / BINS));
  const bins = new Array<number>(Math.ceil((max - min + 1) / width)).fill(0);
  for (const count of counts) bins[Math.floor((count - min) / width)]++;
  const rows = bins.map((shards, bin): [string, number] => {
    const from = min + bin * width;
    return [width === 1 ? number(from) : `${number(from)} to ${number(from + width - 1)}`, shards];
  });
  return [`${what}s by number of keys`, ...bars(rows, Math.max(...bins))];
}

function bars(rows: readonly (readonly [label: string, value: number])[], largest: number): string[] {
  const labelWidth = Math.max(...rows.map(([label]) => label.length));
  const valueWidth = number(largest).length;
  return rows.map(([label, value]) => {
    const text = `  ${label.padStart(labelWidth)}  ${number(value).padStart(valueWidth)}`;
    return `${text} ${bar(value, largest)}`.trimEnd();
  });
}

/** A bar whose length is proportional to the value. */
export function bar(value: number, largest: number): string {
  return '█'.repeat(Math.round((BAR_WIDTH * value) / Math.max(largest, 1)));
}

/** Formats as `1,234.5`. */
export function number(value: number): string {
  return value.toLocaleString('en', { maximumFractionDigits: 1 });
}
