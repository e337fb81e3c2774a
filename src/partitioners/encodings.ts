import { wordsOf } from '../arguments.js';
import type { KeyKind } from './keys.js';

// Keys that are not text are written as bytes first.

/** A 32-bit word with its bytes reversed. */
function swapped(word: number): number {
  return (word << 24) | ((word & 0xff00) << 8) | ((word >>> 8) & 0xff00) | (word >>> 24);
}

/** The bytes of each u64 in reverse order. */
export function reverseBytes(tokens: ArrayBufferView): void {
  const words = new Uint32Array(tokens.buffer, tokens.byteOffset, tokens.byteLength / 4);
  for (let i = 0; i < words.length; i += 2) {
    const low = words[i];
    words[i] = swapped(words[i + 1]);
    words[i + 1] = swapped(low);
  }
}

/** A column of numbers or UUIDs, which are 16 bytes each. */
export type KeyValues = Int32Array | BigInt64Array | Uint8Array;

/** Writes keys that are not text as bytes, and the end of each row. */
export type KeyEncoding<V> = (values: V, bytes: Uint8Array, ends: Uint32Array) => void;

/** The most bytes of a row: the text of a UUID. */
export const MAX_ENCODED = 36;

/** An encoding of a fixed number of words a row. */
export function ofWords<V extends KeyValues>(
  width: 1 | 2 | 4,
  write: (values: V, words: Uint32Array) => void,
): KeyEncoding<V> {
  return (values, bytes, ends) => {
    write(values, new Uint32Array(bytes.buffer));
    for (let i = 0; i < ends.length; i++) ends[i] = 4 * width * (i + 1);
  };
}

const int64BigEndian = ofWords<BigInt64Array>(2, (values, words) => {
  const halves = wordsOf(values);
  for (let i = 0; i < halves.length; i++) words[i] = swapped(halves[i ^ 1]);
});

/** An encoding of a fixed number of bytes a row, at most 4: the last ones of an integer, the highest of them first or last. */
function ofLastBytes<V extends Int32Array | BigInt64Array>(width: 1 | 2 | 4, isLittleEndian: boolean): KeyEncoding<V> {
  return (values, bytes, ends) => {
    const words = new Uint32Array(values.buffer, values.byteOffset, values.byteLength / 4);
    const wordsOfOne = words.length / values.length;
    for (let i = 0; i < ends.length; i++) {
      for (let byte = 0; byte < width; byte++) {
        const shift = 8 * (isLittleEndian ? byte : width - 1 - byte);
        bytes[width * i + byte] = words[wordsOfOne * i] >>> shift;
      }
      ends[i] = width * (i + 1);
    }
  };
}

export const int8AsByte = ofLastBytes<Int32Array>(1, true);
export const int32LittleEndian = ofWords<Int32Array>(1, (values, words) => words.set(values));

export const int64LittleEndian = ofWords<BigInt64Array>(2, (values, words) => words.set(wordsOf(values)));

// Integers by their own width.

const int16LittleEndian = ofLastBytes<Int32Array>(2, true);

export const LITTLE_ENDIAN = {
  ...{ int8: int8AsByte, int16: int16LittleEndian, int32: int32LittleEndian, int64: int64LittleEndian },
  ...{ uint8: int8AsByte, uint16: int16LittleEndian, u64: int64LittleEndian },
  uint32: ofLastBytes<BigInt64Array>(4, true),
};

export const BIG_ENDIAN = {
  int16: ofLastBytes<Int32Array>(2, false),
  int32: ofWords<Int32Array>(1, (values, words) => {
    for (let i = 0; i < values.length; i++) words[i] = swapped(values[i]);
  }),
  int64: int64BigEndian,
  u64: int64BigEndian,
};

/** The 8 bytes of an int64 of the same value. */
export const int32AsInt64 = ofWords<Int32Array>(2, (values, words) => {
  for (let i = 0; i < values.length; i++) {
    words[2 * i] = values[i];
    words[2 * i + 1] = values[i] >> 31;
  }
});

/** The milliseconds of times in microseconds, rounded down. */
export const toMilliseconds = (us: bigint): bigint => (us - (((us % 1000n) + 1000n) % 1000n)) / 1000n;

/** An int64 in 4 bytes. A value that fits an int32 gives the int32's bytes: postgres `access/hash/hashfunc.c`, hashint8extended. */
export const int64Folded = ofWords<BigInt64Array>(1, (values, words) => {
  const halves = wordsOf(values);
  for (let i = 0; i < values.length; i++) {
    const high = halves[2 * i + 1] | 0;
    words[i] = halves[2 * i] ^ (high < 0 ? ~high : high);
  }
});

