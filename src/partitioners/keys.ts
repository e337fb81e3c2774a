import { checkAttached, typeName, wordsOf, wrongKind, wrongValue } from '../arguments.js';
import {
  type Bytes,
  bytesColumnOf,
  checkBytes,
  checkKeys,
  checkTexts,
  type IntegerArray,
  type KeyColumn,
  type KeyKind,
  type PartitionColumn,
  type PartitionKey,
  type PartitionKeys,
  type PartitionValue,
  type RowValues,
  spansOf,
  textOfSpan,
} from '../columns/keys.js';
import { parseDate } from '../dates.js';
import { kernels } from '../kernels/active.js';
import { digitOf, NO_DIGIT, type Spans } from '../kernels/types.js';

// The one table of kinds of keys. How a system hashes each of them is in the file of the system; a kind that it does not
// have is refused by name.

export type { KeyKind, PartitionColumn, PartitionKey, PartitionKeys, PartitionValue };

export const KEY_KINDS = [
  ...(['text', 'bytes', 'int8', 'int16', 'int32', 'int64', 'uint8', 'uint16', 'uint32', 'u64'] as const),
  ...(['uuid', 'objectid', 'decimal', 'date', 'time', 'timestamp'] as const),
] satisfies readonly KeyKind[];

/** One key of a kind. */
export type KeyOf<K extends KeyKind> = {
  text: string;
  bytes: Bytes;
  int8: number;
  int16: number;
  int32: number;
  int64: bigint;
  uint8: number;
  uint16: number;
  uint32: number;
  u64: bigint;
  uuid: string | Bytes;
  objectid: string;
  decimal: string;
  date: string | number;
  time: string | bigint;
  timestamp: string | bigint;
}[K];

/**
 * One checked key in the form that is hashed: a UUID is 16 bytes, an ObjectId 12, and a decimal its integer without the point,
 * big-endian.
 */
export type CheckedKey = string | Uint8Array | number | bigint;

const DAY_MS = 86_400_000;

/** Kinds whose texts have a form of their own. */
interface WrittenKind {
  readonly expected: string;
  /** The range of times, which fit their bits even if they are counted from 2000. DuckDB's infinite ones are outside. */
  readonly min?: bigint;
  readonly max?: bigint;
  /** Gives undefined for another text. */
  read(text: string): number | bigint | Uint8Array | undefined;
}

const UUID = 'a UUID such as f79c3e09-677c-4bbd-a479-3f349cb785e7';
const OBJECT_ID = 'an ObjectId such as 507f1f77bcf86cd799439011';
const DECIMAL = 'a decimal number such as 14.20';

const WRITTEN: { readonly [kind in KeyKind]?: WrittenKind } = {
  uuid: {
    expected: UUID,
    read(text) {
      const bytes = new Uint8Array(16);
      return parse(text.length, (place) => text.charCodeAt(place), bytes, 0) ? bytes : undefined;
    },
  },
  objectid: {
    expected: OBJECT_ID,
    read(text) {
      const bytes = new Uint8Array(12);
      const unitAt = (place: number) => text.charCodeAt(place);
      return text.length === 24 && parseHex(unitAt, OBJECT_ID_PLACES, bytes, 0) ? bytes : undefined;
    },
  },
  decimal: { expected: DECIMAL, read: unscaled },
  date: {
    expected: 'a date such as 2024-03-01',
    ...{ min: 2n ** 14n - 2n ** 31n, max: 2n ** 31n - 2n ** 14n },
    read(text) {
      const period = text.length === 10 ? parseDate(text) : undefined;
      return period && period.from / DAY_MS;
    },
  },
  time: {
    expected: 'a time such as 22:31:08.5',
    ...{ min: 0n, max: BigInt(DAY_MS) * 1000n - 1n },
    read: (text) => (/^\d\d:\d\d(:\d\d(\.\d{1,6})?)?$/.test(text) ? microseconds(`1970-01-01T${text}`) : undefined),
  },
  timestamp: {
    expected: 'a date with a time to the microsecond, such as 2024-03-01T10:30:15.5',
    ...{ min: 2n ** 50n - 2n ** 63n, max: 2n ** 63n - 2n ** 50n },
    read: microseconds,
  },
};

