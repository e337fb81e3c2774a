import { type CellList, pushTrimmed } from './cells.js';
import {
  CLOSE_ARRAY,
  CLOSE_OBJECT,
  Cursor,
  NEWLINE,
  NotJson,
  OPEN_ARRAY,
  OPEN_OBJECT,
  QUOTE,
  sameBytes,
} from './json-cursor.js';

import { Problem } from './problems.js';

// Ids in JSON are numbers above 2^53 as often as not, which JSON.parse would round: so the text is walked, and
// numbers are read as the digits they are written in.

/** A step from a value to one in it: by its key, as the bytes between its quotes; by its index; or each of an array. */
export type JsonStep = Uint8Array | number | typeof EACH;
export const EACH = 'each';

/** The values at a path, in one value after the other. After text that is not JSON the next line is tried. */
export function readJson(cells: CellList, steps: readonly JsonStep[]): void {
  const { data } = cells;
  const cursor = new Cursor(data);
  for (let values = 0; cursor.peek() >= 0; values++) {
    const { at, line } = cursor;
    const { count } = cells;
    try {
      readValue(cells, cursor, steps, 0);
    } catch (error) {
      if (!(error instanceof NotJson)) throw error;
      const keeps = steps.includes(EACH);
      const start = keeps ? Math.min(cursor.at, data.length) : at;
      const newline = data.indexOf(NEWLINE, start);
      if (!keeps) cells.truncate(count); // what was found in a row that then broke off
      cells.push(start, newline < 0 ? data.length : newline, keeps ? cursor.line : line, Problem.brokenJson);
      if (newline < 0 || (keeps && values === 0)) return;
      cursor.at = newline;
      if (!keeps) cursor.line = line;
    }
  }
}

function readValue(cells: CellList, cursor: Cursor, steps: readonly JsonStep[], depth: number): void {
  const byte = cursor.peek();
  const step = steps[depth];
  if (step === undefined) readLeaf(cells, cursor, byte);
  else if (step === EACH && byte === OPEN_ARRAY) readEach(cells, cursor, steps, depth + 1);
  else if (typeof step === 'number' && byte === OPEN_ARRAY) readAt(cells, cursor, step, steps, depth + 1);
  else if (step instanceof Uint8Array && byte === OPEN_OBJECT) readUnder(cells, cursor, step, steps, depth + 1);
  else passWith(cells, cursor, Problem.missing);
}

function readLeaf(cells: CellList, cursor: Cursor, byte: number): void {
  if (byte === OPEN_OBJECT || byte === OPEN_ARRAY) passWith(cells, cursor, Problem.notScalar);
  else if (byte === QUOTE) {
    cursor.string();
    pushTrimmed(cells, cursor.start, cursor.end, cursor.line);
  } else {
    cursor.word();
    const { start, end, line } = cursor;
    cells.push(start, end, line, isLiteral(cells.data, start, end) ? Problem.notScalar : Problem.none);
  }
}

function readEach(cells: CellList, cursor: Cursor, steps: readonly JsonStep[], depth: number): void {
  const { at, line } = cursor;
  if (cursor.enter(CLOSE_ARRAY))
    do readValue(cells, cursor, steps, depth);
    while (cursor.more(CLOSE_ARRAY));
  else if (depth > 1) cells.push(at, cursor.at, line, Problem.empty);
}

function readAt(cells: CellList, cursor: Cursor, index: number, steps: readonly JsonStep[], depth: number): void {
  const { at, line } = cursor;
  let passed = 0;
  if (cursor.enter(CLOSE_ARRAY))
    do {
      if (passed++ === index) readValue(cells, cursor, steps, depth);
      else cursor.pass();
    } while (cursor.more(CLOSE_ARRAY));
  if (passed <= index) cells.push(at, cursor.at, line, Problem.missing);
}

/** The first value under a key. */
function readUnder(cells: CellList, cursor: Cursor, key: Uint8Array, steps: readonly JsonStep[], depth: number): void {
  const { at, line } = cursor;
  let isFound = false;
  if (cursor.enter(CLOSE_OBJECT))
    do {
      cursor.key();
      if (!isFound && sameBytes(cells.data, cursor.start, cursor.end, key)) {
        isFound = true;
        readValue(cells, cursor, steps, depth);
      } else cursor.pass();
    } while (cursor.more(CLOSE_OBJECT));
  if (!isFound) cells.push(at, cursor.at, line, Problem.missing);
}

function passWith(cells: CellList, cursor: Cursor, problem: Problem): void {
  const { at, line } = cursor;
  cursor.pass();
  cells.push(at, cursor.at, line, problem);
}

const LITERALS = ['null', 'true', 'false'].map((word) => new TextEncoder().encode(word));

function isLiteral(data: Uint8Array, start: number, end: number): boolean {
  return (data[start] as number) > 0x39 && LITERALS.some((word) => sameBytes(data, start, end, word));
}
