import { typeName } from '../arguments.js';
import { type BytesColumn, bytesColumnOf, checkKeys, type Keys, spansOf, utf8ColumnOf } from '../columns/keys.js';
import { kernels } from '../kernels/active.js';
import type { Spans } from '../kernels/types.js';
import { type KeyKind, keysInRows } from '../partitioners/keys.js';

/** Columns of keys that are tried. @inline */
export type TriedKeys = Keys | Int32Array;

/** The keys of all rows, as one of the kinds that they may be. */
export interface Reading {
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
export function readingsOf(keys: TriedKeys, encoded?: string): Reading[] {
  if (encoded !== undefined) return [{ kind: 'bytes', keys, word: encoded }];
  if (typeName(keys) === 'Int32Array') {
    const int32 = keys as Int32Array;
    return [{ kind: 'text', keys: Array.from(int32, String) }, ...integers(BigInt64Array.from(int32, BigInt))];
  }
  const column = checkKeys(
    'keys',
    keys as Keys,
    'strings, a BytesColumn, an Int32Array, a BigInt64Array or a BigUint64Array',
  );
  if (column.kind === 'u64') {
    const texts = Array.from(keys as BigUint64Array | BigInt64Array, String);
    const { buffer, byteOffset, length } = column.keys;
    return [{ kind: 'text', keys: texts }, ...integers(new BigInt64Array(buffer, byteOffset, length))];
  }
  const readings: Reading[] = [{ kind: 'text', keys: keys as Keys }];
  if (column.rows === 0) return readings;
  const spans = column.kind === 'bytes' ? column.spans : spansOf(utf8ColumnOf(column.texts));
  const int64 = integersIn(spans);
  if (int64 !== undefined) readings.push(...int64);
  else if (unlessRefused(() => keysInRows('uuid', { values: spans })))
    readings.push({ kind: 'uuid', keys: keys as Keys });
  return readings;
}

/** Integers as all kinds of integers that hold them. */
function integers(int64: BigInt64Array): Reading[] {
  const readings: Reading[] = [
    { kind: 'int64', keys: int64 },
    { kind: 'u64', keys: new BigUint64Array(int64.buffer, int64.byteOffset, int64.length) },
  ];
  if (int64.some((value) => BigInt.asIntN(32, value) !== value)) return readings;
  return [{ kind: 'int32', keys: Int32Array.from(int64 as never, Number) }, ...readings];
}

/** Rows of text as integers, if all are such in decimal. */
function integersIn(spans: Spans): Reading[] | undefined {
  const column = unlessRefused(() => keysInRows('int64', { values: spans }));
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
  if (!ArrayBuffer.isView(keys)) {
    const { data, offsets } = keys as BytesColumn;
    return bytesColumnOf(Array.from(rows, (row) => data.subarray(offsets[row], offsets[row + 1])));
  }
  const picked = keys.slice(0, rows.length);
  rows.forEach((row, i) => {
    picked[i] = keys[row];
  });
  return picked;
}
