import { recordKernels } from '../../src/kernels/records.js';
import type { Kernels } from '../../src/kernels/types.js';

const SLACK = 63;

/** The milliseconds of all texts before the first one that is not a date, and the row of that one. */
export function parsed(kernels: Kernels, texts: readonly string[]): { ms: number[]; row: number } {
  const bytes = new TextEncoder().encode(texts.join('|'));
  const data = kernels.column('u8', bytes.length + SLACK);
  const starts = kernels.column('u32', texts.length);
  const ends = kernels.column('u32', texts.length);
  const values = kernels.column('f64', texts.length);
  data.array.fill(0x30).set(bytes); // what comes behind must not matter
  let at = 0;
  for (const [row, text] of texts.entries()) {
    starts.array[row] = at;
    ends.array[row] = at + text.length;
    at += text.length + 1;
  }
  const spans = { data: data.array, starts: starts.array, ends: ends.array };
  const row = recordKernels(kernels).parseDates(spans, values.array);
  const ms = [...values.array.slice(0, row < 0 ? texts.length : row)];
  for (const column of [data, starts, ends, values]) column.free();
  return { ms, row };
}
