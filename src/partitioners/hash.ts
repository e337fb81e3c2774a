import { wordsOf, wrongValue } from '../arguments.js';
import {
  bytesColumnOf,
  type KeyColumn,
  spansBetween,
  spansOf,
  type TextColumn,
  textOfSpan,
  utf8ColumnOf,
} from '../columns/keys.js';
import { hashKey, hashRows, textRows } from '../hash/xxh64.js';
import { kernels } from '../kernels/active.js';
import { partitionerKernels } from '../kernels/partitioners.js';
import { type ForeignHash, type HashColumn, PIECE_ROWS, type Spans } from '../kernels/types.js';
import { encoder } from '../utf8.js';
import { type Encodings, type KeyEncoding, type KeyValues, MAX_ENCODED, widened } from './encodings.js';
import type { CheckedKey, KeyKind } from './keys.js';

export interface KeyHasher {
  one(key: CheckedKey): number | bigint;
  /** Hashes rows from..to, at most a piece of them. */
  column(keys: KeyColumn, from: number, to: number, hashes: HashColumn): void;
  /** Whether `column` may throw a RangeError for some rows of such a column. */
  refuses?(column: KeyColumn): boolean;
  /** The bytes that are hashed of rows from..to, at most a piece of them; valid until the next call. */
  spans?(keys: KeyColumn, from: number, to: number): Spans;
}

/** How each kind of key is hashed; a missing kind is not supported. */
export type Hashers = { readonly [kind in KeyKind]?: KeyHasher };

/** The hashes of other systems, and the core's XXH64 with the seed 0. */
export type HashName = ForeignHash | 'xxh64';

export function spansOfTexts(column: TextColumn, from: number, to: number): Spans {
  if (column.kind === 'bytes') return spansBetween(column.spans, from, to);
  return spansOf(utf8ColumnOf(textRows(column.texts, from, to)));
}

/** Hashes text as UTF-8, and bytes as they are. */
export function ofBytes(hash: HashName): KeyHasher {
  if (hash === 'xxh64') {
    return {
      spans: spansOfTexts,
      one: (key: string | Uint8Array) => hashKey('key', key, 0n),
      column: (column: TextColumn, from, to, hashes: BigUint64Array) => hashRows(column, from, to, 0n, hashes),
    };
  }
  return {
    spans: spansOfTexts,
    one(key: string | Uint8Array) {
      const { hashText, hashBytes } = partitionerKernels(kernels());
      return typeof key === 'string' ? hashText(hash, key) : hashBytes(hash, key);
    },
    column(column: TextColumn, from, to, hashes) {
      const { hashTexts, hashSpans } = partitionerKernels(kernels());
      if (column.kind === 'text') hashTexts(hash, textRows(column.texts, from, to), hashes);
      else hashSpans(hash, spansBetween(column.spans, from, to), hashes);
    },
  };
}

/** Bytes one after the other. They are few: `set` would take twice as long. */
export function concat(...parts: readonly ArrayLike<number>[]): Uint8Array {
  const bytes = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) for (let i = 0; i < part.length; i++) bytes[at++] = part[i];
  return bytes;
}

const bytesOf = (key: string | Uint8Array): Uint8Array => (typeof key === 'string' ? encoder().encode(key) : key);

/** Hashes what `enclose` makes of the UTF-8 of a text, or of bytes. */
export function ofEnclosed(hash: ForeignHash, enclose: (key: Uint8Array) => Uint8Array): KeyHasher {
  return {
    one: (key: string | Uint8Array) => ofBytes(hash).one(enclose(bytesOf(key))),
    column(keys: TextColumn, from, to, hashes) {
      const { data, starts, ends } = spansOfTexts(keys, from, to);
      const rows = Array.from(starts, (start, row) => enclose(data.subarray(start, ends[row])));
      hashByteRows(hash, rows, hashes);
    },
  };
}

export function hashByteRows(hash: HashName, rows: readonly Uint8Array[], hashes: HashColumn): void {
  const column: KeyColumn = { kind: 'bytes', rows: rows.length, memory: [], spans: spansOf(bytesColumnOf(rows)) };
  ofBytes(hash).column(column, 0, rows.length, hashes);
}

/** Refuses keys of more than `most` bytes. */
export const limited = (most: number, { one, column, ...others }: KeyHasher): KeyHasher => ({
  ...others,
  one(key: string | Uint8Array) {
    const { length } = bytesOf(key);
    if (length > most) throw wrongValue('key', `at most ${most} bytes`, length);
    return one(key);
  },
  column(keys: TextColumn, from, to, hashes) {
    const { starts, ends } = spansOfTexts(keys, from, to);
    const long = starts.findIndex((start, row) => ends[row] - start > most);
    if (long >= 0) throw wrongValue('keys', `at most ${most} bytes`, ends[long] - starts[long], from + long);
    column(keys, from, to, hashes);
  },
  refuses: () => true,
});

