import type { Cells } from '../read/cells.js';
import { CellList } from '../read/cells.js';
import { Cursor, NotJson, OPEN_ARRAY, OPEN_OBJECT, QUOTE } from '../read/json-cursor.js';
import { type JsonRows, readJson } from '../read/read-json.js';
import type { Shape } from '../read/shape.js';

/** All columns of the source, a row at a time. */
export interface SourceCells {
  readonly names: readonly string[];
  /** A text for each name; '' where the row has none. */
  of(row: number): string[];
}

/** The columns that the first rows of JSON name are looked for as deep as that. */
const MOST_DEPTH = 3;

/**
 * The columns of a table or of JSON; none if the ids are all there is. Of each row only its place is kept: texts are
 * read when they are asked for.
 */
export function sourceCells(cells: Cells, shape: Shape): SourceCells {
  if (!('columns' in shape) || shape.columns.length < 2) return { names: [], of: () => [] };
  if (shape.kind === 'csv') return csvCells(cells, shape.columns, shape.delimiter);
  return jsonCells(cells, shape.columns, shape.rows);
}

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

function jsonCells({ data, lines }: Cells, columns: readonly string[], rows: JsonRows): SourceCells {
  const names = columns.filter((name) => name !== ''); // '' is the values themselves, which are the ids
  // Without a path, what is found of each row is all of it.
  const list = new CellList(data, Math.max(16, lines.length));
  readJson(list, rows, undefined);
  const { starts } = list.finish();
  return {
    names,
    of(row) {
      const found = new Map<string, string>();
      try {
        leavesOf(new Cursor(data, starts[row]), '', found, 0);
      } catch (error) {
        if (!(error instanceof NotJson)) throw error;
      }
      return names.map((name) => found.get(name) ?? '');
    },
  };
}

/** Numbers as they are written: those above 2^53 would be rounded. */
function leavesOf(cursor: Cursor, path: string, found: Map<string, string>, depth: number): void {
  const { data } = cursor;
  const textOf = ({ start, end }: { start: number; end: number }) => DECODER.decode(data.subarray(start, end));
  const byte = cursor.peek();
  if (byte === OPEN_OBJECT && depth < MOST_DEPTH) {
    cursor.members((start, end) => {
      const key = textOf({ start, end });
      leavesOf(cursor, path === '' ? key : `${path}.${key}`, found, depth + 1);
    });
  } else if (byte === OPEN_OBJECT || byte === OPEN_ARRAY) cursor.pass();
  else {
    const text = byte === QUOTE ? unescaped(textOf(cursor.string())) : textOf(cursor.word());
    if (!found.has(path)) found.set(path, text === 'null' && byte !== QUOTE ? '' : text);
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
