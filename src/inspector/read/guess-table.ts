import type { CellList } from './cells.js';
import { readCsv, sampleCsv } from './read-csv.js';
import { readIdLines } from './read-lines.js';
import type { Guess } from './shape.js';
import { BETWEEN, guessColumn, indexOfBest, isIdLike, strength } from './strength.js';
import { uniqueNames } from './unique-names.js';

const DELIMITERS = [',', '\t', ';', '|'];
const HEADER_OF_ONE = /^["']?[A-Za-z_][\w .-]*["']?$/;

/**
 * The delimiter with which a column looks most like ids: 1,5;175928847299117063 has a decimal comma, and 1,37E+18 is
 * one cell. Without ids it is the first that most lines have.
 */
export function guessTable(data: Uint8Array, lines: readonly string[], mostRows: number): Guess {
  const delimiters = DELIMITERS.filter((delimiter) => isDelimiter(lines, delimiter));
  const whole = tableOf(
    undefined,
    lines.map((line) => [line]),
  );
  const tables = delimiters.map((delimiter) => tableOf(delimiter, sampleCsv(data, delimiter.charCodeAt(0), mostRows)));
  const candidates = [whole, ...tables];
  const best = candidates[indexOfBest(candidates.map(({ sum }) => sum))] as Guess;
  return best.sum === 0 ? (tables[0] ?? whole) : best;
}

/** @param delimiter undefined: a line is a cell */
function tableOf(delimiter: string | undefined, sample: readonly string[][]): Guess {
  const [first = [''], ...rest] = sample;
  const mayBeHeader = delimiter !== undefined || HEADER_OF_ONE.test(first[0] as string);
  const header = mayBeHeader && !first.some(hasId) && rest.some((row) => row.some(isIdLike));
  const width = Math.max(...sample.map((row) => row.length), 1);
  const named = header && delimiter === undefined ? first.map((name) => name.replace(/["']/g, '')) : first;
  const names = uniqueNames(Array.from({ length: width }, (_, i) => (header && named[i]) || `column ${i + 1}`));
  const body = header ? rest : sample;
  const guess = guessColumn(
    names,
    names.map((_, i) => body.map((row) => row[i] ?? '')),
    names.map(() => body.length),
  );
  const common = { ...guess, isDoubtful: !header };
  if (delimiter === undefined && !header) {
    return {
      ...common,
      shape: { kind: 'lines', choices: [{ name: 'whole lines', read: readIdLines }] },
      mostIds: Infinity,
    };
  }
  const code = (delimiter ?? '\n').charCodeAt(0);
  const choices = names.map((name, column) => ({
    name,
    read: (cells: CellList) => readCsv(cells, code, column, header ? 1 : 0),
  }));
  const mostIds = body.flat().filter((text) => strength(text) === 3).length;
  return { ...common, shape: { kind: 'csv', header, choices, delimiter }, mostIds };
}

/** Names have no ids, and none inside them. */
function hasId(text: string): boolean {
  return isIdLike(text) || /\d{15}/.test(text);
}

/** In most lines, unless it is only at the end of them, as in a list of ids one per line. */
function isDelimiter(lines: readonly string[], delimiter: string): boolean {
  return lines.filter((line) => line.slice(0, -1).includes(delimiter)).length > lines.length / 2;
}

/** Nothing but ids, several of them in a line. */
export function isList(lines: readonly string[]): boolean {
  const rows = lines.map((line) => line.split(BETWEEN).filter((part) => part !== ''));
  const parts = rows.flat();
  if (parts.length <= lines.length || !parts.every(isIdLike)) return false;
  // The same number of several in each of several lines is a table of numbers.
  return lines.length === 1 || new Set(rows.map(({ length }) => length)).size > 1;
}
