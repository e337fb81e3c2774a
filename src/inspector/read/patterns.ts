import type { TextFormat } from '../../index.js';

// How ids are written, for all who look for them: inside lines, in cells, and in whole columns.

/** Numbers of 64 bits; also those of few digits between the slashes of a URL; or wide ids; or words in a format. */
export type Found = 'numbers' | 'segments' | 'wide' | Exclude<TextFormat, 'dec'>;

const HEX = '[\\da-fA-F]';
const CROCKFORD32 = '[\\da-hjkmnp-tv-zA-HJKMNP-TV-Z]';
const HAS_DIGIT = '(?=[a-zA-Z]*\\d)';
const HAS_BOTH_CASES = '(?=[\\dA-Z]*[a-z])(?=[\\da-z]*[A-Z])';
/** Neither a word nor a number. */
const IS_MIXED = `${HAS_DIGIT}(?=\\d*[a-zA-Z])`;

/** 1.37E+18, 1,37E+18 and 1541815603606036500.0: ids whose last digits were lost. */
const ROUNDED = '-?(?:\\d[.,]\\d+[eE]\\+?1[5-9]|\\d{16,}[.,]0+)';
/** 1_541_815_603: fewer groups are more often names, such as report_2024_001. */
const GROUPED = '\\d{1,3}(?:_\\d{3}){3,}n?';
/** Ids of a few months and more. Fewer digits are more often times, sizes and counters. */
const LONG = '\\d{15,20}n?';
/** What follows is not the fraction of a number, or a part of a version. */
const IS_WHOLE = '(?<!\\d\\.)';
const SIGN = '(?:(?<=^|[\\s"\'`([{<=:,;/>|])-)?';
/** Shorter ones with 0x are more often addresses in memory, which have 12. */
const LONG_HEX = `0x${HEX}{13,16}`;
const NUMBERS = `${SIGN}(?:${ROUNDED}|${IS_WHOLE}(?:${LONG}|${GROUPED}))|${LONG_HEX}`;
const NAMED_NUMBERS = `${SIGN}${IS_WHOLE}\\d{1,20}n?|0x${HEX}{1,16}|${HEX}{16}`;

/** Of versions 1, 6 and 7, which have a time. */
const UUID = `${HEX}{8}-${HEX}{4}-[167]${HEX}{3}-[89abAB]${HEX}{3}-${HEX}{12}`;
const PLAIN_UUID = `${HEX}{12}[167]${HEX}{3}[89abAB]${HEX}{15}`;
const OBJECT_ID = `${IS_MIXED}${HEX}{24}`;
const OTHER_WIDE = `${IS_MIXED}(?:[0-7]${CROCKFORD32}{25}|[^\\W_]{27}|[\\da-v]{19}[0g])`;

const BASE62 = `${HAS_DIGIT}${HAS_BOTH_CASES}[^\\W_]{10,11}`;

/**
 * Words that are ids, and those that are if a name says so. All the others are more often times, addresses and words:
 * without a digit, in letters of one case in base62, or shorter than most ids.
 */
const WORDS: Record<Found, readonly [alone: string, named: string]> = {
  numbers: [NUMBERS, NAMED_NUMBERS],
  segments: [`${NUMBERS}|(?<=://\\S*/)\\d+(?![^\\s/?#"'<>).,;])`, NAMED_NUMBERS],
  wide: [`${UUID}|${OBJECT_ID}`, `${PLAIN_UUID}|${OTHER_WIDE}`],
  hex: [`${LONG_HEX}|${HEX}{16}|${IS_MIXED}${HEX}{13,15}`, `0x${HEX}{1,16}|${HAS_DIGIT}${HEX}{1,16}`],
  base62: [BASE62, `${HAS_DIGIT}[^\\W_]{1,11}|${HAS_BOTH_CASES}[^\\W_]{10,11}`],
  crockford32: [`${IS_MIXED}${HEX}${CROCKFORD32}{12}`, `${HAS_DIGIT}${CROCKFORD32}{1,13}`],
  sortable32: [`${IS_MIXED}[2-7a-j][2-7a-z]{12}`, `${HAS_DIGIT}[2-7a-z]{1,13}`],
};

/** Between a name and its value: `user_id=`, `"user_id": "`, `user <@`, `status/`, `msg_`. */
const BETWEEN = '[ \\t"\'`\\\\<@!#&([{=:>/_-]';
/** After `id=`, `"userId": `. */
const IS_NAMED = `(?<=(?:(?<![^\\W_])ids?|I[dD]s?|[Ss]nowflake)${BETWEEN}{0,7}[=:]${BETWEEN}{0,7})`;

/** Finds ids inside lines. */
export function patternOf(found: Found): RegExp {
  const [alone, named] = WORDS[found];
  return new RegExp(`(?<![^\\W_])(?:${alone}|${IS_NAMED}(?:${named}))(?![^\\W_])`, 'gm');
}

const NAME = new RegExp(`(?=[\\d.-]*[a-zA-Z_])(\\w[\\w.-]*?)(${BETWEEN}{1,8})$`);
const MOST_NAME = 72;

/** The name at the end of what comes before an id in its line; and whether `=` or `:` follows it. */
export function nameIn(before: string): { readonly name: string; readonly isAssigned: boolean } {
  const [, name = '', between = ''] = NAME.exec(before.slice(-MOST_NAME)) ?? [];
  return { name, isAssigned: /[=:]/.test(between) };
}
