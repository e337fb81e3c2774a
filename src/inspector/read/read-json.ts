import type { CellList } from './cells.js';
import { Cursor, NEWLINE, NotJson, OPEN_ARRAY, OPEN_OBJECT, QUOTE } from './json-cursor.js';
import { Problem } from './problems.js';

// Ids in JSON are numbers above 2^53 as often as not, which JSON.parse would round: so the text is walked, and
// numbers are read as the digits they are written in.

/** Where the values that are rows begin: in an array, or one after the other. */
export interface JsonRows {
  readonly from: number;
  readonly inArray: boolean;
}

/** How deep keys are looked at: `user.account.id`. */
const MOST_DEPTH = 3;

/** Whether the text is JSON, and where its rows are: in the array, in the first array of an object, or its values. */
export function jsonRows(data: Uint8Array): JsonRows | undefined {
  const cursor = new Cursor(data);
  const first = cursor.peek();
  if (first === OPEN_ARRAY) return { from: cursor.at, inArray: true };
  if (first !== OPEN_OBJECT) return undefined;
  const from = cursor.at;
  let array = -1;
  try {
    cursor.members(() => {
      if (cursor.peek() === OPEN_ARRAY && array < 0) array = cursor.at;
      cursor.pass();
    });
  } catch (error) {
    if (!(error instanceof NotJson)) throw error;
    return array < 0 ? { from, inArray: false } : { from: array, inArray: true };
  }
  return cursor.peek() < 0 && array >= 0 ? { from: array, inArray: true } : { from, inArray: false };
}

/**
 * A value of every row.
 * @param path keys with dots between, or undefined where rows are values themselves
 */
export function readJson(cells: CellList, rows: JsonRows, path: string | undefined): void {
  const keys = (path === undefined ? [] : path.split('.')).map((key) => new TextEncoder().encode(key));
  let whole = 0;
  walk(
    cells.data,
    rows,
    (cursor) => {
      whole = cells.count;
      pushValue(cells, cursor, keys);
      whole = cells.count;
      return true;
    },
    (line, start, end) => {
      cells.truncate(whole); // what was found in a row that then broke off
      cells.push(start, end, line, Problem.brokenJson);
    },
  );
}

/** The leaves of the first rows: path and text. A row that is no object has one of path ''. */
export function sampleJson(data: Uint8Array, rows: JsonRows, most: number): Map<string, string>[] {
  const sample: Map<string, string>[] = [];
  const decoder = new TextDecoder();
  const leaves = (cursor: Cursor, path: string, found: Map<string, string>, depth: number): void => {
    const byte = cursor.peek();
    if (byte === OPEN_OBJECT && depth < MOST_DEPTH) {
      cursor.members((start, end) => {
        const key = decoder.decode(data.subarray(start, end));
        leaves(cursor, path === '' ? key : `${path}.${key}`, found, depth + 1);
      });
    } else if (byte === OPEN_OBJECT || byte === OPEN_ARRAY) cursor.pass();
    else {
      const { start, end } = byte === QUOTE ? cursor.string() : cursor.word();
      if (!found.has(path)) found.set(path, decoder.decode(data.subarray(start, Math.min(end, start + 200))));
    }
  };
  walk(
    data,
    rows,
    (cursor) => {
      const found = new Map<string, string>();
      leaves(cursor, '', found, 0);
      sample.push(found);
      return sample.length < most;
    },
    () => {},
  );
  return sample;
}

/** Until `onRow` says false. After what is no JSON, rows one a line go on with the next; an array ends. */
function walk(
  data: Uint8Array,
  { from, inArray }: JsonRows,
  onRow: (cursor: Cursor) => boolean,
  onBroken: (line: number, start: number, end: number) => void,
): void {
  const cursor = new Cursor(data);
  while (cursor.at < from) if (data[cursor.at++] === NEWLINE) cursor.line++;
  let done = false;
  const row = () => {
    if (done) cursor.pass();
    else done = !onRow(cursor);
  };
  while (!done && cursor.peek() >= 0) {
    const { at, line } = cursor;
    try {
      if (inArray) {
        cursor.elements(() => {
          row();
          if (done) throw new NotJson();
        });
        return;
      }
      row();
    } catch (error) {
      if (!(error instanceof NotJson)) throw error;
      if (done) return;
      const start = inArray ? Math.min(cursor.at, data.length) : at;
      const newline = data.indexOf(NEWLINE, start);
      onBroken(inArray ? cursor.line : line, start, newline < 0 ? data.length : newline);
      if (inArray || newline < 0) return;
      cursor.at = newline;
      cursor.line = line;
    }
  }
}

/** Pushes the value under some keys of the next value; always takes all of that. */
function pushValue(cells: CellList, cursor: Cursor, keys: readonly Uint8Array[]): void {
  const first = cursor.peek();
  const { at, line } = cursor;
  const before = cells.count;
  find(cells, cursor, keys, 0, line);
  if (cells.count === before) {
    cells.push(at, cursor.at, line, first === OPEN_OBJECT ? Problem.missing : Problem.notScalar);
  }
}

function find(cells: CellList, cursor: Cursor, keys: readonly Uint8Array[], depth: number, line: number): void {
  const byte = cursor.peek();
  const key = keys[depth];
  const before = cells.count;
  if (byte === OPEN_OBJECT && key !== undefined) {
    cursor.members((start, end) => {
      if (cells.count === before && sameBytes(cells.data, start, end, key)) find(cells, cursor, keys, depth + 1, line);
      else cursor.pass();
    });
  } else if (byte === OPEN_OBJECT || byte === OPEN_ARRAY) {
    const start = cursor.at;
    cursor.pass();
    cells.push(start, cursor.at, line, Problem.notScalar);
  } else {
    const { start, end } = byte === QUOTE ? cursor.string() : cursor.word();
    if (key !== undefined) cells.push(start, end, line, Problem.missing);
    else cells.push(start, end, line, start === end ? Problem.empty : Problem.none);
  }
}

function sameBytes(data: Uint8Array, start: number, end: number, other: Uint8Array): boolean {
  if (end - start !== other.length) return false;
  for (let i = 0; i < other.length; i++) if (data[start + i] !== other[i]) return false;
  return true;
}
