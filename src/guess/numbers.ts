import { formatId, parseId } from '../ids/text.js';
import type { TextFormat } from '../kernels/types.js';

// What numbers may be that are not ids of a known service. Without these kinds, the guess would take them for ids. As for
// services, each kind gives the probability that one of all 64-bit numbers is this one.

/** What a number can be besides an id of a service. */
export interface NumberKind {
  /** What people call it, after "perhaps". */
  readonly what: string;
  /** How often people meet such a number where they have an id, as the log2 of a share. */
  readonly prior: number;
  /** The log2 of the probability of a number. @param now in Unix milliseconds */
  readonly likelihood: (id: bigint, now: number) => number;
  /** What all numbers of a column have in common: how many times as likely it makes each, and how many columns have it, as log2. */
  readonly common?: (ids: BigUint64Array) => readonly [each: number, share: number];
  /** The instant that a number stands for, in Unix milliseconds. */
  readonly ms?: (id: bigint) => number;
  /** Matches words around numbers that point to this kind. */
  readonly clue?: RegExp;
}

/** Values from one to another are equally likely. */
function between(from: bigint, to: bigint): NumberKind['likelihood'] {
  const each = -Math.log2(Number(to - from));
  return (id) => (id >= from && id < to ? each : NEVER);
}

/** It is 2^-1000, which outweighs every clue. */
const NEVER = -1000;

/** Numbers of every length are as frequent as others, up to so many digits. */
function upToDigits(digits: number): NumberKind['likelihood'] {
  const [limit, scale] = [10n ** BigInt(digits), Math.log2(digits * Math.LN10)];
  return (id) => (id < limit ? -Math.log2(Math.max(1, Number(id))) - scale : NEVER);
}

// 1 January of these years, in Unix seconds.
const YEAR_1 = -62_135_596_800n;
const YEAR_1601 = -11_644_473_600n;

/** Half of the times that people have are not older than this. */
const HALF_MS = 2 * 365.25 * 86_400_000;

/** How many units the ticks of a clock have, and the share of the clocks with such ticks; the longest first. */
type Ticks = readonly (readonly [tick: bigint, share: number])[];

/** What a clock counts: units of which a second has so many, since an instant in Unix seconds. */
interface ClockUnit extends Pick<NumberKind, 'what' | 'clue'>, Partial<Pick<NumberKind, 'prior'>> {
  readonly aSecond: bigint;
  readonly epoch?: bigint;
  readonly ticks?: Ticks;
}

/** The log2 of the probability of each second, or other unit, of the times that people have. @param age in milliseconds */
const recent = (age: number, aSecond = 1): number =>
  Math.log2((Math.LN2 / 2 / HALF_MS / aSecond) * 1000) - Math.abs(age) / HALF_MS;

/** A time from 2001 to 2034. */
function time({ aSecond, epoch = 0n, prior = 0, ticks = [[1n, 1]], ...rest }: ClockUnit): NumberKind {
  const [from, to] = [1_000_000_000n, 2_050_000_000n].map((seconds) => (seconds - epoch) * aSecond);
  const ms = (id: bigint) => Number((id * 1000n) / aSecond + epoch * 1000n);
  return {
    ...rest,
    prior,
    ms,
    likelihood: (id, now) => (id >= from && id < to ? recent(now - ms(id), Number(aSecond)) : NEVER),
    common: (ids) => {
      const [tick, share] = ticks.find(([units]) => ids.every((id) => id % units === 0n)) ?? [1n, 1];
      return [Math.log2(Number(tick)), Math.log2(share)];
    },
  };
}

const NANOSECONDS: Ticks = [
  [1_000_000_000n, 0.2],
  [1_000_000n, 0.2],
  [1000n, 0.45],
  [1n, 0.15],
];

/** The ticks of Windows: days, seconds, milliseconds, and a tenth of a microsecond. */
const HUNDREDS: Ticks = [
  [864_000_000_000n, 0.1],
  [10_000_000n, 0.1],
  [10_000n, 0.2],
  [1n, 0.6],
];