/** The kinds of keys that are integers. Those of times have days since 1970, or microseconds. */
const NUMBERS = {
  int8: numbersOf(Int8Array),
  int16: numbersOf(Int16Array),
  int32: numbersOf(Int32Array),
  int64: numbersOf(BigInt64Array),
  uint8: numbersOf(Uint8Array),
  uint16: numbersOf(Uint16Array),
  uint32: numbersOf(Uint32Array),
  u64: numbersOf(BigUint64Array),
  date: numbersOf(Int32Array, WRITTEN.date),
  time: numbersOf(BigInt64Array, WRITTEN.time),
  timestamp: numbersOf(BigInt64Array, WRITTEN.timestamp),
};

type NumericKind = keyof typeof NUMBERS;

function numbersOf<A extends { readonly name: string; readonly BYTES_PER_ELEMENT: number; prototype: IntegerArray }>(
  array: A,
  written?: WrittenKind,
) {
  const bits = 8 * array.BYTES_PER_ELEMENT;
  const isSigned = !array.name.includes('Uint');
  const exponent = isSigned ? bits - 1 : bits;
  const above = 2n ** BigInt(exponent);
  const { min = isSigned ? -above : 0n, max = above - 1n, expected } = written ?? {};
  const range = `from ${isSigned ? `-2^${exponent}` : 0} to 2^${exponent} - 1`;
  /** Whether single keys are bigints. */
  const isBig = bits === 64;
  return {
    array,
    min,
    max,
    isBig,
    /** Whether they are hashed as integers of 32 bits; otherwise as those of 64, u64s as the same bits. */
    isNarrow: exponent < 32,
    isTime: written !== undefined,
    /** What a single key, and one in text, has to be. */
    expected: expected ?? (isBig ? `a bigint ${range}` : `an integer from ${min} to ${max}`),
    expectedText: expected ?? `a decimal integer ${range}`,
  };
}

const isNumber = (kind: KeyKind): kind is NumericKind => kind in NUMBERS;

/** Whether keys are a typed array of a kind. */
export function areOf<K extends NumericKind>(
  kind: K,
  keys: unknown,
): keys is (typeof NUMBERS)[K]['array']['prototype'] {
  return typeName(keys) === NUMBERS[kind].array.name;
}

const MORE_DECIMALS = /[.,]\d{7}/;

function microseconds(text: string): bigint | undefined {
  const period = text.length > 10 && !MORE_DECIMALS.test(text) ? parseDate(text) : undefined;
  return period && BigInt(period.from) * 1000n + BigInt(period.us);
}

/** The integer of a decimal number without its point, in as few bytes of two's complement as hold it, big-endian. */
function unscaled(text: string): Uint8Array | undefined {
  if (!/^-?\d+(\.\d+)?$/.test(text)) return undefined;
  let value = BigInt(text.replace('.', ''));
  const bytes: number[] = [];
  do {
    bytes.unshift(Number(value & 255n));
    value >>= 8n;
  } while (value !== (bytes[0] < 128 ? 0n : -1n));
  return Uint8Array.from(bytes);
}

// UUIDs as in RFC 9562: 36 characters, digits in upper or lower case. In columns they are 16 bytes each, in the order of
// their text.

const TEXT_LENGTH = 36;

/** The place in the text of the two digits of each byte. */
const PLACES = [0, 2, 4, 6, 9, 11, 14, 16, 19, 21, 24, 26, 28, 30, 32, 34] as const;
const HYPHENS = [8, 13, 18, 23] as const;
const OBJECT_ID_PLACES = [0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22] as const;
const HYPHEN = 0x2d;

/** @param unitAt returns the code of a character of the text; beyond its end, any number */
function parse(length: number, unitAt: (place: number) => number, bytes: Uint8Array, at: number): boolean {
  if (length !== TEXT_LENGTH) return false;
  for (const place of HYPHENS) if (unitAt(place) !== HYPHEN) return false;
  return parseHex(unitAt, PLACES, bytes, at);
}

