import { type Period, parsePeriod } from '../../dates.js';
import type { DatesBeside } from '../../guess/index.js';
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
  const periods = rows.map((row) => of(row).map(periodOf));
  const dates = names.map((_, column) => ({
    from: Float64Array.from(periods, (all) => all[column]?.from ?? Number.NaN),
    to: Float64Array.from(periods, (all) => all[column]?.to ?? Number.NaN),
  }));
  return {
    ids: BigUint64Array.from(rows, (row) => ids[row] as bigint),
    dates: dates.filter(({ from }) => from.some((ms) => !Number.isNaN(ms))),
  };
}

/** What a text stands for if it is a date: ISO 8601, Unix seconds or milliseconds, or as JavaScript and mail write dates. */
function periodOf(text: string): Period | undefined {
  const iso = parsePeriod(text);
  if (iso !== undefined && text.length > 4) return iso; // four digits alone are any number
  const trimmed = text.trim();
  if (/^1\d{9}$/.test(trimmed)) return { from: Number(trimmed) * 1000, to: Number(trimmed) * 1000 + 1000 };
  if (/^1\d{12}$/.test(trimmed)) return { from: Number(trimmed), to: Number(trimmed) + 1 };
  if (!/^[A-Z][a-z]{2}\b.*\d{4}/.test(trimmed)) return undefined;
  const ms = Date.parse(trimmed);
  return Number.isNaN(ms) ? undefined : { from: ms, to: ms + 1000 };
}
