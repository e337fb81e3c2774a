import type { Placement } from '../../map/index.js';
import { type Balance, balanceOf, type LabelFlow } from '../../node/index.js';
import type { Placements } from '../options/placement.js';
import { inLines, type Line } from '../terminal.js';
import { measured, number, rateOf } from './output.js';

const BAR_WIDTH = 40;
const BINS = 12;

/** Counts of shards by their labels, if they have any. */
export function countedBy({ labels, names = [] }: Placement<any>, perShard: Float64Array) {
  if (labels === undefined) return { counts: perShard, names: undefined };
  const counts = new Map(names.map((name) => [name, 0]));
  for (const [shard, label] of labels.entries()) counts.set(label, (counts.get(label) ?? 0) + perShard[shard]);
  return { counts: Float64Array.from(counts.values()), names: [...counts.keys()] };
}

/** What the counts are about. By default, shards that are all up. */
interface Counted {
  readonly down?: readonly number[] | undefined;
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
    ...listed({
      keys,
      throughput: `${rateOf(keys, ms)} (${ms < 1000 ? `${measured(ms)} ms` : `${measured(ms / 1000)} s`})`,
      [`${what}s`]: `${number(counts.length)}${down.length > 0 ? ` up, ${number(down.length)} down` : ''}`,
      [`per ${what}`]: `min ${number(min)}, mean ${number(mean)}, max ${number(max)}`,
      deviation: `${number(deviation)}${relative}`,
    }),
    '',
    ...(all.length <= 2 * BINS
      ? [{ heading: `keys by ${what}` }, ...bars(Array.from(all, (count, i) => [labels(i), count]))]
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

function histogram(counts: Float64Array, min: number, max: number, what: string): Line[] {
  const width = Math.max(1, Math.ceil((max - min + 1) / BINS));
  const bins = new Array<number>(Math.ceil((max - min + 1) / width)).fill(0);
  for (const count of counts) bins[Math.floor((count - min) / width)]++;
  const rows = bins.map((shards, bin): [string, number] => {
    const from = min + bin * width;
    return [width === 1 ? number(from) : `${number(from)} to ${number(from + width - 1)}`, shards];
  });
  return [{ heading: `${what}s by number of keys` }, ...bars(rows)];
}

function bars(rows: readonly (readonly [label: string, value: number])[]): string[] {
  const largest = Math.max(...rows.map(([, value]) => value));
  const lines = aligned(rows.map(([label, value]) => [label, number(value)]));
  return lines.map((line, i) => `  ${line} ${bar(rows[i][1], largest)}`.trimEnd());
}

/** Aligns columns of numbers to the right, and those of texts to the left. */
export function aligned(rows: readonly (readonly string[])[], texts: readonly number[] = []): string[] {
  const widths = rows[0].map((_, i) => Math.max(...rows.map((row) => row[i].length)));
  const cellOf = (cell: string, i: number) => (texts.includes(i) ? cell.padEnd(widths[i]) : cell.padStart(widths[i]));
  return rows.map((row) => row.map(cellOf).join('  ').trimEnd());
}

/** Names and values, one pair on each line. */
export function listed(values: { readonly [name: string]: number | string }): string[] {
  const rows = Object.entries(values).map(([name, value]) => [name, typeof value === 'number' ? number(value) : value]);
  return aligned(rows, [0, 1]);
}

export function bar(value: number, largest: number): string {
  return '█'.repeat(Math.round((BAR_WIDTH * value) / Math.max(largest, 1)));
}

/** Keys that go from one place to another, or belong there: shards by their numbers, nodes and servers by their names. */
export interface PlacedFlow {
  readonly from: number | string;
  readonly to: number | string;
  readonly count: number;
}

/** Flows with numbers of shards where those have no labels. */
export function* withNumbers(flows: Iterable<LabelFlow>, placements: Placements): Generator<PlacedFlow> {
  const nameOf = ({ labels }: Placement<any>, name: string) => (labels === undefined ? Number(name) : name);
  for (const { from, to, count } of flows) {
    yield { from: nameOf(placements.from, from), to: nameOf(placements.to, to), count };
  }
}

const MAX_FLOWS = 20;

export function percentOf(total: number): (count: number) => string {
  return (count) => `${((100 * count) / Math.max(total, 1)).toFixed(2)} %`;
}

/** The largest flows in words, with a title. @param noun what they are called: `flows` */
export function flowLines(flows: Iterable<PlacedFlow>, noun: string, isAll = true): Line[] {
  const { largest, count } = largestOf(flows);
  if (count === 0) return [];
  const all = isAll ? 'all' : 'these';
  const heading = count > MAX_FLOWS ? `the largest ${MAX_FLOWS} of ${number(count)} ${noun} (--json: ${all})` : noun;
  const named = (place: PlacedFlow['from']) => (typeof place === 'number' ? `shard ${place}` : place);
  // After a number, another one needs no noun.
  const toOf = ({ from, to }: PlacedFlow) => (typeof from === 'number' ? to : named(to));
  const width = number(largest[0]?.count ?? 0).length;
  const lines = largest.map((flow) => `  ${number(flow.count).padStart(width)}  ${named(flow.from)} -> ${toOf(flow)}`);
  return ['', { heading }, ...lines];
}

/** The largest flows, largest first; of equal ones the first. There can be millions, so they are not sorted. */
function largestOf(flows: Iterable<PlacedFlow>): { readonly largest: readonly PlacedFlow[]; readonly count: number } {
  const largest: PlacedFlow[] = [];
  let all = 0;
  for (const flow of flows) {
    all++;
    if (largest.length === MAX_FLOWS && flow.count <= largest[MAX_FLOWS - 1].count) continue;
    const place = largest.findIndex(({ count }) => count < flow.count);
    largest.splice(place < 0 ? largest.length : place, 0, flow);
    largest.length = Math.min(largest.length, MAX_FLOWS);
  }
  return { largest, count: all };
}

/** An object with a list of flows as its last property, as JSON in pieces: there can be millions of flows. */
export function* inJson(head: object, name: string, flows: Iterable<PlacedFlow>): Generator<string> {
  yield `${JSON.stringify(head).slice(0, -1)},${JSON.stringify(name)}:[`;
  let comma = '';
  for (const flow of flows) {
    yield comma + JSON.stringify(flow);
    comma = ',';
  }
  yield ']}\n';
}
