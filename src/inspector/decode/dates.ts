import { parsePeriod } from '../../dates.js';
import type { LayoutTime } from '../../index.js';

export { DAY, relativeTime, UNITS } from '../../dates.js';

export const UTC = 'UTC';

/** The time zone of the browser, such as `Europe/Berlin`. */
export const LOCAL = new Intl.DateTimeFormat().resolvedOptions().timeZone;

const DAY_MS = 86_400_000;

const formats = new Map<string, Intl.DateTimeFormat>();

/**
 * The milliseconds by which clocks in a zone are ahead of UTC at an instant.
 * @throws RangeError if the browser does not know the zone
 */
export function offsetMs(zone: string, ms: number): number {
  if (zone === UTC) return 0;
  const format = formats.get(zone) ?? new Intl.DateTimeFormat('en', { timeZone: zone, timeZoneName: 'longOffset' });
  formats.set(zone, format); // making one takes longer than a hundred dates
  const [, sign = '+', hours, minutes, seconds = 0] = /GMT(.)(\d+):(\d+):?(\d+)?/.exec(format.format(ms)) ?? [];
  return hours === undefined ? 0 : Number(`${sign}1`) * (Number(hours) * 3600 + Number(minutes) * 60 + +seconds) * 1000;
}

export function isZone(name: string): boolean {
  try {
    offsetMs(name, 0);
    return true;
  } catch {
    return false;
  }
}

/**
 * The instant at which clocks in a zone show a time, given as if it were UTC. Of two it is the first; a time that the
 * clocks skip is as much later as they skip. Temporal does the same.
 */
export function instantIn(zone: string, shown: number): number {
  const [before, after] = [-DAY_MS, DAY_MS].map((away) => shown - offsetMs(zone, shown + away));
  return [before, after].find((ms) => ms + offsetMs(zone, ms) === shown) ?? before;
}

/** A date in ISO 8601, with the offset that the zone has then. */
export function isoIn(zone: string, date: Date, micros = ''): string {
  const offset = offsetMs(zone, date.getTime());
  const clock = new Date(date.getTime() + offset);
  // Offsets before about 1900 have seconds, for which ISO 8601 has no place.
  const isLocal = zone !== UTC && offset % 60_000 === 0 && !Number.isNaN(clock.getTime());
  const ahead = isLocal ? `${offset < 0 ? '-' : '+'}${new Date(Math.abs(offset)).toISOString().slice(11, 16)}` : 'Z';
  return (isLocal ? clock : date).toISOString().replace('Z', micros + ahead);
}

const [HOUR_US, WEEK_US, MONTH_US] = [3.6e9, 6.048e11, 2.629746e12];
const MONDAY_US = 3.456e11; // 1970 began on a Thursday

/**
 * Multiples of a step by the clocks of a zone, from the last before `from`, or at it, to the first after `to`, all in Unix
 * microseconds. Weeks begin on Monday. Months have their own lengths, and so have steps over an hour when clocks are set.
 */
export function timesIn(zone: string, from: number, to: number, step: number): number[] {
  const ahead = offsetMs(zone, from / 1000) * 1000;
  const first = Math.floor((from + ahead) / step) - 1;
  let times: number[] = [];
  for (let i = 0; ; i++) {
    const shown = (first + i) * step + (step % WEEK_US ? 0 : MONDAY_US);
    const clock = step < MONTH_US ? shown / 1000 : Date.UTC(1970, (first + i) * Math.round(step / MONTH_US));
    const time = step > HOUR_US ? instantIn(zone, clock) * 1000 : shown - ahead;
    if (time <= from) times = [];
    if (time !== times.at(-1)) times.push(time);
    if (!(time <= to)) return times;
  }
}

// The page shows any id in any layout, so its times may be before the epoch, beyond a Date, and beyond what a number
// holds exactly. All of them are integers in Unix microseconds, of which every unit is a whole number.

const MICROS_A_MS = 1000n;
const MAX_DATE_MS = 8.64e15;

/** The Unix microseconds at which a unit begins. */
export const microsOf = (time: LayoutTime, units: bigint): bigint =>
  BigInt(time.epoch) * MICROS_A_MS + units * unitMicros(time);

/** The first unit that begins at an instant or after it; below 0 for instants before the epoch. */
export const unitFrom = (time: LayoutTime, micros: bigint): bigint =>
  -floorOf(BigInt(time.epoch) * MICROS_A_MS - micros, unitMicros(time));

export const unitMicros = ({ unitMs }: LayoutTime): bigint => BigInt(Math.round(unitMs * 1000));

/** Whether times of a layout need more than the milliseconds of a Date. */
export const hasMicros = ({ unitMs }: LayoutTime): boolean => unitMs < 1;

/** Unix milliseconds, rounded down. */
export const msOf = (micros: bigint): number => Number(floorOf(micros, MICROS_A_MS));

