import { type DatesBeside, datesIn } from '../../guess/index.js';
import type { ReadText } from '../read/shape.js';
import { filterRows, GOOD } from './filter.js';
import { allRows } from './rows.js';
import { sourceCellsOf } from './source-cells.js';

/** The rows at the start that are looked at, which are within so many bytes. */
const ROWS = 50;
const BYTES = 256 * 1024;

/** Ids at the start of a table, and the dates that its other columns have for them. */
export interface DatedIds {
  readonly ids: BigUint64Array;
  readonly dates: readonly DatesBeside[];
}

/**
 * Dates in other columns tell which service made the ids: one whose dates are the same.
 * @param ids of all rows
 */
export function datesBeside(text: ReadText, ids: BigUint64Array): DatedIds {
  const { cells } = text;
  const count = cells.ends.subarray(0, ROWS).filter((end) => end <= BYTES).length;
  const [starts, lines] = [cells.starts.subarray(0, count), cells.lines.subarray(0, count)];
  const first = { ...cells, data: cells.data.subarray(0, BYTES), starts, lines };
  const { names, of } = sourceCellsOf([{ ...text, cells: first }]);
  const rows = [...filterRows(allRows(starts), cells.problems, GOOD)];
  const texts = rows.map(of);
  return {
    ids: BigUint64Array.from(rows, (row) => ids[row] as bigint),
    dates: datesIn(names.map((_, column) => texts.map((row) => row[column] as string))),
  };
}
