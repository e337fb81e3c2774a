import { getBackend, type TextFormat } from '../../index.js';
import { bigint, type Kernels, wasm } from '../../kernels/index.js';
import type { Cells } from './cells.js';
import { checkTexts, guessFormat } from './id-text.js';
import { Problem } from './problems.js';

/** Ids with the rows that are none: those are 0 in `ids` and have a problem. */
export interface IdColumn {
  readonly format: TextFormat;
  readonly ids: BigUint64Array;
  readonly problems: Uint8Array;
  readonly bad: number;
}

/** The column functions of the backend in use, also where the library's own would refuse a whole column for a row. */
export function activeKernels(): Kernels {
  return getBackend() === 'wasm' ? wasm : bigint;
}

export function parseCells(cells: Cells, read: TextFormat | 'guess'): IdColumn {
  const format = read === 'guess' ? guessFormat(cells) : read;
  const { problems, starts, bad } = checkTexts(cells, format);
  const ids = new BigUint64Array(starts.length);
  const { data, ends } = cells;
  if (bad === 0) {
    activeKernels().parseSpans({ data, starts, ends }, format, ids);
    return { format, ids, problems, bad };
  }
  const good = new Uint32Array(starts.length - bad);
  let count = 0;
  for (let row = 0; row < problems.length; row++) if (problems[row] === Problem.none) good[count++] = row;
  const parsed = new BigUint64Array(count);
  const pick = (from: Uint32Array) => good.map((row) => from[row] as number);
  activeKernels().parseSpans({ data, starts: pick(starts), ends: pick(ends) }, format, parsed);
  for (let i = 0; i < count; i++) ids[good[i] as number] = parsed[i] as bigint;
  return { format, ids, problems, bad };
}
