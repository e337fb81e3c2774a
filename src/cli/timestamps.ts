import type { BytesColumn, Layout } from '../index.js';

const MAX_DATE_MS = 8.64e15;
const DAY_MS = 86_400_000;
const TIME = 'HH:MM:SS.mmmZ';
const LONGEST_MS = '-9007199254740992.999';
const LOW_DIGITS = 8; // of 16: both halves are below 2^31
const LOW = 10 ** LOW_DIGITS;
const [ZERO, MINUS, POINT] = [0x30, 0x2d, 0x2e];

/** The instants in ids as Unix milliseconds; NaN for one beyond what a Date holds, where some are. */
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

/** Unix milliseconds in decimal, with their decimals where they are not whole. */
export function unixMsColumn(instants: Float64Array): BytesColumn {
  const data = new Uint8Array(instants.length * LONGEST_MS.length);
  const offsets = new Uint32Array(instants.length + 1);
  let at = 0;
  for (let row = 0; row < instants.length; row++) {
    const instant = instants[row] as number;
    if (instant < 0) data[at++] = MINUS;
    const ms = Math.abs(instant);
    const whole = Math.floor(ms);
    at = writeWhole(data, at, whole);
    if (ms !== whole) at = writeDecimals(data, at, Math.round((ms - whole) * 1000));
    offsets[row + 1] = at;
  }
  return { data, offsets };
}

/** @returns where the number ends */
function writeWhole(data: Uint8Array, at: number, value: number): number {
  const high = Math.floor(value / LOW);
  if (high === 0) return writeDigits(data, at, value, digitsIn(value));
  return writeDigits(data, writeDigits(data, at, high, digitsIn(high)), value - high * LOW, LOW_DIGITS);
}

function writeDecimals(data: Uint8Array, at: number, thousandths: number): number {
  data[at] = POINT;
  let end = writeDigits(data, at + 1, thousandths, 3);
  while (data[end - 1] === ZERO) end--;
  return end;
}

function digitsIn(value: number): number {
  let digits = 1;
  for (let least = 10; least <= value; least *= 10) digits++;
  return digits;
}

/** Writes a number below 2^31 with zeros in front. */
function writeDigits(data: Uint8Array, at: number, value: number, digits: number): number {
  for (let rest = value, i = at + digits - 1; i >= at; i--) {
    const tenth = (rest / 10) | 0;
    data[i] = ZERO + rest - 10 * tenth;
    rest = tenth;
  }
  return at + digits;
}

/**
 * Instants as ISO 8601 dates, each between two texts; nothing at all for one beyond what a Date holds.
 * 30 ns a row where a day has several, and 360 by toISOString.
 */
export function dateColumn(instants: Float64Array, before: string, after: string): BytesColumn {
  const encoder = new TextEncoder();
  const longest = before.length + '+275760-09-13T'.length + TIME.length + after.length;
  const data = new Uint8Array(instants.length * longest);
  const offsets = new Uint32Array(instants.length + 1);
  let shown = new Uint8Array(0);
  let dayShown = Number.NaN;
  let at = 0;
  for (let row = 0; row < instants.length; row++) {
    const instant = instants[row] as number;
    if (instant <= MAX_DATE_MS) {
      const day = Math.floor(instant / DAY_MS);
      if (day !== dayShown) shown = encoder.encode(before + new Date(day * DAY_MS).toISOString() + after);
      dayShown = day;
      for (let i = 0; i < shown.length; i++) data[at + i] = shown[i] as number;
      at += shown.length;
      writeTime(data, at - after.length - TIME.length, Math.floor(instant - day * DAY_MS));
    }
    offsets[row + 1] = at;
  }
  return { data, offsets };
}

function writeTime(data: Uint8Array, at: number, ms: number): void {
  const seconds = Math.floor(ms / 1000);
  const minutes = Math.floor(seconds / 60);
  writeDigits(data, at, Math.floor(minutes / 60), 2);
  writeDigits(data, at + 3, minutes % 60, 2);
  writeDigits(data, at + 6, seconds % 60, 2);
  writeDigits(data, at + 9, ms % 1000, 3);
}
