import { stepThrough } from '../arguments.js';
import { type BytesColumn, bytesColumnOf, checkKeys, type Keys, spansOf, utf8ColumnOf } from '../columns/keys.js';
import { kernels } from '../kernels/active.js';
import type { Spans } from '../kernels/types.js';
import { areOf, type KeyKind, keysInRows } from '../partitioners/keys.js';
import { rowsOf } from '../routing/routing.js';

/** Columns of keys that are tried. @inline */
export type TriedKeys = Keys | Int32Array;

/** The keys of all rows, as one of the kinds that they may be. */
export interface KeyInterpretation {
  readonly kind: KeyKind;
  readonly keys: TriedKeys;
  /** What `--keys` says of them; the kind by default. */
  readonly word?: string | undefined;
}

/**
 * Everything that some keys may be. Texts are also integers or UUIDs if all of them can be read so; integers are also
 * texts in decimal.
 * @param encoded how the keys were written if they are bytes, for `--keys`
 * @throws TypeError or RangeError for what is not a column of keys
 */
export function readingsOf(keys: TriedKeys, encoded?: string): KeyInterpretation[] {
  if (encoded !== undefined) return [{ kind: 'bytes', keys, word: encoded }];
  if (areOf('int32', keys)) {
    return [{ kind: 'text', keys: Array.from(keys, String) }, ...integers(BigInt64Array.from(keys, BigInt))];
  }
  const column = checkKeys('keys', keys, 'strings, a BytesColumn, an Int32Array, a BigInt64Array or a BigUint64Array');
  if (column.kind === 'u64') {
    const { buffer, byteOffset, length } = column.keys;
    const int64 = new BigInt64Array(buffer, byteOffset, length);
    const texts = Array.from<bigint, string>(areOf('int64', keys) ? int64 : column.keys, String);
    return [{ kind: 'text', keys: texts }, ...integers(int64)];
  }
  const readings: KeyInterpretation[] = [{ kind: 'text', keys }];
  if (column.rows === 0) return readings;
  const spans = column.kind === 'bytes' ? column.spans : spansOf(utf8ColumnOf(column.texts));
  const int64 = integersIn(spans);
  if (int64 !== undefined) readings.push(...int64);
  else if (unlessRefused(() => keysInRows('uuid', { values: spans }, 'keys'))) readings.push({ kind: 'uuid', keys });
  return readings;
}

/** Integers as all kinds of integers that hold them. */
function integers(int64: BigInt64Array): KeyInterpretation[] {
  const readings: KeyInterpretation[] = [
    { kind: 'int64', keys: int64 },
    { kind: 'u64', keys: new BigUint64Array(int64.buffer, int64.byteOffset, int64.length) },
  ];
  if (int64.some((value) => BigInt.asIntN(32, value) !== value)) return readings;
  return [{ kind: 'int32', keys: Int32Array.from<bigint>(int64, Number) }, ...readings];
}

/** Rows of text as integers, if all are such in decimal. */
function integersIn(spans: Spans): KeyInterpretation[] | undefined {
  const column = unlessRefused(() => keysInRows('int64', { values: spans }, 'keys'));
  if (column?.kind === 'int64') return integers(column.keys);
  const keys = new BigUint64Array(spans.starts.length);
  return kernels().parseSpans(spans, 'dec', keys) < 0 ? [{ kind: 'u64', keys }] : undefined;
}

/** What `work` gives; undefined if it refuses the keys, the servers or the number of shards. */
export function unlessRefused<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

/** Some keys of a column, in the order in which their rows are named. */
export function pick(keys: TriedKeys, rows: Uint32Array): TriedKeys {
  if (Array.isArray(keys)) return Array.from(rows, (row) => keys[row]);
  if ('offsets' in keys) return bytesColumnOf(Array.from(rows, (row) => bytesAt(keys, row)));
  const picked = keys.slice(0, rows.length);
  rows.forEach((row, i) => {
    picked[i] = keys[row];
  });
  return picked;
}

/** Steps of this share of the rows reach all parts of them evenly: the golden ratio. */
const STEP = 0.6180339887498949;

const MIN_SAMPLED = 64;

/**
 * Up to `most` rows with different keys, from all parts of the column. There are fewer if their keys would have more than
 * `maxBytes`, but at least {@link MIN_SAMPLED}. The same column always gives the same rows.
 */
export function sampleOf(keys: TriedKeys, most: number, maxBytes: number): Uint32Array {
  const rows = rowsOf(keys);
  const decoder = new TextDecoder('latin1');
  const seen = new Set<string | number | bigint>();
  const sample: number[] = [];
  const step = stepThrough(rows, Math.max(1, Math.round(STEP * rows)));
  let bytes = 0;
  for (let i = 0, row = 0; i < rows && sample.length < most; i++, row = (row + step) % rows) {
    const key = 'offsets' in keys ? decoder.decode(bytesAt(keys, row)) : keys[row];
    if (seen.has(key)) continue;
    seen.add(key);
    sample.push(row);
    bytes += typeof key === 'string' ? key.length : 8;
    if (bytes > maxBytes && sample.length >= MIN_SAMPLED) break;
  }
  return Uint32Array.from(sample);
}

function bytesAt({ data, offsets }: BytesColumn, row: number): Uint8Array {
  return data.subarray(offsets[row], offsets[row + 1]);
}
