import type { ReadText } from '../read/shape.js';
import { uniqueNames } from '../read/unique-names.js';
import { sourceCellsOf } from './source-cells.js';
import { rowTexts, type Table } from './table.js';
import { UTC } from './zones.js';

const ROWS_A_PIECE = 10_000;

/** An export, and how many pieces of text it has. */
export interface CsvPieces {
  readonly count: number;
  readonly pieces: Generator<string>;
}

/**
 * Rows in CSV (RFC 4180): the columns that the source has, then those of the table as it is shown, but with dates in UTC. The
 * last column says why a row is bad.
 */
export function exportCsv(table: Table, source: readonly ReadText[], rows: Uint32Array): CsvPieces {
  return { count: 1 + Math.ceil(rows.length / ROWS_A_PIECE), pieces: csvPieces({ ...table, zone: UTC }, source, rows) };
}

function* csvPieces(table: Table, source: readonly ReadText[], rows: Uint32Array): Generator<string> {
  const beside = sourceCellsOf(source);
  const decoded = table.columns.map(({ key }) => (key === 'routed' ? 'routed_to' : key));
  yield `${uniqueNames([...beside.names, ...decoded, 'problem'])
    .map(quoted)
    .join(',')}\r\n`;
  for (let from = 0; from < rows.length; from += ROWS_A_PIECE) {
    const lines = rowTexts(table, rows.subarray(from, from + ROWS_A_PIECE)).map(({ row, cells, problem }) => {
      // Names of files, and ids that are none, may be any text.
      const texts = cells.map((text, i) => (i < 2 ? quoted(text) : text));
      return `${[...beside.of(row).map(quoted), ...texts, quoted(problem)].join(',')}\r\n`;
    });
    yield lines.join('');
  }
}

const NUMBER = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i;

/**
 * A text as a cell. Spreadsheets run a cell that begins with one of = + - @, a tab or a line break as a formula: an
 * apostrophe in front makes it text. Numbers stay as they are.
 */
function quoted(text: string): string {
  const safe = /^[=+\-@\t\r\n]/.test(text) && !NUMBER.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
