import { checkAttached, checkInteger, checkString, typeName, wrongKind, wrongValue } from '../arguments.js';
import { type Bytes, type BytesColumn, checkBytes, checkKeys, type Keys } from '../columns/keys.js';
import type { Spans } from '../kernels/contract.js';
import { uuidBytes, uuidsOfSpans, uuidsOfTexts, uuidText } from './uuids.js';

/** The kind of a key. Every system hashes each kind in its own way. */
export type KeyKind = 'text' | 'bytes' | 'int32' | 'int64' | 'uuid';

export const KEY_KINDS = ['text', 'bytes', 'int32', 'int64', 'uuid'] as const satisfies readonly KeyKind[];

/** One key: a string, bytes, a number (`int32`), a bigint (`int64`), the text or the 16 bytes of a UUID. */
export type PartitionKey = string | Bytes | number | bigint;

/** A column of keys: strings, a BytesColumn, an Int32Array or a BigInt64Array. */
export type PartitionKeys = Keys | Int32Array;

/** One checked key, in the form that is hashed: a UUID is 16 bytes. */
export type CheckedKey = string | Uint8Array | number | bigint;

/** Checked keys. */
export type CheckedKeys = { readonly rows: number; readonly memory: readonly ArrayBufferView[] } & (
  | { readonly kind: 'texts'; readonly texts: readonly string[] }
  | { readonly kind: 'spans'; readonly spans: Spans }
  | { readonly kind: 'int32'; readonly keys: Int32Array }
  | { readonly kind: 'int64'; readonly keys: BigInt64Array }
  | { readonly kind: 'uuid'; readonly bytes: Uint8Array }
);

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
    case 'uuid':
      return typeof key === 'string'
        ? uuidText(key)
        : uuidBytes(checkBytes('key', key as Bytes, 'a UUID or its bytes'));
  }
}

export function checkPartitionKeys(kind: KeyKind, keys: PartitionKeys): CheckedKeys {
  switch (kind) {
    case 'text':
      return textOrSpans(keys, 'strings or a BytesColumn of UTF-8');
    case 'bytes':
      if (Array.isArray(keys)) throw wrongKind('keys', 'a BytesColumn', keys);
      return textOrSpans(keys, 'a BytesColumn');
    case 'int32':
      return int32Column(keys);
    case 'int64':
      return int64Column(keys);
    case 'uuid': {
      const { rows, memory, ...column } = textOrSpans(keys, 'UUIDs as strings or a BytesColumn');
      const bytes =
        column.kind === 'texts' ? uuidsOfTexts(column.texts) : uuidsOfSpans((column as { spans: Spans }).spans, false);
      return { kind: 'uuid', rows, memory, bytes };
    }
  }
}

function textOrSpans(keys: PartitionKeys, expected: string): CheckedKeys {
  if (ArrayBuffer.isView(keys)) throw wrongKind('keys', expected, keys);
  const column = checkKeys('keys', keys as readonly string[] | BytesColumn, expected);
  const { rows, memory } = column;
  if (column.kind === 'text') return { kind: 'texts', rows, memory, texts: column.texts };
  return { kind: 'spans', rows, memory, spans: (column as typeof column & { kind: 'bytes' }).spans };
}

function int32Column(keys: PartitionKeys): CheckedKeys {
  if (typeName(keys) !== 'Int32Array') throw wrongKind('keys', 'an Int32Array', keys);
  const column = keys as Int32Array;
  checkAttached('keys', column);
  return { kind: 'int32', rows: column.length, memory: [column], keys: column };
}

function int64Column(keys: PartitionKeys): CheckedKeys {
  if (typeName(keys) !== 'BigInt64Array') throw wrongKind('keys', 'a BigInt64Array', keys);
  const column = keys as BigInt64Array;
  checkAttached('keys', column);
  return { kind: 'int64', rows: column.length, memory: [column], keys: column };
}
