import { checkString } from '../arguments.js';

/**
 * One text for a (type, key) pair, to route by: the byte length of the type in decimal, `:`, the
 * type, `:`, the key. No two pairs share a text: ('a-b', 'c') gives `3:a-b:c`, ('a', 'b-c') gives
 * `1:a:b-c`.
 * In ClickHouse: `concat(toString(length(type)), ':', type, ':', key)`.
 * @throws TypeError if an argument is not a string
 * @example
 * router.route(typedKey('User', 'helene')); // of '4:User:helene'
 */
export function typedKey(type: string, key: string): string {
  checkString('type', type);
  checkString('key', key);
  return `${new TextEncoder().encode(type).length}:${type}:${key}`;
}
