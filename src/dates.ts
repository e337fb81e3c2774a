/** The time that a date or a part of one covers, in Unix milliseconds: `2024-03` is the whole month. `to` is the first instant after it. */
export type Period = { readonly from: number; readonly to: number };

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
  const [, year, month, day, hour, minute, second, fraction = '', offset] = match;
  const micros = fraction.slice(0, 6).padEnd(6, '0');
  const clock = `${hour ?? '00'}:${minute ?? '00'}:${second ?? '00'}.${micros.slice(0, 3)}`;
  const date = new Date(`${year}-${month ?? '01'}-${day ?? '01'}T${clock}Z`);
  // 2024-02-31 becomes 2 March, and an hour of 24 the next day. Other wrong numbers make an invalid Date.
  if (date.getUTCDate() !== Number(day ?? 1)) return undefined;
  if (month === undefined && Number(year) < 100) return undefined; // 0050 alone is a number
  const from = date.getTime() - offsetMs(offset);
  const us = Number(micros.slice(3));
  const lasting = (ms: number) => ({ from, us, to: from + ms });
  if (fraction !== '') return lasting(10 ** Math.max(0, 3 - fraction.length));
  if (second !== undefined) return lasting(1000);
  if (minute !== undefined) return lasting(60_000);
  if (hour !== undefined) return lasting(3_600_000);
  if (day !== undefined) return lasting(86_400_000);
  const to = month === undefined ? date.setUTCFullYear(Number(year) + 1) : date.setUTCMonth(Number(month));
  return { from, us, to };
}

/** Parses a date, with or without a time. A year or a month alone is not a date, because it may be a number. */
export function parseDate(text: string): NamedPeriod | undefined {
  return /^\d{4}-\d\d-\d\d/.test(text) ? parsePeriod(text) : undefined;
}

function offsetMs(offset: string | undefined): number {
  if (offset === undefined || offset === 'Z') return 0;
  const minutes = Number(offset.slice(1, 3)) * 60 + Number(offset.slice(3).replace(':', ''));
  return (offset.startsWith('-') ? -minutes : minutes) * 60_000;
}

/** 1582-10-15, from which UUIDs of versions 1 and 6 count time. In Unix milliseconds. */
export const GREGORIAN = -12219292800000;

/** Spans of time by which people count, in seconds. */
export const UNITS: readonly [Intl.RelativeTimeFormatUnit, number][] = [
  ['year', 365.2425 * 86400],
  ['month', 30.436875 * 86400],
  ['day', 86400],
  ['hour', 3600],
  ['minute', 60],
];

/** The first that is always as long. */
export const DAY = 2;

/** `2 years ago`, `in 5 minutes`, in the largest unit of which it is at least one; `now` within a second. */
export function relativeTime(date: Date, now: number): string {
  const seconds = (date.getTime() - now) / 1000;
  const [unit, size] = UNITS.find(([, least]) => Math.abs(seconds) >= least) ?? ['second', 1];
  // `last year` would be wrong 23 months later.
  const numeric = unit === 'second' ? 'auto' : 'always';
  return new Intl.RelativeTimeFormat('en', { numeric }).format(Math.trunc(seconds / size), unit);
}
