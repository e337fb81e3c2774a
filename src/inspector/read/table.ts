import { type CellList, pushTrimmed } from './cells.js';
import { isBlank, readIdLines } from './lines.js';
import { Problem } from './problems.js';
import type { Guess } from './shape.js';
import { BETWEEN, guessColumn, indexOfBest, isIdLike, strength, uniqueNames } from './strength.js';

const NEWLINE = 0x0a;
const QUOTE = 0x22;

/**
 * One column of a table, as RFC 4180 has it: what is in quotes may hold delimiters and newlines.
 * @param column from 0
 * @param skip rows at the start that are a header
 * @returns how many lines were blank, which are not rows
 */
export function readCsv(cells: CellList, delimiter: number, column: number, skip: number): number {
  const { data } = cells;
  let blank = 0;
  let left = skip;
  for (const record of records(data, delimiter, column)) {
    if (isBlank(data, record.start, record.end)) blank++;
    else if (left > 0) left--;
    else if (record.cellStart < 0) cells.push(record.start, record.end, record.line, Problem.missing);
    else pushTrimmed(cells, record.cellStart, record.cellEnd, record.line);
  }
  return blank;
}

/** The cells of the first rows as text. */
export function sampleCsv(data: Uint8Array, delimiter: number, rows: number): string[][] {
  const decoder = new TextDecoder();
  const sample: string[][] = [];
  let row: string[] = [];
  const add = (start: number, end: number) => {
    const text = decoder.decode(data.subarray(start, Math.min(end, start + 200))).trim();
    row.push(/^".*"$/s.test(text) ? text.slice(1, -1).replaceAll('""', '"') : text);
  };
  for (const _ of records(data, delimiter, 0, add)) {
    if (row.some((text) => text !== '')) sample.push(row);
    row = [];
    if (sample.length === rows) break;
  }
  return sample;
}

interface CsvRecord {
  start: number;
  end: number;
  line: number;
  /** -1: the record has no such column. */
  cellStart: number;
  cellEnd: number;
}

/** The same object for each record: a million of them would be work for the collector. */
function* records(
  data: Uint8Array,
  delimiter: number,
  column: number,
  onCell?: (start: number, end: number) => void,
): Generator<CsvRecord> {
  const record = { start: 0, end: 0, line: 1, cellStart: -1, cellEnd: -1 };
  let line = 1;
  let at = 0;
  while (at < data.length) {
    record.start = at;
    record.line = line;
    record.cellStart = -1;
    let cell = 0;
    let cellStart = at;
    let quoted = false;
    for (; ; at++) {
      const byte = at < data.length ? data[at] : NEWLINE;
      if (byte === QUOTE) quoted = !quoted; // one that is doubled changes it twice
      if (byte === NEWLINE) line++;
      // A quote that nothing ends would make one row of all the rest: the end of the data ends it.
      const ends = at >= data.length || (byte === NEWLINE && !quoted);
      if (!ends && (quoted || byte !== delimiter)) continue;
      if (cell === column) {
        record.cellStart = cellStart;
        record.cellEnd = at;
      }
      onCell?.(cellStart, at);
      cell++;
      cellStart = at + 1;
      if (ends) break;
    }
    record.end = Math.min(at, data.length);
    at++;
    yield record;
  }
}

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
  const best = candidates[indexOfBest(candidates.map(({ sum }) => sum))];
  return best.sum === 0 ? (tables[0] ?? whole) : best;
}

/** @param delimiter undefined: a line is a cell */
function tableOf(delimiter: string | undefined, sample: readonly string[][]): Guess {
  const [first = [''], ...rest] = sample;
  const mayBeHeader = delimiter !== undefined || HEADER_OF_ONE.test(first[0]);
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
