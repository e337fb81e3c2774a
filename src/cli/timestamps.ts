import type { Layout } from '../index.js';

/** The instants in ids as Unix milliseconds; NaN for one beyond what a Date holds, where some are. */
export function instantsOf(layout: Layout, ids: BigUint64Array): Float64Array {
  try {
    return layout.datesOf(ids);
  } catch {
    return Float64Array.from(ids, (id) => dateOf(layout, id));
  }
}

function dateOf(layout: Layout, id: bigint): number {
  try {
    return layout.dateOf(id).getTime();
  } catch {
    return Number.NaN;
  }
}
