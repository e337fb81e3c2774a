import { checkAttached, namesIn, typeName, wordsOf, wrongKind, wrongValue } from '../arguments.js';
import {
  type Bytes,
  type BytesColumn,
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
  type TextColumn,
  textOfSpan,
} from '../columns/keys.js';
import { parseDate } from '../dates.js';
import { kernels } from '../kernels/active.js';
import { digitOf, NO_DIGIT, type Spans } from '../kernels/types.js';

// The one table of kinds of keys. How a system hashes each of them is in the file of the system; a kind that it does not
// have is refused by name.

/** The arrays of the kinds of keys that are integers. Those of times have days since 1970, or microseconds. */
const ARRAYS = {
  int8: Int8Array,
  int16: Int16Array,
  int32: Int32Array,
  int64: BigInt64Array,
  uint8: Uint8Array,
  uint16: Uint16Array,
  uint32: Uint32Array,
  u64: BigUint64Array,
  date: Int32Array,
  time: BigInt64Array,
  timestamp: BigInt64Array,
} as const;

type NumberKind = keyof typeof ARRAYS;

export type { KeyKind, PartitionColumn, PartitionKey, PartitionKeys, PartitionValue };

export const KEY_KINDS = [
  ...(['text', 'bytes', 'int8', 'int16', 'int32', 'int64', 'uint8', 'uint16', 'uint32', 'u64'] as const),
  ...(['uuid', 'decimal', 'date', 'time', 'timestamp'] as const),
] satisfies readonly KeyKind[];

/** Whether keys of a kind are integers. */
export const isInteger = (kind: KeyKind | undefined): boolean => kind === 'u64' || /^u?int\d+$/.test(kind ?? '');

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
  decimal: string;
  date: string | number;
  time: string | bigint;
  timestamp: string | bigint;
}[K];

/** One checked key in the form that is hashed: a UUID is 16 bytes, a decimal its integer without the point, big-endian. */
export type CheckedKey = string | Uint8Array | number | bigint;

const DAY_MS = 86_400_000;

/**
 * The ranges of times. Dates and timestamps fit their bits even if they are counted from 2000. DuckDB's infinite ones are
 * outside.
 */
const RANGES: { readonly [kind in NumberKind]?: { readonly min: bigint; readonly max: bigint } } = {
  date: { min: 2n ** 14n - 2n ** 31n, max: 2n ** 31n - 2n ** 14n },
  time: { min: 0n, max: BigInt(DAY_MS) * 1000n - 1n },
  timestamp: { min: 2n ** 50n - 2n ** 63n, max: 2n ** 63n - 2n ** 50n },
};

/** What is known of a kind of integers. */
function numbersOf(kind: NumberKind) {
  const array = ARRAYS[kind];
  const bits = 8 * array.BYTES_PER_ELEMENT;
  const isSigned = !array.name.includes('Uint');
  const exponent = isSigned ? bits - 1 : bits;
  const max = 2n ** BigInt(exponent) - 1n;
  return {
    array,
    min: isSigned ? -max - 1n : 0n,
    max,
    ...RANGES[kind],
    /** Whether single keys are bigints. */
    isBig: bits === 64,
    /** Whether they are hashed as integers of 32 bits; otherwise as those of 64, u64s as the same bits. */
    isNarrow: max < 2n ** 31n,
    /** The range for messages. */
    range: `from ${isSigned ? `-2^${exponent}` : 0} to 2^${exponent} - 1`,
  };
}

const NUMBERS = /* @__PURE__ */ Object.fromEntries(namesIn(ARRAYS).map((kind) => [kind, numbersOf(kind)])) as {
  readonly [kind in NumberKind]: ReturnType<typeof numbersOf>;
};

const isNumber = (kind: KeyKind): kind is NumberKind => Object.hasOwn(ARRAYS, kind);

/** Kinds whose texts have a form of their own. `read` gives undefined for another text. */
interface Written {
  readonly expected: string;
  read(text: string): number | bigint | Uint8Array | undefined;
}

