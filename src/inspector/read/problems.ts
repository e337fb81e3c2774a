import { namesIn } from '../../arguments.js';
import { detailsOf } from '../../errors.js';
import type { Layout, TextFormat } from '../../index.js';
import { timesOf, type WideIdKind } from '../../wide-ids/index.js';

/** What 64 bits are read as: a format of the library, or 11 characters of base64 as in links of Instagram. */
export type BitsFormat = TextFormat | 'shortcode';

/** What ids are read as: the text of 64 bits, or a kind of wider ids. */
export type ReadFormat = BitsFormat | WideIdKind;

const WIDE_NAMES: Record<WideIdKind, string> = {
  uuid: 'UUID',
  ulid: 'ULID',
  objectid: 'MongoDB ObjectId',
  ksuid: 'KSUID',
  xid: 'xid',
};

export const WIDE_ID_KINDS = namesIn(WIDE_NAMES);

export const isWideKind = (format: ReadFormat): format is WideIdKind => format in WIDE_NAMES;

/**
 * Why a row is not an id, or not one of the layout: a number, so that a column of them is small. From `aboveLayout`
 * on the row is an id.
 */
export const Problem = {
  none: 0,
  empty: 1,
  missing: 2,
  notInFormat: 3,
  tooLarge: 4,
  notScalar: 5,
  brokenJson: 6,
  precisionLost: 7,
  notFound: 8,
  aboveLayout: 9,
  belowMin: 10,
  otherVariant: 11,
  undated: 12,
  /** The version of the UUID is added. */
  timeless: 16,
} as const;
export type Problem = (typeof Problem)[keyof typeof Problem];

export const FORMAT_NAMES: Record<ReadFormat, string> = {
  dec: 'decimal',
  hex: 'hexadecimal',
  shortcode: 'Instagram shortcode',
  base62: 'base62',
  crockford32: "Crockford's base 32",
  sortable32: 'AT Protocol (TID)',
  ...WIDE_NAMES,
};

/** Shorter names, for where there is little room. */
export const SHORT_NAMES = { ...FORMAT_NAMES, crockford32: 'crockford32' };

/** Whether a row is an id. It may be one that the layout rejects, or that has no time. */
export function isId(problem: number): boolean {
  return problem === Problem.none || problem >= Problem.aboveLayout;
}

/** Those that are the same in every format and layout. */
const REASONS = new Map<number, string>([
  [Problem.empty, 'not an id: the cell is empty'],
  [Problem.missing, 'not an id: the row does not have this column'],
  [Problem.tooLarge, 'does not fit in 64 bits'],
  [Problem.notScalar, 'neither a number nor a string'],
  [Problem.brokenJson, 'not valid JSON from here on'],
  [Problem.precisionLost, 'a rounded number: its last digits were lost before it came here'],
  [Problem.notFound, 'no id found in this line'],
  [Problem.undated, 'has no date in it'],
  [Problem.otherVariant, 'UUID of another variant than that of RFC 9562: it has no time in it'],
]);

export function reasonOf(problem: number, format: ReadFormat, { bits, places }: Layout): string {
  if (problem === Problem.notInFormat) return isWideKind(format) ? `not ${expectedOf(format)}` : 'no id found';
  if (problem === Problem.aboveLayout) return `has more bits than the ${bits} of the layout`;
  if (problem === Problem.belowMin) {
    const least = places.filter(({ min }) => min > 0).map(({ name, min }) => `${name} starts at ${min}`);
    return `is below what the layout allows: ${least.join(', ')}`;
  }
  return REASONS.get(problem) ?? `UUID of version ${problem - Problem.timeless}: it has no time in it`;
}

/** What a text of a kind must be, in the words of the library. */
function expectedOf(kind: WideIdKind): string {
  try {
    timesOf([''], kind);
    return kind;
  } catch (error) {
    return detailsOf(error).expected ?? kind;
  }
}
