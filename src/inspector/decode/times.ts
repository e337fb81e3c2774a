import type { LayoutTime } from '../../index.js';
import { isoIn, UTC } from './zones.js';

// The page shows any id in any layout, so its times may be before the epoch, beyond a Date, and beyond what a number
// holds exactly. All of them are integers in Unix microseconds, of which every unit is a whole number.

const MICROS_A_MS = 1000n;
const MAX_DATE_MS = 8.64e15;

/** The Unix microseconds at which a unit begins. */
export function microsOf(time: LayoutTime, units: bigint): bigint {
  return BigInt(time.epoch) * MICROS_A_MS + units * unitMicros(time);
}

/** The first unit that begins at an instant or after it; below 0 for instants before the epoch. */
export function unitFrom(time: LayoutTime, micros: bigint): bigint {
  return -floorOf(BigInt(time.epoch) * MICROS_A_MS - micros, unitMicros(time));
}

export function unitMicros({ unitMs }: LayoutTime): bigint {
  return BigInt(Math.round(unitMs * 1000));
}

/** Whether times of a layout need more than the milliseconds of a Date. */
export function hasMicros({ unitMs }: LayoutTime): boolean {
  return unitMs < 1;
}

/** Unix milliseconds, rounded down. */
export function msOf(micros: bigint): number {
  return Number(floorOf(micros, MICROS_A_MS));
}

/** Unix milliseconds in decimal, as `unpack` gives them: `1709289015500.123`. */
export function msText(micros: bigint): string {
  const digits = String(micros < 0n ? -micros : micros).padStart(4, '0');
  const fraction = digits.slice(-3).replace(/0+$/, '');
  return `${micros < 0n ? '-' : ''}${digits.slice(0, -3)}${fraction === '' ? '' : `.${fraction}`}`;
}

/** The date, or undefined beyond what a Date holds. */
export function dateOf(micros: bigint): Date | undefined {
  const ms = msOf(micros);
  return Math.abs(ms) > MAX_DATE_MS ? undefined : new Date(ms);
}

/** In ISO 8601, with six digits after the second where units are microseconds; undefined beyond what a Date holds. */
export function isoText(time: LayoutTime, micros: bigint, zone = UTC): string | undefined {
  const date = dateOf(micros);
  if (date === undefined || !hasMicros(time)) return date && isoIn(zone, date);
  return isoIn(zone, date, String(micros - BigInt(date.getTime()) * MICROS_A_MS).padStart(3, '0'));
}

/** The instant that units count from, as short as it can be said: `2023-01-01`. */
export function epochText({ epoch }: LayoutTime): string {
  return new Date(epoch).toISOString().replace('T00:00:00.000Z', '');
}

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