const WRITTEN: { readonly [kind in KeyKind]?: Written } = {
  decimal: { expected: 'a decimal number such as 14.20', read: unscaled },
  date: {
    expected: 'a date such as 2024-03-01',
    read(text) {
      const period = text.length === 10 ? parseDate(text) : undefined;
      return period && period.from / DAY_MS;
    },
  },
  time: {
    expected: 'a time such as 22:31:08.5',
    read: (text) => (/^\d\d:\d\d(:\d\d(\.\d{1,6})?)?$/.test(text) ? microseconds(`1970-01-01T${text}`) : undefined),
  },
  timestamp: { expected: 'a date with a time to the microsecond, such as 2024-03-01T10:30:15.5', read: microseconds },
};

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

/**
 * The bytes of UUIDs that are rows of text or of 16 bytes, 16 for each.
 * @param isText whether rows must be text
 */
function uuidsOfSpans({ data, starts, ends }: Spans, isText: boolean, nulls?: Uint8Array): Uint8Array {
  const bytes = new Uint8Array(16 * starts.length);
  for (let row = 0; row < starts.length; row++) {
    if (nulls?.[row]) continue;
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

/** Checks the value of a column of a key. @throws TypeError or RangeError that names the argument, and perhaps its row */
export function checkPartitionKey(kind: KeyKind, key: PartitionValue, argument = 'key', row?: number): CheckedKey {
  switch (kind) {
    case 'text':
      if (typeof key !== 'string') throw wrongKind(argument, 'a string', key, row);
      return key;
    case 'bytes':
      return checkBytes(argument, key as Bytes, 'bytes', row);
    case 'uuid': {
      const isText = typeof key === 'string';
      const bytes = isText ? new Uint8Array(16) : checkBytes(argument, key as Bytes, 'a UUID or its bytes', row);
      if (isText && !parse(key.length, (place) => key.charCodeAt(place), bytes, 0)) {
        throw wrongValue(argument, UUID, key, row);
      }
      if (bytes.length === 16) return bytes;
      throw wrongValue(argument, '16 bytes of a UUID', bytes, row, `${bytes.length} bytes`);
    }
    default: {
      const written = WRITTEN[kind];
      if (written === undefined || (typeof key !== 'string' && isNumber(kind))) {
        return checkNumber(kind as NumberKind, key, argument, row);
      }
      if (typeof key !== 'string') throw wrongKind(argument, written.expected, key, row);
      const read = written.read(key);
      if (read === undefined) throw wrongValue(argument, written.expected, key, row);
      return read;
    }
  }
}

function checkNumber(kind: NumberKind, key: PartitionValue, argument: string, row?: number): number | bigint {
  const { min, max, isBig, isNarrow, range } = NUMBERS[kind];
  const isKind = typeof key === (isBig ? 'bigint' : 'number');
  if (isKind && (key as bigint) >= min && (key as bigint) <= max && (isBig || Number.isInteger(key))) {
    if (isNarrow) return key as number;
    return isBig ? BigInt.asIntN(64, key as bigint) : BigInt(key as number);
  }
  const expected = isBig ? `a bigint ${range}` : `an integer from ${min} to ${max}`;
  throw (isKind ? wrongValue : wrongKind)(argument, WRITTEN[kind]?.expected ?? expected, key, row);
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
export function columnOfKey(kind: KeyKind, key: PartitionValue, takesNull: boolean, argument: string): KeyColumn {
  const nulls = takesNull && key === null ? Uint8Array.of(1) : undefined;
  return columnOf(kind, 1, nulls, () => checkPartitionKey(kind, key, argument));
}

/** Which arrays of single keys a column may be: of kinds that are texts, of any kind, or of any kind with NULL. */
type Arrays = 'of texts' | 'of any kind' | 'with null';

const COLUMNS: { readonly [kind in KeyKind]?: string } = {
  text: 'strings or a BytesColumn of UTF-8',
  bytes: 'a BytesColumn',
  uuid: 'UUIDs as strings or a BytesColumn',
  decimal: 'decimal numbers as strings or a BytesColumn',
};

export function checkPartitionKeys(
  kind: KeyKind,
  keys: PartitionColumn,
  arrays: Arrays = 'of texts',
  argument = 'keys',
): KeyColumn {
  const isText = kind !== 'bytes' && (!isNumber(kind) || kind in WRITTEN);
  if (Array.isArray(keys) && (isText || arrays !== 'of texts')) {
    return columnOfArray(kind, keys, arrays === 'with null', argument);
  }
  if (isNumber(kind)) return columnOfNumbers(kind, keys as Int32Array, argument);
  const expected = COLUMNS[kind] as string;
  if (ArrayBuffer.isView(keys) || Array.isArray(keys)) throw wrongKind(argument, expected, keys);
  const column = checkKeys(argument, keys as BytesColumn, expected) as TextColumn & { kind: 'bytes' }; // u64s would be a view
  if (kind === 'text' || kind === 'bytes') return column;
  return { ...keysInText(kind, column.spans, undefined, true), memory: column.memory };
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

function columnOfNumbers(kind: NumberKind, keys: Int32Array, argument: string): KeyColumn {
  const { array } = NUMBERS[kind];
  const name = typeName(keys);
  if (name !== array.name && !(kind === 'u64' && name === 'BigInt64Array')) {
    const article = array.name.startsWith('I') ? 'an' : 'a';
    throw wrongKind(argument, `${article} ${array.name}`, keys);
  }
  checkAttached(argument, keys);
  return { ...(kind in RANGES ? keysInNumbers : columnOfRows)(kind, keys), memory: [keys] };
}

/** Integers that fit a kind in the form that is hashed. */
function columnOfRows(kind: NumberKind, keys: IntegerArray): KeyColumn {
  const rows = { rows: keys.length, memory: [] };
  const { isNarrow } = NUMBERS[kind];
  if (isNarrow) {
    const narrow = typeName(keys) === 'Int32Array' ? keys : Int32Array.from(keys as never, Number);
    return { ...rows, kind: 'int32', keys: narrow as Int32Array };
  }
  if (typeName(keys).startsWith('Big')) {
    return { ...rows, kind: 'int64', keys: new BigInt64Array(keys.buffer, keys.byteOffset, keys.length) };
  }
  const wide = new BigInt64Array(keys.length);
  const words = wordsOf(wide);
  for (let row = 0; row < keys.length; row++) {
    const value = keys[row] as number;
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
export function keysInRows(kind: KeyKind, { values, nulls, areBytes }: RowValues): KeyColumn {
  const column =
    'starts' in values ? keysInText(kind, values, nulls, areBytes) : keysInNumbers(kind as NumberKind, values, nulls);
  return nulls === undefined ? column : { ...column, nulls };
}

function keysInNumbers(kind: NumberKind, values: Exclude<RowValues['values'], Spans>, nulls?: Uint8Array): KeyColumn {
  const { array, min, max, range } = NUMBERS[kind];
  if (typeName(values) !== array.name || kind in RANGES) {
    const row = (values as BigInt64Array).findIndex((value, row) => (value < min || value > max) && nulls?.[row] !== 1);
    if (row >= 0)
      throw wrongValue('keys', WRITTEN[kind]?.expected ?? `a decimal integer ${range}`, String(values[row]), row);
  }
  return columnOfRows(kind, values);
}

function keysInText(kind: KeyKind, spans: Spans, nulls?: Uint8Array, areBytes = false): KeyColumn {
  const rows = spans.starts.length;
  if (kind === 'text' || kind === 'bytes') return { kind: 'bytes', rows, memory: [], spans };
  if (kind === 'uuid') return { kind, rows, memory: [], bytes: uuidsOfSpans(spans, !areBytes, nulls) };
  if (!(kind in WRITTEN)) return integersInText(kind as NumberKind, spans, nulls);
  return columnOf(kind, rows, nulls, (row) =>
    checkPartitionKey(kind, textOfSpan(spans, row, Number.POSITIVE_INFINITY), 'keys', row),
  );
}

const MINUS = 0x2d;

/** Reads decimal integers. */
function integersInText(kind: NumberKind, spans: Spans, nulls?: Uint8Array): KeyColumn {
  const { min, max, isNarrow, range } = NUMBERS[kind];
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
  const values = isNarrow ? new Int32Array(rows) : new BigInt64Array(rows);
  const words = new Uint32Array(values.buffer);
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
    if (row === bad || !fits) throw wrongValue('keys', `a decimal integer ${range}`, textOfSpan(spans, row), row);
    if (isNarrow) words[row] = isNegative ? -sizeLow : sizeLow;
    else {
      words[2 * row] = isNegative ? -sizeLow : sizeLow;
      words[2 * row + 1] = isNegative ? ~sizeHigh + (sizeLow === 0 ? 1 : 0) : sizeHigh;
    }
  }
  return { kind: isNarrow ? 'int32' : 'int64', rows, memory: [], keys: values } as KeyColumn;
}
