import { wordsOf } from '../arguments.js';
import { PIECE_ROWS, type Spans } from '../kernels/types.js';

/** A 32-bit word with its bytes reversed. */
export function swapped(word: number): number {
  return (word << 24) | ((word & 0xff00) << 8) | ((word >>> 8) & 0xff00) | (word >>> 24);
}

/** A column of numbers or UUIDs, which are 16 bytes each. */
export type KeyValues = Int32Array | BigInt64Array | Uint8Array;

/** Writes rows from..to of keys that are not text as bytes, and the end of each row. */
export type Encoding<V> = (values: V, from: number, to: number, bytes: Uint8Array, ends: Uint32Array) => void;

/** The most bytes of a row: the text of a UUID. */
export const MAX_ENCODED = 36;

let room: { readonly bytes: Uint8Array; readonly offsets: Uint32Array } | undefined;

/** Up to a piece of rows as bytes; valid until the next call. */
export function encoded<V extends KeyValues>(encoding: Encoding<V>, values: V, from: number, to: number): Spans {
  room ??= { bytes: new Uint8Array(MAX_ENCODED * PIECE_ROWS), offsets: new Uint32Array(PIECE_ROWS + 1) };
  const { bytes: data, offsets } = room;
  const rows = to - from;
  encoding(values, from, to, data, offsets.subarray(1, rows + 1));
  return { data, starts: offsets.subarray(0, rows), ends: offsets.subarray(1, rows + 1) };
}

/** An encoding of a fixed number of words a row. */
function ofWords<V extends KeyValues>(
  width: 1 | 2 | 4,
  write: (values: V, from: number, to: number, words: Uint32Array) => void,
): Encoding<V> {
  return (values, from, to, bytes, ends) => {
    write(values, from, to, new Uint32Array(bytes.buffer));
    for (let i = 0; i < ends.length; i++) ends[i] = 4 * width * (i + 1);
  };
}

/** 4 bytes, big-endian. */
export const int32BigEndian = ofWords<Int32Array>(1, (values, from, to, words) => {
  for (let i = from; i < to; i++) words[i - from] = swapped(values[i]);
});

/** 8 bytes, big-endian. */
export const int64BigEndian = ofWords<BigInt64Array>(2, (values, from, to, words) => {
  const halves = wordsOf(values);
  for (let i = from; i < to; i++) {
    words[2 * (i - from)] = swapped(halves[2 * i + 1]);
    words[2 * (i - from) + 1] = swapped(halves[2 * i]);
  }
});

/** 4 bytes, little-endian. */
export const int32LittleEndian = ofWords<Int32Array>(1, (values, from, to, words) => {
  for (let i = from; i < to; i++) words[i - from] = values[i];
});

/** 8 bytes, little-endian. */
export const int64LittleEndian = ofWords<BigInt64Array>(2, (values, from, to, words) => {
  const halves = wordsOf(values);
  for (let i = 2 * from; i < 2 * to; i++) words[i - 2 * from] = halves[i];
});

/** The 8 bytes of an int64 of the same value. */
export const int32AsInt64 = ofWords<Int32Array>(2, (values, from, to, words) => {
  for (let i = from; i < to; i++) {
    words[2 * (i - from)] = values[i];
    words[2 * (i - from) + 1] = values[i] >> 31;
  }
});

/** An int64 in 4 bytes. A value that fits an int32 gives the int32's bytes: postgres `access/hash/hashfunc.c`, hashint8extended. */
export const int64Folded = ofWords<BigInt64Array>(1, (values, from, to, words) => {
  const halves = wordsOf(values);
  for (let i = from; i < to; i++) {
    const high = halves[2 * i + 1] | 0;
    words[i - from] = halves[2 * i] ^ (high < 0 ? ~high : high);
  }
});

/** The 16 bytes of a UUID. */
export const uuidAsBytes = ofWords<Uint8Array>(4, (values, from, to, words) => {
  new Uint8Array(words.buffer).set(values.subarray(16 * from, 16 * to));
});

/** The bytes of each half of a UUID in reverse: two little-endian integers of 64 bits. */
export const uuidHalvesReversed = ofWords<Uint8Array>(4, (values, from, to, words) => {
  const bytes = new Uint8Array(words.buffer);
  for (let i = 16 * from; i < 16 * to; i++) bytes[(i - 16 * from) ^ 7] = values[i];
});

const HEX = /* @__PURE__ */ Uint8Array.from('0123456789abcdef', (digit) => digit.charCodeAt(0));
const HYPHEN = 0x2d;

/** A UUID's text of 36 characters, in lower case. */
export const uuidAsText: Encoding<Uint8Array> = (values, from, to, bytes, ends) => {
  let at = 0;
  for (let i = from; i < to; i++) {
    for (let byte = 0; byte < 16; byte++) {
      if (byte === 4 || byte === 6 || byte === 8 || byte === 10) bytes[at++] = HYPHEN;
      const value = values[16 * i + byte];
      bytes[at++] = HEX[value >>> 4];
      bytes[at++] = HEX[value & 15];
    }
    ends[i - from] = at;
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
export const int32Decimal: Encoding<Int32Array> = (values, from, to, bytes, ends) => {
  let at = 0;
  for (let i = from; i < to; i++) {
    const value = values[i];
    if (value < 0) bytes[at++] = HYPHEN;
    at = writeDigits(Math.abs(value), 1, bytes, at);
    ends[i - from] = at;
  }
};

const BILLION = 1_000_000_000;

/** Like int32Decimal. It works with numbers below 2^53, because `String(bigint)` takes ten times as long. */
export const int64Decimal: Encoding<BigInt64Array> = (values, from, to, bytes, ends) => {
  const halves = wordsOf(values);
  let at = 0;
  for (let i = from; i < to; i++) {
    let low = halves[2 * i];
    let high = halves[2 * i + 1];
    if (high >>> 31 === 1) {
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
    ends[i - from] = at;
  }
};
