import { rowTexts, type Table } from './table.js';

const ROWS_A_PIECE = 10_000;

/** The rows as the table has them, in CSV (RFC 4180), a piece at a time. The last column says why a row is bad. */
export function* csvPieces(table: Table, rows: Uint32Array): Generator<string> {
  const names = table.columns.map(({ key }) => (key === 'routed' ? 'routed_to' : key));
  yield `${[...names, 'problem'].map(quoted).join(',')}\r\n`;
  for (let from = 0; from < rows.length; from += ROWS_A_PIECE) {
    const lines = rowTexts(table, rows.subarray(from, from + ROWS_A_PIECE)).map(({ cells, problem }) =>
      problem === '' ? `${cells.join(',')},\r\n` : `${[...cells, problem].map(quoted).join(',')}\r\n`,
    );
    yield lines.join('');
  }
}

function quoted(text: string): string {
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
