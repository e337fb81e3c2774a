import { number } from './summary.js';

const MAX_FLOWS = 20;

/** A shard by its number, or a node by its name. */
export type Place = number | string;

/** Keys of one place that go to another, or belong there. */
export interface PlacedFlow {
  readonly from: Place;
  readonly to: Place;
  readonly count: number;
}

/** Goes through flows. */
export type EachFlow = (take: (from: Place, to: Place, count: number) => void) => void;

export function percentOf(total: number): (count: number) => string {
  return (count) => `${((100 * count) / Math.max(total, 1)).toFixed(2)} %`;
}

/** The largest flows in words, with a title. @param noun what they are called: `flows` */
export function flowLines(each: EachFlow, noun: string): string[] {
  const { largest, count } = largestOf(each);
  if (count === 0) return [];
  const title = count > MAX_FLOWS ? `the largest ${MAX_FLOWS} of ${number(count)} ${noun} (--json: all)` : noun;
  const named = (from: Place) => (typeof from === 'number' ? `shard ${from}` : from);
  const width = number(largest[0]?.count ?? 0).length;
  const lines = largest.map((flow) => `  ${number(flow.count).padStart(width)}  ${named(flow.from)} -> ${flow.to}`);
  return ['', title, ...lines];
}

/** The largest flows, largest first; of equal ones the first. There can be millions, so they are not sorted. */
function largestOf(each: EachFlow): { readonly largest: readonly PlacedFlow[]; readonly count: number } {
  const largest: PlacedFlow[] = [];
  let flows = 0;
  each((from, to, count) => {
    flows++;
    if (largest.length === MAX_FLOWS && count <= largest[MAX_FLOWS - 1].count) return;
    const place = largest.findIndex((flow) => flow.count < count);
    largest.splice(place < 0 ? largest.length : place, 0, { from, to, count });
    largest.length = Math.min(largest.length, MAX_FLOWS);
  });
  return { largest, count: flows };
}