/** A day, or a second with up to six more digits: parts of the second, or a counter. */
const DIGITS = /^((?:19|20)\d\d)([01]\d)([0-3]\d)(?:([0-2]\d)([0-5]\d)([0-5]\d)(\d{0,6}))?$/;
/** The same with two digits for the year, a second, and up to seven more digits. */
const SHORT_DIGITS = /^([1-3]\d)([01]\d)([0-3]\d)([0-2]\d)([0-5]\d)([0-5]\d)(\d{0,7})$/;

/** Dates such as 20240309, 20240309153000, 20240309153000123 or 240309153000. */
function writtenIn(id: bigint) {
  const digits = String(id);
  for (const [pattern, century] of [
    [DIGITS, ''],
    [SHORT_DIGITS, '20'],
  ] as const) {
    const [, year, month, day, hour, minute = '00', second = '00', more = ''] = pattern.exec(digits) ?? [];
    const text = `${century}${year}-${month}-${day}T${hour ?? '00'}:${minute}:${second}.${more.padEnd(3, '0').slice(0, 3)}Z`;
    const ms = Date.parse(text);
    // The 31st of February is another day.
    if (!Number.isNaN(ms) && new Date(ms).toISOString() === text) return { ms, isDay: hour === undefined, more };
  }
  return undefined;
}

/** Of long numbers, 2^34 have ten equal digits one after the other, or seven that count up or down. */
const MADE_UP = /^(?=\d{17}).*?(?:(\d)\1{9}|1234567|2345678|9876543|8765432)/;

const WRITTEN_YEARS = 200;
/** Days, seconds, and seconds with more digits, of which there are three. */
const WRITTEN_KINDS = 3;

function likelihoodWritten(id: bigint, now: number): number {
  const written = writtenIn(id);
  if (!written) return NEVER;
  const { ms, isDay, more } = written;
  const day = -Math.log2(WRITTEN_KINDS * WRITTEN_YEARS * 366);
  if (isDay) return day;
  const second = Math.max(day - Math.log2(86_400), recent(now - ms) - Math.log2(WRITTEN_KINDS));
  return second - more.length * Math.log2(10);
}

// Above 22 bits that count up, a Weibo post has the seconds since 3 May 1986. Posts since August 2009 have such ids.
const WEIBO_EPOCH = 515_483_463n;
const weiboId = (seconds: bigint) => (seconds - WEIBO_EPOCH) << 22n;

// The beginnings of numbers whose last digit is a check digit, each range with as many digits as its ends have.

/** Of issuers of cards. Source: ISO/IEC 7812, and the issuers' own pages. */
const CARDS_OF_16: Prefixes = [
  [4, 4], // Visa
  [51, 55], // Mastercard
  [2221, 2720],
  [6011, 6011], // Discover
  [644, 649],
  [65, 65],
  [3528, 3589], // JCB
  [62, 62], // UnionPay
];
/** American Express. */
const CARDS_OF_15: Prefixes = [
  [34, 34],
  [37, 37],
];

/** Of member organisations of GS1, and of ISSN and ISBN. Those below 300 are for other uses, or begin with 0. */
const GS1: Prefixes = [
  [300, 380],
  [400, 440],
  [450, 499],
  [500, 509],
  [520, 521],
  [539, 549],
  [560, 579],
  [590, 609],
  [640, 649],
  [690, 709],
  [729, 769],
  [773, 790],
  [800, 849],
  [858, 919],
  [930, 958],
  [977, 979],
];

type Prefixes = readonly (readonly [from: number, to: number])[];

