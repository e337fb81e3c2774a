import type { Cells } from './cells.js';
import { CELLS } from './patterns.js';
import { Problem } from './problems.js';
import { type ReadFormat, withoutUrn } from './wide-kinds.js';

const SAMPLE_ROWS = 1000;
const MOST_BYTES = 64;

/**
 * The format that most rows are in, in a sample from all of them; the first of those with as many. Formats other than
 * decimal and hexadecimal must be those of most rows.
 */
export function guessFormat({ data, starts, ends, problems }: Cells): ReadFormat {
  const isGood = (_: number, row: number) => problems[row] === Problem.none;
  const goodStarts = starts.filter(isGood);
  const goodEnds = ends.filter(isGood);
  const decoder = new TextDecoder();
  const texts: string[] = [];
  for (let i = 0; i < goodStarts.length; i += Math.ceil(goodStarts.length / SAMPLE_ROWS)) {
    const start = goodStarts[i] as number;
    texts.push(withoutUrn(decoder.decode(data.subarray(start, Math.min(goodEnds[i] as number, start + MOST_BYTES)))));
  }
  let best: ReadFormat = 'dec';
  let most = 0;
  for (const format of Object.keys(CELLS) as ReadFormat[]) {
    const count = texts.filter((text) => CELLS[format].test(text)).length;
    const isOfMost = format === 'dec' || format === 'hex' || count * 2 > texts.length;
    if (isOfMost && count > most) [best, most] = [format, count];
  }
  return best;
}
