import { formatId, type TextFormat } from '../../index.js';
import type { Cells } from './cells.js';
import { Problem } from './problems.js';

// What a byte may be a digit of.
const DEC = 1;
const HEX = 2;
const BASE62 = 4;
const CROCKFORD32 = 8;
const SORTABLE32 = 16;

const CLASSES = new Uint8Array(256);
for (let byte = 0; byte < 128; byte++) {
  const character = String.fromCharCode(byte);
  if (/[0-9]/.test(character)) {
    CLASSES[byte] = DEC | HEX | BASE62 | CROCKFORD32 | (/[2-7]/.test(character) ? SORTABLE32 : 0);
  } else if (/[A-Za-z]/.test(character)) {
    const others = (/[a-f]/i.test(character) ? HEX : 0) | (/u/i.test(character) ? 0 : CROCKFORD32);
    CLASSES[byte] = BASE62 | SORTABLE32 | others;
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
const GUESSED: readonly TextFormat[] = ['dec', 'hex', 'crockford32', 'base62', 'sortable32'];

const ZERO = 0x30;
const NINE = 0x39;

/** How many rows could be ids in a format, told by their length, too; those without it are in no format. */
export interface FormatCounts {
  readonly strict: Record<TextFormat, number>;
  readonly loose: Record<TextFormat, number>;
}

/**
 * Looks at all rows. A decimal may have any number of digits; of the others only texts of full width count as
 * strict (16, 13, 11 characters) or such as begin with 0x: short ones could be anything.
 */
export function countFormats({ data, starts, ends, problems }: Cells): FormatCounts {
  const strict = { dec: 0, hex: 0, base62: 0, crockford32: 0, sortable32: 0 };
  const loose = { dec: 0, hex: 0, base62: 0, crockford32: 0, sortable32: 0 };
  for (let row = 0; row < starts.length; row++) {
    if (problems[row] !== Problem.none) continue;
    const start = starts[row] as number;
    const end = ends[row] as number;
    const prefixed = hasPrefix(data, start, end);
    let classes = prefixed ? HEX : DEC | HEX | BASE62 | CROCKFORD32 | SORTABLE32;
    for (let at = prefixed ? start + 2 : start; at < end; at++) classes &= CLASSES[data[at] as number] as number;
    if (classes === 0) continue;
    const length = end - start;
    if (classes & DEC && length <= 20) {
      strict.dec++;
      loose.dec++;
    }
    if (classes & HEX && length <= (prefixed ? 18 : 16)) {
      loose.hex++;
      if (prefixed || length === 16) strict.hex++;
    }
    if (classes & BASE62 && length <= 11) {
      loose.base62++;
      if (length === 11) strict.base62++;
    }
    if (classes & CROCKFORD32 && length <= 13) {
      loose.crockford32++;
      if (length === 13) strict.crockford32++;
    }
    if (classes & SORTABLE32 && length <= 13) {
      loose.sortable32++;
      if (length === 13) strict.sortable32++;
    }
  }
  return { strict, loose };
}

/** The format that most rows are in. */
export function guessFormat(cells: Cells): TextFormat {
  const { strict, loose } = countFormats(cells);
  const most = (counts: Record<TextFormat, number>) =>
    GUESSED.reduce<[TextFormat, number]>(
      (best, format) => (counts[format] > best[1] ? [format, counts[format]] : best),
      ['dec', 0],
    );
  const [format, count] = most(strict);
  return count > 0 ? format : most(loose)[0];
}

function hasPrefix(data: Uint8Array, start: number, end: number): boolean {
  return end - start > 2 && data[start] === ZERO && ((data[start + 1] as number) | 0x20) === 0x78;
}

/**
 * What is wrong with each row in a format; where nothing is, `starts[i]..ends[i]` become the digits alone, which
 * the kernels then read without failing.
 */
export function checkTexts(
  cells: Cells,
  format: TextFormat,
): { problems: Uint8Array; starts: Uint32Array; bad: number } {
  const { data, ends } = cells;
  const problems = cells.problems.slice();
  const starts = cells.starts.slice();
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
      problems[row] = Problem.notInFormat;
      bad++;
      continue;
    }
    starts[row] = start;
    if (end - start < largest.length) continue;
    while (start < end - 1 && data[start] === ZERO) start++;
    if (end - start < largest.length || !isAbove(data, start, end, format, largest)) continue;
    problems[row] = Problem.tooLarge;
    bad++;
  }
  return { problems, starts, bad };
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
