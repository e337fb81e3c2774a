import { parsePeriod } from '../../dates.js';
import type { Layout, LayoutTime } from '../../index.js';
import { inOwnWords, isRefusal, type Refusal, shown } from './usage.js';

/** A value as {@link Layout.pack} takes it. */
type GivenValue = bigint | number | Date;

const WHOLE = /^[0-9]+$/;
const UNIX_MS = /^(-?)([0-9]+)(\.[0-9]{1,3})?$/;
const MAX_DIGITS = 15; // numbers with at most this many digits are exact
const RAW_HINT = '--raw reads units of the field';

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
  const period = parseDay(text);
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

/** Parses a date, with or without a time. A year or a month alone is not a date, because it may be a number. */
export function parseDate(text: string): Date | undefined {
  const period = parseDay(text);
  return period && new Date(period.from);
}

const parseDay = (text: string) => (/^\d{4}-\d\d-\d\d/.test(text) ? parsePeriod(text) : undefined);

/** The message for a text that is not a value of a field. */
function notAValue({ time }: Layout, name: string, text: string, raw: boolean): string {
  const isTime = name === time?.name;
  if (isTime && !raw && WHOLE.test(text)) {
    return `${name}: expected Unix milliseconds that a number holds exactly, got ${shown(text)}; ${RAW_HINT}`;
  }
  const number = isTime && !raw && time.unitMs < 1 ? 'a number with up to three decimals' : 'a whole number';
  const orDate = isTime ? ' or a date that exists, such as 2024-03-01T10:30:15.500Z' : '';
  return `${name}: expected ${number}${orDate}, got ${shown(text)}`;
}

/** The message for a value that does not fit its field. */
export function notFitting({ time }: Layout, refusal: Refusal): string {
  const isUnixMs = refusal.argument === `values.${time?.name}` && typeof refusal.got === 'number';
  return isUnixMs ? `${inOwnWords(refusal)}; ${RAW_HINT}` : inOwnWords(refusal);
}

/**
 * The id of the values of all fields, given as texts.
 * @param refuse makes the error for a text that is not a value of its field, or does not fit
 */
export function packTexts(
  layout: Layout,
  texts: Iterable<readonly [name: string, text: string]>,
  raw: boolean,
  refuse: (problem: string, cause?: Error) => Error,
): bigint {
  const values: { [name: string]: GivenValue } = {};
  for (const [name, text] of texts) {
    const value = parseValue(layout, name, text, raw);
    if (value === undefined) throw refuse(notAValue(layout, name, text, raw));
    values[name] = value;
  }
  try {
    return layout.pack(values);
  } catch (error) {
    throw isRefusal(error) ? refuse(notFitting(layout, error), error) : error;
  }
}

/** The times of ids in Unix milliseconds. NaN for a time that a Date cannot hold, if `datesOf` refuses the column. */
export function instantsOf(layout: Layout, ids: BigUint64Array): Float64Array {
  try {
    return layout.datesOf(ids);
  } catch {
    return Float64Array.from(ids, (id) => dateOf(layout, id));
  }
}

function dateOf(layout: Layout, id: bigint): number {
  try {
    return layout.dateOf(id).getTime();
  } catch {
    return Number.NaN;
  }
}
