import { wordsOf } from '../arguments.js';
import type { KeyColumn, TextColumn } from '../columns/keys.js';
import { textRows } from '../hash/xxh64.js';
import { kernels } from '../kernels/active.js';
import { partitionerKernels } from '../kernels/partitioners.js';
import { type ForeignHash, type HashColumn, type Spans, viewOf } from '../kernels/types.js';
import { type Encoding, encoded, type KeyValues, MAX_ENCODED } from './encode.js';
import type { CheckedKey, KeyKind } from './keys.js';

/** Turns a kind of key into hashes. */
export interface KeyHasher {
  one(key: CheckedKey): number | bigint;
  /**
   * Hashes rows from..to, at most a piece of them.
   * @returns the first invalid row, counted from `from`, or -1
   */
  column(keys: KeyColumn, from: number, to: number, hashes: HashColumn): number;
  /** Whether it may refuse a row of bytes. */
  readonly refuses?: boolean;
}

/** How each kind of key is hashed; a missing kind is not supported. */
export type Hashers = { readonly [kind in KeyKind]?: KeyHasher };

/** The hashes of other systems, and the core's XXH64 with the seed 0. */
type HashName = ForeignHash | 'xxh64';

function hashSpans(hash: HashName, rows: Spans, hashes: HashColumn): void {
  if (hash === 'xxh64') kernels().xxh64SpanColumn(rows, 0n, hashes as BigUint64Array);
  else partitionerKernels(kernels()).hashSpans(hash, rows, hashes);
}

function hashBytes(hash: HashName, bytes: Uint8Array): number | bigint {
  return hash === 'xxh64' ? kernels().xxh64(bytes, 0n) : partitionerKernels(kernels()).hashBytes(hash, bytes);
}

const sliceOf = ({ data, starts, ends }: Spans, from: number, to: number): Spans => ({
  data,
  starts: viewOf(starts, from, to),
  ends: viewOf(ends, from, to),
});

/** Hashes text as UTF-8, and bytes as they are. */
function ofBytes(hash: HashName): KeyHasher {
  return {
    one(key: string | Uint8Array) {
      if (typeof key !== 'string') return hashBytes(hash, key);
      if (hash === 'xxh64') return kernels().xxh64Text(key, 0n);
      return partitionerKernels(kernels()).hashText(hash, key);
    },
    column(column: TextColumn, from, to, hashes) {
      if (column.kind === 'bytes') hashSpans(hash, sliceOf(column.spans, from, to), hashes);
      else {
        const texts = textRows(column.texts, from, to);
        if (hash === 'xxh64') kernels().xxh64TextColumn(texts, 0n, hashes as BigUint64Array);
        else partitionerKernels(kernels()).hashTexts(hash, texts, hashes);
      }
      return -1;
    },
  };
}

/** Hashes text as UTF-16. */
export function ofUnits(hash: ForeignHash): KeyHasher {
  return {
    one: (key: string) => partitionerKernels(kernels()).hashTextUnits(hash, key),
    column(column: TextColumn, from, to, hashes) {
      const { hashUnits, hashSpansAsUnits } = partitionerKernels(kernels());
      if (column.kind === 'bytes') return hashSpansAsUnits(hash, sliceOf(column.spans, from, to), hashes);
      hashUnits(hash, textRows(column.texts, from, to), hashes);
      return -1;
    },
    refuses: true,
  };
}

/** The values of a column of keys that are not text. */
function valuesOf<V extends KeyValues>(keys: KeyColumn): V {
  return (keys.kind === 'uuid' ? keys.bytes : 'keys' in keys && keys.keys) as V;
}

const oneInt32 = /* @__PURE__ */ new Int32Array(1);
const oneInt64 = /* @__PURE__ */ new BigInt64Array(1);

/** A column of one value, valid until the next call. `of` would take ten times as long. */
function columnOfOne<V extends KeyValues>(key: CheckedKey): V {
  if (typeof key === 'number') {
    oneInt32[0] = key;
    return oneInt32 as V;
  }
  if (typeof key !== 'bigint') return key as V;
  oneInt64[0] = key;
  return oneInt64 as V;
}

const oneBytes = /* @__PURE__ */ new Uint8Array(MAX_ENCODED);
const oneEnd = /* @__PURE__ */ new Uint32Array(1);

/** Hashes numbers and UUIDs that are written as bytes. */
function ofEncoded<V extends KeyValues>(encoding: Encoding<V>, hash: HashName): KeyHasher {
  return {
    one(key) {
      encoding(columnOfOne<V>(key), 0, 1, oneBytes, oneEnd);
      return hashBytes(hash, oneBytes.subarray(0, oneEnd[0]));
    },
    column(keys, from, to, hashes) {
      hashSpans(hash, encoded(encoding, valuesOf<V>(keys), from, to), hashes);
      return -1;
    },
  };
}

/** How kinds of keys that are not text are written. */
interface Encodings {
  readonly int32?: Encoding<Int32Array>;
  readonly int64?: Encoding<BigInt64Array>;
  readonly uuid?: Encoding<Uint8Array>;
}

/** Hashes text and bytes as they are, and other kinds as they are written. */
export function hashersOf(hash: HashName, encodings: Encodings = {}): Hashers {
  const written = Object.entries(encodings).map(([kind, encoding]) => [kind, ofEncoded(encoding, hash)]);
  return { text: ofBytes(hash), bytes: ofBytes(hash), ...Object.fromEntries(written) };
}

/** Hashes numbers and UUIDs by arithmetic. */
export function ofValues<V extends KeyValues, H extends HashColumn>(
  type: { new (length: number): H },
  hash: (values: V, from: number, to: number, hashes: H) => void,
): KeyHasher {
  return {
    one(key) {
      const out = new type(1);
      hash(columnOfOne<V>(key), 0, 1, out);
      return out[0];
    },
    column(keys, from, to, hashes: H) {
      hash(valuesOf<V>(keys), from, to, hashes);
      return -1;
    },
  };
}

/** `hashCode` of Java's Integer, Long and UUID: the XOR of their words. */
export const javaHashCodes = {
  int32: ofValues<Int32Array, Uint32Array>(Uint32Array, (values, from, to, hashes) => {
    for (let i = from; i < to; i++) hashes[i - from] = values[i];
  }),
  int64: ofValues<BigInt64Array, Uint32Array>(Uint32Array, (values, from, to, hashes) => {
    const halves = wordsOf(values);
    for (let i = from; i < to; i++) hashes[i - from] = halves[2 * i] ^ halves[2 * i + 1];
  }),
  uuid: ofValues<Uint8Array, Uint32Array>(Uint32Array, (values, from, to, hashes) => {
    for (let i = from; i < to; i++) {
      let code = 0;
      for (let byte = 0; byte < 16; byte++) code ^= values[16 * i + byte] << (24 - 8 * (byte & 3));
      hashes[i - from] = code;
    }
  }),
} as const;
