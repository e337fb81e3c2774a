import { checkAttached, checkInteger, checkString, typeName, wordsOf, wrongKind, wrongValue } from '../arguments.js';
import { type Bytes, checkBytes, checkKeys, type KeyColumn, type Keys, type TextColumn } from '../columns/keys.js';
import { kernels } from '../kernels/active.js';
import { digitOf, NO_DIGIT, type Spans } from '../kernels/types.js';

// UUIDs as in RFC 9562: 36 characters, digits in upper or lower case. In columns they are 16 bytes each, in the order of
// their text.

const TEXT_LENGTH = 36;
const UUID = 'a UUID such as f79c3e09-677c-4bbd-a479-3f349cb785e7';

/** The place in the text of the two digits of each byte. */
const PLACES = [0, 2, 4, 6, 9, 11, 14, 16, 19, 21, 24, 26, 28, 30, 32, 34] as const;
const HYPHENS = [8, 13, 18, 23] as const;
const HYPHEN = 0x2d;

/** @param unitAt returns the code of a character of the text; beyond its end, any number */
function parse(length: number, unitAt: (place: number) => number, bytes: Uint8Array, at: number): boolean {
  if (length !== TEXT_LENGTH) return false;
  for (const place of HYPHENS) if (unitAt(place) !== HYPHEN) return false;
  const digits = digitOf('hex');
  for (let i = 0; i < 16; i++) {
    const place = PLACES[i];
    const high = digits[unitAt(place)] ?? NO_DIGIT;
    const low = digits[unitAt(place + 1)] ?? NO_DIGIT;
    if (high === NO_DIGIT || low === NO_DIGIT) return false;
    bytes[at + i] = (high << 4) | low;
  }
  return true;
}

/** The bytes of UUIDs that are strings, 16 for each. */
function uuidsOfTexts(texts: readonly string[]): Uint8Array {
  const bytes = new Uint8Array(16 * texts.length);
  for (let row = 0; row < texts.length; row++) {
    const text = texts[row];
    if (!parse(text.length, (place) => text.charCodeAt(place), bytes, 16 * row)) {
      throw wrongValue('keys', UUID, text, row);
    }
  }
  return bytes;
}

/**
 * The bytes of UUIDs that are rows of text or of 16 bytes, 16 for each.
 * @param isText whether rows must be text
 */
function uuidsOfSpans({ data, starts, ends }: Spans, isText: boolean): Uint8Array {
  const bytes = new Uint8Array(16 * starts.length);
  for (let row = 0; row < starts.length; row++) {
    const start = starts[row];
    const length = ends[row] - start;
    if (length === 16 && !isText) for (let i = 0; i < 16; i++) bytes[16 * row + i] = data[start + i];
    else if (!parse(length, (place) => data[start + place], bytes, 16 * row)) {
      const expected = isText ? UUID : `${UUID}, or its 16 bytes`;
      throw wrongValue('keys', expected, textOfSpan({ data, starts, ends }, row), row);
    }
  }
  return bytes;
}

const SHOWN_BYTES = 256;

/** The start of a row for a message. */
export function textOfSpan({ data, starts, ends }: Spans, row: number): string {
  const start = starts[row];
  return new TextDecoder().decode(data.slice(start, Math.min(ends[row], start + SHOWN_BYTES)));
}

/** The kind of a key. Every system hashes each kind in its own way. */
export type KeyKind = 'text' | 'bytes' | 'int32' | 'int64' | 'uuid';

export const KEY_KINDS = ['text', 'bytes', 'int32', 'int64', 'uuid'] as const satisfies readonly KeyKind[];

/** One key of a kind. */
export type KeyOf<K extends KeyKind> = {
  text: string;
  bytes: Bytes;
  int32: number;
  int64: bigint;
  uuid: string | Bytes;
}[K];

/** One key: a string, bytes, a number (`int32`), a bigint (`int64`), the text or the 16 bytes of a UUID. */
export type PartitionKey = string | Bytes | number | bigint;

/** A column of keys: strings, a BytesColumn, an Int32Array or a BigInt64Array. */
export type PartitionKeys = Keys | Int32Array;

/** One checked key, in the form that is hashed: a UUID is 16 bytes. */
export type CheckedKey = string | Uint8Array | number | bigint;

const MIN_INT64 = -(2n ** 63n);

