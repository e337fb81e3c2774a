import type { Batch } from '../batch.js';
import { type CheckedFormat, fieldOf } from '../format.js';
import { collectBytes } from '../operations/operation.js';
import { delimiterOf } from './values.js';

const encoder = new TextEncoder();
/** So many places are kept as they are written. */
const MAX_KEPT = 100_000;

/**
 * Writes rows with where they are and where they belong: records with two more columns, and of lines their keys with two
 * more columns of TSV.
 * @param textOf the number or the name of a place
 * @returns a function that gives the bytes, valid until its next call
 * @see headerWith for the header of records
 */
export function misplacedRows(
  records: CheckedFormat | undefined,
  textOf: (place: number) => number | string,
): (lines: Batch, rows: Uint32Array, pairs: Uint32Array) => Uint8Array {
  const written = [0, 1].map((which) => writtenOnce((place) => cellOf(textOf(place), records, which)));
  const { add, flush, reuse } = collectBytes();
  return (lines, rows, pairs) => {
    const isOfLines = records === undefined || records.format === 'placed lines';
    const { data, starts, ends } = isOfLines ? lines.keys : lines.records;
    const closes = isOfLines ? undefined : lines.records.closes;
    for (let i = 0; i < rows.length; i++) {
      const row = rows[i];
      const end = ends[row];
      const at = closes === undefined ? end : closes[row];
      const next = isOfLines ? end : starts[row + 1];
      add(data.subarray(starts[row], at));
      for (const which of [0, 1]) add(written[which](pairs[2 * i + which]));
      add(data.subarray(at, next));
      if (next === end) add(NEWLINE);
    }
    const { value, memory } = flush();
    reuse(memory);
    return value;
  };
}

const NEWLINE = Uint8Array.of(0x0a);

/** A value of an added column, with what comes before it. */
function cellOf(value: number | string, records: CheckedFormat | undefined, which: number): string {
  if (records?.format === 'csv') return delimiterOf(records) + fieldOf(String(value), records);
  if (records?.format === 'ndjson') return `,${JSON.stringify(records.added[which])}:${JSON.stringify(value)}`;
  return `\t${value}`;
}

/** Keeps what is written of each place. */
function writtenOnce(write: (place: number) => string): (place: number) => Uint8Array {
  const kept = new Map<number, Uint8Array>();
  return (place) => {
    let bytes = kept.get(place);
    if (bytes === undefined) {
      if (kept.size === MAX_KEPT) kept.clear();
      bytes = encoder.encode(write(place));
      kept.set(place, bytes);
    }
    return bytes;
  };
}
