import type { CellList } from './cells.js';
import { type Found, idIn, nameIn, patternOf } from './patterns.js';
import { Problem } from './problems.js';
import { forEachLine } from './read-lines.js';

/** Which ids of a line are rows: all of them if missing, the nth from 0, or the first after a name. */
export type Pick = undefined | number | string;

/** One text at a time for many lines: a text for each would take as long as looking for ids in it. */
const PIECE_BYTES = 64 * 1024;
/** A character for each byte. */
const LATIN1 = new TextDecoder('latin1');

/**
 * Ids inside lines. A line without any is a row with a problem.
 * @returns how many lines were blank, which are not rows
 */
export function readText(cells: CellList, pick: Pick, found: Found): number {
  const { data } = cells;
  const pattern = patternOf(found);
  let text = '';
  let from = 0;
  let match: RegExpExecArray | null = null;
  return forEachLine(data, (start, end, line) => {
    if (end > from + text.length) {
      const newline = data.indexOf(0x0a, start + PIECE_BYTES);
      text = LATIN1.decode(data.subarray(start, newline < 0 ? data.length : newline));
      from = start;
      match = pattern.exec(text);
    }
    let [seen, picked, column, counted] = [0, 0, 1, start];
    for (; match !== null && from + match.index < end; match = pattern.exec(text)) {
      const { id, at: index } = idIn(match);
      const at = from + index;
      const isPicked =
        typeof pick === 'string'
          ? picked === 0 && nameIn(text.slice(start - from, index)).name === pick
          : pick === undefined || pick === seen;
      seen++;
      if (!isPicked) continue;
      // Bytes that go on with a character in UTF-8 are not characters of their own.
      for (; counted < at; counted++) if (((data[counted] as number) & 0xc0) !== 0x80) column++;
      cells.push(at, at + id.length, line, Problem.none, column);
      picked++;
    }
    if (picked === 0) cells.push(start, end, line, seen === 0 ? Problem.notFound : Problem.missing, 1);
  });
}
