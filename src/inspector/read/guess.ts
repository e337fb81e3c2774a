import { IS_GROUPED, idInCell, STRENGTHS, withoutUrn } from '../../tokens/patterns.js';
import { type CellList, SURROUNDING } from './cells.js';

/** A step from a JSON value to one in it: by its key, as the bytes between its quotes; by its index; or each of an array. */
export type JsonStep = Uint8Array | number | 'each';

/** Where values of JSON are: `data.items[].id`, as a name and as steps. */
export type JsonPath = { readonly name: string; readonly steps: readonly JsonStep[] };

export interface Shape {
  /** An id a line, ids between spaces or commas, a table, JSON, or text with ids in it. */
  readonly kind: 'lines' | 'list' | 'csv' | 'json' | 'text';
  readonly header?: boolean;
  /** What can be read: columns of a table, or some of the ids in a line. */
  readonly choices: readonly {
    readonly name: string;
    /** Whether these are ids inside lines, which are no column of the source. */
    readonly isInside?: boolean;
    readonly read: (cells: CellList) => void;
  }[];
  /** Set for a table whose rows have several cells. */
  readonly delimiter?: string | undefined;
  /** Set for JSON: where the first of the choices are. */
  readonly paths?: readonly JsonPath[];
}

export type GuessedShape = { readonly shape: Shape; readonly column: number };

export interface ShapeGuess extends GuessedShape {
  /** The strengths of the texts in the guessed column, and how many texts have any. */
  readonly sum: number;
  readonly good: number;
  /** How many ids inside lines are rather those than what is guessed. */
  readonly mostIds: number;
  /** Whether it gives way to text that looks more like ids. */
  readonly isDoubtful: boolean;
}

/** The names with a number added to those that came before: the second `id` is `id_2`. */
export function uniqueNames(names: readonly string[]): string[] {
  const seen = new Set<string>();
  return names.map((name) => {
    let unique = name;
    for (let times = 2; seen.has(unique); times++) unique = `${name}_${times}`;
    seen.add(unique);
    return unique;
  });
}

const AROUND = new RegExp(`^${SURROUNDING}+|(?<!${SURROUNDING})${SURROUNDING}+$`, 'g');
export const BETWEEN = new RegExp(`${SURROUNDING}+`);

/** Most ids that end so were rounded by a program. Another column may have them exactly. */
const LOST_DIGITS = /^[1-9]\d{13,15}[1-9]0{2,4}$/;

/** How much a text looks like an id, 0 to 3. */
export function strength(text: string): number {
  const inside = text.replace(AROUND, '');
  const bare = IS_GROUPED.test(inside) ? inside.replace(/\D/g, '') : withoutUrn(inside);
  return LOST_DIGITS.test(bare) ? 2 : STRENGTHS.findLastIndex((pattern) => pattern.test(bare)) + 1;
}

/** How much a cell looks like an id, or like a link or a name that has one. */
export const cellStrength = (text: string): number => strength(text) || (idInCell(text.replace(AROUND, '')) ? 2 : 0);

/** The column that looks most like ids, by its texts and its name. Of those that look alike it has the most texts. */
export function guessColumn(
  names: readonly string[],
  columns: readonly (readonly string[])[],
  rows: readonly number[],
  strengthOf = cellStrength,
): { readonly column: number; readonly sum: number; readonly good: number } {
  const sums = columns.map((texts) => texts.reduce((sum, text) => sum + strengthOf(text), 0));
  const scores = sums.map((sum, i) => {
    const { length } = columns[i];
    const mean = sum / Math.max(rows[i], length);
    return sum && mean + nameBonus(names[i]) + Math.log2(length) / 10;
  });
  const column = indexOfBest(scores);
  return { column, sum: sums[column], good: columns[column].filter(strengthOf).length };
}

/** What the name of a column adds to the {@link strength} of its texts. */
export function nameBonus(path: string): number {
  const name = path.slice(path.lastIndexOf('.') + 1);
  const depth = path.split('.').length - 1;
  if (/^_?id$/i.test(name)) return 1 - depth * 0.1;
  if (/snowflake|^(rkey|tid)$/i.test(name)) return 0.9;
  return /([_-]id|Id|ID|^id[_A-Z].*)$/.test(name) ? 0.5 - depth * 0.1 : 0;
}

export const indexOfBest = (scores: readonly number[]): number => Math.max(0, scores.indexOf(Math.max(...scores)));
