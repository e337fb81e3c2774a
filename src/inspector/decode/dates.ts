import { parsePeriod } from '../../dates.js';

/** An instant: a date, Unix milliseconds, or `now`. */
export function parseInstant(text: string, now: number): number | undefined {
  const trimmed = text.trim();
  if (trimmed.toLowerCase() === 'now') return now;
  if (/^-?\d{5,16}$/.test(trimmed)) return Number(trimmed);
  return parsePeriod(trimmed)?.from;
}

const STEPS: readonly [Intl.RelativeTimeFormatUnit, number][] = [
  ['year', 365.2425 * 86400],
  ['month', 30.436875 * 86400],
  ['day', 86400],
  ['hour', 3600],
  ['minute', 60],
];

/** `2 years ago`, `in 5 minutes`. */
export function relativeTime(date: Date, now: number): string {
  const seconds = (date.getTime() - now) / 1000;
  const format = new Intl.RelativeTimeFormat('en', { numeric: 'auto' });
  for (const [unit, size] of STEPS) {
    if (Math.abs(seconds) >= size) return format.format(Math.trunc(seconds / size), unit);
  }
  return format.format(Math.trunc(seconds), 'second');
}

export function localTime(date: Date): string {
  return new Intl.DateTimeFormat(undefined, {
    weekday: 'short',
    year: 'numeric',
    month: 'short',
    day: 'numeric',
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
    fractionalSecondDigits: 3,
    timeZoneName: 'short',
  }).format(date);
}
