import { namesIn } from '../../arguments.js';
import { FORMAT_NAMES, isWideKind, type ReadFormat } from '../../tokens/formats.js';
import { idIn, patternOf, type SearchKind } from '../../tokens/patterns.js';
import { CellList, type Cells, LATIN1, textIn } from './cells.js';
import type { GuessedShape, Shape, ShapeGuess } from './guess.js';
import { DIGITS, type IdColumn, parseCells } from './id-column.js';
import { guessJson } from './json.js';
import { type InputText, joined, MAX_BYTES } from './open.js';
import { Problem } from './problems.js';
import { forEachLine, guessTable, isList, readList, SAMPLE_ROWS } from './table.js';

/** A text that has been read as a shape. `column` says which of the choices was read. */
export type ReadText = ReturnType<typeof readShape>;

const SAMPLE_BYTES = 64 * 1024;

export function guessShape(data: Uint8Array): GuessedShape {
  const lines = firstLines(data);
  const text = guessText(lines);
  return shapeIn(data, lines, (sum) => (sum + text.sum === 0 ? laterText(data) : text));
}

/** The shape of a text whose lines have ids of a format. If there are none, it stays what it was guessed to be. */
function shapeFor(read: ReadFormat | 'guess', data: Uint8Array, guessed: GuessedShape): GuessedShape {
  if (read === 'guess' || isIdALine(data.subarray(0, SAMPLE_BYTES), guessed, read)) return guessed;
  const lines = firstLines(data);
  const first = guessText(lines, read);
  const text = first.ids === 0 ? laterText(data, read) : first;
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
  if (asJson) return asJson;
  const lines = sample.map((line) => line.trim()).filter((line) => line !== '');
  if (isList(lines)) return { shape: { kind: 'list', choices: [{ name: '', read: readList }] }, column: 0 };
  const table = guessTable(data, lines);
  const text = textFor(table.sum);
  return unlessText(table, text) ?? text;
}

/** Not if ids are rather inside lines: elsewhere there are none, or, in a doubtful shape, fewer. */
function unlessText({ shape, column, sum, good, mostIds, isDoubtful }: ShapeGuess, text: TextGuess) {
  const isAll = good > 0 && text.ids <= good; // each line is an id
  if (text.sum > 0 && (sum === 0 || (isDoubtful && !isAll && (text.sum > sum || text.ids > mostIds)))) return undefined;
  // All ids, wherever they are, can be chosen if there are more than in the guessed column.
  const inside = text.ids > good ? text.shape.choices.slice(0, 1) : [];
  return { shape: { ...shape, choices: [...shape.choices, ...inside] }, column };
}

/** The cells of a column; of a shape without columns all there is. */
export function readShape(data: Uint8Array, shape: Shape, column: number) {
  // Nine bytes a line is less than most have; more capacity costs nothing until it is touched.
  const cells = new CellList(data, Math.ceil(data.length / 9));
  shape.choices[column].read(cells);
  return { cells: cells.finish(), blankLines: cells.blankLines, shape, column };
}

/** What can be chosen where the beginning has no ids: of some places up to the end, the one with most lines that have. */
function laterText(data: Uint8Array, search?: SearchKind): TextGuess {
  const guesses = [1, 2, 3, 4].map((nth) => guessText(linesAt(data, nth), search));
  return guesses.reduce((best, guess) => (guess.sum > best.sum ? guess : best));
}

export const firstLines = (data: Uint8Array): string[] => linesAt(data, 0).slice(0, SAMPLE_ROWS);

/** The whole lines of a sample at some quarters of the data, or what there is of one. */
function linesAt(data: Uint8Array, quarters: number): string[] {
  const start = Math.floor((Math.max(0, data.length - SAMPLE_BYTES) * quarters) / 4);
  const end = start + SAMPLE_BYTES;
  const lines = textIn(data, start, end).split('\n');
  if (lines.length < 3) return lines;
  return lines.slice(start > 0 ? 1 : 0, end < data.length ? -1 : undefined);
}

/** One text or several files: their shapes, which may differ, and the columns that any of them has. */
export class Inputs {
  constructor(
    private readonly texts: readonly InputText[],
    private readonly shapes: readonly GuessedShape[] = texts.map(({ data }) => guessShape(data)),
  ) {}

