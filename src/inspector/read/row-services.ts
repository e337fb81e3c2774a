import { bytesLike, type Cells, COLON, textIn } from './cells.js';
import { Problem } from './problems.js';

/** Longer links have their host elsewhere. */
const MAX_BYTES = 300;
const MAX_KNOWN = 1000;
/** Between a name or a link and its id, and at the end of those. */
const AROUND = bytesLike(/[ \t"'`\\<@#!&]/);
const ENDS = bytesLike(/[=:/_-]/);
const IN_WORD = bytesLike(/[^\0- "'`<>,;|(){}[\]]/);
const HOST = /^(?:[\w+.-]*:?\/\/)?[^/]*/;

/**
 * For each row, the number of the first clue that matches the host of its own link, or the name before its id; otherwise
 * the name of its column. From 1; 0: none does.
 */
export function servicesOfRows(
  { data, starts, problems }: Cells,
  column: string,
  clues: readonly (RegExp | undefined)[],
): Uint8Array {
  const numberOf = (text: string) => clues.findIndex((clue) => clue?.test(text)) + 1;
  const known = new Map<string, number>();
  const ofColumn = numberOf(column);
  return Uint8Array.from(starts, (start, row) => {
    if (problems[row] !== Problem.none) return 0;
    const before = data[start - 1];
    if (AROUND[before] !== 1 && ENDS[before] !== 1) return ofColumn; // such as a line: most rows
    let end = start;
    const least = Math.max(0, start - MAX_BYTES);
    const back = (over: Uint8Array) => {
      while (end > least && over[data[end - 1]] === 1) end--;
    };
    back(AROUND);
    if (ENDS[data[end - 1]] !== 1) return ofColumn;
    if (data[end - 1] === COLON) {
      end--;
      back(AROUND); // the quote of a key
    }
    const last = end;
    back(IN_WORD);
    const [host = ''] = HOST.exec(textIn(data, end, last)) ?? [];
    const number = known.get(host) ?? numberOf(host);
    if (known.size < MAX_KNOWN) known.set(host, number);
    return number || ofColumn;
  });
}
