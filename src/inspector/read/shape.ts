import { CellList, type Cells } from './cells.js';
import { guessJson, type JsonGuess, type JsonPath } from './guess-json.js';
import { guessTable, isList, type TableGuess } from './guess-table.js';
import { ALL_IDS, guessText, type TextGuess } from './guess-text.js';
import { parseCells } from './id-column.js';
import type { Found } from './patterns.js';
import { readCsv } from './read-csv.js';
import { readJson } from './read-json.js';
import { readIdLines, readList } from './read-lines.js';
import { type Pick, readText } from './read-text.js';
import { isWideKind, type ReadFormat } from './wide-kinds.js';

/** An id a line, ids between spaces or commas, a table, JSON, or text with ids in it. */
export type ShapeKind = 'lines' | 'list' | 'csv' | 'json' | 'text';

/** What can be read of what was given: a column of a table, or some of the ids in a line. */
export interface SourceColumn {
  readonly name: string;
  /** Whether rows have a place in their line, too. */
  readonly hasColumns?: boolean;
  /** @returns how many lines were blank, which are not rows */
  readonly read: (cells: CellList) => number;
}

export interface Shape {
  readonly kind: ShapeKind;
  /** Whether the first row is names. */
  readonly header: boolean;
  readonly choices: readonly SourceColumn[];
  /** Of a table whose rows have several cells. */
  readonly delimiter?: string | undefined;
  /** Of JSON: where the first of the choices are. */
  readonly paths?: readonly JsonPath[];
}

/** What was given, and which of the choices most likely has the ids. */
export interface GuessedShape {
  readonly shape: Shape;
  readonly column: number;
}

/** A text that has been read as a shape. */
export interface ReadText {
  readonly cells: Cells;
  readonly blankLines: number;
  readonly shape: Shape;
  /** Which of the choices was read. */
  readonly column: number;
}

const SAMPLE_ROWS = 100;
const SAMPLE_BYTES = 64 * 1024;

/** What was given, and which of its columns most likely has the ids. */
export function guessShape(data: Uint8Array): GuessedShape {
  const lines = linesAt(data, 0).slice(0, SAMPLE_ROWS);
  const text = guessText(lines);
  return shapeIn(data, lines, (sum) => (sum + text.sum === 0 ? laterText(data) : text));
}

/** The same for ids of a format: in lines those are looked for. If there are none, it stays what it was guessed to be. */
export function shapeFor(read: ReadFormat, data: Uint8Array, guessed: GuessedShape): GuessedShape {
  if (isIdALine(data.subarray(0, SAMPLE_BYTES), guessed, read)) return guessed;
  const found = isWideKind(read) ? 'wide' : read === 'dec' ? 'numbers' : read;
  const lines = linesAt(data, 0).slice(0, SAMPLE_ROWS);
  const first = guessText(lines, found);
  const text = first.ids === 0 ? laterText(data, found) : first;
  return text.ids === 0 ? guessed : shapeIn(data, lines, () => text);
}

/** Whether most lines are ids in a format: as such they may also be short, and without a digit. */
function isIdALine(sample: Uint8Array, { shape, column }: GuessedShape, read: ReadFormat): boolean {
  if (shape.kind !== 'lines') return false;
  const { cells } = readShape(sample, shape, column);
  return parseCells(cells, read).bad * 2 < cells.starts.length;
}

/** @param textFor the ids inside lines, beside columns that look so much like ids, as a sum of strengths */
function shapeIn(data: Uint8Array, sample: readonly string[], textFor: (sum: number) => TextGuess): GuessedShape {
  const json = guessJson(data);
  if (json !== undefined) {
    const text = textFor(json.sum);
    if (!isTextRather(text, json, json.isBroken)) return shapeOfJson(json, text);
  }
  const lines = sample.map((line) => line.trim()).filter((line) => line !== '');
  if (isList(lines)) return shapeOf('list', [{ name: '', read: readList }]);
  const table = guessTable(data, lines, SAMPLE_ROWS);
  const text = textFor(table.sum);
  const isDoubtful = !table.header;
  return isTextRather(text, table, isDoubtful) || (isDoubtful && text.ids > table.ids && table.delimiter !== undefined)
    ? shapeOfText(text)
    : shapeOfTable(table, text);
}

