import { type CellList, LATIN1 } from './cells.js';
import { type GuessedShape, indexOfBest, nameBonus } from './guess.js';
import { idIn, nameIn, patternOf, type Search } from './patterns.js';
import { Problem } from './problems.js';
import { forEachLine } from './table.js';

/** Which ids of a line are rows: all of them if missing, the nth from 0, or the first after a name. */
type Selector = undefined | number | string;

/** One text at a time for many lines: a text for each would take as long as looking for ids in it. */
const PIECE_BYTES = 64 * 1024;

/**
 * Ids inside lines. A line without any is a row with a problem.
 * @returns how many lines were blank, which are not rows
 */
export function readText(cells: CellList, selector: Selector, search: Search): number {
  const { data } = cells;
  const pattern = patternOf(search);
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
        typeof selector === 'string'
          ? picked === 0 && nameIn(text.slice(start - from, index)).name === selector
          : selector === undefined || selector === seen;
      seen++;
      if (!isPicked) continue;
      // Bytes that go on with a character in UTF-8 are not characters of their own.
      for (; counted < at; counted++) if ((data[counted] & 0xc0) !== 0x80) column++;
      cells.push(at, at + id.length, line, Problem.none, column);
      picked++;
    }
    if (picked === 0) cells.push(start, end, line, seen === 0 ? Problem.notFound : Problem.missing, 1);
  });
}

const MAX_NUMBERED = 8;

/** What a sample of lines has: how many ids, and how much the lines look as if they had ids, as a sum of strengths. */
export type TextGuess = GuessedShape & { readonly ids: number; readonly sum: number };

/**
 * What can be chosen among the ids of lines: those of 64 bits, if there are as many of them.
 * @param search what is looked for instead
 */
export function guessText(lines: readonly string[], search?: Search): TextGuess {
  if (search !== undefined) return guessOf(lines, search);
  const numbers = guessOf(lines, 'numbers');
  const wide = guessOf(lines, 'wide');
  if (wide.ids > numbers.ids) return wide;
  return numbers.ids > 0 ? numbers : guessOf(lines, 'segments');
}

/** What to choose from is all ids; and, where a line has several, those with a name, and the 1st, the 2nd and so on. */
function guessOf(texts: readonly string[], search: Search): TextGuess {
  const lines = namesInLines(texts, patternOf(search));
  const most = Math.max(0, ...lines.map(({ length }) => length));
  const names = [...new Set(lines[0])].filter((name) => name !== '' && lines.every((line) => line.includes(name)));
  const choiceOf = (name: string, selector: Selector) => {
    return { name, isInside: true, read: (cells: CellList) => readText(cells, selector, search) };
  };
  const choices = [choiceOf('all ids', undefined)];
  if (most > 1) {
    for (const name of names) choices.push(choiceOf(name, name));
    for (let nth = 0; nth < Math.min(most, MAX_NUMBERED); nth++) {
      const name = lines[0]?.[nth] ?? '';
      // An id that has the same name in every line can be chosen by it.
      if (names.includes(name) && lines.every((line) => line[nth] === name)) continue;
      choices.push(choiceOf(`${nth + 1}${['st', 'nd', 'rd'][nth] ?? 'th'}`, nth));
    }
  }
  // If one name alone says that it is an id, the other numbers are times and sizes.
  const bonuses = names.map(nameBonus);
  const isOne = most > 1 && lines.length > 1 && bonuses.filter((bonus) => bonus > 0).length === 1;
  return {
    shape: { kind: 'text', choices },
    column: isOne ? 1 + indexOfBest(bonuses) : 0,
    ids: lines.flat().length,
    sum: (search === 'numbers' || search === 'wide' ? 3 : 1) * lines.length,
  };
}

/** For each line with ids, the names before them: '' for an id without a name. */
function namesInLines(texts: readonly string[], pattern: RegExp): string[][] {
  const lines = texts
    .map((text) => Array.from(text.matchAll(pattern), (match) => nameIn(text.slice(0, idIn(match).at))))
    .filter(({ length }) => length > 0);
  // In a single line the word before an id is a name only with = or : between them.
  return lines.map((names) => names.map(({ name, isAssigned }) => (isAssigned || lines.length > 1 ? name : '')));
}
