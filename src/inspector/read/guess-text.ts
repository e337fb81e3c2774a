import { type Found, nameIn, patternOf } from './patterns.js';
import type { Pick } from './read-text.js';
import { indexOfBest, nameBonus } from './strength.js';

const MOST_NUMBERED = 8;

export const ALL_IDS: IdsOfLine = { name: 'all ids', pick: undefined };

/** Some of the ids of a line, to choose. */
interface IdsOfLine {
  readonly name: string;
  readonly pick: Pick;
}

/** What a sample of lines has. */
export interface TextGuess {
  readonly ids: number;
  /** How much the lines look as if they had ids, as a sum of strengths. */
  readonly sum: number;
  /** What to choose from; several only where a line has several ids. */
  readonly choices: readonly IdsOfLine[];
  readonly guessed: number;
  readonly found: Found;
}

/**
 * What can be chosen among the ids of lines: those of 64 bits, if there are as many of them.
 * @param sought what is found, if not that
 */
export function guessText(lines: readonly string[], sought?: Found): TextGuess {
  if (sought !== undefined) return guessOf(lines, sought);
  const numbers = guessOf(lines, 'numbers');
  const wide = guessOf(lines, 'wide');
  if (wide.ids > numbers.ids) return wide;
  return numbers.ids > 0 ? numbers : guessOf(lines, 'segments');
}

function guessOf(texts: readonly string[], found: Found): TextGuess {
  const lines = namesInLines(texts, patternOf(found));
  const most = Math.max(0, ...lines.map(({ length }) => length));
  const isSure = found === 'numbers' || found === 'wide';
  const all = { ids: lines.flat().length, sum: (isSure ? 3 : 1) * lines.length, found };
  if (most < 2) return { ...all, choices: [ALL_IDS], guessed: 0 };
  const names = [...new Set(lines[0])].filter((name) => name !== '' && lines.every((line) => line.includes(name)));
  const named = names.map((name) => ({ name, pick: name }));
  const choices = [ALL_IDS, ...named, ...numbered(lines, names, Math.min(most, MOST_NUMBERED))];
  // If one name alone says that it is an id, the other numbers are times and sizes.
  const bonuses = names.map(nameBonus);
  const isOne = lines.length > 1 && bonuses.filter((bonus) => bonus > 0).length === 1;
  return { ...all, choices, guessed: isOne ? 1 + indexOfBest(bonuses) : 0 };
}

/** The 1st, 2nd and so on, except for those that have the same name in every line. */
function numbered(lines: readonly string[][], names: readonly string[], most: number): IdsOfLine[] {
  const all = Array.from({ length: most }, (_, nth) => ({ name: ordinal(nth + 1), pick: nth }));
  return all.filter(({ pick }) => {
    const name = lines[0]?.[pick] ?? '';
    return !names.includes(name) || lines.some((line) => line[pick] !== name);
  });
}

/** For each line with ids, the names before them: '' for an id without a name. */
function namesInLines(texts: readonly string[], pattern: RegExp): string[][] {
  const lines = texts
    .map((text) => Array.from(text.matchAll(pattern), ({ index }) => nameIn(text.slice(0, index))))
    .filter(({ length }) => length > 0);
  // In a single line the word before an id is a name only with = or : between them.
  return lines.map((names) => names.map(({ name, isAssigned }) => (isAssigned || lines.length > 1 ? name : '')));
}

function ordinal(number: number): string {
  return `${number}${['th', 'st', 'nd', 'rd'][number > 3 ? 0 : number]}`;
}
