import { CellList, type Cells } from './cells.js';
import { parseCells } from './id-column.js';
import { guessJson, type JsonPath } from './json.js';
import { readList } from './lines.js';
import type { Found } from './patterns.js';
import { isWideKind, type ReadFormat } from './problems.js';
import { guessTable, isList } from './table.js';
import { guessText, type TextGuess } from './text.js';

/** An id a line, ids between spaces or commas, a table, JSON, or text with ids in it. */
export type ShapeKind = 'lines' | 'list' | 'csv' | 'json' | 'text';

/** What can be read of what was given: a column of a table, or some of the ids in a line. */
export interface SourceColumn {
  readonly name: string;
  /** Whether these are ids inside lines, which are no column of the source. */
  readonly isInside?: boolean;
  /** @returns how many lines were blank, which are not rows */
  readonly read: (cells: CellList) => number;
}

export interface Shape {
  readonly kind: ShapeKind;
  /** Whether the first row is names. */
  readonly header?: boolean;
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

/** A shape, and how much a sample of it looks like ids. */
export interface Guess extends GuessedShape {
  /** Of the guessed column: its strengths, and how many texts have any. */
  readonly sum: number;
  readonly good: number;
  /** How many ids inside lines are rather those than what is guessed. */
  readonly mostIds: number;
  /** Whether it gives way to text that looks more like ids. */
  readonly isDoubtful: boolean;
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
export function shapeFor(read: ReadFormat | 'guess', data: Uint8Array, guessed: GuessedShape): GuessedShape {
  if (read === 'guess' || isIdALine(data.subarray(0, SAMPLE_BYTES), guessed, read)) return guessed;
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
  const asJson = json && unlessText(json, textFor(json.sum));
  if (asJson !== undefined) return asJson;
  const lines = sample.map((line) => line.trim()).filter((line) => line !== '');
  if (isList(lines)) return { shape: { kind: 'list', choices: [{ name: '', read: readList }] }, column: 0 };
  const table = guessTable(data, lines, SAMPLE_ROWS);
  const text = textFor(table.sum);
  return unlessText(table, text) ?? text;
}

/** Not if ids are rather inside lines: elsewhere there are none, or, in a doubtful shape, fewer. */
function unlessText(
  { shape, column, sum, good, mostIds, isDoubtful }: Guess,
  text: TextGuess,
): GuessedShape | undefined {
  if (text.sum > 0 && (sum === 0 || (isDoubtful && (text.sum > sum || text.ids > mostIds)))) return undefined;
  // All ids, wherever they are, can be chosen if there are more than in the guessed column.
  const inside = text.ids > good ? text.shape.choices.slice(0, 1) : [];
  return { shape: { ...shape, choices: [...shape.choices, ...inside] }, column };
}

/** The cells of a column; of a shape without columns all there is. */
export function readShape(data: Uint8Array, shape: Shape, column: number): ReadText {
  // Nine bytes a line is less than most have; more capacity costs nothing until it is touched.
  const cells = new CellList(data, Math.ceil(data.length / 9));
  const blankLines = shape.choices[column].read(cells);
  return { cells: cells.finish(), blankLines, shape, column };
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
  if (lines.length < 3) return lines;
  return lines.slice(start > 0 ? 1 : 0, end < data.length ? -1 : undefined);
}
