import type { Cells } from '../read/cells.js';
import { CellList } from '../read/cells.js';
import type { JsonPath } from '../read/guess-json.js';
import { Cursor, EACH, isContainer, type JsonStep, NotJson, QUOTE } from '../read/json-cursor.js';
import { goTo } from '../read/json-find.js';
import { readJson } from '../read/read-json.js';
import type { ReadText } from '../read/shape.js';

/** All columns of the source, a row at a time. */
export interface SourceCells {
  readonly names: readonly string[];
  /** A text for each name; '' where the row has none. */
  of(row: number): string[];
}

/** The columns of all texts; a row has those of its own. */
export function sourceCellsOf(texts: readonly ReadText[]): SourceCells {
  const parts: { readonly source: SourceCells; readonly firstRow: number; readonly places: number[] }[] = [];
  const names: string[] = [];
  let firstRow = 0;
  for (const text of texts) {
    const source = sourceCells(text);
    for (const name of source.names) if (!names.includes(name)) names.push(name);
    parts.push({ source, firstRow, places: source.names.map((name) => names.indexOf(name)) });
    firstRow += text.cells.starts.length;
  }
  return {
    names,
    of(row) {
      const part = parts.findLast((candidate) => candidate.firstRow <= row);
      const cells = names.map(() => '');
      part?.source.of(row - part.firstRow).forEach((text, i) => {
        cells[part.places[i] as number] = text;
      });
      return cells;
    },
  };
}

/**
 * The columns of a table or of JSON; none if the ids are all there is. Of each row only its place is kept: texts are
 * read when they are asked for.
 */
function sourceCells({ cells, shape, column }: ReadText): SourceCells {
  const { delimiter, paths, choices } = shape;
  if (delimiter !== undefined) {
    const names = choices.filter(({ isInside }) => !isInside).map(({ name }) => name);
    return csvCells(cells, names, delimiter);
  }
  const path = paths?.[column];
  return paths === undefined || path === undefined || paths.length < 2 ? NONE : jsonCells(cells, paths, path);
}

const NONE: SourceCells = { names: [], of: () => [] };

const NEWLINE = 0x0a;
const DOUBLE_QUOTE = 0x22;
const DECODER = new TextDecoder();

function csvCells({ data, lines }: Cells, names: readonly string[], delimiter: string): SourceCells {
  const delimiterByte = delimiter.charCodeAt(0);
  const starts = lineStarts(data, lines);
  return {
    names,
    of(row) {
      let start = starts[row] as number;
      const newline = data.indexOf(NEWLINE, start);
      const line = DECODER.decode(data.subarray(start, newline < 0 ? data.length : newline));
      // Most rows have no quotes and are one line, which is decoded at once.
      const texts = line.includes('"') ? [] : line.replace(/\r$/, '').split(delimiter, names.length);
      if (texts.length > 0) return padded(texts, names.length);
      let isQuoted = false;
      for (let at = start; texts.length < names.length; at++) {
        const byte = at < data.length ? data[at] : NEWLINE;
        if (byte === DOUBLE_QUOTE) isQuoted = !isQuoted;
        const ends = at >= data.length || (byte === NEWLINE && !isQuoted);
        if (!ends && (isQuoted || byte !== delimiterByte)) continue;
        const text = DECODER.decode(data.subarray(start, at)).replace(/\r$/, '');
        texts.push(/^\s*".*"\s*$/s.test(text) ? text.trim().slice(1, -1).replaceAll('""', '"') : text);
        start = at + 1;
        if (ends) break;
      }
      return padded(texts, names.length);
    },
  };
}

function padded(texts: string[], count: number): string[] {
  while (texts.length < count) texts.push('');
  return texts;
}

/** Where the lines begin at which rows do. */
function lineStarts(data: Uint8Array, lines: Uint32Array): Uint32Array {
  const starts = new Uint32Array(lines.length);
  let at = 0;
  let line = 1;
  for (let row = 0; row < lines.length; row++) {
    for (; line < (lines[row] as number); line++) at = data.indexOf(NEWLINE, at) + 1;
    starts[row] = at;
  }
  return starts;
}

/** The values beside the ids: those of the same element of an array, or of the same value of a line. */
function jsonCells({ data, starts }: Cells, paths: readonly JsonPath[], chosen: JsonPath): SourceCells {
  const depth = chosen.steps.lastIndexOf(EACH) + 1;
  const beside = paths.filter(
    ({ name, steps }) =>
      name !== '' && steps.lastIndexOf(EACH) < depth && steps.length > depth && isSame(steps, chosen.steps, depth),
  );
  const rows = jsonRowStarts(data, starts.length, chosen.steps.slice(0, depth));
  return {
    names: beside.map(({ name }) => nameInRow(name, chosen.name)),
    of(row) {
      const start = rows[lastUpTo(rows, starts[row] as number)];
      return beside.map(({ steps }) => (start === undefined ? '' : valueAt(data, start, steps.slice(depth))));
    },
  };
}

/** `data.items[].user.name` is `user.name` of an item. */
function nameInRow(name: string, chosen: string): string {
  const end = chosen.lastIndexOf('[]');
  return end < 0 ? name : name.slice(end + 2).replace(/^\./, '');
}

function isSame(steps: readonly JsonStep[], others: readonly JsonStep[], depth: number): boolean {
  return steps.slice(0, depth).every((step, i) => String(step) === String(others[i]));
}

/** Where the rows begin: of a path that ends before the values what is found is all of each row. */
function jsonRowStarts(data: Uint8Array, count: number, steps: readonly JsonStep[]): Uint32Array {
  const list = new CellList(data, Math.max(16, count));
  readJson(list, steps);
  return list.finish().starts;
}

/** The last of ascending numbers that is at most another, or 0. */
function lastUpTo(numbers: Uint32Array, most: number): number {
  let [from, to] = [0, numbers.length];
  while (to - from > 1) {
    const middle = (from + to) >>> 1;
    if ((numbers[middle] as number) <= most) from = middle;
    else to = middle;
  }
  return from;
}

/** Numbers as they are written: those above 2^53 would be rounded. */
function valueAt(data: Uint8Array, start: number, steps: readonly JsonStep[]): string {
  const cursor = new Cursor(data, start);
  try {
    if (!goTo(cursor, steps)) return '';
    const byte = cursor.peek();
    if (isContainer(byte)) return '';
    cursor.scalar();
    const text = DECODER.decode(data.subarray(cursor.start, cursor.end));
    return byte === QUOTE ? unescaped(text) : text === 'null' ? '' : text;
  } catch (error) {
    if (!(error instanceof NotJson)) throw error;
    return '';
  }
}

function unescaped(text: string): string {
  if (!text.includes('\\')) return text;
  try {
    return JSON.parse(`"${text}"`);
  } catch {
    return text;
  }
}
