import { bytesLike, type Cells, COLON, cellText, textIn } from './cells.js';
import { Problem } from './problems.js';

/** Longer links have their host elsewhere. */
const MAX_BYTES = 300;
const MAX_KNOWN = 1000;
/** Between a name or a link and its id, and at the end of those. */
const AROUND = bytesLike(/[ \t"'`\\<@#!&]/);
const ENDS = bytesLike(/[=:/_-]/);
const IN_WORD = bytesLike(/[^\0- "'`<>,;|(){}[\]]/);
const HOST = /^(?:[\w+.-]*:?\/\/)?[^/]*/;

type ColumnClues = readonly (RegExp | undefined)[];

/** The number of the first clue that matches, from 1; 0: none does. */
function numberIn(clues: ColumnClues, text: string): number {
  return clues.findIndex((clue) => clue?.test(text)) + 1;
}

/** Longer cells are not the name of a service. */
const MAX_NAME = 24;

function numberNamed(clues: ColumnClues, text: string): number {
  return text.length > MAX_NAME ? 0 : numberIn(clues, text);
}

/** The place of the column whose texts name a service in most rows, and several in all; -1 if there is none. */
export function columnOfServices(columns: readonly (readonly string[])[], clues: ColumnClues): number {
  return columns.findIndex((texts) => {
    const named = texts.map((text) => numberNamed(clues, text)).filter((number) => number > 0);
    return named.length * 2 > texts.length && new Set(named).size > 1;
  });
}

/**
 * For each row, the number of the first clue that matches the host of its own link, or the name before its id; otherwise
 * the name of a service in another column, or the name of its column. From 1; 0: none does.
 * @param names the cells of the other column
 */
export function servicesOfRows({ data, starts, problems }: Cells, column: string, clues: ColumnClues, names?: Cells) {
  const known = new Map<string, number>();
  const remembered = (text: string, find: typeof numberIn) => {
    const number = known.get(text) ?? find(clues, text);
    if (known.size < MAX_KNOWN) known.set(text, number);
    return number;
  };
  const ofColumn = numberIn(clues, column);
  const isBeside = names?.starts.length === starts.length;
  return Uint8Array.from(starts, (start, row) => {
    if (problems[row] !== Problem.none) return 0;
    const named = isBeside ? remembered(cellText(names, row, MAX_NAME), numberNamed) : 0;
    const ofOthers = named || ofColumn;
    const before = data[start - 1];
    if (AROUND[before] !== 1 && ENDS[before] !== 1) return ofOthers; // such as a line: most rows
    let end = start;
    const least = Math.max(0, start - MAX_BYTES);
    const back = (over: Uint8Array) => {
      while (end > least && over[data[end - 1]] === 1) end--;
    };
    back(AROUND);
    if (ENDS[data[end - 1]] !== 1) return ofOthers;
    if (data[end - 1] === COLON) {
      end--;
      back(AROUND); // the quote of a key
    }
    const last = end;
    back(IN_WORD);
    const [host = ''] = HOST.exec(textIn(data, end, last)) ?? [];
    return remembered(host, numberIn) || ofOthers;
  });
}
