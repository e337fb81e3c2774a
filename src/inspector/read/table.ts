import { IS_GROUPED, idsInText } from '../../tokens/patterns.js';
import { type CellList, NEWLINE, pushTrimmed, QUOTE, TRIMMED, textIn } from './cells.js';
import { BETWEEN, cellStrength, guessColumn, indexOfBest, type ShapeGuess, strength, uniqueNames } from './guess.js';
import { utf8Of } from './open.js';
import { Problem } from './problems.js';

function readIdLines(cells: CellList): void {
  cells.blankLines = forEachLine(cells.data, (start, end, line) => pushTrimmed(cells, start, end, line));
}

/** Visits the lines that are not blank. @returns how many are blank */
export function forEachLine(
  data: Uint8Array,
  onLine: (start: number, end: number, line: number) => void,
  isBlank = hasNothing,
): number {
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

export function readList(cells: CellList): void {
  const { data } = cells;
  forEachLine(data, (from, to, line) => {
    for (let at = from, start = from; at <= to; at++) {
      if (at < to && TRIMMED[data[at]] !== 1) continue;
      if (at > start) cells.push(start, at, line);
      start = at + 1;
    }
  });
}

function hasNothing(data: Uint8Array, start: number, end: number): boolean {
  for (let at = start; at < end; at++) if (data[at] > 0x20) return false;
  return true;
}

/** One column of a table, as RFC 4180 has it: what is in quotes may hold delimiters and newlines. */
function readCsv(cells: CellList, delimiter: string, column: number, header: boolean): void {
  const { data } = cells;
  let isHeader = header;
  for (const { start, end, line, count, starts } of records(data, delimiter)) {
    if (hasNothing(data, start, end)) cells.blankLines++;
    else if (isHeader) isHeader = false;
    else if (column >= count) cells.push(start, end, line, Problem.missing);
    else pushTrimmed(cells, starts[column], starts[column + 1] - 1, line);
  }
}

export const SAMPLE_ROWS = 100;
const MAX_CELL_BYTES = 200;

/** The cells of the first rows as text, at most so many bytes of each. */
export function sampleCsv(data: Uint8Array, delimiter: string): string[][] {
  const sample: string[][] = [];
  for (const record of records(data, delimiter)) {
    const texts = cellsOf(data, delimiter, record, MAX_CELL_BYTES);
    if (texts.some((text) => text.trim() !== '') && sample.push(texts) === SAMPLE_ROWS) break;
  }
  return sample;
}

export function recordTexts(data: Uint8Array, delimiter: string): string[] {
  const [record] = records(data, delimiter);
  return cellsOf(data, delimiter, record);
}

/** The cells of tables that databases print have bars between them, and spaces around them. */
const cellsOf = (data: Uint8Array, delimiter: string, record: CsvRecord, mostBytes = data.length): string[] =>
  Array.from({ length: record.count }, (_, column) => {
    const text = textIn(valueIn(data, record, column).subarray(0, mostBytes));
    return delimiter === '|' ? text.trim() : text;
  });

const SPACE = 0x20;
const RETURN = 0x0d;

/** The end of a line or a cell without the CR of CRLF. */
export const withoutReturn = (data: Uint8Array, start: number, end: number): number =>
  end > start && data[end - 1] === RETURN ? end - 1 : end;

/** What a cell says: without the end of its line, and without the quotes around it. Nothing, if there is no such cell. */
export function valueIn(data: Uint8Array, { count, starts }: CsvRecord, column: number): Uint8Array {
  if (column < 0 || column >= count) return data.subarray(0, 0);
  let from = starts[column];
  let to = withoutReturn(data, from, starts[column + 1] - 1);
  const cell = data.subarray(from, to);
  while (data[from] === SPACE) from++;
  while (data[to - 1] === SPACE) to--;
  if (to - from < 2 || data[from] !== QUOTE || data[to - 1] !== QUOTE) return cell;
  const inside = data.subarray(from + 1, to - 1);
  return inside.includes(QUOTE) ? utf8Of(textIn(inside).replaceAll('""', '"')) : inside;
}

/** A record of CSV, and where its cells begin; each ends a byte before the next. */
interface CsvRecord {
  start: number;
  end: number;
  line: number;
  count: number;
  /** One more than there are cells. */
  readonly starts: number[];
}

/** All records: the same object for each of them, because a million would be work for the collector. */
export function* records(data: Uint8Array, delimiter: string): Generator<Readonly<CsvRecord>> {
  const record = emptyRecord();
  for (let lines = 0; record.end + 1 < data.length; record.line += lines) {
    record.start = record.end + 1;
    lines = readRecord(data, delimiter, record);
    yield record;
  }
}

export const emptyRecord = (): CsvRecord => ({ start: 0, end: -1, line: 1, count: 0, starts: [] });

/**
 * Finds the cells of the record that begins at its start, at most so many. It is not in the generator, where it takes half
 * as long again. @returns how many lines it has
 */
export function readRecord(data: Uint8Array, delimiter: string, record: CsvRecord, most = Infinity): number {
  const { start, starts } = record;
  const between = delimiter.charCodeAt(0);
  let [at, count, lines] = [start, 0, 0];
  starts[0] = at;
  for (let quoted = false; ; at++) {
    const byte = at < data.length ? data[at] : NEWLINE;
    if (byte === QUOTE) quoted = !quoted; // one that is doubled changes it twice
    if (byte === NEWLINE) lines++;
    // A quote that nothing ends would make one row of all the rest: the end of the data ends it.
    const ends = at >= data.length || (byte === NEWLINE && !quoted);
    if (!ends && (quoted || byte !== between)) continue;
    starts[++count] = at + 1;
    if (ends || count === most) break;
  }
  record.end = at;
  record.count = count;
  return lines;
}

export const DELIMITERS = [',', '\t', ';', '|'];
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
export function guessTable(data: Uint8Array, lines: readonly string[]): ShapeGuess {
  const whole = lines.map((line) => [line]);
  const tables = DELIMITERS.filter((delimiter) => isDelimiter(lines, delimiter)).map((delimiter) => {
    const rows = sampleCsv(data, delimiter).map((row) => row.map((text) => text.trim()));
    return tableOf(delimiter, rows);
  });
  const candidates = [tableOf(undefined, whole), ...tables];
  const best = candidates[indexOfBest(candidates.map(({ sum, shape }) => sum + (shape.header ? 0.5 : 0)))];
  return best.sum === 0 ? (tables[0] ?? best) : best;
}

/** @param delimiter undefined: a line is a cell */
function tableOf(delimiter: string | undefined, sample: readonly string[][]): ShapeGuess {
  const [first = [''], ...rest] = sample;
  const isOneOfAlike = sample.length > 2 && areAlike(sample.map((row) => row[0]));
  const mayBeHeader = delimiter !== undefined || (HEADER_OF_ONE.test(first[0]) && !isOneOfAlike);
  const hasIds = first.some((text) => cellStrength(text) > 0 || idsInText(text).length > 0);
  const header = mayBeHeader && !hasIds && rest.some((row) => row.some(cellStrength));
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
  const choices = names.map((name, column) => ({
    name,
    read: (cells: CellList) => readCsv(cells, delimiter ?? '\n', column, header),
  }));
  const mostIds = body.flat().filter((text) => strength(text) === 3).length;
  return { ...common, shape: { kind: 'csv', header, choices, delimiter }, mostIds };
}

/** Whether most lines have it. At their end it does not count: a list of ids may have one per line. */
export const isDelimiter = (lines: readonly string[], delimiter: string): boolean =>
  lines.filter((line) => line.slice(0, -1).includes(delimiter)).length > lines.length / 2;

/** Nothing but ids, several of them in a line. */
export function isList(lines: readonly string[]): boolean {
  const rows = lines.map((line) =>
    IS_GROUPED.test(line) ? [line] : line.split(BETWEEN).filter((part) => part !== ''),
  );
  const parts = rows.flat();
  if (parts.length <= lines.length || !parts.every(strength)) return false;
  // The same number of several in each of several lines is a table of numbers.
  return lines.length === 1 || new Set(rows.map(({ length }) => length)).size > 1;
}
