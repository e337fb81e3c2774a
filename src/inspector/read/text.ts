import { CellList, LATIN1 } from './cells.js';
import { type GuessedShape, indexOfBest, nameBonus } from './guess.js';
import { idIn, nameIn, patternOf, type Search } from './patterns.js';
import { Problem } from './problems.js';
import { forEachLine } from './table.js';

/**
 * Which ids of a line are rows: all of them if missing, the nth from 0, or the first after a name; or one of each link,
 * and all of those elsewhere.
 */
type Selector = undefined | number | string;

/** The last step of its path that is an id, or else the last id in it. */
const ONE_A_LINK = -1;
const MAX_LINK = 200;
const IN_LINK = /(?:\/\/|\w\.[a-z]+\/)[^\s"'<>,|)]*$/i;
const OUT_OF_LINK = /[\s"'<>,|)]|\/\//;

/** One text at a time for many lines: a text for each would take as long as looking for ids in it. */
const PIECE_BYTES = 64 * 1024;

/** Ids inside lines. A line without any is a row with a problem. */
export function readText(cells: CellList, selector: Selector, search: Search): void {
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
    let [seen, picked, column, counted] = [0, 0, 1, start];
    let [last, isLink, wasStep] = [0, false, false];
    for (; match !== null && from + match.index < end; match = pattern.exec(text)) {
      const { id, at: index } = idIn(match);
      const at = from + index;
      const isPicked =
        typeof selector === 'string'
          ? picked === 0 && nameIn(text.slice(start - from, index)).name === selector
          : selector === undefined || selector === seen || selector === ONE_A_LINK;
      seen++;
      if (!isPicked) continue;
      if (selector === ONE_A_LINK) {
        const isSame = isLink && !OUT_OF_LINK.test(text.slice(last, index));
        isLink = isSame || IN_LINK.test(text.slice(Math.max(start - from, index - MAX_LINK), index));
        last = index + id.length;
        const isStep = text[index - 1] === '/' && !/[\w.%-]/.test(text.charAt(last));
        if (isSame && wasStep && !isStep) continue;
        wasStep = isStep;
        if (isSame) [cells.count, picked] = [cells.count - 1, picked - 1];
      }
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

/** What these find is hardly anything but ids. */
const SURE: readonly Search[] = ['numbers', 'wide', 'shortcode'];

/** What can be chosen among the ids of lines: of a search, or else those of 64 bits, if there are as many of them. */
export function guessText(lines: readonly string[], search?: Search): TextGuess {
  if (search !== undefined) return guessOf(lines, search);
  const [numbers, ...others] = SURE.map((each) => guessOf(lines, each));
  const more = others.find(({ ids }) => ids > numbers.ids);
  return more ?? (numbers.ids > 0 ? numbers : guessOf(lines, 'segments'));
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
  const countOf = (selector: Selector) => {
    const cells = new CellList(new TextEncoder().encode(texts.join('\n')));
    readText(cells, selector, search);
    return cells.count;
  };
  const hasLinks = most > 1 && countOf(ONE_A_LINK) < countOf(undefined);
  if (hasLinks) choices.push(choiceOf('one of each link', ONE_A_LINK));
  // If one name alone says that it is an id, the other numbers are times and sizes.
  const bonuses = names.map(nameBonus);
  const isOne = most > 1 && lines.length > 1 && bonuses.filter((bonus) => bonus > 0).length === 1;
  return {
    shape: { kind: 'text', choices },
    column: isOne ? 1 + indexOfBest(bonuses) : hasLinks ? choices.length - 1 : 0,
    ids: lines.flat().length,
    sum: (SURE.includes(search) ? 3 : 1) * lines.length,
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
