import type { CellList } from './cells.js';
import { type Found, IdFinder } from './find-ids.js';
import { nameBefore, sameBytes } from './name-before.js';
import { Problem } from './problems.js';
import { forEachLine } from './read-lines.js';

/** Which ids of a line are rows: all of them, the nth from 0, or the first after a name. */
export type Pick = 'all' | number | Uint8Array;

/**
 * Ids inside lines. A line without any is a row with a problem.
 * @returns how many lines were blank, which are not rows
 */
export function readText(cells: CellList, pick: Pick, found: Found): number {
  const finder = new IdFinder(cells.data, found);
  return forEachLine(cells.data, (start, end, line) => {
    finder.enter(start, end);
    readLine(cells, finder, pick, start, end, line);
  });
}

function readLine(cells: CellList, finder: IdFinder, pick: Pick, start: number, end: number, line: number): void {
  let found = 0;
  let picked = 0;
  let column = 1;
  let counted = start;
  while (finder.next()) {
    if (!isPicked(pick, finder, found++, picked, start)) continue;
    for (; counted < finder.start; counted++) column += startsCharacter(cells.data[counted] as number);
    cells.push(finder.start, finder.end, line, Problem.none, column);
    picked++;
  }
  if (picked === 0) cells.push(start, end, line, found === 0 ? Problem.notFound : Problem.missing, 1);
}

function isPicked(pick: Pick, { data, start }: IdFinder, found: number, picked: number, lineStart: number): boolean {
  if (pick === 'all') return true;
  if (typeof pick === 'number') return found === pick;
  if (picked > 0) return false;
  const name = nameBefore(data, lineStart, start);
  return name !== undefined && sameBytes(data, name.start, name.end, pick);
}

/** 1 for the first byte of a character in UTF-8, 0 for those after it. */
function startsCharacter(byte: number): number {
  return byte < 0x80 || byte >= 0xc0 ? 1 : 0;
}