export const uuidAsBytes = ofWords<Uint8Array>(4, (values, words) => new Uint8Array(words.buffer).set(values));

/** The bytes of each half of a UUID in reverse: two little-endian integers of 64 bits. */
export const uuidHalvesReversed = ofWords<Uint8Array>(4, (values, words) => {
  const bytes = new Uint8Array(words.buffer);
  for (let i = 0; i < values.length; i++) bytes[i ^ 7] = values[i];
});

/** An encoding of what each value is mapped to. */
export function mapped<T, V extends { map(map: (value: T) => T): V }>(
  encoding: KeyEncoding<V>,
  map: (value: T) => T,
): KeyEncoding<V> {
  return (values, ...out) => encoding(values.map(map), ...out);
}

const HEX = /* @__PURE__ */ Uint8Array.from('0123456789abcdef', (digit) => digit.charCodeAt(0));
const HYPHEN = 0x2d;

/** A UUID's text of 36 characters, in lower case. */
export const uuidAsText: KeyEncoding<Uint8Array> = (values, bytes, ends) => {
  let at = 0;
  for (let i = 0; i < ends.length; i++) {
    for (let byte = 0; byte < 16; byte++) {
      if (byte === 4 || byte === 6 || byte === 8 || byte === 10) bytes[at++] = HYPHEN;
      const value = values[16 * i + byte];
      bytes[at++] = HEX[value >>> 4];
      bytes[at++] = HEX[value & 15];
    }
    ends[i] = at;
  }
};

const ZERO = 0x30;

/** Writes the decimal digits of an integer from 0 to 2^53, at least `width` of them. @returns where they end */
function writeDigits(value: number, width: number, bytes: Uint8Array, at: number): number {
  let length = 1;
  for (let rest = value; rest >= 10; rest = Math.floor(rest / 10)) length++;
  const end = at + Math.max(length, width);
  for (let place = end - 1; place >= at; place--) {
    const rest = Math.floor(value / 10);
    bytes[place] = ZERO + (value - 10 * rest);
    value = rest;
  }
  return end;
}

/** Decimal digits, after a minus sign for negative numbers. */
export const int32Decimal: KeyEncoding<Int32Array> = (values, bytes, ends) => {
  let at = 0;
  for (let i = 0; i < values.length; i++) {
    const value = values[i];
    if (value < 0) bytes[at++] = HYPHEN;
    at = writeDigits(Math.abs(value), 1, bytes, at);
    ends[i] = at;
  }
};

const BILLION = 1_000_000_000;

export const int64Decimal: KeyEncoding<BigInt64Array> = (...columns) => writeDecimals(true, ...columns);
export const u64Decimal: KeyEncoding<BigInt64Array> = (...columns) => writeDecimals(false, ...columns);

/** Like int32Decimal. It works with numbers below 2^53, because `String(bigint)` takes ten times as long. */
function writeDecimals(isSigned: boolean, values: BigInt64Array, bytes: Uint8Array, ends: Uint32Array): void {
  const halves = wordsOf(values);
  let at = 0;
  for (let i = 0; i < values.length; i++) {
    let low = halves[2 * i];
    let high = halves[2 * i + 1];
    if (isSigned && high >>> 31 === 1) {
      bytes[at++] = HYPHEN;
      low = -low >>> 0;
      high = (~high + (low === 0 ? 1 : 0)) >>> 0;
    }
    // Divides by a billion in two steps of 16 bits, so that no dividend exceeds 2^46.
    const first = Math.floor(high / BILLION);
    const middle = (high % BILLION) * 65536 + (low >>> 16);
    const last = (middle % BILLION) * 65536 + (low & 65535);
    const above = (first * 65536 + Math.floor(middle / BILLION)) * 65536 + Math.floor(last / BILLION);
    const below = last % BILLION;
    at =
      above === 0 ? writeDigits(below, 1, bytes, at) : writeDigits(below, 9, bytes, writeDigits(above, 1, bytes, at));
    ends[i] = at;
  }
}

type NarrowKind = 'int8' | 'int16' | 'int32' | 'uint8' | 'uint16' | 'date';

/** How kinds of keys that are not text are written. */
export type Encodings = {
  readonly [kind in KeyKind]?: KeyEncoding<
    kind extends NarrowKind ? Int32Array : kind extends 'uuid' ? Uint8Array : BigInt64Array
  >;
};

/** What narrower integers are for systems that hash them as those of 32 bits, and integers without a sign by their value. */
export function widened<N, W>(int32: N, int64: W) {
  return { int8: int32, int16: int32, int32, uint8: int32, uint16: int32, uint32: int64, int64, u64: int64 };
}
