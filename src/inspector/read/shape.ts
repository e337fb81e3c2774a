import { CellList, type Cells } from './cells.js';
import { readCsv, sampleCsv } from './read-csv.js';
import { type JsonRows, jsonRows, readJson, sampleJson } from './read-json.js';
import { readIdLines, readList } from './read-lines.js';

/** What was given: an id a line, ids parted by spaces or commas, a table, or JSON. */
export type Shape =
  | { readonly kind: 'lines' }
  | { readonly kind: 'list' }
  | { readonly kind: 'csv'; readonly delimiter: string; readonly header: boolean; readonly columns: readonly string[] }
  | { readonly kind: 'json'; readonly rows: JsonRows; readonly columns: readonly string[] };

const SAMPLE_ROWS = 100;
const SAMPLE_BYTES = 64 * 1024;
const DELIMITERS = [',', '\t', ';', '|'];

/** What the text is, and which of its columns most likely has the ids. */
export function guessShape(data: Uint8Array): { shape: Shape; column: number } {
  const json = jsonRows(data);
  if (json !== undefined) return guessJson(data, json);
  const lines = firstLines(data);
  const delimiter = DELIMITERS.find((candidate) => isDelimiter(lines, candidate));
  if (delimiter !== undefined && !isList(lines)) {
    const sample = sampleCsv(data, delimiter.charCodeAt(0), SAMPLE_ROWS);
    const [first = []] = sample;
    const width = Math.max(...sample.map((row) => row.length));
    const header = !first.some(isIdLike) && sample.slice(1).some((row) => row.some(isIdLike));
    const columns = Array.from({ length: width }, (_, i) => (header && first[i]) || `column ${i + 1}`);
    const body = header ? sample.slice(1) : sample;
    return {
      shape: { kind: 'csv', delimiter, header, columns },
      column: guessColumn(
        columns,
        columns.map((_, i) => body.map((row) => row[i] ?? '')),
      ),
    };
  }
  const isHeader = lines.length > 1 && !isIdLike(lines[0] as string) && lines.slice(1).some(isIdLike);
  if (isHeader && /^["']?[A-Za-z_][\w .-]*["']?$/.test(lines[0] as string)) {
    const name = (lines[0] as string).replace(/["']/g, '');
    return { shape: { kind: 'csv', delimiter: ',', header: true, columns: [name] }, column: 0 };
  }
  return { shape: { kind: isList(lines) ? 'list' : 'lines' }, column: 0 };
}

/** The cells of a column; of a shape without columns all there is. */
export function readShape(data: Uint8Array, shape: Shape, column: number): { cells: Cells; blankLines: number } {
  // Nine bytes a line is less than most have; more capacity costs nothing until it is touched.
  const cells = new CellList(data, Math.max(16, Math.ceil(data.length / 9)));
  let blankLines = 0;
  if (shape.kind === 'lines') blankLines = readIdLines(cells);
  else if (shape.kind === 'list') blankLines = readList(cells);
  else if (shape.kind === 'csv')
    blankLines = readCsv(cells, shape.delimiter.charCodeAt(0), column, shape.header ? 1 : 0);
  else readJson(cells, shape.rows, shape.columns[column] === '' ? undefined : shape.columns[column]);
  return { cells: cells.finish(), blankLines };
}

function guessJson(data: Uint8Array, rows: JsonRows): { shape: Shape; column: number } {
  const sample = sampleJson(data, rows, SAMPLE_ROWS);
  const columns = [...new Set(sample.flatMap((row) => [...row.keys()]))];
  if (columns.length === 0) columns.push('');
  const texts = columns.map((column) => sample.map((row) => row.get(column) ?? ''));
  return { shape: { kind: 'json', rows, columns }, column: guessColumn(columns, texts) };
}

function firstLines(data: Uint8Array): string[] {
  const text = new TextDecoder().decode(data.subarray(0, SAMPLE_BYTES));
  const lines = text.split('\n');
  if (data.length > SAMPLE_BYTES && lines.length > 1) lines.pop(); // cut off in its midst
  return lines
    .map((line) => line.trim())
    .filter((line) => line !== '')
    .slice(0, SAMPLE_ROWS);
}

/** In most lines, unless it is only at the end of them, as in a list of ids one a line. */
function isDelimiter(lines: readonly string[], delimiter: string): boolean {
  return lines.filter((line) => line.slice(0, -1).includes(delimiter)).length > lines.length / 2;
}

/** Nothing but ids, several of them in a line. */
function isList(lines: readonly string[]): boolean {
  const parts = lines.flatMap((line) => line.split(/[\s,;]+/).filter((part) => part !== ''));
  if (parts.length <= lines.length || !parts.every(isIdLike)) return false;
  // The same number of several in each of several lines is a table of numbers.
  const counts = new Set(lines.map((line) => line.split(/[\s,;]+/).filter((part) => part !== '').length));
  return lines.length === 1 || counts.size > 1;
}

function isIdLike(text: string): boolean {
  return strength(text) > 0;
}

/** How much a text looks like an id, 0 to 3. */
function strength(text: string): number {
  const bare = text.replace(/^["']|["',;]+$/g, '');
  if (/^\d{15,20}$/.test(bare) || /^0x[0-9a-f]{1,16}$/i.test(bare)) return 3;
  if (/^\d{1,14}$/.test(bare)) return 1;
  if (/^[0-9a-f]{16}$/i.test(bare)) return 3;
  // Words of 11 or 13 letters are more common than ids without a digit: one in 300, and in 12,000.
  if (/^[0-9A-HJKMNP-TV-Z]{13}$/i.test(bare) && /\d/.test(bare)) return 2;
  return /^[0-9A-Za-z]{11}$/.test(bare) && /\d/.test(bare) ? 2 : 0;
}

function guessColumn(names: readonly string[], columns: readonly (readonly string[])[]): number {
  const scores = columns.map((texts, i) => {
    const mean = texts.reduce((sum, text) => sum + strength(text), 0) / Math.max(1, texts.length);
    return mean === 0 ? 0 : mean + nameBonus(names[i] as string);
  });
  return Math.max(0, scores.indexOf(Math.max(...scores)));
}

function nameBonus(path: string): number {
  const name = path.slice(path.lastIndexOf('.') + 1);
  const depth = path.split('.').length - 1;
  if (/^_?id$/i.test(name)) return 1 - depth * 0.1;
  if (/snowflake/i.test(name)) return 0.9;
  return /(_id|Id|ID|^id[_A-Z].*)$/.test(name) ? 0.5 - depth * 0.1 : 0;
}
