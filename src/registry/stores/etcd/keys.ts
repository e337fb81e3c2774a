import { isUtf8 } from 'node:buffer';
import { createHash } from 'node:crypto';
import type { ICompare, IKeyValue, IRequestOp, IResponseOp } from 'etcd3';
import { describeValue } from '../../../arguments.js';
import type { Space } from '../../store.js';
import { damaged, wholeNumberIn } from '../../values.js';

/** How many operations, or comparisons, etcd takes in a transaction by default. */
export const MAX_OPERATIONS = 128;

export const isAbsent = (key: Buffer): ICompare => ({ key, target: 'Create', result: 'Equal', create_revision: '0' });

/** There is no key in a range. etcd3 passes on `range_end`, which its type lacks. */
export const isNone = (key: Buffer, range_end: Buffer): ICompare => Object.assign(isAbsent(key), { range_end });

/** Nobody has changed the key since it was read, or made it if it was absent. */
export const isUnchanged = (key: Buffer, read: Revision | undefined): ICompare => ({
  key,
  target: 'Mod',
  result: 'Equal',
  mod_revision: read?.mod_revision ?? '0',
});

export type Revision = Pick<IKeyValue, 'mod_revision'>;

const bytesOf = (value: Buffer | string): Buffer => (typeof value === 'string' ? Buffer.from(value) : value);

/** @param value undefined: the key is absent */
export function isEqual(key: Buffer, value: Buffer | string | undefined): ICompare {
  return value === undefined ? isAbsent(key) : { key, target: 'Value', result: 'Equal', value: bytesOf(value) };
}

export const get = (key: Buffer): IRequestOp => ({ request_range: { key } });

export const firstIn = (response: IResponseOp | undefined): IKeyValue | undefined => response?.response_range.kvs[0];

export function put(key: Buffer, value: Buffer | string, lease = '0'): IRequestOp {
  return { request_put: { key, value: bytesOf(value), lease } };
}

export const remove = (key: Buffer): IRequestOp => ({ request_delete_range: { key } });

// Longer strings are found by their digest and compared in full.
const MAX_KEY = 1024;

// Shard numbers go up to 2^20. With this many digits, keys sort as the numbers do.
const SHARD_DIGITS = 7;
const SHARDS = 2 ** 20;

export const MAX_NUMBER = 2n ** 64n - 1n;
export const MAX_PREFIX_NUMBER = 2n ** 32n - 1n;

/**
 * Ends the prefix in every key, and is not part of a prefix: so no key of a store is one of another store, or lies between
 * the keys of another store.
 */
export const END_OF_PREFIX = '#';
const AFTER_END = String.fromCharCode(END_OF_PREFIX.charCodeAt(0) + 1);

/** The keys of a store in etcd. etcdctl can read them. */
export type EtcdKeys = ReturnType<typeof keysUnder>;

export function keysUnder(given: string) {
  const prefix = `${given}${END_OF_PREFIX}`;
  const named = (name: string) => Buffer.from(`${prefix}${name}`);
  return {
    given,
    all: () => [named(''), Buffer.from(`${given}${AFTER_END}`)] as const,
    /** The range of a folder, such as `strings/counter`. */
    folder: (name: string) => [named(`${name}/`), named(`${name}0`)] as const, // 0 comes after /
    nameOf: (key: Buffer) => key.subarray(Buffer.byteLength(prefix)).toString(),
    /** The id of a string, in decimal. */
    idOf: (space: Space, key: string) => named(`${space}/id/${isLong(key) ? `sha256/${sha256(key)}` : `key/${key}`}`),
    keyOf: (space: Space, id: bigint) => named(`${space}/key/${id}`),
    /** The last number given under a prefix, in decimal, without skipped ones. */
    counter: (space: Space, prefix: number) => named(`${space}/counter/${prefix}`),
    setting: (name: string) => named(`settings/${name}`),
    /** The id of the call that last set a setting. A call whose answer was lost learns from it whether it took effect. */
    setter: (name: string) => named(`setters/${name}`),
    /** A shard's last owner, its token and how far ids may have been minted: kept for ever. */
    mark: (shard: number) => named(`shards/mark/${shardText(shard)}`),
    /** Who holds a shard. etcd removes it when its lease ends. */
    holder: (shard: number) => named(`shards/holder/${shardText(shard)}`),
  };
}

export const isLong = (key: string): boolean => Buffer.byteLength(key) > MAX_KEY;

const sha256 = (key: string): string => createHash('sha256').update(key).digest('hex');

const shardText = (shard: number): string => String(shard).padStart(SHARD_DIGITS, '0');

const endOf = (key: Buffer): string => key.subarray(key.lastIndexOf('/') + 1).toString();

/** The number of a shard from the key of its mark or holder. @throws StoreCorruptError if it is the key of neither */
export function shardOf(key: Buffer): number {
  const digits = endOf(key);
  const shard = Number(digits);
  if (digits !== shardText(shard) || !(shard < SHARDS)) throw damaged(keyNamed(key), 'the number of a shard', digits);
  return shard;
}

/** A key for errors, without the prefix. */
export const keyNamed = (key: Buffer): string =>
  `the key ${describeValue(key.subarray(key.indexOf(END_OF_PREFIX) + 1).toString())} of the store in etcd`;

/** The decimal number at the end of a key. @throws StoreCorruptError if it does not end with one */
export const numberAtEnd = (key: Buffer, most: bigint): bigint => wholeNumberIn(keyNamed(key), endOf(key), most);

/** The number that a key holds; 0 if there is no such key. @throws StoreCorruptError if it holds something else */
export function numberOf(read: IKeyValue | undefined): bigint {
  return read === undefined ? 0n : wholeNumberIn(keyNamed(read.key), read.value.toString(), MAX_NUMBER);
}

/** The text that a key holds. @throws StoreCorruptError if it holds something else */
export function textOf({ key, value }: IKeyValue): string {
  if (isUtf8(value)) return value.toString();
  throw damaged(keyNamed(key), 'text in UTF-8', `${value.length} bytes`);
}

/** The JSON object that a key holds. @throws StoreCorruptError if it holds something else */
export function jsonOf(read: IKeyValue): { readonly [name: string]: unknown } {
  const text = textOf(read);
  try {
    const value = JSON.parse(text);
    if (typeof value === 'object' && value !== null) return value;
  } catch {}
  throw damaged(keyNamed(read.key), 'an object in JSON', text);
}