  /** The same texts, with the ids in their lines that are of a format. */
  as(read: ReadFormat | 'guess'): Inputs {
    const shapes = this.texts.map(({ data }, i) => shapeFor(read, data, this.shapes[i]));
    return shapes.every((shape, i) => shape === this.shapes[i]) ? this : new Inputs(this.texts, shapes);
  }

  /** The column with a name of all texts, one after the other. A text without such a column has its guessed one. */
  read(name: string | undefined) {
    const shapes = this.shapes.map(({ shape }) => shape);
    const sourceColumns = [...new Set(shapes.flatMap(({ choices }) => choices.map((choice) => choice.name)))];
    const parts = this.texts.map(({ data }, i) => {
      const { shape, column } = this.shapes[i];
      const named = shape.choices.findIndex((choice) => choice.name === name);
      return readShape(data, shape, named < 0 ? column : named);
    });
    const guessed = shapes[0].choices[this.shapes[0].column].name;
    const isEmpty = parts.every(({ cells }) => cells.starts.length === 0);
    return {
      parts,
      cells: parts.length === 1 ? parts[0].cells : this.#joined(parts),
      about: {
        bytes: this.texts.reduce((sum, { bytes }) => sum + bytes, 0),
        files: this.texts.length,
        /** undefined: they are of several kinds, or have no rows. */
        kind: isEmpty || shapes.some(({ kind }) => kind !== shapes[0].kind) ? undefined : shapes[0].kind,
        header: shapes.some(({ header }) => header),
        blankLines: parts.reduce((sum, { blankLines }) => sum + blankLines, 0),
        /** The names of all columns to choose from, and the one that is read. */
        sourceColumns,
        sourceColumn: sourceColumns.indexOf(sourceColumns.find((each) => each === name) ?? guessed),
      },
    };
  }

  #joined(parts: readonly ReadText[]): Cells {
    const whole = new CellList(joined(parts.map(({ cells }) => cells.data)));
    let at = 0;
    const files = parts.map(({ cells }, i) => {
      const firstRow = whole.count;
      cells.starts.forEach((start, row) => {
        const [end, line, problem] = [cells.ends[row], cells.lines[row], cells.problems[row]];
        whole.push(at + start, at + end, line, problem, cells.columns[row]);
      });
      at += cells.data.length;
      return { name: this.texts[i].name, firstRow };
    });
    return { ...whole.finish(), files };
  }
}

// Ids inside lines.

/** One text at a time for many lines: a text for each would take as long as looking for ids in it. */
const PIECE_BYTES = 64 * 1024;

/** All ids inside lines. A line without any is a row with a problem. */
export function readText(cells: CellList, search: SearchKind): void {
  const { data } = cells;
  const pattern = patternOf(search);
  let text = '';
  let from = 0;
  let match: RegExpExecArray | null = null;
  cells.blankLines = forEachLine(data, (start, end, line) => {
    if (end > from + text.length) {
      const newline = data.indexOf(0x0a, start + PIECE_BYTES);
      text = LATIN1.decode(data.subarray(start, newline < 0 ? data.length : newline));
      from = start;
      match = pattern.exec(text);
    }
    let [found, column, counted] = [false, 1, start];
    for (; match !== null && from + match.index < end; match = pattern.exec(text)) {
      const { id, at: index } = idIn(match);
      const at = from + index;
      // Bytes that go on with a character in UTF-8 are not characters of their own.
      for (; counted < at; counted++) if ((data[counted] & 0xc0) !== 0x80) column++;
      cells.push(at, at + id.length, line, Problem.none, column);
      found = true;
    }
    if (!found) cells.push(start, end, line, Problem.notFound, 1);
  });
}

/** What a sample of lines has: how many ids, and how much the lines look as if they had ids, as a sum of strengths. */
export type TextGuess = GuessedShape & { readonly ids: number; readonly sum: number };

/** The ids in lines: those of a search, or else whatever is surely an id, or short numbers in links if there are none. */
export function guessText(lines: readonly string[], search?: SearchKind): TextGuess {
  if (search !== undefined) return guessOf(lines, search);
  const any = guessOf(lines, 'any');
  return any.ids > 0 ? any : guessOf(lines, 'segments');
}

