import { idInCell } from '../../tokens/patterns.js';
import { Problem } from './problems.js';
import { isMilestone, progress } from './progress.js';

export const NEWLINE = 0x0a;
export const QUOTE = 0x22;

const DECODER = new TextDecoder();
/** A character for each byte. */
export const LATIN1 = new TextDecoder('latin1');

/** The text of `data[start..end)`: an eighth of the time that String.fromCharCode takes of a few bytes. */
export const textIn = (data: Uint8Array, start = 0, end = data.length): string =>
  DECODER.decode(data.subarray(start, end));

/** Has 1 for each byte whose character, in Latin-1, matches. */
export const bytesLike = (pattern: RegExp): Uint8Array =>
  Uint8Array.from({ length: 256 }, (_, byte) => +pattern.test(String.fromCharCode(byte)));

/** Where the id of each row lies in the text: row i is `data[starts[i]..ends[i])`. */
export interface Cells {
  readonly data: Uint8Array;
  readonly starts: Uint32Array;
  readonly ends: Uint32Array;
  /** The line each row begins at, from 1. */
  readonly lines: Uint32Array;
  /** The character each row begins at, from 1, where ids were found inside lines; 0 elsewhere. */
  readonly columns: Uint32Array;
  /** The names of several files, and the first row of each. */
  readonly files?: readonly { readonly name: string; readonly firstRow: number }[] | undefined;
  /** A {@link Problem} where there is no text to read. */
  readonly problems: Uint8Array;
}

/** Cells while they are found. Capacity doubles: 1,000,000 rows are copied once on average. */
export class CellList {
  count = 0;
  /** These are not rows. */
  blankLines = 0;
  #columns: Omit<Cells, 'data'>;

  constructor(
    readonly data: Uint8Array,
    capacity = 0,
  ) {
    this.#columns = columnsFor(Math.max(16, capacity));
  }

  push(start: number, end: number, line: number, problem: number = Problem.none, column = 0): void {
    if (this.count === this.#columns.starts.length) this.#columns = columnsFor(2 * this.count, this.#columns);
    const { starts, ends, lines, columns, problems } = this.#columns;
    const row = this.count++;
    if (isMilestone(row)) progress('find', end, this.data.length);
    starts[row] = start;
    ends[row] = end;
    lines[row] = line;
    problems[row] = problem;
    if (column > 0) columns[row] = column;
  }

  finish(): Cells {
    const { starts, ends, lines, columns, problems } = this.#columns;
    const part = (column: Uint32Array) => column.subarray(0, this.count);
    return {
      data: this.data,
      starts: part(starts),
      ends: part(ends),
      lines: part(lines),
      columns: part(columns),
      problems: problems.subarray(0, this.count),
    };
  }
}

/** Columns of so many rows, which begin with those of others. */
function columnsFor(capacity: number, from?: Omit<Cells, 'data'>): Omit<Cells, 'data'> {
  const copyOf = (numbers?: Uint32Array) => longer(numbers, new Uint32Array(capacity));
  return {
    starts: copyOf(from?.starts),
    ends: copyOf(from?.ends),
    lines: copyOf(from?.lines),
    columns: copyOf(from?.columns),
    problems: longer(from?.problems, new Uint8Array(capacity)),
  };
}

/** An array that has been made longer. @returns `to`, which begins with `from` */
export function longer<A extends Uint8Array | Uint32Array>(from: ArrayLike<number> = [], to: A): A {
  to.set(from);
  return to;
}

/**
 * Spaces, tabs, the CR of CRLF, and what people and programs leave around an id: quotes, the commas of a list, brackets,
 * `<@...>`, `="..."`.
 */
export const SURROUNDING = '[\\0- "\'`,;()[\\]<>{}@!#&=|]';

export const TRIMMED = bytesLike(new RegExp(SURROUNDING));
const IN_WORD = bytesLike(/[a-z\d]/i);
const AT_START = bytesLike(/[a-z\\]/i);
export const COLON = 0x3a;
const MAX_LINK = 2048;

/**
 * Adds a cell without what surrounds it, see {@link SURROUNDING}; one of which nothing is left is empty. Of a link, or
 * behind a prefix, it is the id.
 */
export function pushTrimmed(cells: CellList, start: number, end: number, line: number): void {
  const { data } = cells;
  let from = start;
  let to = end;
  while (from < to && TRIMMED[data[from]] === 1) from++;
  while (to > from && TRIMMED[data[to - 1]] === 1) to--;
  let at = from;
  while (at < to && IN_WORD[data[at]] === 1) at++;
  if (at < to && AT_START[data[from]] === 1 && to - from < MAX_LINK) {
    const found = idInCell(LATIN1.decode(data.subarray(from, to)));
    if (found) {
      from += found.at;
      to = from + found.id.length;
    }
  }
  cells.push(from, to, line, from === to ? Problem.empty : Problem.none);
}

/** Some rows of cells as cells of their own. */
export function pickCells(cells: Cells, rows: Uint32Array): Cells {
  const pick = (from: Uint32Array) => rows.map((row) => from[row]);
  return {
    data: cells.data,
    starts: pick(cells.starts),
    ends: pick(cells.ends),
    lines: pick(cells.lines),
    columns: pick(cells.columns),
    problems: Uint8Array.from(rows, (row) => cells.problems[row]),
    files: cells.files?.map(({ name, firstRow }) => {
      const first = rows.findIndex((row) => row >= firstRow);
      return { name, firstRow: first < 0 ? rows.length : first };
    }),
  };
}

/** The text of a cell, as people see it: at most so many bytes. */
export function cellText({ data, starts, ends }: Cells, row: number, most = 120): string {
  const start = starts[row];
  const end = ends[row];
  const text = textIn(data, start, Math.min(end, start + most));
  return end - start > most ? `${text}…` : text;
}

/** Where a row is: `12`, `12:31` if its column is known, `b.csv:12` in one of several files. */
export function placeText({ lines, columns, files }: Cells, row: number): string {
  const line = columns[row] === 0 ? String(lines[row]) : `${lines[row]}:${columns[row]}`;
  const file = files?.findLast(({ firstRow }) => firstRow <= row);
  return file ? `${file.name}:${line}` : line;
}

const MAX_NAME = 24;

/** The most characters of a place, except for columns of more than three digits and long names of files. */
export function placeWidth({ lines, columns, files }: Cells): number {
  const most = files ? lines.reduce((a, b) => Math.max(a, b), 1) : (lines.at(-1) ?? 1);
  const name = Math.max(0, ...(files ?? []).map((file) => file.name.length + 1));
  return String(most).length + (columns.some((column) => column > 0) ? ':999'.length : 0) + Math.min(name, MAX_NAME);
}
