import { formatId, type TextFormat } from '../../index.js';
import type { Cells } from './cells.js';
import { Problem } from './problems.js';
import { type ReadFormat, WIDE_KINDS, wideKindIn, wideTextAt } from './wide-kinds.js';
import { readWritten } from './written-id.js';

// What a byte may be a digit of.
const DEC = 1;
const HEX = 2;
const BASE62 = 4;
const CROCKFORD32 = 8;
const SORTABLE32 = 16;
const LOWER = 32;
const UPPER = 64;

const CLASSES = new Uint8Array(256);
for (let byte = 0; byte < 128; byte++) {
  const character = String.fromCharCode(byte);
  if (/[0-9]/.test(character)) {
    CLASSES[byte] = DEC | HEX | BASE62 | CROCKFORD32 | (/[2-7]/.test(character) ? SORTABLE32 : 0);
  } else if (/[A-Za-z]/.test(character)) {
    const others = (/[a-f]/i.test(character) ? HEX : 0) | (/u/i.test(character) ? 0 : CROCKFORD32);
    CLASSES[byte] = BASE62 | SORTABLE32 | others | (/[a-z]/.test(character) ? LOWER : UPPER);
  }
}

const CLASS: Record<TextFormat, number> = {
  dec: DEC,
  hex: HEX,
  base62: BASE62,
  crockford32: CROCKFORD32,
  sortable32: SORTABLE32,
};

/** Of formats that as many rows are in, the first is guessed. */
const GUESSED: readonly ReadFormat[] = ['dec', 'hex', 'crockford32', 'base62', 'sortable32', ...WIDE_KINDS];

const ZERO = 0x30;
const NINE = 0x39;

/** The fewest characters of hexadecimal without 0x. Shorter ones are as often words: added, e2e. */
const LEAST_HEX = 8;

/**
 * The format that most rows are in. Words must not be taken for ids: without a digit a text is in no format, in base62
 * it has letters of both cases, too, and formats other than decimal and hexadecimal must be those of most rows.
 */
export function guessFormat(cells: Cells): ReadFormat {
  const { starts, problems } = cells;
  const counts = Object.fromEntries(GUESSED.map((format) => [format, 0])) as Record<ReadFormat, number>;
  let rows = 0;
  for (let row = 0; row < starts.length; row++) {
    if (problems[row] !== Problem.none) continue;
    rows++;
    countFormats(counts, cells.data, starts[row] as number, cells.ends[row] as number);
  }
  return GUESSED.reduce<ReadFormat>((best, format) => {
    const isOfMost = format === 'dec' || format === 'hex' || counts[format] * 2 > rows;
    return isOfMost && counts[format] > counts[best] ? format : best;
  }, 'dec');
}

/** Adds 1 for each format that a text is in, as far as its length and its characters tell. */
function countFormats(counts: Record<ReadFormat, number>, data: Uint8Array, start: number, end: number): void {
  const length = end - start;
  if (hasPrefix(data, start, end)) {
    if (length <= 18 && commonClasses(data, start + 2, end) & HEX) counts.hex++;
    return;
  }
  const classes = commonClasses(data, start, end);
  if (classes & DEC) {
    if (length <= 20) counts.dec++;
    if (length === 16) counts.hex++;
    return;
  }
  const kind = wideKindIn(wideTextAt(data, start, end));
  if (kind !== undefined) {
    counts[kind]++;
    return;
  }
  if (classes === 0) {
    if (typeof readWritten(data, start, end) === 'bigint') counts.dec++;
    return;
  }
  const seen = allClasses(data, start, end);
  if (!(seen & DEC)) return;
  if (classes & HEX && length >= LEAST_HEX && length <= 16) counts.hex++;
  if (classes & BASE62 && (length === 10 || length === 11) && seen & LOWER && seen & UPPER) counts.base62++;
  if (classes & CROCKFORD32 && length === 13) counts.crockford32++;
  if (classes & SORTABLE32 && length === 13) counts.sortable32++;
}

/** What all bytes are. */
function commonClasses(data: Uint8Array, start: number, end: number): number {
  let classes = start < end ? DEC | HEX | BASE62 | CROCKFORD32 | SORTABLE32 : 0;
  for (let at = start; at < end; at++) classes &= CLASSES[data[at] as number] as number;
  return classes;
}

/** What any byte is. */
function allClasses(data: Uint8Array, start: number, end: number): number {
  let classes = 0;
  for (let at = start; at < end; at++) classes |= CLASSES[data[at] as number] as number;
  return classes;
}

function hasPrefix(data: Uint8Array, start: number, end: number): boolean {
  return end - start > 2 && data[start] === ZERO && ((data[start + 1] as number) | 0x20) === 0x78;
}

/** The rows of a format, told apart. */
export interface Checked {
  readonly problems: Uint8Array;
  /** Where the digits begin that the kernels read without failing. */
  readonly starts: Uint32Array;
  readonly bad: number;
  /** Rows that are not digits alone, and their ids, which are below 0 where they are written so. */
  readonly written: ReadonlyMap<number, bigint>;
}

/** What is wrong with each row in a format, and where the digits of the others begin. */
export function checkTexts(cells: Cells, format: TextFormat): Checked {
  const { data, ends } = cells;
  const problems = cells.problems.slice();
  const starts = cells.starts.slice();
  const written = new Map<number, bigint>();
  const digits = CLASS[format];
  const largest = new TextEncoder().encode(formatId(2n ** 64n - 1n, format));
  let bad = 0;
  for (let row = 0; row < starts.length; row++) {
    if (problems[row] !== Problem.none) {
      bad++;
      continue;
    }
    let start = starts[row] as number;
    const end = ends[row] as number;
    if (format === 'hex' && hasPrefix(data, start, end)) start += 2;
    let classes = digits;
    for (let at = start; at < end; at++) classes &= CLASSES[data[at] as number] as number;
    if (classes === 0) {
      const read = format === 'dec' ? readWritten(data, start, end) : Problem.notInFormat;
      if (typeof read === 'bigint') written.set(row, read);
      else {
        problems[row] = read;
        bad++;
      }
      continue;
    }
    starts[row] = start;
    if (end - start < largest.length) continue;
    while (start < end - 1 && data[start] === ZERO) start++;
    if (end - start < largest.length || !isAbove(data, start, end, format, largest)) continue;
    problems[row] = Problem.tooLarge;
    bad++;
  }
  return { problems, starts, bad, written };
}

/** Whether digits are more than the largest id; they have no zeros in front, and are as many at least. */
function isAbove(data: Uint8Array, start: number, end: number, format: TextFormat, largest: Uint8Array): boolean {
  if (end - start > largest.length) return true;
  // One past f is no digit, and what I, L and O stand for (1, 1, 0) is not above F.
  if (format === 'hex') return false;
  if (format === 'crockford32') {
    const first = (data[start] as number) & 0xdf;
    const isDigit = (data[start] as number) <= NINE;
    return !isDigit && first > 0x46 && first !== 0x49 && first !== 0x4c && first !== 0x4f;
  }
  for (let i = 0; i < largest.length; i++) {
    const difference = (data[start + i] as number) - (largest[i] as number);
    if (difference !== 0) return difference > 0;
  }
  return false;
}
