// Reads the values that stores keep. A value that is not what it has to be is damage of the store, whoever wrote it.

import { describeValue } from '../arguments.js';
import { StoreCorruptError } from '../errors.js';

/** The error of a value that is not what it has to be. @param what names it */
export function damaged(what: string, expected: string, got: unknown): StoreCorruptError {
  const found = got === undefined ? 'none' : describeValue(got);
  return new StoreCorruptError(`${what} is damaged: expected ${expected}, got ${found}; restore a backup`);
}

/** The number in a text. @throws StoreCorruptError if it is not a whole number from 0 to `most` */
export function wholeNumberIn(what: string, text: string, most?: bigint): bigint {
  const number = /^(0|[1-9][0-9]{0,19})$/.test(text) ? BigInt(text) : -1n;
  if (number >= 0n && (most === undefined || number <= most)) return number;
  throw damaged(what, most === undefined ? 'a whole number' : `a whole number up to ${most}`, text);
}

/** The number that a setting holds; 0 if it is not set. @throws StoreCorruptError if it is not a whole number */
export function settingNumber(name: string, text: string | undefined, most?: bigint): bigint {
  return text === undefined ? 0n : wholeNumberIn(settingNamed(name), text, most);
}

export const settingNamed = (name: string): string => `the setting "${name}"`;

/** @param text the value of `PREFIX_BITS_SETTING`. @throws StoreCorruptError if it is not a number from 1 to 32 */
export function prefixBitsIn(text: string): number {
  const bits = Number(settingNumber('prefixBits', text, 32n));
  if (bits === 0) throw damaged(settingNamed('prefixBits'), 'a number from 1 to 32', text);
  return bits;
}

const TIMES = ['expires', 'strayUntil', 'ttlMs', 'mintedUntil'] as const;

/** A `ShardRecord`, or a part of one, before it has been checked. */
type UncheckedRecord = { readonly [name in 'owner' | 'token' | (typeof TIMES)[number]]?: unknown };

/** Checks the record of a shard. @throws StoreCorruptError if a value is of the wrong kind, or negative */
export function checkedShard<R extends UncheckedRecord>(shard: number, record: R): R {
  const { owner, token } = record;
  const what = `the record of shard ${shard}`;
  if (!Number.isInteger(shard) || shard < 0) throw damaged('the record of a shard', 'the number of a shard', shard);
  if (typeof owner !== 'string') throw damaged(what, 'the name of an owner', owner);
  if (typeof token !== 'bigint' || token < 0n) throw damaged(what, 'a token', token);
  for (const name of TIMES) {
    if (!(name in record)) continue;
    const ms = record[name];
    if (typeof ms !== 'number' || !(ms >= 0 && ms <= Number.MAX_SAFE_INTEGER))
      throw damaged(what, `${name} in milliseconds`, ms);
  }
  return record;
}
