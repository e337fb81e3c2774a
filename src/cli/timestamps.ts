import type { Layout } from '../index.js';

/** The times of ids in Unix milliseconds. NaN for a time that a Date cannot hold, if `datesOf` refuses the column. */
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