/** Unix milliseconds in decimal, as `unpack` gives them: `1709289015500.123`. */
export function msText(micros: bigint): string {
  const digits = String(micros < 0n ? -micros : micros).padStart(4, '0');
  const fraction = digits.slice(-3).replace(/(?<!0)0+$/, '');
  return `${micros < 0n ? '-' : ''}${digits.slice(0, -3)}${fraction === '' ? '' : `.${fraction}`}`;
}

export function dateOf(micros: bigint): Date | undefined {
  const ms = msOf(micros);
  return Math.abs(ms) > MAX_DATE_MS ? undefined : new Date(ms);
}

/** A time in ISO 8601, with six digits after the second if units are microseconds; undefined beyond what a Date holds. */
export function isoText(time: LayoutTime, micros: bigint, zone = UTC): string | undefined {
  const date = dateOf(micros);
  if (!date || !hasMicros(time)) return date && isoIn(zone, date);
  return isoIn(zone, date, String(micros - BigInt(date.getTime()) * MICROS_A_MS).padStart(3, '0'));
}

/** A time in ISO 8601, with six digits after the second. */
export const isoAt = (micros: number, zone: string): string =>
  isoText({ name: '', epoch: 0, unit: 'us', unitMs: 0.001 }, BigInt(micros), zone) ?? '';

/** The instant that units count from, as short as it can be said: `2023-01-01`. */
export const epochText = ({ epoch }: LayoutTime): string => new Date(epoch).toISOString().replace('T00:00:00.000Z', '');

/** The most characters of a time in Unix milliseconds, and of its date in this millennium. */
export function timeWidths(time: LayoutTime, mask: bigint, zone = UTC): { ms: number; date: number } {
  const lengths = [0n, mask].map((units) => String(msOf(microsOf(time, units))).length);
  const [fraction, decimals] = hasMicros(time) ? [4, 3] : [0, 0];
  return { ms: Math.max(...lengths) + fraction, date: (zone === UTC ? 24 : 29) + decimals };
}

function floorOf(dividend: bigint, divisor: bigint): bigint {
  const quotient = dividend / divisor;
  return quotient * divisor > dividend ? quotient - 1n : quotient;
}

/** A stretch of time in Unix microseconds; `to` is the first that is not in it. */
export interface Span {
  readonly from: bigint;
  readonly to: bigint;
  /** Set if a number was taken for seconds, which the page then says. */
  readonly readAs?: 'seconds';
}

const HOUR = 3_600_000;
/** A date as the page writes it, for a regular expression without case: `Tue 28 Jun 2022, 16:07:40.105 UTC+02:00`. */
export const WRITTEN_DATE = String.raw`(?:[a-z]{3} )?(\d\d?) ([a-z]{3,9}) (\d{4})(?:, ([\d:.]+)( UTC([-+][\d:]+)?)?)?`;
const MONTHS = 'january february march april may june july august september october november december'.split(' ');

/** The same date in ISO 8601. Other texts stay as they are. */
function isoOf(text: string): string {
  const [, day, name, year, clock, utc, offset = 'Z'] = new RegExp(`^${WRITTEN_DATE}$`, 'i').exec(text) ?? [];
  if (name === undefined) return text;
  const month = MONTHS.findIndex((each) => each.startsWith(name.toLowerCase())) + 1;
  const time = clock === undefined ? '' : `T${clock}${utc === undefined ? '' : offset}`;
  return `${year}-${String(month).padStart(2, '0')}-${day.padStart(2, '0')}${time}`;
}

const WITH_OFFSET = /^[^T ]*[T ].*(Z|[+-]\d\d(:?\d\d)?)$/;

/**
 * What a date, or a part of one, stands for: `2024-03` is all of that month. Seconds have up to nine decimals,
 * of which those after the sixth are left out. 0 is the first millisecond of 1970.
 * @param zone of dates that have no offset
 */
export function parseDateSpan(text: string, zone = UTC): Span | undefined {
  const trimmed = isoOf(text.trim());
  if (trimmed === '0') return spanOfMs(0n);
  const period = parsePeriod(trimmed);
  if (!period) return undefined;
  const instantOf = (ms: number) => (WITH_OFFSET.test(trimmed) ? ms : instantIn(zone, ms));
  const start = instantOf(period.from);
  const from = BigInt(start) * 1000n + BigInt(period.us);
  const length = period.to - period.from;
  // The hour that comes twice when clocks are set back is both; a minute of it is the first.
  const end = length < HOUR ? start + length : Math.max(instantOf(period.to), start + HOUR);
  const [, decimals] = /[.,]\d{3}(\d{1,3})/.exec(trimmed) ?? [];
  return { from, to: decimals ? from + BigInt(10 ** (3 - decimals.length)) : BigInt(end) * 1000n };
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
  if (number) return trimmed.includes('.') ? number : spanOfMs(BigInt(trimmed));
  return parseDateSpan(trimmed, zone);
}

const spanOfMs = (ms: bigint): Span => ({ from: ms * 1000n, to: (ms + 1n) * 1000n });
