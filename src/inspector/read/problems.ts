import type { TextFormat } from '../../index.js';

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
} as const;
export type Problem = (typeof Problem)[keyof typeof Problem];

export const FORMAT_NAMES: Record<TextFormat, string> = {
  dec: 'decimal',
  hex: 'hexadecimal',
  base62: 'base62',
  crockford32: "Crockford's base 32",
  sortable32: 'sortable base 32',
};

/** Where there is little room. */
export const SHORT_NAMES: Record<TextFormat, string> = {
  ...FORMAT_NAMES,
  crockford32: 'crockford32',
  sortable32: 'sortable32',
};

/** What reasons name. */
export interface ProblemContext {
  readonly format: TextFormat;
  readonly layoutBits: number;
  readonly minima: string;
}

export function reasonOf(problem: number, { format, layoutBits, minima }: ProblemContext): string {
  switch (problem) {
    case Problem.empty:
      return 'no id: nothing is there';
    case Problem.missing:
      return 'no id: the row has no such column';
    case Problem.notInFormat:
      return `not a number in ${FORMAT_NAMES[format]}`;
    case Problem.tooLarge:
      return 'does not fit in 64 bits';
    case Problem.notScalar:
      return 'neither a number nor a string';
    case Problem.brokenJson:
      return 'not JSON from here on';
    case Problem.precisionLost:
      return 'precision lost before it got here: a rounded number, not an id';
    case Problem.notFound:
      return 'no id found in this line';
    case Problem.aboveLayout:
      return `has bits above the ${layoutBits} of the layout`;
    case Problem.belowMin:
      return `below what the layout allows: ${minima}`;
    default:
      return '';
  }
}
