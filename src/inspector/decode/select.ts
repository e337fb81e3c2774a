import { Problem } from '../read/problems.js';
import type { Decoded } from './decoded.js';
import { filterRows, parseFilter } from './filter.js';
import type { Settings } from './settings.js';
import { sortRows } from './sort.js';
import type { TableColumn } from './table.js';

/** The rows to show, and those among them that have values. */
export interface Selected {
  readonly rows: Uint32Array;
  readonly good: Uint32Array;
  readonly filterError: string | undefined;
}

export function select(
  { problems }: Decoded,
  show: Settings['show'],
  filter: string,
  columns: readonly TableColumn[],
  zone: string,
): Selected {
  const good = new Uint32Array(problems.length);
  const bad = new Uint32Array(problems.length);
  let goodCount = 0;
  let badCount = 0;
  for (let row = 0; row < problems.length; row++) {
    if (problems[row] === Problem.none) good[goodCount++] = row;
    else bad[badCount++] = row;
  }
  let goodRows: Uint32Array = good.subarray(0, goodCount);
  let badRows: Uint32Array = bad.subarray(0, badCount);
  try {
    const filterable = columns.map(({ key, kind, time, rangeOf }) => ({
      name: key,
      time,
      showsMs: kind === 'field',
      rangeOf,
    }));
    const conditions = parseFilter(filter, filterable, zone);
    for (const condition of conditions) {
      const { values } = columns.find(({ key }) => key === condition.column) as TableColumn;
      goodRows = filterRows(goodRows, values, condition);
      // A bad row has a line and no other value, so bad rows are sought by line.
      if (condition.column === 'line') badRows = filterRows(badRows, values, condition);
      else if (show !== 'bad') badRows = badRows.subarray(0, 0);
    }
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    // All rows would look like those that were asked for.
    const none = good.subarray(0, 0);
    return { rows: none, good: none, filterError: error.message };
  }
  const filterError = undefined;
  if (show === 'good') return { rows: goodRows, good: goodRows, filterError };
  if (show === 'bad') return { rows: badRows, good: goodRows.subarray(0, 0), filterError };
  return { rows: merged(goodRows, badRows), good: goodRows, filterError };
}

/** Both ascending, and so is the result. */
function merged(a: Uint32Array, b: Uint32Array): Uint32Array {
  if (b.length === 0) return a;
  const rows = new Uint32Array(a.length + b.length);
  rows.set(a);
  rows.set(b, a.length);
  return rows.sort();
}

/** Good rows in the order asked for, bad ones after them, as they have no value to be sorted by. */
export function sortSelected(
  { rows, good }: Selected,
  { problems }: Decoded,
  sort: Settings['sort'],
  columns: readonly TableColumn[],
): Uint32Array {
  const column = columns.find(({ key }) => key === sort?.column);
  if (column === undefined || sort === undefined) return rows;
  const { descending } = sort;
  if (column.kind === 'line') return sortRows(rows, column.values, descending);
  const sorted = sortRows(good, column.values, descending);
  if (good.length === rows.length) return sorted;
  const all = new Uint32Array(rows.length);
  all.set(sorted);
  all.set(
    rows.filter((row) => problems[row] !== Problem.none),
    sorted.length,
  );
  return all;
}
