import { wordsOf } from '../../arguments.js';
import type { ColumnArray } from '../../kernels/index.js';
import { type Cells, cellText } from '../read/cells.js';
import { type IdColumn, wideTextOf } from '../read/id-column.js';
import { isId } from '../read/problems.js';

export function allRows({ length }: { readonly length: number }): Uint32Array {
  const rows = new Uint32Array(length);
  for (let row = 0; row < length; row++) rows[row] = row;
  return rows;
}

/** Values from `min` to `max`, or those outside. */
export interface ValueRange {
  readonly min: bigint;
  readonly max: bigint;
  readonly outside?: boolean;
}

export function filterRows(rows: Uint32Array, values: ColumnArray, range: ValueRange): Uint32Array {
  const { min, max, outside = false } = range;
  const kept = new Uint32Array(rows.length);
  let count = 0;
  if (values instanceof BigUint64Array) {
    const words = wordsOf(values);
    // Bounds below 0 and above 2^64 - 1 have a high half beyond those of all values.
    const [leastHigh, mostHigh] = [Number(min >> 32n), Number(max >> 32n)];
    const [leastLow, mostLow] = [Number(min & 0xffffffffn), Number(max & 0xffffffffn)];
    for (const row of rows) {
      const low = words[2 * row];
      const high = words[2 * row + 1];
      const inside =
        (high > leastHigh || (high === leastHigh && low >= leastLow)) &&
        (high < mostHigh || (high === mostHigh && low <= mostLow));
      if (inside !== outside) kept[count++] = row;
    }
  } else {
    // Bounds beyond 2^53 round, and are beyond every value.
    const [least, most] = [Number(min), Number(max)];
    for (const row of rows) {
      const value = values[row];
      if ((value >= least && value <= most) !== outside) kept[count++] = row;
    }
  }
  return kept.slice(0, count);
}

export const GOOD: ValueRange = { min: 0n, max: 0n };
export const BAD: ValueRange = { ...GOOD, outside: true };

export const goodRows = (problems: Uint8Array): Uint32Array => filterRows(allRows(problems), problems, GOOD);

/** Also ids that have no time, or that the layout rejects. */
export const idRows = (problems: Uint8Array, rows = allRows(problems)) => rows.filter((row) => isId(problems[row]));

/** The places of rows that are sorted, among those that differ. */
export function placesIn(sorted: Uint32Array, count: number, isSame: (a: number, b: number) => boolean): Uint32Array {
  const places = new Uint32Array(count);
  for (let i = 1; i < sorted.length; i++) {
    places[sorted[i]] = places[sorted[i - 1]] + (isSame(sorted[i - 1], sorted[i]) ? 0 : 1);
  }
  return places;
}

/** How much the values of some rows are above one, as numbers: those above 2^53 lose what a chart would not show. */
export function numbersOf(rows: Uint32Array, values: ColumnArray, above = 0n): Float64Array {
  const numbers = new Float64Array(rows.length);
  if (values instanceof BigUint64Array) {
    const words = wordsOf(values);
    const [low, high] = [Number(above & 0xffffffffn), Number(above >> 32n)];
    for (let i = 0; i < rows.length; i++) {
      const at = 2 * rows[i];
      numbers[i] = (words[at + 1] - high) * 2 ** 32 + (words[at] - low);
    }
  } else for (let i = 0; i < rows.length; i++) numbers[i] = values[rows[i]] - Number(above);
  return numbers;
}

export function rangeOf(numbers: Float64Array): { min: number; max: number } | undefined {
  if (numbers.length === 0) return undefined;
  let [min, max] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (const value of numbers) {
    if (value < min) min = value;
    if (value > max) max = value;
  }
  return { min, max };
}

const BUCKETS = 1 << 16;

/**
 * Rows in the order of their values; of equals, as they came. Radix sort of 16 bits at a time, where digits
 * differ at all: a million 64-bit ids in 60 ms, and ten times that by comparing.
 */
export function sortRows(rows: Uint32Array, values: ColumnArray, descending = false): Uint32Array {
  // The least significant digit comes first. Numbers that are not below 0 are in the order of their bits, fractions too.
  const wide = values instanceof Uint8Array ? Uint16Array.from(values) : values;
  const size = wide.BYTES_PER_ELEMENT / 2;
  const digits = new Uint16Array(wide.buffer, wide.byteOffset, wide.length * size);
  let from = rows.slice();
  let to = new Uint32Array(rows.length);
  for (let digit = 0; digit < size; digit++) {
    const counts = new Uint32Array(BUCKETS);
    for (const row of from) counts[digits[size * row + digit]]++;
    if (counts[digits[size * from[0] + digit]] === from.length) continue;
    let at = 0;
    for (let i = 0; i < BUCKETS; i++) {
      const bucket = descending ? BUCKETS - 1 - i : i;
      const count = counts[bucket];
      counts[bucket] = at;
      at += count;
    }
    for (const row of from) {
      const bucket = digits[size * row + digit];
      to[counts[bucket]++] = row;
    }
    [from, to] = [to, from];
  }
  return from;
}

/** Four characters each: a UUID has 32 without its hyphens, and no other kind has more. */
const WORDS = 8;
const DIGITS = 20;

export type WideOrder = ReturnType<typeof textOrder>;

/**
 * Wide ids, and those of several kinds, in the order of their texts, and decimals in that of their numbers. It is made when it
 * is asked for: a million of them take a second.
 */
export function textOrder(cells: Cells, { problems, format, wide }: IdColumn) {
  let places: Uint32Array | undefined;
  const rowsOfIds = () => idRows(problems);
  /** A UUID is the same in either case and without its hyphens, a KSUID is not. */
  const keyOf = (text: string) => {
    if (wide?.kind === undefined && /^\d{1,20}$/.test(text)) return text.padStart(DIGITS, '0');
    return format === 'ksuid' ? text : text.toLowerCase().replace(/^urn:uuid:|[-{}]/g, '');
  };
  const keyAt = (row: number) => keyOf(wideTextOf(cells, row) || cellText(cells, row));

  const placesOf = (rows: Uint32Array) => {
    const words = Array.from({ length: WORDS }, () => new Uint32Array(problems.length));
    for (const row of rows) {
      const key = keyAt(row);
      words.forEach((word, i) => {
        for (let at = 4 * i; at < 4 * i + 4; at++) word[row] = (word[row] << 8) | (key.charCodeAt(at) || 0);
      });
    }
    const sorted = words.reduceRight((order, word) => sortRows(order, word), rows);
    return placesIn(sorted, problems.length, (a, b) => words.every((word) => word[a] === word[b]));
  };

  return {
    /** The place of each row's id among all: ids that are the same have the same one. */
    get places(): Uint32Array {
      places ??= placesOf(rowsOfIds());
      return places;
    },
    /** The places of the ids that begin with a text. */
    rangeOf(text: string): ValueRange {
      const padded = keyOf(text);
      const isThere =
        wide?.kind !== undefined || !/^\d+$/.test(text) || rowsOfIds().some((row) => keyAt(row) === padded);
      const key = isThere ? padded : text;
      let [min, max] = [0, -1];
      for (const row of rowsOfIds()) {
        const start = keyAt(row).slice(0, key.length);
        const place = this.places[row];
        if (start < key) min = Math.max(min, place + 1);
        if (start <= key) max = Math.max(max, place);
      }
      return { min: BigInt(min), max: BigInt(max) };
    },
  };
}
