import type { TextFormat } from '../../index.js';
import { isNamedId } from './name-before.js';
import { wideStrength, wideTextAt } from './wide-kinds.js';

/** Decimals of fewer digits are more often times, sizes and counters: they need a name that says that they are ids. */
const LEAST_DIGITS = 15;
const MOST_DIGITS = 20;
/** Shorter ones with 0x are more often addresses in memory, which have 12. */
const LEAST_HEX = 13;
const MOST_HEX = 16;
/** 1_541_815_603: fewer groups are more often names, such as report_2024_001. */
const LEAST_GROUPS = 4;

const DIGIT = 1;
const LETTER = 2;
const HEX_LETTER = 4;
const BEFORE_SIGN = 8;

const CLASSES = new Uint8Array(256);
for (let byte = 0; byte < 128; byte++) {
  const character = String.fromCharCode(byte);
  if (/\d/.test(character)) CLASSES[byte] = DIGIT;
  else if (/[a-z]/i.test(character)) CLASSES[byte] = LETTER | (/[a-f]/i.test(character) ? HEX_LETTER : 0);
  else if (/[\s"'`([{<=:,;/>|]/.test(character)) CLASSES[byte] = BEFORE_SIGN;
}

const DOT = 0x2e;
const COMMA = 0x2c;
const MINUS = 0x2d;
const UNDERSCORE = 0x5f;
const N = 0x6e;
const X = 0x78;
const SLASH = 0x2f;

const MOST_URL = 200;
const AFTER_SEGMENT = /[\s/?#"'<>).,;]/;

type WordFormat = Exclude<TextFormat, 'dec'>;

/** Numbers of 64 bits; also those of few digits between the slashes of a URL; or wide ids; or words in a format. */
export type Found = 'numbers' | 'segments' | 'wide' | WordFormat;

/**
 * Words that are ids in other formats than decimal, and those that are if a name says so. All the others are more often
 * times, addresses and words: without a digit, in letters of one case in base62, or shorter than most ids.
 */
const WORDS: Record<WordFormat, { readonly alone: RegExp; readonly named: RegExp }> = {
  hex: { alone: /^(?:[\da-f]{16}|(?=.*\d)(?=.*[a-f])[\da-f]{13,15})$/i, named: /^(?=.*\d)[\da-f]{1,16}$/i },
  base62: {
    alone: /^(?=.*\d)(?=.*[a-z])(?=.*[A-Z]).{10,11}$/,
    named: /^(?:(?=.*\d).{1,11}|(?=.*[a-z])(?=.*[A-Z]).{10,11})$/,
  },
  crockford32: {
    alone: /^(?=.*\d)(?=.*[a-z])[\da-f][\da-hjkmnp-tv-z]{12}$/i,
    named: /^(?=.*\d)[\da-hjkmnp-tv-z]{1,13}$/i,
  },
  sortable32: { alone: /^(?=.*\d)(?=.*[a-z])[2-7a-j][2-7a-z]{12}$/, named: /^(?=.*\d)[2-7a-z]{1,13}$/ },
};
const LEAST_ALONE = 10;

const UUID_LENGTH = 36;
/** From the start of a UUID to its first three groups. Its version is a digit, so that one of them has the first digit. */
const GROUPS = [0, 9, 14];

export function isWordFormat(found: Found): found is WordFormat {
  return found in WORDS;
}

/** Finds ids inside a line. What it has found is `data[start..end)`. */
export class IdFinder {
  start = 0;
  end = 0;
  #lineStart = 0;
  #lineEnd = 0;

  readonly #format: WordFormat | undefined;
  /** What a word has that is looked at. */
  readonly #sought: number;

  constructor(
    readonly data: Uint8Array,
    private readonly found: Found,
  ) {
    this.#format = isWordFormat(found) ? found : undefined;
    this.#sought = this.#format === undefined ? DIGIT : DIGIT | LETTER;
  }

  /** Begins with a line. */
  enter(lineStart: number, lineEnd: number): void {
    this.#lineStart = lineStart;
    this.#lineEnd = lineEnd;
    this.end = lineStart;
  }

  /** Goes to the next id of the line; false: there is none. */
  next(): boolean {
    const { data } = this;
    const from = this.end;
    let at = from;
    while (at < this.#lineEnd) {
      if (((CLASSES[data[at] as number] as number) & this.#sought) === 0) {
        at++;
        continue;
      }
      let start = at;
      while (start > this.#lineStart && this.#is(start - 1, DIGIT | LETTER)) start--;
      this.start = start;
      this.end = this.#skip(at, DIGIT | LETTER);
      if (this.#isFound(from)) return true;
      at = this.end;
    }
    this.end = at;
    return false;
  }

  /** Whether the word at `start` is an id; then `start..end` is all of it. */
  #isFound(from: number): boolean {
    if (this.#format !== undefined) return this.#isWord(this.#format);
    return this.found === 'wide' ? this.#isWide(from) : this.#isNumber();
  }

  #isNumber(): boolean {
    const { start, end } = this;
    const digits = this.#skip(start, DIGIT) - start;
    if (digits === 0) return this.#isBareHex();
    if (digits === end - start) return this.#isDecimal(digits);
    if (digits === end - start - 1 && this.data[end - 1] === N) return this.#isWhole(digits);
    return this.#isHex() || this.#isBareHex();
  }

  #isWord(format: WordFormat): boolean {
    const { data, start, end } = this;
    if (format === 'hex' && this.#isHex()) return true;
    if (end - start > MOST_HEX) return false;
    const isNamed = isNamedId(data, this.#lineStart, start);
    if (!isNamed && end - start < LEAST_ALONE) return false; // most words, without making a text of them
    const word = String.fromCharCode(...data.subarray(start, end));
    return WORDS[format].alone.test(word) || (isNamed && WORDS[format].named.test(word));
  }

  #isWide(from: number): boolean {
    const { data, start, end } = this;
    for (const before of GROUPS) {
      const first = start - before;
      const isUuid = data[first + 8] === MINUS && data[first + 13] === MINUS;
      if (first >= from && isUuid && this.#isWideAt(first, first + UUID_LENGTH)) return true;
    }
    return this.#isWideAt(start, end);
  }

  #isWideAt(start: number, end: number): boolean {
    if (end > this.#lineEnd || this.#is(start - 1, DIGIT | LETTER) || this.#is(end, DIGIT | LETTER)) return false;
    const strength = wideStrength(wideTextAt(this.data, start, end));
    if (strength < 2 || (strength < 3 && !isNamedId(this.data, this.#lineStart, start))) return false;
    this.start = start;
    this.end = end;
    return true;
  }

  #isDecimal(digits: number): boolean {
    const { data, start, end } = this;
    const after = data[end];
    if (after === UNDERSCORE && digits <= 3) return this.#isGrouped();
    if ((after === DOT || after === COMMA) && this.#is(end + 1, DIGIT)) {
      if (digits === 1 || (after === DOT && digits > LEAST_DIGITS)) return this.#isRounded(digits);
    }
    // The fraction of a number, or a part of an address or a version.
    if (data[start - 1] === DOT && this.#is(start - 2, DIGIT)) return false;
    return this.#isWhole(digits);
  }

  #isWhole(digits: number): boolean {
    if (digits > MOST_DIGITS) return false;
    const { data, start } = this;
    if (digits < LEAST_DIGITS && !this.#isSegment() && !isNamedId(data, this.#lineStart, start)) return false;
    this.#takeSign();
    return true;
  }

  #isSegment(): boolean {
    const { data, start, end } = this;
    if (this.found !== 'segments' || data[start - 1] !== SLASH) return false;
    if (end < this.#lineEnd && !AFTER_SEGMENT.test(String.fromCharCode(data[end] as number))) return false;
    const before = String.fromCharCode(...data.subarray(Math.max(this.#lineStart, start - MOST_URL), start));
    return /:\/\/\S+$/.test(before);
  }

  #isGrouped(): boolean {
    let end = this.end;
    let groups = 1;
    for (; this.data[end] === UNDERSCORE && this.#skip(end + 1, DIGIT) === end + 4; groups++) end += 4;
    if (this.data[end] === N) end++;
    if (groups < LEAST_GROUPS || this.#is(end, DIGIT | LETTER)) return this.#isWhole(this.end - this.start);
    this.end = end;
    this.#takeSign();
    return true;
  }

  /** 1.37E+18, 1,37E+18 and 1541815603606036500.0: ids whose last digits were lost. */
  #isRounded(digits: number): boolean {
    const { data } = this;
    let end = this.#skip(this.end + 1, DIGIT);
    if (digits === 1) {
      if (((data[end] as number) | 0x20) !== 0x65) return this.#isWhole(digits);
      if (data[++end] === 0x2b) end++;
      const exponent = Number(String.fromCharCode(...data.subarray(end, end + 2)));
      end = this.#skip(end, DIGIT);
      if (!(exponent >= LEAST_DIGITS && exponent < MOST_DIGITS)) return false;
    }
    this.end = end;
    return !this.#is(end, LETTER);
  }

  #isHex(): boolean {
    const { data, start, end } = this;
    if (data[start] !== 0x30 || ((data[start + 1] as number) | 0x20) !== X) return false;
    const digits = this.#skip(start + 2, DIGIT | HEX_LETTER) - start - 2;
    if (digits !== end - start - 2 || digits > MOST_HEX || digits === 0) return false;
    return digits >= LEAST_HEX || isNamedId(data, this.#lineStart, start);
  }

  /** All 16 digits of hexadecimal, where a name says that they are an id. */
  #isBareHex(): boolean {
    const { start, end } = this;
    if (end - start !== MOST_HEX || this.#skip(start, DIGIT | HEX_LETTER) !== end) return false;
    return isNamedId(this.data, this.#lineStart, start);
  }

  #takeSign(): void {
    const { data, start } = this;
    if (start === this.#lineStart || data[start - 1] !== MINUS) return;
    if (start - 1 === this.#lineStart || CLASSES[data[start - 2] as number] === BEFORE_SIGN) this.start--;
  }

  #is(at: number, classes: number): boolean {
    return (
      at >= this.#lineStart && at < this.#lineEnd && ((CLASSES[this.data[at] as number] as number) & classes) !== 0
    );
  }

  /** The first byte from `at` on that is in none of some classes. */
  #skip(at: number, classes: number): number {
    let end = at;
    while (end < this.#lineEnd && ((CLASSES[this.data[end] as number] as number) & classes) !== 0) end++;
    return end;
  }
}
