import { uniqueNames } from '../read/guess.js';
import { UTC } from './dates.js';
import { type DecodedTable, rowTexts } from './table.js';

const ROWS_A_PIECE = 10_000;

export type Pieces = ReturnType<typeof inPieces>;

/** A start, and the rows. @param textOf the text of some rows, which may be the last */
export function inPieces(
  type: string,
  start: string,
  rows: Uint32Array,
  textOf: (rows: Uint32Array, areLast: boolean) => string,
) {
  function* pieces() {
    yield start;
    for (let from = 0; from < rows.length; from += ROWS_A_PIECE) {
      const to = from + ROWS_A_PIECE;
      yield textOf(rows.subarray(from, to), to >= rows.length);
    }
  }
  return { pieces: pieces(), count: 1 + Math.ceil(rows.length / ROWS_A_PIECE), type };
}

export const EXPORTS = [
  ['csv', 'CSV'],
  ['excel', 'CSV for Excel'],
  ['json', 'JSON'],
] as const;

export type ExportFormat = (typeof EXPORTS)[number][0];

export const CSV_TYPE = 'text/csv';

/**
 * Rows in CSV (RFC 4180) or in JSON, in pieces of text: the columns that the source has, then those of the table as it is
 * shown, but with dates in UTC. The last column says why a row is unreadable. For Excel, which rounds numbers to 15
 * digits, long numbers are formulas of text. JSON is an array with an object for each row: ids and the columns of the
 * source are strings, and a property that a row does not have is left out.
 */
export function exportRows(table: DecodedTable, rows: Uint32Array, format: ExportFormat): Pieces {
  const { beside } = table;
  const columns = table.columns.filter(({ kind }) => kind !== 'source');
  const names = uniqueNames([...beside.names, ...columns.map(({ key }) => key), 'problem']);
  const first = beside.names.length;
  const textsOf = (some: Uint32Array) =>
    rowTexts({ ...table, columns, zone: UTC }, some).map(({ row, cells, problem }) => [
      ...beside.of(row),
      ...cells,
      problem,
    ]);
  if (format === 'json') {
    const keys = names.map((name) => JSON.stringify(name));
    const areNumbers = columns.map(({ kind }) => kind === 'line' || kind === 'field');
    const jsonOf = (text: string, i: number) =>
      areNumbers[i - first] && String(Number(text)) === text ? text : JSON.stringify(text);
    const objectOf = (texts: readonly string[]) =>
      `{${texts.flatMap((text, i) => (text === '' ? [] : `${keys[i]}:${jsonOf(text, i)}`)).join(',')}}`;
    return inPieces('application/json', rows.length === 0 ? '[]\n' : '[\n', rows, (some, areLast) => {
      return `${textsOf(some).map(objectOf).join(',\n')}${areLast ? '\n]\n' : ',\n'}`;
    });
  }
  const cell = format === 'excel' ? forExcel : quoted;
  // Names of files, and text that is not an id, may be any text; the columns after them are numbers and dates.
  const cellOf = (text: string, i: number) =>
    i < first + 2 ? cell(text) : i === names.length - 1 ? quoted(text) : text;
  const lineOf = (texts: readonly string[]) => `${texts.map(cellOf).join(',')}\r\n`;
  const start = `${format === 'excel' ? BYTE_ORDER_MARK : ''}${names.map(quoted).join(',')}\r\n`;
  return inPieces(CSV_TYPE, start, rows, (some) => textsOf(some).map(lineOf).join(''));
}

/** Without it, Excel takes UTF-8 for another encoding. */
const BYTE_ORDER_MARK = '\ufeff';

/** Texts of this length that have a digit may be numbers, or look like some: `12345678901234e5`. */
const LONG_NUMBER = /^(?=.*\d)[\w-]{11,}$/;

const forExcel = (text: string): string => (LONG_NUMBER.test(text) ? `"=""${text}"""` : quoted(text));

const NUMBER = /^[+-]?(\d+(\.\d*)?|\.\d+)(e[+-]?\d+)?$/i;

/**
 * A text as a cell. Spreadsheets run a cell that begins with one of = + - @, a tab or a line break as a formula: an
 * apostrophe in front makes it text. Numbers stay as they are.
 */
export function quoted(text: string): string {
  const safe = /^[=+\-@\t\r\n]/.test(text) && !NUMBER.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
