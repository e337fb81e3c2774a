import { wrongValue } from '../arguments.js';
import type { KeyColumn } from '../columns/keys.js';
import { kernels } from '../kernels/active.js';
import type { Spans } from '../kernels/types.js';
import { type KeyKind, textOfSpan, uuidsOfSpans } from './keys.js';

const MINUS = 0x2d;

/**
 * Reads keys from rows of text: UTF-8 as it is, integers in decimal, UUIDs in 36 characters.
 * @throws RangeError with `row` for the first row that is not such a key
 */
export function keysInText(kind: KeyKind, spans: Spans): KeyColumn {
  const rows = spans.starts.length;
  const memory: ArrayBufferView[] = [];
  switch (kind) {
    case 'text':
    case 'bytes':
      return { kind: 'bytes', rows, memory, spans };
    case 'int32':
      return { kind, rows, memory, keys: integers(spans, 'a decimal integer from -2^31 to 2^31 - 1', narrow(rows)) };
    case 'int64':
      return { kind, rows, memory, keys: integers(spans, 'a decimal integer from -2^63 to 2^63 - 1', wide(rows)) };
    case 'uuid':
      return { kind, rows, memory, bytes: uuidsOfSpans(spans, true) };
  }
}

/** Collects integers. */
interface Keeper<T> {
  readonly values: T;
  /** Stores a value by its magnitude and sign. @returns whether the type can hold it */
  keep(row: number, low: number, high: number, isNegative: boolean): boolean;
}

function integers<T>(spans: Spans, expected: string, { values, keep }: Keeper<T>): T {
  const { data, starts, ends } = spans;
  const digits = starts.slice();
  for (let row = 0; row < digits.length; row++) {
    const start = starts[row];
    if (start < ends[row] && data[start] === MINUS) digits[row] = start + 1;
  }
  const sizes = new BigUint64Array(digits.length);
  const bad = kernels().parseSpans({ data, starts: digits, ends }, 'dec', sizes);
  const count = bad < 0 ? digits.length : bad;
  const words = new Uint32Array(sizes.buffer);
  for (let row = 0; row < count; row++) {
    const isNegative = digits[row] !== starts[row];
    if (!keep(row, words[2 * row], words[2 * row + 1], isNegative))
      throw wrongValue('keys', expected, textOfSpan(spans, row), row);
  }
  if (bad >= 0) throw wrongValue('keys', expected, textOfSpan(spans, bad), bad);
  return values;
}

function narrow(rows: number): Keeper<Int32Array> {
  const values = new Int32Array(rows);
  return {
    values,
    keep(row, low, high, isNegative) {
      values[row] = isNegative ? -low : low;
      return high === 0 && low <= (isNegative ? 0x80000000 : 0x7fffffff);
    },
  };
}

function wide(rows: number): Keeper<BigInt64Array> {
  const values = new BigInt64Array(rows);
  const words = new Uint32Array(values.buffer);
  return {
    values,
    keep(row, low, high, isNegative) {
      words[2 * row] = isNegative ? -low : low;
      words[2 * row + 1] = isNegative ? ~high + (low === 0 ? 1 : 0) : high;
      return high < 0x80000000 || (isNegative && high === 0x80000000 && low === 0);
    },
  };
}
