import { type Period, parsePeriod } from '../dates.js';
import type { DatesBeside } from './rank.js';

/**
 * The dates in columns beside ids, for {@link Clues.dates}. Columns without dates are left out.
 * @param columns a text for each row
 */
export function datesIn(columns: readonly (readonly string[])[]): DatesBeside[] {
  const dates = columns.map((texts) => {
    const periods = texts.map(periodOf);
    return {
      from: Float64Array.from(periods, (period) => period?.from ?? Number.NaN),
      to: Float64Array.from(periods, (period) => period?.to ?? Number.NaN),
    };
  });
  return dates.filter(({ from }) => from.some((ms) => !Number.isNaN(ms)));
}

/** The time that a date covers: ISO 8601, Unix seconds or milliseconds, or the date formats of JavaScript and mail. */
function periodOf(text: string): Period | undefined {
  const iso = parsePeriod(text);
  if (iso !== undefined && text.length > 4) return iso; // four digits alone may be any number
  const trimmed = text.trim();
  if (/^1\d{9}$/.test(trimmed)) return { from: Number(trimmed) * 1000, to: Number(trimmed) * 1000 + 1000 };
  if (/^1\d{12}$/.test(trimmed)) return { from: Number(trimmed), to: Number(trimmed) + 1 };
  if (!/^[A-Z][a-z]{2}\b.*\d{4}/.test(trimmed)) return undefined;
  const ms = Date.parse(trimmed);
  return Number.isNaN(ms) ? undefined : { from: ms, to: ms + 1000 };
}
