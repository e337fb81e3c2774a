import type { LabelFlow } from '../../node/index.js';
import type { Placements } from '../options/placement.js';
import { number } from './summary.js';

/** Keys that go from one place to another, or belong there: shards by their numbers, nodes and servers by their names. */
export interface PlacedFlow {
  readonly from: number | string;
  readonly to: number | string;
  readonly count: number;
}

/** Flows with numbers of shards where those have no labels. */
export function* withNumbers(flows: Iterable<LabelFlow>, placements?: Placements): Generator<PlacedFlow> {
  const { from, to } = placements ?? {};
  for (const flow of flows) {
    yield {
      from: from?.labels === undefined ? Number(flow.from) : flow.from,
      to: to?.labels === undefined ? Number(flow.to) : flow.to,
      count: flow.count,
    };
  }
}

const MAX_FLOWS = 20;

export function percentOf(total: number): (count: number) => string {
  return (count) => `${((100 * count) / Math.max(total, 1)).toFixed(2)} %`;
}

/**
 * The largest flows in words, with a title.
 * @param noun what they are called: `flows`
 * @param isAll whether these are all flows
 */
export function flowLines(flows: Iterable<PlacedFlow>, noun: string, isAll = true): string[] {
  const { largest, count } = largestOf(flows);
  if (count === 0) return [];
  const all = isAll ? 'all' : 'these';
  const title = count > MAX_FLOWS ? `the largest ${MAX_FLOWS} of ${number(count)} ${noun} (--json: ${all})` : noun;
  const named = (place: PlacedFlow['from']) => (typeof place === 'number' ? `shard ${place}` : place);
  // After a number, another one needs no noun.
  const toOf = ({ from, to }: PlacedFlow) => (typeof from === 'number' ? to : named(to));
  const width = number(largest[0]?.count ?? 0).length;
  const lines = largest.map((flow) => `  ${number(flow.count).padStart(width)}  ${named(flow.from)} -> ${toOf(flow)}`);
  return ['', title, ...lines];
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

const PIECE_FLOWS = 1000;

/** An object with a list of flows as its last property, as JSON in pieces: there can be millions of flows. */
export function* inJson(head: object, name: string, flows: Iterable<PlacedFlow>): Generator<string> {
  let piece = `${JSON.stringify(head).slice(0, -1)},${JSON.stringify(name)}:[`;
  let count = 0;
  for (const flow of flows) {
    if (count > 0) piece += ',';
    piece += JSON.stringify(flow);
    if (++count % PIECE_FLOWS > 0) continue;
    yield piece;
    piece = '';
  }
  yield `${piece}]}\n`;
}