function guessOf(texts: readonly string[], search: SearchKind): TextGuess {
  const counts = texts.map((text) => text.match(patternOf(search))?.length ?? 0);
  const lines = counts.filter((count) => count > 0).length;
  const read = (cells: CellList) => readText(cells, search);
  return {
    shape: { kind: 'text', choices: [{ name: 'all ids', isInside: true, read }] },
    column: 0,
    ids: counts.reduce((sum, count) => sum + count, 0),
    sum: (search === 'any' || search === 'dec' ? 3 : 1) * lines,
  };
}

// Tables as psql, mysql, DuckDB and SQLite print them, with rulers and bars, and records with a line for each column.

/** Of a table, or above a record. In Markdown, colons say how a column is aligned; DuckDB leaves out rows with dots. */
const RULER = /^(?=.*(?:--|[─═·]))[|+:·─═┌-╬ \t-]+$|^(?:-\[ RECORD|\*+ \d+\. row)/m;

const RECORD = /^(?:-\[ RECORD|\*+ \d+\. row).*\n((?:[ \t]*\w[^\n|:]*[|:].*\n?)+)/gm;

/** Below the names DuckDB has types. */
const TYPES = /^(┌.*\n│.*\n)│.*(?=\n├)/gm;

/** What is around a table: rulers, `(2 rows)`, `2 rows in set`, `Time: 1.234 ms`, `db=> select …`. */
const AROUND = new RegExp(
  `${RULER.source}|^ *(?:\\(?\\d+ rows?(?:\\)| in set.*| .*columns? *)|Time: .* ms.*|(?:\\w+[=-][#>]|mysql>|MariaDB \\[.*?]>|sqlite>| {4}->)(?: .*)?|D .*;)$`,
  'gm',
);

/** The same lines as a table whose cells have bars between them, or as JSON; the same array if there is no such table. */
export function undrawn(data: Uint8Array): Uint8Array {
  if (data.length > MAX_BYTES || !RULER.test(textIn(data, 0, SAMPLE_BYTES).replaceAll('\r', ''))) return data;
  const text = textIn(data)
    .replace(/\r$/gm, '')
    .replace(RECORD, (_, lines: string) => {
      const cells = lines.split('\n').map((line) => line.split(/[|:](.*)/).map((cell) => cell.trim()));
      return JSON.stringify(Object.fromEntries(cells.filter(([name]) => name))) + '\n'.repeat(cells.length);
    })
    .replace(TYPES, '$1')
    .replace(/[│║]/g, '|')
    .replace(/^[ \t]*\|(.*)\|[ \t]*$/gm, '  $1')
    .replace(AROUND, '');
  return new TextEncoder().encode(text);
}

// What the page says if nothing that was pasted is an id.

const SAMPLES = 5;
const MAX_SAMPLE_BYTES = 64;
/** Larger inputs are not read again in every format. */
const MAX_INPUT = 1_000_000;

/** Some texts that are not ids, and the formats in which some are, with how many. */
export function unreadableIn(inputs: Inputs, cells: Cells, parsed: IdColumn, column: string | undefined) {
  const { format, problems } = parsed;
  const { data, starts, ends } = cells;
  const others = namesIn(FORMAT_NAMES).filter((other) => other !== format && data.length <= MAX_INPUT);
  const alternatives = others.map((other) => {
    const read = inputs.as(other).read(column).cells;
    return { format: other, ids: read.starts.length - parseCells(read, other).bad };
  });
  return {
    rounded: problems.filter((problem) => problem === Problem.precisionLost).length,
    /** In pieces: every second one has characters that are not of the format, if these are what is wrong. */
    samples: Array.from(starts.subarray(0, SAMPLES), (start, row) => {
      const text = textIn(data, start, Math.min(ends[row], start + MAX_SAMPLE_BYTES));
      return [Problem.notInFormat, Problem.notFound].some((each) => each === problems[row])
        ? piecesOf(text, format)
        : [text];
    }),
    alternatives: alternatives.filter(({ ids }) => ids > 0).sort((a, b) => b.ids - a.ids),
  };
}

function piecesOf(text: string, format: ReadFormat): string[] {
  if (isWideKind(format)) return [text];
  return text.split(new RegExp(`((?:(?!${DIGITS[format].source}).)+)`, 'i'));
}
