import { wrongValue } from '../../arguments.js';

// How keys are sent: the bytes of all of them in one column in base64, and where each key starts.

/** Keys, as parameters of a statement. */
export function parametersOf(keys: readonly string[]): [bytes: string, starts: string, lengths: string] {
  const lengths = keys.map((key) => Buffer.byteLength(key));
  const starts: number[] = [];
  let next = 1; // SQL counts from 1
  for (const length of lengths) {
    starts.push(next);
    next += length;
  }
  let bytes = Buffer.from(keys.join(''));
  // Joining two keys can join the halves of a surrogate pair, which changes the bytes.
  if (bytes.length !== next - 1) bytes = Buffer.concat(keys.map((key) => Buffer.from(key)));
  return [bytes.toString('base64'), `{${starts}}`, `{${lengths}}`];
}

/** The keys of an answer. */
export function keysOf(bytes: string | null, lengths: readonly number[] | null): string[] {
  const column = Buffer.from(bytes ?? '', 'base64');
  let next = 0;
  return (lengths ?? []).map((length) => {
    const start = next;
    next += length;
    return column.toString('utf8', start, next);
  });
}

/** The most rows and bytes in one statement, which takes 0.1 s with 5,000 strings of 70 characters. */
const MOST_ROWS = 5000;
export const MOST_BYTES = 2 ** 23;

/** Splits keys into pieces for one statement each; a key that is longer than a piece is a piece by itself. */
export function* piecesOf(keys: readonly string[]): Iterable<[from: number, to: number]> {
  let from = 0;
  let bytes = 0;
  for (let row = 0; row < keys.length; row++) {
    // A character has three bytes at most.
    const length = 3 * (keys[row] as string).length;
    if (row > from && (row - from === MOST_ROWS || bytes + length > MOST_BYTES)) {
      yield [from, row];
      from = row;
      bytes = 0;
    }
    bytes += length;
  }
  if (from < keys.length) yield [from, keys.length];
}

/** Ids from the database, which stores them as signed integers. */
export function idsOf(signed: readonly string[]): BigUint64Array {
  return BigUint64Array.from(signed, (id) => BigInt.asUintN(64, BigInt(id)));
}

// In PostgreSQL a value, and the text of a parameter, have at most 1 GiB.
const LONGEST_KEY = 2 ** 26;

/** Whether a key is longer than a store can keep; such a key has no id. */
export function isTooLong(key: string): boolean {
  // A character has three bytes at most.
  return 3 * key.length > LONGEST_KEY && Buffer.byteLength(key) > LONGEST_KEY;
}

/** @throws RangeError if a key is longer than a store can keep */
export function checkLengths(keys: readonly string[]): void {
  const row = keys.findIndex(isTooLong);
  if (row < 0) return;
  throw wrongValue('keys', `strings of at most ${LONGEST_KEY} bytes`, Buffer.byteLength(keys[row] as string), row);
}
