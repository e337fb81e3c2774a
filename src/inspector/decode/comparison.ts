import type { Layout, TextFormat } from '../../index.js';
import { parseId } from '../../index.js';
import { DAY, UNITS } from './dates.js';
import { fieldValue, microsIn } from './layout-choice.js';
import { FORMATS } from './settings.js';

/** How two ids of a layout differ. */
export interface Comparison {
  /** From the first to the second, in microseconds, below 0 if the second is earlier; undefined without a time. */
  readonly micros: bigint | undefined;
  /** When the second was made, in Unix microseconds. */
  readonly at: bigint | undefined;
  /** The fields that differ, besides the time. */
  readonly fields: readonly { readonly name: string; readonly first: bigint; readonly second: bigint }[];
}

export function comparisonOf(layout: Layout, first: bigint, second: bigint): Comparison {
  const [from, to] = [microsIn(layout, first), microsIn(layout, second)];
  const fields = layout.places
    .map((place) => ({ name: place.name, first: fieldValue(place, first), second: fieldValue(place, second) }))
    .filter((field) => field.first !== field.second && field.name !== layout.time?.name);
  return { micros: from === undefined || to === undefined ? undefined : to - from, at: to, fields };
}

/** An id as it is typed: in the format that the others are read in, or else in the first one that reads it. */
export function idFrom(text: string, format: TextFormat): bigint | undefined {
  for (const candidate of [format, ...FORMATS]) {
    try {
      return parseId(text.trim(), candidate);
    } catch {
      // The next one may read it.
    }
  }
  return undefined;
}

const SECOND = 1_000_000n;

/** `3 days, 1 hour, 2.005 seconds` */
export function durationText(micros: bigint): string {
  let rest = micros < 0n ? -micros : micros;
  const parts: string[] = [];
  const add = (count: number | bigint, unit: string) => parts.push(`${count} ${unit}${Number(count) === 1 ? '' : 's'}`);
  for (const [unit, seconds] of UNITS.slice(DAY)) {
    const size = BigInt(seconds) * SECOND;
    if (rest >= size) add(rest / size, unit);
    rest %= size;
  }
  if (rest > 0n || parts.length === 0) add(Number(rest) / 1e6, 'second');
  return parts.join(', ');
}
