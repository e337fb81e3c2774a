import { expectedOf, isWideKind, type ReadFormat } from './wide-kinds.js';

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
