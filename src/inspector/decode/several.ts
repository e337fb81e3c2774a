// Ids of several services in one text, which says what each is: no layout fits them all, so only their dates are shown.

import { SERVICES } from '../../guess/index.js';
import type { Layout } from '../../index.js';
import type { IdColumn } from '../read/id-column.js';
import { isId, Problem } from '../read/problems.js';
import { msOf } from './dates.js';
import { exactMicrosIn } from './layout-choice.js';
import { allRows, placesIn, sortRows, type WideOrder } from './order.js';

/** Unix milliseconds, as the ids of a layout. */
const TIMES = { spec: 'timestamp:48', epoch: 0, unit: 'ms' } as const;
const DIGITS = 20;

/**
 * The times of ids, each by the layout of the service that its own text points to.
 * @param services the number of the service of each row, from 1; 0: its text does not say it
 * @param others the layout of those; undefined: they have no dates
 */
export function timesByService({ ids, problems, ...parsed }: IdColumn, services: Uint8Array, others?: Layout) {
  const times = new BigUint64Array(ids.length);
  const found = problems.slice();
  let timeless = 0;
  for (let row = 0; row < ids.length; row++) {
    if (!isId(problems[row])) continue;
    const layout = services[row] > 0 ? SERVICES[services[row] - 1].layout : others;
    const micros = layout && exactMicrosIn(layout, ids[row]);
    if (micros !== undefined && micros >= 0n) times[row] = BigInt(msOf(micros));
    else {
      found[row] = Problem.undated;
      timeless++;
    }
  }
  const wide = { kind: undefined, layout: TIMES, versions: [], timeless, width: DIGITS };
  return { parsed: { ...parsed, ids: times, problems: found, wide }, order: numericOrder(ids) };
}

/** Ids in the order of their numbers. A filter is for one of them. */
function numericOrder(ids: BigUint64Array): WideOrder {
  const places = placesIn(sortRows(allRows(ids), ids), ids.length, (a, b) => ids[a] === ids[b]);
  return {
    places,
    rangeOf(text) {
      const row = ids.findIndex((id) => String(id) === text);
      return row < 0 ? { from: 0n, to: -1n } : { from: BigInt(places[row]), to: BigInt(places[row]) };
    },
  };
}
