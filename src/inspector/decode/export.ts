import { CellList, type Cells, NEWLINE } from '../read/cells.js';
import { type JsonPath, uniqueNames } from '../read/guess.js';
import { EACH, readJson, textAt } from '../read/json.js';
import type { ReadText } from '../read/shape.js';
import { recordTexts } from '../read/table.js';
import { UTC } from './dates.js';
import { type DecodedTable, rowTexts } from './table.js';

/** The columns of all texts; a row has those of its own. */
export function sourceCellsOf(texts: readonly ReadText[]) {
  let rows = 0;
  const parts = texts.map((text) => {
    const firstRow = rows;
    rows += text.cells.starts.length;
    return { ...sourceCells(text), firstRow };
  });
  const names = [...new Set(parts.flatMap((part) => part.names))];
  return {
    names,
    /** A text for each name; '' where the row has none. */
    of: (row: number) => {
      const part = parts.findLast(({ firstRow }) => firstRow <= row) ?? parts[0];
      const cells = part.of(row - part.firstRow);
      return names.map((name) => cells[part.names.indexOf(name)] ?? '');
    },
  };
}

/**
 * The columns of a table or of JSON; none if the ids are all there is. Of each row only its place is kept: texts are
 * read when they are asked for.
 */
function sourceCells({ cells, shape, column }: ReadText): ReturnType<typeof jsonCells> {
  const { delimiter, paths = [], choices } = shape;
  if (delimiter !== undefined) {
    const names = choices.filter(({ isInside }) => !isInside).map(({ name }) => name);
    const starts = lineStarts(cells);
    const recordOf = (row: number) => cells.data.subarray(starts[row], starts[row + 1]);
    return { names, of: (row) => recordTexts(recordOf(row), delimiter) };
  }
  const path = paths[column];
  return path === undefined || paths.length < 2 ? { names: [], of: () => [] } : jsonCells(cells, paths, path);
}

function lineStarts({ data, lines }: Cells): Uint32Array {
  const starts = new Uint32Array(lines.length);
  let at = 0;
  let line = 1;
  for (let row = 0; row < lines.length; row++) {
    for (; line < lines[row]; line++) at = data.indexOf(NEWLINE, at) + 1;
    starts[row] = at;
  }
  return starts;
}

/** The values beside the ids: those of the same element of an array, or of the same value of a line. */
function jsonCells({ data, starts }: Cells, paths: readonly JsonPath[], chosen: JsonPath) {
  const depth = chosen.steps.lastIndexOf(EACH) + 1;
  const row = chosen.steps.slice(0, depth);
  const beside = paths.filter(({ name, steps }) => {
    const isInRow = steps.length > depth && steps.slice(0, depth).join('/') === row.join('/');
    return isInRow && name !== '' && steps.lastIndexOf(EACH) < depth;
  });
  // The path ends before the values, so that all of each row is found.
  const list = new CellList(data, starts.length);
  readJson(list, row);
  const rows = list.finish();
  let at = 0;
  const rowStarts = starts.map((start) => {
    while (rows.starts[at + 1] <= start) at++;
    return start < rows.ends[at] ? rows.starts[at] : start; // a text among objects has no values
  });
  const end = chosen.name.lastIndexOf('[]');
  return {
    // `data.items[].user.name` is `user.name` of an item.
    names: beside.map(({ name }) => (end < 0 ? name : name.slice(end + 2).replace(/^\./, ''))),
    of: (index: number) => beside.map(({ steps }) => textAt(data, rowStarts[index], steps.slice(depth))),
  };
}

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
export function exportRows(
  table: DecodedTable,
  source: readonly ReadText[],
  rows: Uint32Array,
  format: ExportFormat,
): Pieces {
  const beside = sourceCellsOf(source);
  const { columns } = table;
  const names = uniqueNames([...beside.names, ...columns.map(({ key }) => key), 'problem']);
  const first = beside.names.length;
  const textsOf = (some: Uint32Array) =>
    rowTexts({ ...table, zone: UTC }, some).map(({ row, cells, problem }) => [...beside.of(row), ...cells, problem]);
  if (format === 'json') {
    const keys = names.map((name) => JSON.stringify(name));
    const areNumbers = columns.map(({ kind }) => kind !== 'id' && kind !== 'date' && kind !== 'service');
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

function forExcel(text: string): string {
  return LONG_NUMBER.test(text) ? `"=""${text}"""` : quoted(text);
}

const NUMBER = /^[+-]?(\d+(\.\d*)?|\.\d+)(e[+-]?\d+)?$/i;

/**
 * A text as a cell. Spreadsheets run a cell that begins with one of = + - @, a tab or a line break as a formula: an
 * apostrophe in front makes it text. Numbers stay as they are.
 */
export function quoted(text: string): string {
  const safe = /^[=+\-@\t\r\n]/.test(text) && !NUMBER.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
