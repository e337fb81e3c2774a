import { type CellList, pushTrimmed } from './cells.js';
import { Cursor, EACH, isContainer, type JsonStep, NEWLINE, NotJson, QUOTE } from './json-cursor.js';

import { Problem } from './problems.js';

// Ids in JSON are numbers above 2^53 as often as not, which JSON.parse would round: so the text is walked, and
// numbers are read as the digits they are written in.

const NINE = 0x39;

/**
 * The values at a path, in one value after the other. After text that is not JSON the next line is tried.
 * @returns how many lines were blank: those are not looked for
 */
export function readJson(cells: CellList, steps: readonly JsonStep[]): number {
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
      if (!keeps) cells.count = count; // what was found in a row that then broke off
      cells.push(start, newline < 0 ? data.length : newline, keeps ? cursor.line : line, Problem.brokenJson);
      if (newline < 0 || (keeps && values === 0)) break;
      cursor.at = newline;
      if (!keeps) cursor.line = line;
    }
  }
  return 0;
}

function readValue(cells: CellList, cursor: Cursor, steps: readonly JsonStep[], depth: number): void {
  const step = steps[depth];
  const open = cursor.peek();
  if (step === undefined) readLeaf(cells, cursor, open);
  else if (!cursor.leads(step)) passWith(cells, cursor, Problem.missing);
  else {
    const { at, line } = cursor;
    let [isFound, index] = [false, 0];
    if (cursor.enter(open))
      do {
        if ((!isFound || step === EACH) && cursor.isAt(step, index++)) {
          isFound = true;
          readValue(cells, cursor, steps, depth + 1);
        } else cursor.pass();
      } while (cursor.more(open));
    if (isFound || (step === EACH && depth === 0)) return;
    cells.push(at, cursor.at, line, step === EACH ? Problem.empty : Problem.missing);
  }
}

function readLeaf(cells: CellList, cursor: Cursor, byte: number): void {
  if (isContainer(byte)) passWith(cells, cursor, Problem.notScalar);
  else if (byte === QUOTE) {
    cursor.string();
    pushTrimmed(cells, cursor.start, cursor.end, cursor.line);
  } else {
    cursor.word();
    // Words that are not numbers begin with a letter.
    cells.push(cursor.start, cursor.end, cursor.line, byte > NINE ? Problem.notScalar : Problem.none);
  }
}

function passWith(cells: CellList, cursor: Cursor, problem: Problem): void {
  const { at, line } = cursor;
  cursor.pass();
  cells.push(at, cursor.at, line, problem);
}