export function checkPartitionKey(kind: KeyKind, key: PartitionKey): CheckedKey {
  switch (kind) {
    case 'text':
      return checkString('key', key as string);
    case 'bytes':
      return checkBytes('key', key as Bytes, 'bytes');
    case 'int32':
      return checkInteger('key', key as number, -2147483648, 2147483647);
    case 'int64':
      if (typeof key !== 'bigint') throw wrongKind('key', 'a bigint from -2^63 to 2^63 - 1', key);
      if (key < MIN_INT64 || key >= -MIN_INT64) throw wrongValue('key', 'a bigint from -2^63 to 2^63 - 1', key);
      return key;
    case 'uuid': {
      const isText = typeof key === 'string';
      const bytes = isText ? new Uint8Array(16) : checkBytes('key', key as Bytes, 'a UUID or its bytes');
      if (isText && !parse(key.length, (place) => key.charCodeAt(place), bytes, 0)) throw wrongValue('key', UUID, key);
      if (bytes.length === 16) return bytes;
      throw wrongValue('key', '16 bytes of a UUID', bytes, undefined, `${bytes.length} bytes`);
    }
  }
}

export function checkPartitionKeys(kind: KeyKind, keys: PartitionKeys): KeyColumn {
  switch (kind) {
    case 'text':
      return checkTextKeys(keys, 'strings or a BytesColumn of UTF-8');
    case 'bytes':
      if (Array.isArray(keys)) throw wrongKind('keys', 'a BytesColumn', keys);
      return checkTextKeys(keys, 'a BytesColumn');
    case 'int32': {
      if (typeName(keys) !== 'Int32Array') throw wrongKind('keys', 'an Int32Array', keys);
      const column = keys as Int32Array;
      checkAttached('keys', column);
      return { kind, rows: column.length, memory: [column], keys: column };
    }
    case 'int64': {
      if (typeName(keys) !== 'BigInt64Array') throw wrongKind('keys', 'a BigInt64Array', keys);
      const column = keys as BigInt64Array;
      checkAttached('keys', column);
      return { kind, rows: column.length, memory: [column], keys: column };
    }
    case 'uuid': {
      const column = checkTextKeys(keys, 'UUIDs as strings or a BytesColumn');
      const { rows, memory } = column;
      const bytes = column.kind === 'text' ? uuidsOfTexts(column.texts) : uuidsOfSpans(column.spans, false);
      return { kind, rows, memory, bytes };
    }
  }
}

function checkTextKeys(keys: PartitionKeys, expected: string): TextColumn {
  if (ArrayBuffer.isView(keys)) throw wrongKind('keys', expected, keys);
  return checkKeys('keys', keys, expected) as TextColumn; // u64s would be a view
}

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
      return { kind, rows, memory, keys: readIntegers(spans, 32, new Int32Array(rows)) };
    case 'int64':
      return { kind, rows, memory, keys: readIntegers(spans, 64, new BigInt64Array(rows)) };
    case 'uuid':
      return { kind, rows, memory, bytes: uuidsOfSpans(spans, true) };
  }
}

/** Reads decimal integers into elements of 32 or 64 bits. */
function readIntegers<T extends Int32Array | BigInt64Array>(spans: Spans, bits: 32 | 64, values: T): T {
  const { data, starts, ends } = spans;
  const digits = starts.slice();
  for (let row = 0; row < digits.length; row++) {
    const start = starts[row];
    if (start < ends[row] && data[start] === MINUS) digits[row] = start + 1;
  }
  const sizes = new BigUint64Array(digits.length);
  const bad = kernels().parseSpans({ data, starts: digits, ends }, 'dec', sizes);
  const halves = wordsOf(sizes);
  const words = new Uint32Array(values.buffer);
  for (let row = 0; row < digits.length; row++) {
    const low = halves[2 * row];
    const high = halves[2 * row + 1];
    const isNegative = digits[row] !== starts[row];
    const fits =
      bits === 32
        ? high === 0 && low <= (isNegative ? 0x80000000 : 0x7fffffff)
        : high < 0x80000000 || (isNegative && high === 0x80000000 && low === 0);
    if (row === bad || !fits) {
      const expected = `a decimal integer from -2^${bits - 1} to 2^${bits - 1} - 1`;
      throw wrongValue('keys', expected, textOfSpan(spans, row), row);
    }
    words[(bits / 32) * row] = isNegative ? -low : low;
    if (bits === 64) words[2 * row + 1] = isNegative ? ~high + (low === 0 ? 1 : 0) : high;
  }
  return values;
}
