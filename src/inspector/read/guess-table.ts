import { sampleCsv } from './read-csv.js';
import { BETWEEN, indexOfBest, isIdLike, nameBonus, strength, sumOfStrengths } from './strength.js';
import { uniqueNames } from './unique-names.js';

const DELIMITERS = [',', '\t', ';', '|'];
const HEADER_OF_ONE = /^["']?[A-Za-z_][\w .-]*["']?$/;

/** The sample as a table. */
export interface TableGuess {
  /** undefined: a line is a cell. */
  readonly delimiter: string | undefined;
  readonly header: boolean;
  readonly columns: readonly string[];
  readonly guessed: number;
  /** How much the guessed column looks like ids, as a sum of {@link strength}, and how many of its cells do. */
  readonly sum: number;
  readonly good: number;
  /** How many cells of any column surely are ids. */
  readonly ids: number;
}

/**
 * The delimiter with which a column looks most like ids: 1,5;175928847299117063 has a decimal comma, and 1,37E+18 is
 * one cell. Without ids it is the first that most lines have.
 */
export function guessTable(data: Uint8Array, lines: readonly string[], mostRows: number): TableGuess {
  const whole = tableOf(
    undefined,
    lines.map((line) => [line]),
  );
  const delimiters = DELIMITERS.filter((delimiter) => isDelimiter(lines, delimiter));
  const tables = delimiters.map((delimiter) => tableOf(delimiter, sampleCsv(data, delimiter.charCodeAt(0), mostRows)));
  const candidates = [whole, ...tables];
  const best = candidates[indexOfBest(candidates.map(({ sum }) => sum))] as TableGuess;
  return best.sum === 0 ? (tables[0] ?? whole) : best;
}

function tableOf(delimiter: string | undefined, sample: readonly string[][]): TableGuess {
  const [first = [''], ...rest] = sample;
  const mayBeHeader = delimiter !== undefined || HEADER_OF_ONE.test(first[0] as string);
  const header = mayBeHeader && !first.some(hasId) && rest.some((row) => row.some(isIdLike));
  const width = Math.max(...sample.map((row) => row.length), 1);
  const named = header && delimiter === undefined ? first.map((name) => name.replace(/["']/g, '')) : first;
  const columns = uniqueNames(Array.from({ length: width }, (_, i) => (header && named[i]) || `column ${i + 1}`));
  const body = header ? rest : sample;
  const cells = columns.map((_, i) => body.map((row) => row[i] ?? ''));
  const guessed = guessColumn(columns, cells);
  const texts = cells[guessed] as string[];
  return {
    delimiter,
    header,
    columns,
    guessed,
    sum: sumOfStrengths(texts),
    good: texts.filter(isIdLike).length,
    ids: body.flat().filter((text) => strength(text) === 3).length,
  };
}

/** Names have no ids, and none inside them. */
function hasId(text: string): boolean {
  return isIdLike(text) || /\d{15}/.test(text);
}

function guessColumn(names: readonly string[], cells: readonly (readonly string[])[]): number {
  const scores = cells.map((texts, i) => {
    const mean = sumOfStrengths(texts) / Math.max(1, texts.length);
    return mean === 0 ? 0 : mean + nameBonus(names[i] as string);
  });
  return indexOfBest(scores);
}

/** In most lines, unless it is only at the end of them, as in a list of ids one per line. */
function isDelimiter(lines: readonly string[], delimiter: string): boolean {
  return lines.filter((line) => line.slice(0, -1).includes(delimiter)).length > lines.length / 2;
}

/** Nothing but ids, several of them in a line. */
export function isList(lines: readonly string[]): boolean {
  const rows = lines.map((line) => line.split(BETWEEN).filter((part) => part !== ''));
  const parts = rows.flat();
  if (parts.length <= lines.length || !parts.every((part) => strength(part) > 0)) return false;
  // The same number of several in each of several lines is a table of numbers.
  return lines.length === 1 || new Set(rows.map(({ length }) => length)).size > 1;
}
