import type { CellList } from './cells.js';
import { Problem } from './problems.js';

// Ids in JSON are numbers above 2^53 as often as not, which JSON.parse would round: so the text is walked, and
// numbers are read as the digits they are written in.

const QUOTE = 0x22;
const COMMA = 0x2c;
const COLON = 0x3a;
const OPEN_ARRAY = 0x5b;
const BACKSLASH = 0x5c;
const CLOSE_ARRAY = 0x5d;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;
const NEWLINE = 0x0a;

class NotJson extends Error {}

/** Where the values that are rows begin: in an array, or one after the other. */
export interface JsonRows {
  readonly from: number;
  readonly inArray: boolean;
}

/** How deep keys are looked at: `user.account.id`. */
const MOST_DEPTH = 3;

class Cursor {
  line = 1;
  constructor(
    readonly data: Uint8Array,
    public at = 0,
  ) {}

  /** The next byte that is no space, or -1. */
  peek(): number {
    const { data } = this;
    while (this.at < data.length) {
      const byte = data[this.at] as number;
      if (byte > 0x20) return byte;
      if (byte === NEWLINE) this.line++;
      this.at++;
    }
    return -1;
  }

  take(byte: number): void {
    if (this.peek() !== byte) throw new NotJson();
    this.at++;
  }

  string(): { start: number; end: number } {
    this.take(QUOTE);
    const { data } = this;
    const start = this.at;
    for (; this.at < data.length; this.at++) {
      const byte = data[this.at];
      if (byte === BACKSLASH) this.at++;
      else if (byte === NEWLINE) break;
      else if (byte === QUOTE) return { start, end: this.at++ };
    }
    throw new NotJson();
  }

  /** A number, or one of true, false and null. */
  word(): { start: number; end: number } {
    const { data } = this;
    const start = this.at;
    while (this.at < data.length && isWordByte(data[this.at] as number)) this.at++;
    if (this.at === start) throw new NotJson();
    return { start, end: this.at };
  }

  skip(depth = 0): void {
    const byte = this.peek();
    if (depth > 500) throw new NotJson(); // deeper than any data, and less than the stack
    if (byte === QUOTE) this.string();
    else if (byte === OPEN_ARRAY) this.elements(() => this.skip(depth + 1));
    else if (byte === OPEN_OBJECT) this.members(() => this.skip(depth + 1));
    else this.word();
  }

  elements(onElement: () => void): void {
    this.take(OPEN_ARRAY);
    if (this.peek() === CLOSE_ARRAY) {
      this.at++;
      return;
    }
    for (;;) {
      onElement();
      if (this.peek() !== COMMA) break;
      this.at++;
    }
    this.take(CLOSE_ARRAY);
  }

  /** `onMember` is given the span of the key, and takes the value. */
  members(onMember: (start: number, end: number) => void): void {
    this.take(OPEN_OBJECT);
    if (this.peek() === CLOSE_OBJECT) {
      this.at++;
      return;
    }
    for (;;) {
      this.peek();
      const { start, end } = this.string();
      this.take(COLON);
      onMember(start, end);
      if (this.peek() !== COMMA) break;
      this.at++;
    }
    this.take(CLOSE_OBJECT);
  }
}

function isWordByte(byte: number): boolean {
  return (
    (byte >= 0x30 && byte <= 0x39) ||
    (byte >= 0x61 && byte <= 0x7a) ||
    (byte >= 0x41 && byte <= 0x5a) ||
    byte === 0x2b ||
    byte === 0x2d ||
    byte === 0x2e
  );
}

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
      cursor.skip();
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
    } else if (byte === OPEN_OBJECT || byte === OPEN_ARRAY) cursor.skip();
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
    if (done) cursor.skip();
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
      else cursor.skip();
    });
  } else if (byte === OPEN_OBJECT || byte === OPEN_ARRAY) {
    const start = cursor.at;
    cursor.skip();
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