/** The log2 of the probability of a number with so many digits, a prefix and a right check digit. */
function checked(length: number, prefixes: Prefixes, weights: (fromRight: number, digit: number) => number) {
  const shares = prefixes.map(([from, to]) => (to - from + 1) / 10 ** String(to).length);
  const each = -Math.log2(shares.reduce((sum, share) => sum + share) * 10 ** (length - 1));
  return (id: bigint): number => {
    const digits = String(id);
    if (digits.length !== length) return NEVER;
    const fits = ([from, to]: Prefixes[number]) => {
      const start = Number(digits.slice(0, String(to).length));
      return start >= from && start <= to;
    };
    const sum = [...digits].reduce((all, digit, at) => all + weights(length - 1 - at, Number(digit)), 0);
    return prefixes.some(fits) && sum % 10 === 0 ? each : NEVER;
  };
}

/** The Luhn algorithm: every second digit is doubled, and counts with the sum of its digits. */
const luhn = (fromRight: number, digit: number) =>
  fromRight % 2 === 0 ? digit : digit < 5 ? 2 * digit : 2 * digit - 9;

const cardOf16 = checked(16, CARDS_OF_16, luhn);
const cardOf15 = checked(15, CARDS_OF_15, luhn);

/** Names of what may look like an id and is none: `sha1`, `api_key`, `size_bytes`. */
export const OTHER =
  /^[\w.-]{0,40}(?:trace|span|hash|etag|checksum|digest|nonce|fingerprint|crc|md5|sha-?\d|whsec|secret|passw|token|api_?key|signature|salt|seed|\biv$|\bjid|size|bytes|imei|sscc|\bcard)[\w.-]*$/i;

/** What any number may be. */
export const HASH: NumberKind = { what: 'a hash or a random number', prior: -2, likelihood: () => -63.5, clue: OTHER };