/** Reads a byte from each of these places, where it has two hexadecimal digits. */
function parseHex(
  unitAt: (place: number) => number,
  places: readonly number[],
  bytes: Uint8Array,
  at: number,
): boolean {
  const digits = digitOf('hex');
  for (let i = 0; i < places.length; i++) {
    const place = places[i];
    const high = digits[unitAt(place)] ?? NO_DIGIT;
    const low = digits[unitAt(place + 1)] ?? NO_DIGIT;
    if (high === NO_DIGIT || low === NO_DIGIT) return false;
    bytes[at + i] = (high << 4) | low;
  }
  return true;
}

/**
 * The bytes of UUIDs that are rows of text or of 16 bytes, 16 for each.
 * @param isText whether rows must be text
 */
function uuidsOfSpans(spans: Spans, isText: boolean, argument: string, nulls?: Uint8Array): Uint8Array {
  const { data, starts, ends } = spans;
  const bytes = new Uint8Array(16 * starts.length);
  for (let row = 0; row < starts.length; row++) {
    if (nulls?.[row]) continue;
    const start = starts[row];
    const length = ends[row] - start;
    if (length === 16 && !isText) for (let i = 0; i < 16; i++) bytes[16 * row + i] = data[start + i];
    else if (!parse(length, (place) => data[start + place], bytes, 16 * row)) {
      const expected = isText ? UUID : `${UUID}, or its 16 bytes`;
      throw wrongValue(argument, expected, textOfSpan(spans, row), row);
    }
  }
  return bytes;
}

/** Checks the value of a column of a key. @throws TypeError or RangeError that names the argument, and perhaps its row */
export function checkPartitionKey(kind: KeyKind, key: PartitionKey, argument = 'key', row?: number): CheckedKey {
  if (kind === 'text') {
    if (typeof key !== 'string') throw wrongKind(argument, 'a string', key, row);
    return key;
  }
  if (kind === 'bytes') return bytesIn(key, 'bytes', argument, row);
  if (kind === 'uuid' && typeof key !== 'string') {
    const bytes = bytesIn(key, 'a UUID or its bytes', argument, row);
    if (bytes.length === 16) return bytes;
    throw wrongValue(argument, '16 bytes of a UUID', bytes, row, `${bytes.length} bytes`);
  }
  const written = WRITTEN[kind];
  if (typeof key === 'string' && written !== undefined) {
    const read = written.read(key);
    if (read === undefined) throw wrongValue(argument, written.expected, key, row);
    return read;
  }
  if (isNumber(kind)) return checkNumber(kind, key, argument, row);
  throw wrongKind(argument, written?.expected ?? kind, key, row);
}

function bytesIn(key: PartitionKey, expected: string, argument: string, row?: number): Uint8Array {
  if (typeof key !== 'object' || key === null || !('byteLength' in key)) throw wrongKind(argument, expected, key, row);
  return checkBytes(argument, key, expected, row);
}

function checkNumber(kind: NumericKind, key: PartitionKey, argument: string, row?: number): number | bigint {
  const { min, max, isBig, isNarrow, expected } = NUMBERS[kind];
  if (isBig && typeof key === 'bigint' && key >= min && key <= max) return BigInt.asIntN(64, key);
  if (!isBig && typeof key === 'number' && key >= min && key <= max && Number.isInteger(key)) {
    return isNarrow ? key : BigInt(key);
  }
  throw (typeof key === (isBig ? 'bigint' : 'number') ? wrongValue : wrongKind)(argument, expected, key, row);
}

/** A column of checked keys. Where a row is NULL, a filler takes its place. */
function columnOf(
  kind: KeyKind,
  rows: number,
  nulls: Uint8Array | undefined,
  keyAt: (row: number) => CheckedKey,
): KeyColumn {
  const keysOr = <T extends CheckedKey>(filler: T) => {
    const keys = new Array<T>(rows);
    for (let row = 0; row < rows; row++) keys[row] = nulls?.[row] ? filler : (keyAt(row) as T);
    return keys;
  };
  const memory: [] = [];
  // Spreading what they share would take a microsecond.
  if (kind === 'text') return { kind, rows, memory, nulls, texts: keysOr<string>('') };
  if (isNumber(kind)) {
    if (NUMBERS[kind].isNarrow) return { kind: 'int32', rows, memory, nulls, keys: Int32Array.from(keysOr<number>(0)) };
    return { kind: 'int64', rows, memory, nulls, keys: BigInt64Array.from(keysOr<bigint>(0n)) };
  }
  const bytes = bytesColumnOf(keysOr(new Uint8Array(kind === 'uuid' ? 16 : 0)));
  if (kind === 'uuid') return { kind, rows, memory, nulls, bytes: bytes.data };
  return { kind: 'bytes', rows, memory, nulls, spans: spansOf(bytes) };
}

