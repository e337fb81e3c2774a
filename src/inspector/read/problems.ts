import type { ArgumentProblem, TextFormat } from '../../index.js';
import { timesOf, type WideIdKind } from '../../wide-ids/index.js';

// UUIDs and other ids of more than 64 bits, as texts. All that is read of them is their time.

export const WIDE_KINDS = ['uuid', 'ulid', 'objectid', 'ksuid', 'xid'] as const satisfies readonly WideIdKind[];

/** What ids are read as: the text of 64 bits, or a kind of wider ids. */
export type ReadFormat = TextFormat | WideIdKind;

export function isWideKind(format: ReadFormat): format is WideIdKind {
  return WIDE_KINDS.some((kind) => kind === format);
}

/** From an xid to a UUID with `urn:uuid:` in front. */
const LEAST_LENGTH = 20;
const MAX_LENGTH = 45;

const DECODER = new TextDecoder(); // an eighth of the time that String.fromCharCode takes of so few bytes

/** The text of `data[start..end)`, or '' if it is too short or too long for a wide id. */
export function wideTextAt(data: Uint8Array, start: number, end: number): string {
  const length = end - start;
  return length < LEAST_LENGTH || length > MAX_LENGTH ? '' : DECODER.decode(data.subarray(start, end));
}

/** Without what RFC 9562 has in front of a UUID that is a URN. */
export function withoutUrn(text: string): string {
  return text.replace(/^urn:uuid:/i, '');
}

/** The version of a UUID; NaN: it is of another variant than that of RFC 9562. */
export function versionOf(uuid: string): number {
  const hyphens = uuid.length > 32 ? 1 : 0;
  const variant = Number.parseInt(uuid.charAt(16 + 3 * hyphens), 16);
  return variant >> 2 === 2 ? Number.parseInt(uuid.charAt(12 + 2 * hyphens), 16) : Number.NaN;
}

export function hasTime(version: number): boolean {
  return version === 1 || version === 6 || version === 7;
}

/** What a text of a kind must be, in the words of the library. */
export function expectedOf(kind: WideIdKind): string {
  try {
    timesOf([''], kind);
    return kind;
  } catch (error) {
    return (error as ArgumentProblem).expected;
  }
}

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
  /** And the version of the UUID. */
  timeless: 16,
} as const;
export type Problem = (typeof Problem)[keyof typeof Problem];

export const FORMAT_NAMES: Record<ReadFormat, string> = {
  dec: 'decimal',
  hex: 'hexadecimal',
  base62: 'base62',
  crockford32: "Crockford's base 32",
  sortable32: 'sortable base 32',
  uuid: 'UUID',
  ulid: 'ULID',
  objectid: 'MongoDB ObjectId',
  ksuid: 'KSUID',
  xid: 'xid',
};

/** Where there is little room. */
export const SHORT_NAMES: Record<ReadFormat, string> = {
  ...FORMAT_NAMES,
  crockford32: 'crockford32',
  sortable32: 'sortable32',
};

/** Whether a row is an id, also one that the layout rejects or that has no time. */
export function isId(problem: number): boolean {
  return problem === Problem.none || problem >= Problem.aboveLayout;
}

/** What reasons name. */
export interface ProblemContext {
  readonly format: ReadFormat;
  readonly layoutBits: number;
  readonly minima: string;
}

export function reasonOf(problem: number, { format, layoutBits, minima }: ProblemContext): string {
  switch (problem) {
    case Problem.empty:
      return 'not an id: the cell is empty';
    case Problem.missing:
      return 'not an id: the row does not have this column';
    case Problem.notInFormat:
      return `not ${isWideKind(format) ? expectedOf(format) : `a number in ${FORMAT_NAMES[format]}`}`;
    case Problem.tooLarge:
      return 'does not fit in 64 bits';
    case Problem.notScalar:
      return 'neither a number nor a string';
    case Problem.brokenJson:
      return 'not valid JSON from here on';
    case Problem.precisionLost:
      return 'a rounded number: its last digits were lost before it came here';
    case Problem.notFound:
      return 'no id found in this line';
    case Problem.aboveLayout:
      return `has more bits than the ${layoutBits} of the layout`;
    case Problem.belowMin:
      return `is below what the layout allows: ${minima}`;
    case Problem.otherVariant:
      return 'UUID of another variant than that of RFC 9562: it has no time in it';
    default:
      return problem < Problem.timeless ? '' : `UUID of version ${problem - Problem.timeless}: it has no time in it`;
  }
}