export const NUMBER_KINDS: readonly NumberKind[] = [
  { what: 'a number that counts up', prior: 0, likelihood: upToDigits(16) },
  HASH,
  // Counters of 12 bits that restart each millisecond, as Twitter's, with a time and machines that tell nothing: those of
  // Minds, Tumblr, Zhihu and of most libraries for such ids. Most counters are 0.
  {
    what: 'an id made as those of Twitter, by another service',
    prior: -3,
    likelihood: (id) => -51 - Math.log2(Number(((id & 0xfffn) + 1n) * ((id & 0xfffn) + 2n))),
  },
  time({ what: 'a time in Unix seconds', aSecond: 1n }),
  time({ what: 'a time in Unix milliseconds', aSecond: 1000n }),
  time({ what: 'a time in Unix microseconds', aSecond: 1_000_000n }),
  // The name of a column, or the first name in a text: others may be beside ids.
  time({
    what: 'a time in Unix nanoseconds',
    aSecond: 1_000_000_000n,
    ticks: NANOSECONDS,
    clue: /^[\s[{"']*[\w.-]*(?:[\w.-]_ns|nano(?:second)?s?)["']?\s*(?:[:=]\s*["']?\d{19}\b|$)/i,
  }),
  time({ what: 'ticks of .NET', aSecond: 10_000_000n, epoch: YEAR_1, prior: -3, ticks: HUNDREDS }),
  time({ what: 'a file time of Windows', aSecond: 10_000_000n, epoch: YEAR_1601, prior: -3, ticks: HUNDREDS }),
  time({ what: 'a time of Chromium', aSecond: 1_000_000n, epoch: YEAR_1601, prior: -3 }),
  { what: 'a round or made-up number', prior: -4, likelihood: (id) => (MADE_UP.test(String(id)) ? -34 : NEVER) },
  { what: 'a date in digits', prior: -1, likelihood: likelihoodWritten, ms: (id) => writtenIn(id)?.ms ?? Number.NaN },
  { what: 'a card number', prior: -3, likelihood: (id) => Math.max(cardOf16(id), cardOf15(id)) },
  {
    what: 'an EAN or ISBN',
    prior: -3,
    likelihood: checked(13, GS1, (fromRight, digit) => (fromRight % 2 === 0 ? digit : 3 * digit)),
  },
  {
    what: 'a Weibo post',
    prior: -1,
    likelihood: between(weiboId(1_249_000_000n), weiboId(1_830_000_000n)),
    ms: (id) => Number((id >> 22n) + WEIBO_EPOCH) * 1000,
    clue: /weibo/i,
  },
  {
    what: 'a tweet from before November 2010, when ids had no time',
    prior: -4,
    likelihood: between(1n, 29_700_000_000n),
    clue: /tweet|twitter|\bx\.com\b/i,
  },
  // Ids of Meta begin alike: those of accounts, of posts and of stories.
  { what: 'an account of Facebook', prior: -1, likelihood: between(10n ** 14n, 10n ** 14n + 10n ** 11n) },
  { what: 'a post on Facebook', prior: -2, likelihood: between(10_150n * 10n ** 12n, 10_250n * 10n ** 12n) },
  {
    what: 'an object of Instagram or Facebook',
    prior: -2,
    likelihood: between(17_840n * 10n ** 12n, 18_200n * 10n ** 12n),
    clue: /instagram|highlight|graph\.facebook/i,
  },
  { what: 'a Steam account', prior: -2, likelihood: between(76_561_197_960_265_728n, 76_561_202_255_233_024n) },
];

// The edges of the types that programs have for integers.

const LARGEST: readonly (readonly [bits: bigint, of: string])[] = [
  [31n, 'signed integer of 32 bits'],
  [32n, 'unsigned integer of 32 bits'],
  [53n, 'safe integer of JavaScript'],
  [63n, 'signed integer of 64 bits'],
];

const NAMED: ReadonlyMap<bigint, string> = new Map([
  [0n, '0'],
  ...LARGEST.flatMap(([bits, of]): [bigint, string][] => [
    [2n ** bits - 1n, `2^${bits} - 1, the largest ${of}`],
    [2n ** bits, `2^${bits}, one more than the largest ${of}`],
  ]),
  [2n ** 53n + 1n, '2^53 + 1, the smallest positive integer that JavaScript rounds'],
  [2n ** 63n + 1n, '2^63 + 1, two more than the largest signed integer of 64 bits'],
  [2n ** 64n - 1n, '2^64 - 1, the largest unsigned integer of 64 bits, and -1 as a signed one'],
  [-(2n ** 63n), '-2^63, the smallest signed integer of 64 bits'],
]);

/** What a number is that many programs have as a limit; undefined for others. @param id signed or unsigned */
export const namedNumber = (id: bigint): string | undefined => NAMED.get(id);

// How ids and other numbers are written.

const FORMATS: readonly TextFormat[] = ['hex', 'base62', 'crockford32', 'sortable32'];

/** Hexadecimal that nobody takes for another format, and such as a program prints it without the zeros in front. */
const HEX = { marked: /^0x[0-9a-f]{1,16}$/i, short: /^[0-9a-f]{12,15}$/i };

/**
 * The format, other than decimal, in which all of some texts are ids; undefined if there is none. They have its full width,
 * except in hexadecimal.
 */
export function textFormatOf(texts: readonly string[]): TextFormat | undefined {
  if (!/[0-9]/.test(texts.join(''))) return undefined; // words
  if (texts.every((text) => HEX.marked.test(text))) return 'hex';
  const fitting = FORMATS.filter((format) => texts.every((text) => isFullWidth(format, text)));
  // 13 characters may be an id in both kinds of base 32. They are written in different cases.
  return (
    fitting.find((format) => texts.every((text) => formatId(parseId(text, format), format) === text)) ??
    fitting[0] ??
    (texts.every((text) => HEX.short.test(text) || isFullWidth('hex', text)) ? 'hex' : undefined)
  );
}

function isFullWidth(format: TextFormat, text: string): boolean {
  if (text.length !== formatId(0n, format).length) return false;
  try {
    parseId(text, format);
    return true;
  } catch {
    return false;
  }
}
