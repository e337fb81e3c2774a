import { type CellList, pushTrimmed } from './cells.js';
import { Problem } from './problems.js';
import { isBlank } from './read-lines.js';

const NEWLINE = 0x0a;
const QUOTE = 0x22;

/**
 * One column of a table, as RFC 4180 has it: what is in quotes may hold delimiters and newlines.
 * @param column from 0
 * @param skip rows at the start that are a header
 * @returns how many lines were blank, which are not rows
 */
export function readCsv(cells: CellList, delimiter: number, column: number, skip: number): number {
  const { data } = cells;
  let blank = 0;
  let left = skip;
  for (const record of records(data, delimiter, column)) {
    if (isBlank(data, record.start, record.end)) blank++;
    else if (left > 0) left--;
    else if (record.cellStart < 0) cells.push(record.start, record.end, record.line, Problem.missing);
    else pushTrimmed(cells, record.cellStart, record.cellEnd, record.line);
  }
  return blank;
}

/** The cells of the first rows as text. */
export function sampleCsv(data: Uint8Array, delimiter: number, rows: number): string[][] {
  const decoder = new TextDecoder();
  const sample: string[][] = [];
  let row: string[] = [];
  const add = (start: number, end: number) => {
    const text = decoder.decode(data.subarray(start, Math.min(end, start + 200))).trim();
    row.push(/^".*"$/s.test(text) ? text.slice(1, -1).replaceAll('""', '"') : text);
  };
  for (const _ of records(data, delimiter, 0, add)) {
    if (row.some((text) => text !== '')) sample.push(row);
    row = [];
    if (sample.length === rows) break;
  }
  return sample;
}

interface CsvRecord {
  start: number;
  end: number;
  line: number;
  /** -1: the record has no such column. */
  cellStart: number;
  cellEnd: number;
}

/** The same object for each record: a million of them would be work for the collector. */
function* records(
  data: Uint8Array,
  delimiter: number,
  column: number,
  onCell?: (start: number, end: number) => void,
): Generator<CsvRecord> {
  const record = { start: 0, end: 0, line: 1, cellStart: -1, cellEnd: -1 };
  let line = 1;
  let at = 0;
  while (at < data.length) {
    record.start = at;
    record.line = line;
    record.cellStart = -1;
    let cell = 0;
    let cellStart = at;
    let quoted = false;
    for (; ; at++) {
      const byte = at < data.length ? data[at] : NEWLINE;
      if (byte === QUOTE) quoted = !quoted; // one that is doubled changes it twice
      if (byte === NEWLINE) line++;
      // A quote that nothing ends would make one row of all the rest: the end of the data ends it.
      const ends = at >= data.length || (byte === NEWLINE && !quoted);
      if (!ends && (quoted || byte !== delimiter)) continue;
      if (cell === column) {
        record.cellStart = cellStart;
        record.cellEnd = at;
      }
      onCell?.(cellStart, at);
      cell++;
      cellStart = at + 1;
      if (ends) break;
    }
    record.end = Math.min(at, data.length);
    at++;
    yield record;
  }
}
