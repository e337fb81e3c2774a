import { type Found, IdFinder, isWordFormat } from './find-ids.js';
import { type Name, nameBefore } from './name-before.js';
import type { Pick } from './read-text.js';
import { indexOfBest, nameBonus } from './strength.js';

const NEWLINE = 0x0a;
const MOST_NUMBERED = 8;

export const ALL_IDS: IdsOfLine = { name: 'all ids', pick: 'all' };

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
  /** See {@link IdFinder}. */
  readonly found: Found;
}

/**
 * What can be chosen among the ids of lines, from the first lines: those of 64 bits, if there are as many of them.
 * @param sought what is found, if not that
 */
export function guessText(data: Uint8Array, mostLines: number, sought?: Found): TextGuess {
  const guess = (found: Found) => guessOf(namesInLines(new IdFinder(data, found), mostLines), found);
  if (sought !== undefined) return guess(sought);
  const numbers = guess('numbers');
  const wide = guess('wide');
  if (wide.ids > numbers.ids) return wide;
  return numbers.ids > 0 ? numbers : guess('segments');
}

function guessOf(lines: readonly string[][], found: Found): TextGuess {
  const most = Math.max(0, ...lines.map(({ length }) => length));
  const ids = lines.reduce((sum, { length }) => sum + length, 0);
  const all = { ids, sum: (found === 'segments' || isWordFormat(found) ? 1 : 3) * lines.length, found };
  if (most < 2) return { ...all, choices: [ALL_IDS], guessed: 0 };
  const names = [...new Set(lines[0])].filter((name) => name !== '' && lines.every((line) => line.includes(name)));
  const named = names.map((name) => ({ name, pick: new TextEncoder().encode(name) }));
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
function namesInLines(finder: IdFinder, mostLines: number): string[][] {
  const { data } = finder;
  const lines: (Name | undefined)[][] = [];
  for (let start = 0, count = 0; start < data.length && count < mostLines; count++) {
    const newline = data.indexOf(NEWLINE, start);
    const end = newline < 0 ? data.length : newline;
    const names: (Name | undefined)[] = [];
    finder.enter(start, end);
    while (finder.next()) names.push(nameBefore(data, start, finder.start));
    if (names.length > 0) lines.push(names);
    start = end + 1;
  }
  const decoder = new TextDecoder();
  // In a single line the word before an id is a name only with = or : between them.
  return lines.map((names) =>
    names.map((name) =>
      name !== undefined && (name.isAssigned || lines.length > 1)
        ? decoder.decode(data.subarray(name.start, name.end))
        : '',
    ),
  );
}

function ordinal(number: number): string {
  return `${number}${['th', 'st', 'nd', 'rd'][number > 3 ? 0 : number]}`;
}
