import { type CellList, isTrimmed, NEWLINE, pushTrimmed, QUOTE, textIn } from './cells.js';
import {
  BETWEEN,
  cellStrength,
  type Guess,
  guessColumn,
  indexOfBest,
  isIdLike,
  strength,
  uniqueNames,
} from './guess.js';
import { IS_GROUPED } from './patterns.js';
import { Problem } from './problems.js';

/**
 * An id a line.
 * @returns how many lines were blank, which are not rows
 */
function readIdLines(cells: CellList): number {
  return forEachLine(cells.data, (start, end, line) => pushTrimmed(cells, start, end, line));
}

/**
 * Visits the lines that are not blank.
 * @returns how many lines were blank, which are not rows
 */
export function forEachLine(data: Uint8Array, onLine: (start: number, end: number, line: number) => void): number {
  let blank = 0;
  let line = 1;
  for (let start = 0; start < data.length; line++) {
    const newline = data.indexOf(NEWLINE, start);
    const end = newline < 0 ? data.length : newline;
    if (isBlank(data, start, end)) blank++;
    else onLine(start, end, line);
    start = end + 1;
  }
  return blank;
}

/** Ids between spaces, commas or newlines. */
export function readList(cells: CellList): number {
  const { data } = cells;
  forEachLine(data, (from, to, line) => {
    for (let at = from, start = from; at <= to; at++) {
      if (at < to && !isTrimmed(data[at])) continue;
      if (at > start) cells.push(start, at, line);
      start = at + 1;
    }
  });
  return 0;
}

function isBlank(data: Uint8Array, start: number, end: number): boolean {
  for (let at = start; at < end; at++) if (data[at] > 0x20) return false;
  return true;
}

/**
 * One column of a table, as RFC 4180 has it: what is in quotes may hold delimiters and newlines.
 * @param column from 0
 * @param skip rows at the start that are a header
 * @returns how many lines were blank, which are not rows
 */
function readCsv(cells: CellList, delimiter: number, column: number, skip: number): number {
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

const SAMPLE_BYTES = 200;
/** The cells of tables that databases print have spaces around them. */
const BAR = 0x7c;

/** The cells of the first rows as text. */
function sampleCsv(data: Uint8Array, delimiter: number, rows: number): string[][] {
  const sample: string[][] = [];
  for (let at = 0; at < data.length && sample.length < rows; ) {
    const { texts, end } = firstRecord(data.subarray(at), delimiter, SAMPLE_BYTES);
    const row = texts.map((text) => text.trim());
    if (row.some((text) => text !== '')) sample.push(row);
    at += end + 1;
  }
  return sample;
}

/**
 * The cells of the first record, as text, and where it ends.
 * @param mostBytes of a cell
 */
export function firstRecord(data: Uint8Array, delimiter: number, mostBytes = data.length) {
  const texts: string[] = [];
  const onCell = (from: number, to: number) => {
    const text = textIn(data, from, Math.min(to, from + mostBytes));
    const [, quoted] = /^\s*"(.*)"\s*$/s.exec(text) ?? [];
    texts.push(quoted?.replaceAll('""', '"') ?? text.replace(delimiter === BAR ? /^ +|(?<!\s)\s+$/g : /\r$/, ''));
  };
  const [{ end }] = records(data, delimiter, 0, onCell);
  return { texts, end };
}

/**
 * The places of all records, and of their cells in a column: `cellStart` is -1 if the record has no such column. They are
 * the same object for each record, because a million of them would be work for the collector.
 */
export function* records(
  data: Uint8Array,
  delimiter: number,
  column: number,
  onCell?: (start: number, end: number) => void,
) {
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
/** Whether texts are codes of the same length, and not a name above them: that has words of lower-case letters. */
function areAlike(texts: readonly string[]): boolean {
  const { length } = texts[0];
  return /\d|[a-z][A-Z]/.test(texts[0]) && texts.every((text) => text.length === length && /^[\w-]+$/.test(text));
}

const HEADER_OF_ONE = /^["']?[A-Za-z_][\w .-]*["']?$/;

/**
 * The delimiter with which a column looks most like ids: 1,5;175928847299117063 has a decimal comma, and 1,37E+18 is
 * one cell. Without ids it is the first that most lines have.
 */
export function guessTable(data: Uint8Array, lines: readonly string[], mostRows: number): Guess {
  const delimiters = DELIMITERS.filter((delimiter) => isDelimiter(lines, delimiter));
  const rows = lines.map((line) => [line]);
  const whole = tableOf(undefined, rows);
  const tables = delimiters.map((delimiter) => tableOf(delimiter, sampleCsv(data, delimiter.charCodeAt(0), mostRows)));
  const candidates = [whole, ...tables];
  const best = candidates[indexOfBest(candidates.map(({ sum, shape }) => sum + (shape.header ? 0.5 : 0)))];
  return best.sum === 0 ? (tables[0] ?? whole) : best;
}

/** @param delimiter undefined: a line is a cell */
function tableOf(delimiter: string | undefined, sample: readonly string[][]): Guess {
  const [first = [''], ...rest] = sample;
  const isOneOfAlike = sample.length > 2 && areAlike(sample.map((row) => row[0]));
  const mayBeHeader = delimiter !== undefined || (HEADER_OF_ONE.test(first[0]) && !isOneOfAlike);
  const header = mayBeHeader && !first.some(hasId) && rest.some((row) => row.some(cellStrength));
  const width = Math.max(...sample.map((row) => row.length), 1);
  const named = header && delimiter === undefined ? first.map((name) => name.replace(/["']/g, '')) : first;
  const names = uniqueNames(Array.from({ length: width }, (_, i) => (header && named[i]) || `column ${i + 1}`));
  const body = header ? rest : sample;
  const texts = names.map((_, i) => body.map((row) => row[i] ?? ''));
  const rows = names.map(() => body.length);
  const areLines = delimiter === undefined && !header;
  // Of links that are not in a table, any of the ids may be chosen.
  const common = { ...guessColumn(names, texts, rows, areLines ? strength : cellStrength), isDoubtful: !header };
  if (areLines) {
    const choices = [{ name: 'whole lines', read: readIdLines }];
    return { ...common, shape: { kind: 'lines', choices }, mostIds: Infinity };
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
  return cellStrength(text) > 0 || /\d{15}/.test(text);
}

/** Whether most lines have it. At their end it does not count: a list of ids may have one per line. */
export function isDelimiter(lines: readonly string[], delimiter: string): boolean {
  return lines.filter((line) => line.slice(0, -1).includes(delimiter)).length > lines.length / 2;
}

/** Nothing but ids, several of them in a line. */
export function isList(lines: readonly string[]): boolean {
  const rows = lines.map((line) =>
    IS_GROUPED.test(line) ? [line] : line.split(BETWEEN).filter((part) => part !== ''),
  );
  const parts = rows.flat();
  if (parts.length <= lines.length || !parts.every(isIdLike)) return false;
  // The same number of several in each of several lines is a table of numbers.
  return lines.length === 1 || new Set(rows.map(({ length }) => length)).size > 1;
}
