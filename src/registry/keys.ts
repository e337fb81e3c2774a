import { wrongKind, wrongValue } from '../arguments.js';

const LONE_SURROGATE = /\p{Surrogate}/u;

/** Checks that a key is a string without lone surrogates, which would change in UTF-8. */
export function checkKey(argument: string, key: string, row?: number): string {
  if (typeof key !== 'string') throw wrongKind(argument, 'a string', key, row);
  if (LONE_SURROGATE.test(key))
    throw wrongValue(argument, 'a string of whole characters', key, row, 'a lone surrogate');
  return key;
}

/** The distinct keys, in their order, with room for their ids. */
export function distinctKeys(keys: readonly string[]): Map<string, bigint> {
  if (!Array.isArray(keys)) throw wrongKind('keys', 'an array of strings', keys);
  const distinct = new Map<string, bigint>();
  for (let row = 0; row < keys.length; row++) distinct.set(checkKey('keys', keys[row] as string, row), 0n);
  return distinct;
}
