import { type DatesBeside, datesIn } from '../../guess/index.js';
import { Problem } from '../read/problems.js';
import type { ReadText } from '../read/shape.js';
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
  const { ends, problems } = cells;
  let count = 0;
  while (count < Math.min(ROWS, ends.length) && (ends[count] as number) <= BYTES) count++;
  const start = {
    ...cells,
    data: cells.data.subarray(0, BYTES),
    starts: cells.starts.subarray(0, count),
    ends: ends.subarray(0, count),
    lines: cells.lines.subarray(0, count),
  };
  const { names, of } = sourceCellsOf([{ ...text, cells: start }]);
  const rows = Array.from({ length: count }, (_, row) => row).filter((row) => problems[row] === Problem.none);
  const texts = rows.map(of);
  return {
    ids: BigUint64Array.from(rows, (row) => ids[row] as bigint),
    dates: datesIn(names.map((_, column) => texts.map((row) => row[column] as string))),
  };
}