/** A key, or NULL, as a column. */
export function columnOfKey(kind: KeyKind, key: PartitionKey, takesNull: boolean, argument: string): KeyColumn {
  const nulls = takesNull && key === null ? Uint8Array.of(1) : undefined;
  return columnOf(kind, 1, nulls, () => checkPartitionKey(kind, key, argument));
}

/** Which arrays of single keys a column may be: of kinds that are texts, of any kind, or of any kind with NULL. */
type Arrays = 'of texts' | 'of any kind' | 'with null';

const COLUMNS: { readonly [kind in Exclude<KeyKind, NumericKind>]: string } = {
  text: 'strings or a BytesColumn of UTF-8',
  bytes: 'a BytesColumn',
  uuid: 'UUIDs as strings or a BytesColumn',
  objectid: 'ObjectIds as strings or a BytesColumn',
  decimal: 'decimal numbers as strings or a BytesColumn',
};

export function checkPartitionKeys(
  kind: KeyKind,
  keys: PartitionKeys,
  arrays: Arrays = 'of texts',
  argument = 'keys',
): KeyColumn {
  const isText = kind !== 'bytes' && (!isNumber(kind) || kind in WRITTEN);
  if (Array.isArray(keys) && (isText || arrays !== 'of texts')) {
    return columnOfArray(kind, keys, arrays === 'with null', argument);
  }
  if (isNumber(kind)) return columnOfNumbers(kind, keys, argument);
  const column = Object(keys) === keys && 'data' in keys ? checkKeys(argument, keys, COLUMNS[kind]) : undefined;
  if (column?.kind !== 'bytes') throw wrongKind(argument, COLUMNS[kind], keys);
  if (kind === 'text' || kind === 'bytes') return column;
  return { ...keysInText(kind, column.spans, argument, undefined, true), memory: column.memory };
}

function columnOfArray(
  kind: KeyKind,
  keys: readonly PartitionValue[],
  takesNull: boolean,
  argument: string,
): KeyColumn {
  const hasNull = takesNull && keys.includes(null);
  const nulls = hasNull ? new Uint8Array(keys.length).map((_, row) => Number(keys[row] === null)) : undefined;
  if (kind === 'text' && !hasNull) return checkTexts(argument, keys as readonly string[]);
  return columnOf(kind, keys.length, nulls, (row) => {
    const key = keys[row];
    if (kind !== 'uuid' || typeof key === 'string') return checkPartitionKey(kind, key, argument, row);
    throw wrongKind(argument, 'a string', key, row); // 16 bytes are in a BytesColumn
  });
}

function columnOfNumbers(kind: NumericKind, keys: unknown, argument: string): KeyColumn {
  const { array, isTime } = NUMBERS[kind];
  if (!areOf(kind, keys) && !(kind === 'u64' && areOf('int64', keys))) {
    const article = array.name.startsWith('I') ? 'an' : 'a';
    throw wrongKind(argument, `${article} ${array.name}`, keys);
  }
  checkAttached(argument, keys);
  return { ...(isTime ? keysInNumbers(kind, keys, argument) : columnOfRows(kind, keys)), memory: [keys] };
}

/** Integers that fit a kind in the form that is hashed. */
function columnOfRows(kind: NumericKind, keys: IntegerArray): KeyColumn {
  const rows = { rows: keys.length, memory: [] };
  if (NUMBERS[kind].isNarrow) {
    const narrow = areOf('int32', keys) ? keys : Int32Array.from<number | bigint>(keys, Number);
    return { ...rows, kind: 'int32', keys: narrow };
  }
  if (areOf('int64', keys) || areOf('u64', keys)) {
    return { ...rows, kind: 'int64', keys: new BigInt64Array(keys.buffer, keys.byteOffset, keys.length) };
  }
  const wide = new BigInt64Array(keys.length);
  const words = wordsOf(wide);
  for (let row = 0; row < keys.length; row++) {
    const value = keys[row];
    words[2 * row] = value;
    words[2 * row + 1] = value < 0 ? -1 : 0;
  }
  return { ...rows, kind: 'int64', keys: wide };
}

