import { parsePeriod } from '../../dates.js';
import { instantIn, UTC } from './zones.js';

/** A stretch of time in Unix microseconds; `to` is the first that is not in it. */
export interface Span {
  readonly from: bigint;
  readonly to: bigint;
  /** Set where a number was taken for seconds, which the page then says. */
  readonly readAs?: 'seconds';
}

const HOUR = 3_600_000;
const WITH_OFFSET = /[T ].*(Z|[+-]\d\d:?\d\d)$/;

/**
 * What a date, or a part of one, stands for: `2024-03` is all of that month. Seconds have up to six decimals.
 * @param zone of dates that have no offset
 */
export function parseDateSpan(text: string, zone = UTC): Span | undefined {
  const [, before = text, decimals = '', after = ''] = /^(.*[.,]\d{3})(\d{1,3})(\D.*)?$/.exec(text.trim()) ?? [];
  const period = parsePeriod(before + after);
  if (period === undefined) return undefined;
  const instantOf = (ms: number) => (WITH_OFFSET.test(text.trim()) ? ms : instantIn(zone, ms));
  const start = instantOf(period.from);
  const from = BigInt(start) * 1000n + BigInt(decimals.padEnd(3, '0'));
  const length = period.to - period.from;
  // The hour that comes twice when clocks are set back is both; a minute of it is the first.
  const end = length < HOUR ? start + length : Math.max(instantOf(period.to), start + HOUR);
  if (decimals === '') return { from, to: BigInt(end) * 1000n };
  return { from, to: from + BigInt(10 ** (3 - decimals.length)) };
}

/** A number of Unix milliseconds, to the nearest microsecond. Unlike a date it stands for this instant alone. */
export function parseUnixMs(text: string): Span | undefined {
  const [, sign, whole, fraction = '0'] = /^(-?)(\d{1,20})(?:\.(\d{1,20}))?$/.exec(text.trim()) ?? [];
  if (whole === undefined) return undefined;
  const micros = BigInt(whole) * 1000n + BigInt(Math.round(Number(`0.${fraction}`) * 1000));
  const from = sign === '-' ? -micros : micros;
  return { from, to: from + 1n };
}

/**
 * A date, a number of Unix milliseconds (of five digits or more: four are a year), or `now`. Ten digits are seconds:
 * as such they are of 2001 to 2286, and as milliseconds of the first months of 1970.
 */
export function parseTime(text: string, now: number, zone = UTC): Span | undefined {
  const trimmed = text.trim();
  if (trimmed.toLowerCase() === 'now') return spanOfMs(BigInt(Math.floor(now)));
  if (/^\d{10}$/.test(trimmed)) {
    const from = BigInt(trimmed) * 1_000_000n;
    return { from, to: from + 1_000_000n, readAs: 'seconds' };
  }
  const number = /^-?\d{5}/.test(trimmed) ? parseUnixMs(trimmed) : undefined;
  // Without decimals it stands for its millisecond, as a date with three decimals does.
  if (number !== undefined) return trimmed.includes('.') ? number : spanOfMs(BigInt(trimmed));
  return parseDateSpan(trimmed, zone);
}

function spanOfMs(ms: bigint): Span {
  return { from: ms * 1000n, to: (ms + 1n) * 1000n };
}

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

/** `2 years ago`, `in 5 minutes`. */
export function relativeTime(date: Date, now: number): string {
  const seconds = (date.getTime() - now) / 1000;
  const [unit, size] = UNITS.find(([, least]) => Math.abs(seconds) >= least) ?? ['second', 1];
  return new Intl.RelativeTimeFormat('en', { numeric: 'auto' }).format(Math.trunc(seconds / size), unit);
}