/** Whether to look for ids inside lines: elsewhere there are none, or, in a doubtful shape, fewer. */
function isTextRather(text: TextGuess, { sum }: { readonly sum: number }, isDoubtful: boolean): boolean {
  return text.sum > 0 && (sum === 0 || (isDoubtful && text.sum > sum));
}

/** The cells of a column; of a shape without columns all there is. */
export function readShape(data: Uint8Array, shape: Shape, column: number): ReadText {
  const { read, hasColumns } = shape.choices[column] as SourceColumn;
  // Nine bytes a line is less than most have; more capacity costs nothing until it is touched.
  const cells = new CellList(data, Math.max(16, Math.ceil(data.length / 9)), hasColumns);
  const blankLines = read(cells);
  return { cells: cells.finish(), blankLines, shape, column };
}

function shapeOf(kind: ShapeKind, choices: readonly SourceColumn[], column = 0, header = false): GuessedShape {
  return { shape: { kind, header, choices }, column };
}

function shapeOfJson({ columns, guessed, good }: JsonGuess, text: TextGuess): GuessedShape {
  const choices = columns.map(({ name, steps }) => ({
    name,
    read: (cells: CellList) => {
      readJson(cells, steps);
      return 0;
    },
  }));
  const { shape } = shapeOf('json', [...choices, ...unlessFew(text, good)]);
  return { shape: { ...shape, paths: columns }, column: guessed };
}

function shapeOfTable({ delimiter, header, columns, guessed, good }: TableGuess, text: TextGuess): GuessedShape {
  if (delimiter === undefined && !header) {
    return shapeOf('lines', [{ name: 'whole lines', read: readIdLines }, ...unlessFew(text, good)]);
  }
  const code = (delimiter ?? '\n').charCodeAt(0);
  const choices = columns.map((name, column) => ({
    name,
    read: (cells: CellList) => readCsv(cells, code, column, header ? 1 : 0),
  }));
  const { shape } = shapeOf('csv', [...choices, ...unlessFew(text, good)], guessed, header);
  return { shape: { ...shape, delimiter }, column: guessed };
}

function shapeOfText({ choices, guessed, found }: TextGuess): GuessedShape {
  return shapeOf(
    'text',
    choices.map((choice) => choiceOf(choice, found)),
    guessed,
  );
}

function choiceOf({ name, pick }: { name: string; pick: Pick }, found: Found): SourceColumn {
  return { name, hasColumns: true, read: (cells) => readText(cells, pick, found) };
}

/** All ids, wherever they are, if there are more than in the guessed column. */
function unlessFew({ ids, found }: TextGuess, good: number): SourceColumn[] {
  return ids > good ? [choiceOf(ALL_IDS, found)] : [];
}

/** What can be chosen where the beginning has no ids: of some places up to the end, the one with most lines that have. */
function laterText(data: Uint8Array, found?: Found): TextGuess {
  const guesses = [1, 2, 3, 4].map((nth) => guessText(linesAt(data, nth), found));
  return guesses.reduce((best, guess) => (guess.sum > best.sum ? guess : best));
}

/** The whole lines of a sample at some quarters of the data, or what there is of one. */
function linesAt(data: Uint8Array, quarters: number): string[] {
  const start = Math.floor((Math.max(0, data.length - SAMPLE_BYTES) * quarters) / 4);
  const end = start + SAMPLE_BYTES;
  const lines = new TextDecoder().decode(data.subarray(start, end)).split('\n');
  if (lines.length > 2) return lines.slice(start > 0 ? 1 : 0, end < data.length ? -1 : undefined);
  return lines;
}