/**
 * Reads keys from rows: of text in UTF-8 as it is, integers in decimal, UUIDs in 36 characters, others as they are written;
 * or integers of a table, which may have another width.
 * @throws RangeError with `row` for the first row that is not such a key
 */
export function keysInRows(kind: KeyKind, { values, nulls, areBytes }: RowValues, argument: string): KeyColumn {
  const column =
    'starts' in values
      ? keysInText(kind, values, argument, nulls, areBytes)
      : keysInNumbers(kind as NumericKind, values, argument, nulls);
  return nulls === undefined ? column : { ...column, nulls };
}

function keysInNumbers(kind: NumericKind, values: IntegerArray, argument: string, nulls?: Uint8Array): KeyColumn {
  const { min, max, isTime, expectedText } = NUMBERS[kind];
  if (isTime || !areOf(kind, values)) {
    const isBad = (value: number | bigint, row: number) => (value < min || value > max) && nulls?.[row] !== 1;
    const row = values.findIndex(isBad);
    if (row >= 0) throw wrongValue(argument, expectedText, String(values[row]), row);
  }
  return columnOfRows(kind, values);
}

function keysInText(kind: KeyKind, spans: Spans, argument: string, nulls?: Uint8Array, areBytes = false): KeyColumn {
  const rows = spans.starts.length;
  if (kind === 'text' || kind === 'bytes') return { kind: 'bytes', rows, memory: [], spans };
  if (kind === 'uuid') return { kind, rows, memory: [], bytes: uuidsOfSpans(spans, !areBytes, argument, nulls) };
  if (isNumber(kind) && !NUMBERS[kind].isTime) return integersInText(kind, spans, argument, nulls);
  return columnOf(kind, rows, nulls, (row) =>
    checkPartitionKey(kind, textOfSpan(spans, row, Number.POSITIVE_INFINITY), argument, row),
  );
}

const MINUS = 0x2d;

function integersInText(kind: NumericKind, spans: Spans, argument: string, nulls?: Uint8Array): KeyColumn {
  const { min, max, isNarrow, expectedText } = NUMBERS[kind];
  const { data, starts, ends } = spans;
  const rows = starts.length;
  const digits = starts.slice();
  for (let row = 0; row < rows; row++) {
    const start = starts[row];
    if (start < ends[row] && data[start] === MINUS) digits[row] = start + 1;
  }
  const sizes = new BigUint64Array(rows);
  const firstBad = (from: number) => {
    const rest = { data, starts: digits.subarray(from), ends: ends.subarray(from) };
    return kernels().parseSpans(rest, 'dec', sizes.subarray(from));
  };
  let bad = firstBad(0);
  const halves = wordsOf(sizes);
  const column: KeyColumn & { kind: 'int32' | 'int64' } = isNarrow
    ? { kind: 'int32', rows, memory: [], keys: new Int32Array(rows) }
    : { kind: 'int64', rows, memory: [], keys: new BigInt64Array(rows) };
  const words = new Uint32Array(column.keys.buffer);
  // The largest size without and with a minus, in halves.
  const [high, low, highBelow, lowBelow] = [max >> 32n, max & 0xffffffffn, -min >> 32n, -min & 0xffffffffn].map(Number);
  for (let row = 0; row < rows; row++) {
    if (nulls?.[row]) {
      if (row === bad) bad = row + 1 + firstBad(row + 1);
      continue;
    }
    const sizeLow = halves[2 * row];
    const sizeHigh = halves[2 * row + 1];
    const isNegative = digits[row] !== starts[row];
    const most = isNegative ? highBelow : high;
    const fits = sizeHigh < most || (sizeHigh === most && sizeLow <= (isNegative ? lowBelow : low));
    if (row === bad || !fits) throw wrongValue(argument, expectedText, textOfSpan(spans, row), row);
    if (isNarrow) words[row] = isNegative ? -sizeLow : sizeLow;
    else {
      words[2 * row] = isNegative ? -sizeLow : sizeLow;
      words[2 * row + 1] = isNegative ? ~sizeHigh + (sizeLow === 0 ? 1 : 0) : sizeHigh;
    }
  }
  return column;
}