/** Hashes text as UTF-16. */
export function ofUnits(hash: ForeignHash): KeyHasher {
  return {
    one: (key: string) => partitionerKernels(kernels()).hashTextUnits(hash, key),
    column(column: TextColumn, from, to, hashes) {
      const { hashUnits, hashSpansAsUnits } = partitionerKernels(kernels());
      if (column.kind === 'text') return hashUnits(hash, textRows(column.texts, from, to), hashes);
      const bad = from + hashSpansAsUnits(hash, spansBetween(column.spans, from, to), hashes);
      if (bad >= from) throw wrongValue('keys', 'text in UTF-8', textOfSpan(column.spans, bad), bad);
    },
    refuses: ({ kind }) => kind === 'bytes', // which may not be UTF-8
  };
}

/** Keys that are not text. */
type ValueColumn = Extract<KeyColumn, { kind: 'int32' | 'int64' | 'uuid' }>;

function valuesOf(keys: ValueColumn, from: number, to: number): KeyValues {
  return keys.kind === 'uuid' ? keys.bytes.subarray(16 * from, 16 * to) : keys.keys.subarray(from, to);
}

const oneInt32 = /* @__PURE__ */ new Int32Array(1);
const oneInt64 = /* @__PURE__ */ new BigInt64Array(1);

/** A column of one value, valid until the next call. `of` would take ten times as long. */
function columnOfOne(key: number | bigint | Uint8Array): KeyValues {
  if (typeof key === 'number') {
    oneInt32[0] = key;
    return oneInt32;
  }
  if (typeof key !== 'bigint') return key;
  oneInt64[0] = key;
  return oneInt64;
}

const oneBytes = /* @__PURE__ */ new Uint8Array(MAX_ENCODED);
const oneEnd = /* @__PURE__ */ new Uint32Array(1);

let room: { readonly data: Uint8Array; readonly offsets: Uint32Array } | undefined;

/** Hashes numbers and UUIDs that are written as bytes. */
function ofEncoded(encoding: KeyEncoding<any>, hash: HashName): KeyHasher {
  const hasher = ofBytes(hash);
  const written = (keys: ValueColumn, from: number, to: number): Spans => {
    room ??= { data: new Uint8Array(MAX_ENCODED * PIECE_ROWS), offsets: new Uint32Array(PIECE_ROWS + 1) };
    const { data, offsets } = room;
    const ends = offsets.subarray(1, to - from + 1);
    encoding(valuesOf(keys, from, to), data, ends);
    return { data, starts: offsets.subarray(0, to - from), ends };
  };
  return {
    spans: written,
    one(key: number | bigint | Uint8Array) {
      encoding(columnOfOne(key), oneBytes, oneEnd);
      return hasher.one(oneBytes.subarray(0, oneEnd[0]));
    },
    column(keys: ValueColumn, from, to, hashes) {
      const rows = to - from;
      hasher.column({ kind: 'bytes', rows, memory: [], spans: written(keys, from, to) }, 0, rows, hashes);
    },
  };
}

/** The same names, with other values. */
export const mapValues = <V, W>(values: { readonly [name: string]: V }, map: (value: V) => W): { [name: string]: W } =>
  Object.fromEntries(Object.entries(values).map(([name, value]) => [name, map(value)]));

/** Hashes kinds as they are written. */
export const encodedHashers = (hash: HashName, encodings: Encodings): Hashers =>
  mapValues<KeyEncoding<any>, KeyHasher>(encodings, (encoding) => ofEncoded(encoding, hash));

/** Hashes text and bytes as they are, and other kinds as they are written. */
export function hashersOf(hash: HashName, encodings: Encodings = {}): Hashers {
  return { text: ofBytes(hash), bytes: ofBytes(hash), ...encodedHashers(hash, encodings) };
}

/** Hashes numbers and UUIDs by arithmetic. @param hash takes the values of a kind */
export function ofValues<H extends HashColumn>(
  type: { new (length: number): H },
  hash: (values: any, hashes: H) => void,
): KeyHasher {
  return {
    one(key: number | bigint | Uint8Array) {
      const out = new type(1);
      hash(columnOfOne(key), out);
      return out[0];
    },
    column: (keys: ValueColumn, from, to, hashes: H) => hash(valuesOf(keys, from, to), hashes),
  };
}

/** Integers of 32 bits are their own hashes. */
export const ownValue = /* @__PURE__ */ ofValues(Uint32Array, (values: Int32Array, hashes) => hashes.set(values));

// `hashCode` of Java's Integer, Long and UUID: the XOR of their words.

export const javaIntegers = /* @__PURE__ */ widened(
  ownValue,
  ofValues(Uint32Array, (values: BigInt64Array, hashes) => {
    const halves = wordsOf(values);
    for (let i = 0; i < hashes.length; i++) hashes[i] = halves[2 * i] ^ halves[2 * i + 1];
  }),
);

export const javaUuid = /* @__PURE__ */ ofValues(Uint32Array, (values: Uint8Array, hashes) => {
  for (let i = 0; i < hashes.length; i++) {
    let code = 0;
    for (let byte = 0; byte < 16; byte++) code ^= values[16 * i + byte] << (24 - 8 * (byte & 3));
    hashes[i] = code;
  }
});
