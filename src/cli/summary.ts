import { type Balance, balanceOf } from '../node/index.js';
import { rateOf } from './progress.js';

const BAR_WIDTH = 40;
const BINS = 12;

/** The balance of keys over the shards that are up, in words and bars. */
export function summarize(all: Float64Array, ms: number, down: readonly number[] = []): string {
  const { counts, keys, min, max, mean, deviation } = balanceOfUp(all, down);
  const relative = mean > 0 ? ` (${((100 * deviation) / mean).toFixed(2)} % of the mean)` : '';
  return [
    `keys        ${number(keys)}`,
    `throughput  ${rateOf(keys, ms)} (${(ms / 1000).toFixed(2)} s)`,
    `shards      ${number(counts.length)}${down.length > 0 ? ` up, ${number(down.length)} down` : ''}`,
    `per shard   min ${number(min)}, mean ${number(mean)}, max ${number(max)}`,
    `deviation   ${number(deviation)}${relative}`,
    '',
    ...(all.length <= 2 * BINS ? shardBars(all, new Set(down), max) : histogram(counts, min, max)),
    '',
  ].join('\n');
}

/** The same as one JSON object of numbers: `shards` are all, and the rest is about those that are up. */
export function summaryJson(all: Float64Array, ms: number, down: readonly number[]): string {
  const { keys, min, mean, max, deviation } = balanceOfUp(all, down);
  const keysPerSecond = (1000 * keys) / Math.max(ms, 0.001);
  const summary = { keys, seconds: ms / 1000, keysPerSecond, shards: all.length, down: down.length };
  return `${JSON.stringify({ ...summary, min, mean, max, deviation })}\n`;
}

function balanceOfUp(all: Float64Array, down: readonly number[]): Balance & { counts: Float64Array; keys: number } {
  const isDown = new Set(down);
  const counts = all.filter((_, shard) => !isDown.has(shard));
  return { counts, keys: counts.reduce((sum, count) => sum + count, 0), ...balanceOf(counts) };
}

/** A bar for each of a few shards. */
function shardBars(counts: Float64Array, isDown: ReadonlySet<number>, max: number): string[] {
  const rows = [...counts].map(
    (count, shard) => [`shard ${shard}${isDown.has(shard) ? ' (down)' : ''}`, count] as const,
  );
  return ['keys by shard', ...bars(rows, max)];
}

/** How many shards have how many keys. */
function histogram(counts: Float64Array, min: number, max: number): string[] {
  const width = Math.max(1, Math.ceil((max - min + 1) / BINS));
  const bins = new Array<number>(Math.ceil((max - min + 1) / width)).fill(0);
  for (const count of counts) {
    const bin = Math.floor((count - min) / width);
    bins[bin] = (bins[bin] as number) + 1;
  }
  const rows = bins.map((shards, bin): [string, number] => {
    const from = min + bin * width;
    return [width === 1 ? number(from) : `${number(from)} to ${number(from + width - 1)}`, shards];
  });
  return ['shards by number of keys', ...bars(rows, Math.max(...bins))];
}

function bars(rows: readonly (readonly [label: string, value: number])[], largest: number): string[] {
  const labelWidth = Math.max(...rows.map(([label]) => label.length));
  const valueWidth = number(largest).length;
  return rows.map(([label, value]) => {
    const bar = '█'.repeat(Math.round((BAR_WIDTH * value) / Math.max(largest, 1)));
    return `  ${label.padStart(labelWidth)}  ${number(value).padStart(valueWidth)} ${bar}`.trimEnd();
  });
}

/** 1,234.5 */
export function number(value: number): string {
  return value.toLocaleString('en', { maximumFractionDigits: 1 });
}
