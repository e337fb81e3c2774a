/** What part of a date stands for: `2024-03` is all of that month. `to` is the first instant after it. */
export interface Period {
  readonly from: number;
  readonly to: number;
}

const TIME = String.raw`(\d\d)(?::(\d\d)(?::(\d\d)(?:[.,](\d{1,3}))?)?)?(Z|[+-]\d\d:?\d\d)?`;
const PARTS = new RegExp(String.raw`^(\d{4})(?:-(\d\d)(?:-(\d\d)(?:[T ]${TIME})?)?)?$`);

/** A date as ISO 8601 has it, or a part of one; in UTC unless it has an offset. */
export function parsePeriod(text: string): Period | undefined {
  const match = PARTS.exec(text.trim());
  if (match === null) return undefined;
  const [, year, month, day, hour, minute, second, fraction, offset] = match;
  const ms = Number((fraction ?? '').padEnd(3, '0'));
  const parts = [Number(year), Number(month ?? 1) - 1, Number(day ?? 1)] as const;
  const clock = [Number(hour ?? 0), Number(minute ?? 0), Number(second ?? 0)] as const;
  const start = Date.UTC(...parts, ...clock, ms);
  // 2024-02-31 would become March, and the year 50 1950: what does not come back as it went in is no date.
  const date = new Date(start);
  const came = [date.getUTCFullYear(), date.getUTCMonth(), date.getUTCDate()];
  came.push(date.getUTCHours(), date.getUTCMinutes(), date.getUTCSeconds());
  if (came.some((part, i) => part !== [...parts, ...clock][i])) return undefined;
  const from = start - offsetMs(offset);
  if (fraction !== undefined) return { from, to: from + 10 ** (3 - fraction.length) };
  if (second !== undefined) return { from, to: from + 1000 };
  if (minute !== undefined) return { from, to: from + 60_000 };
  if (hour !== undefined) return { from, to: from + 3_600_000 };
  if (day !== undefined) return { from, to: from + 86_400_000 };
  return { from, to: month === undefined ? Date.UTC(Number(year) + 1, 0) : Date.UTC(Number(year), Number(month), 1) };
}

function offsetMs(offset: string | undefined): number {
  if (offset === undefined || offset === 'Z') return 0;
  const minutes = Number(offset.slice(1, 3)) * 60 + Number(offset.slice(-2));
  return (offset.startsWith('-') ? -minutes : minutes) * 60_000;
}

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
