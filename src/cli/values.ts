import { parsePeriod } from '../dates.js';
import type { Layout, LayoutTime } from '../index.js';
import { inOwnWords, type Refusal, shown } from './usage.js';

/** A value as {@link Layout.pack} takes it. */
export type GivenValue = bigint | number | Date;

const WHOLE = /^[0-9]+$/;
const UNIX_MS = /^(-?)([0-9]+)(\.[0-9]{1,3})?$/;
const MOST_DIGITS = 15; // all numbers of so many are exact
const RAW_HINT = '--raw reads units of the field';

/**
 * The value of a field that a text is: a whole number; for the field that holds time Unix milliseconds or a date. Nothing
 * for other texts.
 * @param raw whether a number is a time in the field's own units
 */
export function parseValue({ time }: Layout, name: string, text: string, raw: boolean): GivenValue | undefined {
  if (name !== time?.name) return WHOLE.test(text) ? BigInt(text) : undefined;
  if (raw && WHOLE.test(text)) return BigInt(text);
  return (raw ? undefined : parseUnixMs(time, text)) ?? parseDate(text);
}

/** Unix milliseconds. Only small units have decimals, and only an epoch before 1970 has times below 0. */
function parseUnixMs({ epoch, unitMs }: LayoutTime, text: string): number | undefined {
  const [, sign = '', whole, decimals] = UNIX_MS.exec(text) ?? [];
  if (whole === undefined || (sign !== '' && epoch >= 0) || (decimals !== undefined && unitMs >= 1)) return undefined;
  return isExact(whole) ? Number(text) : undefined;
}

/** Whether a number holds these digits. */
function isExact(digits: string): boolean {
  return digits.length <= MOST_DIGITS || BigInt(Number(digits)) === BigInt(digits);
}

/** A whole date, or an instant of one: not a year or a month, which may be numbers. */
export function parseDate(text: string): Date | undefined {
  const period = /^\d{4}-\d\d-\d\d/.test(text) ? parsePeriod(text) : undefined;
  return period && new Date(period.from);
}

/** What to say of a text that is no value of a field. */
export function notAValue({ time }: Layout, name: string, text: string, raw: boolean): string {
  const isTime = name === time?.name;
  if (isTime && !raw && WHOLE.test(text)) {
    return `${name}: expected Unix milliseconds that a number holds exactly, got ${shown(text)}; ${RAW_HINT}`;
  }
  const number = isTime && !raw && time.unitMs < 1 ? 'a number with up to three decimals' : 'a whole number';
  const orDate = isTime ? ' or a date that exists, such as 2024-03-01T10:30:15.500Z' : '';
  return `${name}: expected ${number}${orDate}, got ${shown(text)}`;
}

/** What the library says of a value that does not fit its field, in the words of the command line. */
export function notFitting({ time }: Layout, refusal: Refusal): string {
  const isUnixMs = refusal.argument === `values.${time?.name}` && typeof refusal.got === 'number';
  return isUnixMs ? `${inOwnWords(refusal)}; ${RAW_HINT}` : inOwnWords(refusal);
}
