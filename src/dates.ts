/** The time that a date or a part of one covers, in Unix milliseconds: `2024-03` is the whole month. `to` is the first instant after it. */
export interface Period {
  readonly from: number;
  readonly to: number;
}

/** A period that a text names. */
export interface NamedPeriod extends Period {
  /** The microseconds after `from`, 0 to 999. */
  readonly us: number;
}

const OFFSET = String.raw`[+-](?:[01]\d|2[0-3])(?::?[0-5]\d)?`;
const TIME = String.raw`(\d\d)(?::(\d\d)(?::(\d\d)(?:[.,](\d{1,9}))?)?)?(Z|${OFFSET})?`;
const PARTS = new RegExp(String.raw`^(\d{4})(?:-(\d\d)(?:-(\d\d)(?:[T ]${TIME})?)?)?$`);

/**
 * Parses an ISO 8601 date or a part of one, in UTC if it has no offset. A second may have up to nine decimals, of which those
 * after the sixth are left out. Returns undefined for a date that does not exist.
 */
export function parsePeriod(text: string): NamedPeriod | undefined {
  const match = PARTS.exec(text.trim());
  if (match === null) return undefined;
  const [, year, month, day, hour, minute, second, fraction, offset] = match;
  const [ms, us] = [0, 3].map((at) => Number((fraction ?? '').slice(at, at + 3).padEnd(3, '0'))) as [number, number];
  const parts = [Number(year), Number(month ?? 1) - 1, Number(day ?? 1)] as const;
  const clock = [Number(hour ?? 0), Number(minute ?? 0), Number(second ?? 0)] as const;
  const start = utc(...parts, ...clock, ms);
  // 2024-02-31 becomes 2 March. Only a date that exists gives the same parts back.
  const date = new Date(start);
  const came = [date.getUTCFullYear(), date.getUTCMonth(), date.getUTCDate()];
  came.push(date.getUTCHours(), date.getUTCMinutes(), date.getUTCSeconds());
  if (came.some((part, i) => part !== [...parts, ...clock][i])) return undefined;
  if (month === undefined && Number(year) < 100) return undefined; // 0050 alone is a number
  const from = start - offsetMs(offset);
  const lasting = (ms: number) => ({ from, us, to: from + ms });
  if (fraction !== undefined) return lasting(10 ** Math.max(0, 3 - fraction.length));
  if (second !== undefined) return lasting(1000);
  if (minute !== undefined) return lasting(60_000);
  if (hour !== undefined) return lasting(3_600_000);
  if (day !== undefined) return lasting(86_400_000);
  const to = month === undefined ? utc(Number(year) + 1, 0) : utc(Number(year), Number(month));
  return { from, us, to };
}

/** Parses a date, with or without a time. A year or a month alone is not a date, because it may be a number. */
export function parseDate(text: string): NamedPeriod | undefined {
  return /^\d{4}-\d\d-\d\d/.test(text) ? parsePeriod(text) : undefined;
}

/** `Date.UTC`, which turns the year 50 into 1950, for all years. */
function utc(year: number, month: number, day = 1, hour = 0, minute = 0, second = 0, ms = 0): number {
  const date = new Date(0);
  date.setUTCFullYear(year, month, day);
  return date.setUTCHours(hour, minute, second, ms);
}

function offsetMs(offset: string | undefined): number {
  if (offset === undefined || offset === 'Z') return 0;
  const minutes = Number(offset.slice(1, 3)) * 60 + Number(offset.slice(3).replace(':', ''));
  return (offset.startsWith('-') ? -minutes : minutes) * 60_000;
}
