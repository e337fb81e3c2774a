// The values of fields of layouts as text.

import { parseDate } from '../dates.js';
import type { Layout, LayoutTime } from '../layout/layout.js';

/** A value as {@link Layout.pack} takes it. */
export type GivenValue = bigint | number | Date;

const WHOLE = /^[0-9]+$/;
const UNIX_MS = /^(-?)([0-9]+)(\.[0-9]{1,3})?$/;
const MAX_DIGITS = 15; // numbers with at most this many digits are exact

/**
 * Parses the value of a field: a whole number; for the field that holds time, Unix milliseconds or a date. Returns
 * undefined for other texts.
 * @param raw whether a number is a time in the field's own units
 */
export function parseValue({ time }: Layout, name: string, text: string, raw: boolean): GivenValue | undefined {
  if (name !== time?.name) return WHOLE.test(text) ? BigInt(text) : undefined;
  if (raw && WHOLE.test(text)) return BigInt(text);
  return (raw ? undefined : parseUnixMs(time, text)) ?? parseTime(time, text);
}

/** Parses a date. If the unit is below 1 ms, it is a number with its microseconds. */
function parseTime({ unitMs }: LayoutTime, text: string): GivenValue | undefined {
  const period = parseDate(text);
  if (period === undefined) return undefined;
  return unitMs >= 1 || period.us === 0 ? new Date(period.from) : period.from + period.us / 1000;
}

/** Parses Unix milliseconds. Decimals need a unit below 1 ms, and negative times an epoch before 1970. */
function parseUnixMs({ epoch, unitMs }: LayoutTime, text: string): number | undefined {
  const [, sign = '', whole, decimals] = UNIX_MS.exec(text) ?? [];
  if (whole === undefined || (sign !== '' && epoch >= 0) || (decimals !== undefined && unitMs >= 1)) return undefined;
  return isExact(whole) ? Number(text) : undefined;
}

/** Whether a number holds these digits exactly. */
function isExact(digits: string): boolean {
  return digits.length <= MAX_DIGITS || BigInt(Number(digits)) === BigInt(digits);
}

/** What is expected instead of a text that is not a value of a field, and whether `raw` would read it. */
export function valueExpected(
  { time }: Layout,
  name: string,
  text: string,
  raw: boolean,
): { readonly expected: string; readonly isRawNeeded: boolean } {
  const isTime = name === time?.name;
  if (isTime && !raw && WHOLE.test(text)) {
    return { expected: 'Unix milliseconds that a number holds exactly', isRawNeeded: true };
  }
  const number = isTime && !raw && time.unitMs < 1 ? 'a number with up to three decimals' : 'a whole number';
  const orDate = isTime ? ' or a date that exists, such as 2024-03-01T10:30:15.500Z' : '';
  return { expected: number + orDate, isRawNeeded: false };
}
