import { getBackend, type TextFormat } from '../../index.js';
import { bigint, type Kernels, wasm } from '../../kernels/index.js';
import type { Cells } from './cells.js';
import { checkTexts, guessFormat } from './id-text.js';
import { Problem } from './problems.js';
import { readWideIds, type WideIds } from './wide-ids.js';
import { isWideKind, type ReadFormat } from './wide-kinds.js';

/** Ids with the rows that are none: those are 0 in `ids` and have a problem. */
export interface IdColumn {
  readonly format: ReadFormat;
  readonly ids: BigUint64Array;
  readonly problems: Uint8Array;
  readonly bad: number;
  /** How many are written as negative numbers: they are the same 64 bits, modulo 2^64. */
  readonly negative: number;
  /** Of ids that are wider than 64 bits: `ids` are their times then. */
  readonly wide?: WideIds;
}

/** The column functions of the backend in use, also where the library's own would refuse a whole column for a row. */
export function activeKernels(): Kernels {
  return getBackend() === 'wasm' ? wasm : bigint;
}

export function parseCells(cells: Cells, read: ReadFormat | 'guess'): IdColumn {
  const decimal = read === 'guess' || read === 'dec' ? parseAll(cells) : undefined;
  if (decimal !== undefined) return { format: 'dec', ids: decimal, problems: cells.problems, bad: 0, negative: 0 };
  const format = read === 'guess' ? guessFormat(cells) : read;
  if (isWideKind(format)) return { format, negative: 0, ...readWideIds(cells, format) };
  const { problems, starts, bad, written } = checkTexts(cells, format);
  const ids = new BigUint64Array(starts.length);
  const { data, ends } = cells;
  if (bad === 0 && written.size === 0) activeKernels().parseSpans({ data, starts, ends }, format, ids);
  else parseSome({ data, starts, ends }, format, ids, plainRows(problems, written, starts.length - bad));
  let negative = 0;
  for (const [row, id] of written) {
    ids[row] = id; // modulo 2^64
    if (id < 0n) negative++;
  }
  return { format, ids, problems, bad, negative };
}

/** Most columns have decimal ids only: reading them at once takes a fifth of looking at every row. */
function parseAll(cells: Cells): BigUint64Array | undefined {
  const { problems } = cells;
  for (let row = 0; row < problems.length; row++) if (problems[row] !== Problem.none) return undefined;
  const ids = new BigUint64Array(cells.starts.length);
  return activeKernels().parseSpans(cells, 'dec', ids) < 0 ? ids : undefined;
}

/** The rows that are digits alone. */
function plainRows(problems: Uint8Array, written: ReadonlyMap<number, bigint>, good: number): Uint32Array {
  const rows = new Uint32Array(good - written.size);
  let count = 0;
  for (let row = 0; row < problems.length; row++) {
    if (problems[row] === Problem.none && !written.has(row)) rows[count++] = row;
  }
  return rows;
}

function parseSome(
  { data, starts, ends }: Pick<Cells, 'data' | 'starts' | 'ends'>,
  format: TextFormat,
  ids: BigUint64Array,
  rows: Uint32Array,
): void {
  const parsed = new BigUint64Array(rows.length);
  const pick = (from: Uint32Array) => rows.map((row) => from[row] as number);
  activeKernels().parseSpans({ data, starts: pick(starts), ends: pick(ends) }, format, parsed);
  for (let i = 0; i < rows.length; i++) ids[rows[i] as number] = parsed[i] as bigint;
}
