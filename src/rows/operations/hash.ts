import { type Kernels, PIECE_ROWS, type Spans, type TextFormat } from '../../kernels/types.js';
import type { Batch } from '../batch.js';
import { Refused, refuse, shownText } from '../invalid.js';
import type { RowHashOptions } from '../keys.js';
import { valueRows } from '../sinks/values.js';
import { byteOperation, WrittenRows } from './operation.js';

/**
 * Hashes the keys of rows.
 * @param format how ids are written that are u64s; undefined for keys, which may be negative
 * @returns a function that gives rows with their hashes, valid until its next call
 */
export function rowHasher(
  kernels: Kernels,
  { keys, hash, seed }: RowHashOptions,
  format?: TextFormat,
): (rows: Batch) => Batch | Refused {
  const column = kernels.column('u64', PIECE_ROWS);
  return (rows) => {
    const hashed = rows.with({ hashes: column });
    const { hashes } = hashed;
    if (keys === 'text') {
      kernels.xxh64SpanColumn(rows.keys, seed, hashes);
      return hashed;
    }
    const bad =
      format === undefined ? parseKeys(kernels, rows.keys, hashes) : kernels.parseSpans(rows.keys, format, hashes);
    if (bad >= 0) return refuse(rows, bad, idIn(format));
    if (hash === 'xxh64') kernels.xxh64U64Column(hashes, seed, hashes);
    return hashed;
  };
}

/** Parses integers in decimal as u64s of the same bits. @returns the first row that is none, or -1 */
function parseKeys(kernels: Kernels, { data, starts, ends }: Spans, out: BigUint64Array): number {
  for (let from = 0; from < out.length; from++) {
    const rows = { data, starts: starts.subarray(from), ends: ends.subarray(from) };
    const bad = kernels.parseSpans(rows, 'dec', out.subarray(from));
    if (bad < 0) break;
    from += bad;
    const text = shownText(data.subarray(starts[from], ends[from]));
    if (!/^-[0-9]{1,19}$/.test(text) || BigInt(text) < -(2n ** 63n)) return from;
    out[from] = BigInt(text);
  }
  return -1;
}

/** What is expected of a row, for an error message. */
function idIn(format: TextFormat | undefined): string {
  if (format === undefined) return 'a decimal integer from -2^63 to 2^64 - 1';
  return format === 'dec' ? 'a decimal integer from 0 to 2^64 - 1' : `an integer from 0 to 2^64 - 1 in ${format}`;
}

export interface HashOptions extends RowHashOptions {
  readonly format: 'hex' | 'dec';
}

/** Writes the hashes of lines, or records with their hashes. */
export const HASH = byteOperation<HashOptions>('hash', (kernels, { format, ...how }, records) => {
  const hashed = rowHasher(kernels, how);
  const { header, write } = valueRows(kernels, records, { kind: format === 'hex' ? 'hex' : 'u64', isText: true });
  const writeHashes = (rows: Batch) => write(rows, [rows.hashes]);
  return {
    header: (first) => ({ bytes: header(first) }),
    run(batch) {
      const rows = hashed(batch);
      return rows instanceof Refused ? rows : new WrittenRows(writeHashes, rows);
    },
  };
});
