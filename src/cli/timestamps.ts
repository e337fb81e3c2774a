import type { BytesColumn, Layout, TimeUnit } from '../index.js';

const UNIT_MS: Record<TimeUnit, number> = { s: 1000, ms: 1, '10ms': 10, '10us': 0.01, us: 0.001 };
const MAX_DATE_MS = 8.64e15;
const DAY_MS = 86_400_000;
const TIME = 'HH:MM:SS.mmmZ';

/**
 * The instants in ids of a layout with a timestamp field, in Unix milliseconds: exact as far as a Date
 * reaches, and above {@link MAX_DATE_MS} beyond. (A number has units below 2^53 exactly; where 10 or 1000
 * times as many pass that, they are multiples of 2 or 8.)
 */
export function instantsOf(layout: Layout, time: string, ids: BigUint64Array): Float64Array {
  const { epoch, unitMs } = clockOf(layout, time);
  const units = layout.unpackMany(ids, { fields: [time] })[time];
  return units instanceof BigUint64Array
    ? Float64Array.from(ids, (_, row) => Number(BigInt(epoch) + (units[row] as bigint) * BigInt(unitMs)))
    : Float64Array.from(ids, (_, row) => epoch + (units?.[row] as number) * unitMs);
}

/** The whole units from a layout's epoch to an instant; below 0 for one before it. */
export function unitsAt(layout: Layout, time: string, date: Date): number {
  const { epoch, unitMs } = clockOf(layout, time);
  return Math.floor((date.getTime() - epoch) / unitMs);
}

function clockOf(layout: Layout, time: string): { epoch: number; unitMs: number } {
  const { epoch = 0, unit = 'ms' } = layout.fields[time] ?? {};
  return { epoch, unitMs: UNIT_MS[unit] };
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
      writeTime(data, at - after.length - TIME.length, instant - day * DAY_MS);
    }
    offsets[row + 1] = at;
  }
  return { data, offsets };
}

function writeTime(data: Uint8Array, at: number, ms: number): void {
  const seconds = Math.floor(ms / 1000);
  const minutes = Math.floor(seconds / 60);
  writeTwo(data, at, Math.floor(minutes / 60));
  writeTwo(data, at + 3, minutes % 60);
  writeTwo(data, at + 6, seconds % 60);
  const rest = ms % 1000;
  data[at + 9] = 0x30 + Math.floor(rest / 100);
  writeTwo(data, at + 10, rest % 100);
}

function writeTwo(data: Uint8Array, at: number, value: number): void {
  data[at] = 0x30 + Math.floor(value / 10);
  data[at + 1] = 0x30 + (value % 10);
}
