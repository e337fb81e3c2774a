import type { Decoded } from './decoded.js';
import { BAD, filterRows, GOOD, parseFilter } from './filter.js';
import { allRows } from './rows.js';
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
  { show, filter, zone }: Settings,
  columns: readonly TableColumn[],
): Selected {
  let rows = allRows(problems);
  let filterError: string | undefined;
  if (show !== 'all') rows = filterRows(rows, problems, show === 'good' ? GOOD : BAD);
  try {
    for (const condition of parseFilter(filter, columns, zone)) {
      const { kind, values } = condition.column;
      // A bad row has a line and no other value, so bad rows are sought by line.
      if (kind !== 'line') {
        if (show === 'bad') continue;
        rows = filterRows(rows, problems, GOOD);
      }
      rows = filterRows(rows, values, condition);
    }
  } catch (error) {
    // All rows would look like those that were asked for.
    rows = new Uint32Array(0);
    filterError = (error as Error).message;
  }
  return { rows, good: filterRows(rows, problems, GOOD), filterError };
}

/** Good rows in the order asked for, bad ones after them, as they have no value to be sorted by. */
export function sortSelected(
  { rows, good }: Selected,
  { problems }: Decoded,
  sort: Settings['sort'],
  columns: readonly TableColumn[],
): Uint32Array {
  const column = columns.find(({ key }) => key === sort?.column);
  if (column === undefined) return rows;
  const isLine = column.kind === 'line';
  const sorted = sortRows(isLine ? rows : good, column.values, sort?.descending);
  const all = new Uint32Array(rows.length);
  all.set(sorted);
  if (!isLine) all.set(filterRows(rows, problems, BAD), sorted.length);
  return all;
}
