import { detailsOf } from '../../errors.js';
import type { Layout } from '../../index.js';
import { isWideKind, type ReadFormat } from '../../tokens/formats.js';
import { timesOf, type WideIdKind } from '../../wide-ids/index.js';

/**
 * Why a row is not an id, or not one of the layout: a number, so that a column of them is small. From `aboveLayout`
 * on the row is an id.
 */
export enum Problem {
  none = 0,
  empty = 1,
  missing = 2,
  notInFormat = 3,
  tooLarge = 4,
  notScalar = 5,
  brokenJson = 6,
  precisionLost = 7,
  notFound = 8,
  negative = 9,
  aboveLayout = 10,
  belowMin = 11,
  otherVariant = 12,
  undated = 13,
  nil = 14,
  max = 15,
  unknown = 16,
  /** The version of the UUID is added. */
  timeless = 17,
}

/** Whether a row is an id. It may be one that the layout rejects, or that has no time. */
export const isId = (problem: number): boolean => problem === Problem.none || problem >= Problem.aboveLayout;

/** Those that are the same in every format and layout. */
const REASONS = new Map<number, string>([
  [Problem.empty, 'not an id: the cell is empty'],
  [Problem.missing, 'not an id: the row does not have this column'],
  [Problem.tooLarge, 'does not fit in 64 bits'],
  [Problem.notScalar, 'neither a number nor a string'],
  [Problem.brokenJson, 'not valid JSON from here on'],
  [Problem.precisionLost, 'a rounded number'],
  [Problem.notFound, 'no id found in this line'],
  [Problem.negative, 'a negative number, not the bits of an id'],
  [Problem.undated, 'has no date in it'],
  [Problem.unknown, 'it is not known when it was made'],
  [Problem.nil, 'the nil UUID: all of its bits are 0, and it stands for none'],
  [Problem.max, 'the max UUID: all of its bits are 1'],
  [Problem.timeless + 8, 'UUID of version 8: only its maker knows what is in it'],
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
