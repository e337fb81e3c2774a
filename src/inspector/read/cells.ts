import { Problem } from './problems.js';

/** For each byte 1 if its character, in Latin-1, matches. */
export function bytesLike(pattern: RegExp): Uint8Array {
  return Uint8Array.from({ length: 256 }, (_, byte) => +pattern.test(String.fromCharCode(byte)));
}

/** Where the id of each row lies in the bytes that were given: row i is `data[starts[i]..ends[i])`. */
export interface Cells {
  readonly data: Uint8Array;
  readonly starts: Uint32Array;
  readonly ends: Uint32Array;
  /** The line each row begins at, from 1. */
  readonly lines: Uint32Array;
  /** The character each row begins at, from 1, where ids were found inside lines; 0 elsewhere. */
  readonly columns: Uint32Array;
  /** Of several files: their names, and the first row of each. */
  readonly files?: readonly { readonly name: string; readonly firstRow: number }[] | undefined;
  /** A {@link Problem} where there is no text to read. */
  readonly problems: Uint8Array;
}

/** Cells while they are found. Capacity doubles: 1,000,000 rows are copied once on average. */
export class CellList {
  count = 0;
  #capacity = 16;
  #starts = new Uint32Array(0);
  #ends = new Uint32Array(0);
  #lines = new Uint32Array(0);
  #columns = new Uint32Array(0);
  #problems = new Uint8Array(0);

  constructor(
    readonly data: Uint8Array,
    capacity = 0,
  ) {
    this.#grow(capacity);
  }

  push(start: number, end: number, line: number, problem: number = Problem.none, column = 0): void {
    if (this.count === this.#capacity) this.#grow(2 * this.count);
    const row = this.count++;
    this.#starts[row] = start;
    this.#ends[row] = end;
    this.#lines[row] = line;
    this.#problems[row] = problem;
    if (column > 0) this.#columns[row] = column;
  }

  #grow(capacity: number): void {
    this.#capacity = Math.max(this.#capacity, capacity);
    this.#starts = larger(this.#starts, this.#capacity);
    this.#ends = larger(this.#ends, this.#capacity);
    this.#lines = larger(this.#lines, this.#capacity);
    this.#columns = larger(this.#columns, this.#capacity);
    this.#problems = larger(this.#problems, this.#capacity);
  }

  finish(): Cells {
    return {
      data: this.data,
      starts: this.#starts.subarray(0, this.count),
      ends: this.#ends.subarray(0, this.count),
      lines: this.#lines.subarray(0, this.count),
      columns: this.#columns.subarray(0, this.count),
      problems: this.#problems.subarray(0, this.count),
    };
  }
}

function larger<T extends Uint32Array | Uint8Array>(from: T, length: number): T {
  const to = new (from.constructor as new (length: number) => T)(length);
  to.set(from);
  return to;
}

/**
 * Spaces, tabs, the CR of CRLF, and what people and programs leave around an id: quotes, the commas of a list, brackets,
 * `<@...>`, `="..."`.
 */
export const SURROUNDING = '[\\0- "\'`,;()[\\]<>{}@!#&=|]';

const TRIMMED = bytesLike(new RegExp(SURROUNDING));

export function isTrimmed(byte: number): boolean {
  return TRIMMED[byte] === 1;
}

/** Adds a cell without what surrounds it, see {@link SURROUNDING}; one of which nothing is left is empty. */
export function pushTrimmed(cells: CellList, start: number, end: number, line: number): void {
  const { data } = cells;
  let from = start;
  let to = end;
  while (from < to && isTrimmed(data[from])) from++;
  while (to > from && isTrimmed(data[to - 1])) to--;
  cells.push(from, to, line, from === to ? Problem.empty : Problem.none);
}

/** The text of a cell, for people: at most so many bytes. */
export function cellText({ data, starts, ends }: Cells, row: number, most = 120): string {
  const start = starts[row];
  const end = ends[row];
  const text = new TextDecoder().decode(data.subarray(start, Math.min(end, start + most)));
  return end - start > most ? `${text}…` : text;
}

/** Where a row is: `12`, `12:31` if its column is known, `b.csv:12` in one of several files. */
export function placeText({ lines, columns, files }: Cells, row: number): string {
  const line = columns[row] === 0 ? String(lines[row]) : `${lines[row]}:${columns[row]}`;
  const file = files?.findLast(({ firstRow }) => firstRow <= row);
  return file === undefined ? line : `${file.name}:${line}`;
}

const MAX_NAME = 24;

/** The most characters of a place, except for columns of more than three digits and long names of files. */
export function placeWidth({ lines, columns, files }: Cells): number {
  const most = files === undefined ? (lines.at(-1) ?? 1) : lines.reduce((a, b) => Math.max(a, b), 1);
  const name = Math.max(0, ...(files ?? []).map((file) => file.name.length + 1));
  return String(most).length + (columns.some((column) => column > 0) ? ':999'.length : 0) + Math.min(name, MAX_NAME);
}
