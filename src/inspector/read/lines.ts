import { type CellList, isTrimmed, pushTrimmed } from './cells.js';

const NEWLINE = 0x0a;

/**
 * An id a line.
 * @returns how many lines were blank, which are not rows
 */
export function readIdLines(cells: CellList): number {
  return forEachLine(cells.data, (start, end, line) => pushTrimmed(cells, start, end, line));
}

/**
 * Visits the lines that are not blank.
 * @returns how many lines were blank, which are not rows
 */
export function forEachLine(data: Uint8Array, onLine: (start: number, end: number, line: number) => void): number {
  let blank = 0;
  let line = 1;
  for (let start = 0; start < data.length; line++) {
    const newline = data.indexOf(NEWLINE, start);
    const end = newline < 0 ? data.length : newline;
    if (isBlank(data, start, end)) blank++;
    else onLine(start, end, line);
    start = end + 1;
  }
  return blank;
}

/** Ids parted by spaces, commas or newlines. */
export function readList(cells: CellList): number {
  const { data } = cells;
  let line = 1;
  let start = -1;
  for (let at = 0; at <= data.length; at++) {
    const byte = at < data.length ? data[at] : NEWLINE;
    if (!isTrimmed(byte)) {
      if (start < 0) start = at;
    } else if (start >= 0) {
      cells.push(start, at, line);
      start = -1;
    }
    if (byte === NEWLINE) line++;
  }
  return 0;
}

export function isBlank(data: Uint8Array, start: number, end: number): boolean {
  for (let at = start; at < end; at++) if (data[at] > 0x20) return false;
  return true;
}
