import { SURROUNDING } from './cells.js';
import { STRENGTHS } from './patterns.js';
import { withoutUrn } from './problems.js';

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

const AROUND = new RegExp(`^${SURROUNDING}+|${SURROUNDING}+$`, 'g');
export const BETWEEN = new RegExp(`${SURROUNDING}+`);

/** How much a text looks like an id, 0 to 3. */
export function strength(text: string): number {
  const bare = withoutUrn(text.replace(AROUND, ''));
  return STRENGTHS.findLastIndex((pattern) => pattern.test(bare)) + 1;
}

export function isIdLike(text: string): boolean {
  return strength(text) > 0;
}

/** The column that looks most like ids, by its texts and its name. Of those that look alike it has the most texts. */
export function guessColumn(
  names: readonly string[],
  columns: readonly (readonly string[])[],
  rows: readonly number[],
): { readonly column: number; readonly sum: number; readonly good: number } {
  const sums = columns.map((texts) => texts.reduce((sum, text) => sum + strength(text), 0));
  const column = indexOfBest(
    sums.map((sum, i) => {
      const { length } = columns[i];
      const mean = sum / Math.max(rows[i], length);
      return sum && mean + nameBonus(names[i]) + Math.log2(length) / 10;
    }),
  );
  return { column, sum: sums[column] ?? 0, good: (columns[column] ?? []).filter(isIdLike).length };
}

/** What the name of a column adds to the {@link strength} of its texts. */
export function nameBonus(path: string): number {
  const name = path.slice(path.lastIndexOf('.') + 1);
  const depth = path.split('.').length - 1;
  if (/^_?id$/i.test(name)) return 1 - depth * 0.1;
  if (/snowflake/i.test(name)) return 0.9;
  return /([_-]id|Id|ID|^id[_A-Z].*)$/.test(name) ? 0.5 - depth * 0.1 : 0;
}

/** Where the largest of some scores is, the first of equal ones. */
export function indexOfBest(scores: readonly number[]): number {
  return Math.max(0, scores.indexOf(Math.max(...scores)));
}
