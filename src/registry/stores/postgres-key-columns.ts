// Keys as they travel: the bytes of all of them in one column in base64, with where each starts.

/** Keys, as parameters of a statement. */
export function columnOf(keys: readonly string[]): [bytes: string, starts: string, lengths: string] {
  const lengths = keys.map((key) => Buffer.byteLength(key));
  const starts: number[] = [];
  let next = 1; // as SQL counts
  for (const length of lengths) {
    starts.push(next);
    next += length;
  }
  let bytes = Buffer.from(keys.join(''));
  if (bytes.length !== next - 1) bytes = Buffer.concat(keys.map((key) => Buffer.from(key))); // halves of surrogates met
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

/** Splits rows into pieces of so many rows, and of so many bytes at most unless one row is longer. */
export function* piecesOf(
  keys: readonly string[],
  mostRows: number,
  mostBytes: number,
): Iterable<[from: number, to: number]> {
  let from = 0;
  let bytes = 0;
  for (let row = 0; row < keys.length; row++) {
    // A character has two bytes at most in memory, three in UTF-8.
    const length = 3 * (keys[row] as string).length;
    if (row > from && (row - from === mostRows || bytes + length > mostBytes)) {
      yield [from, row];
      from = row;
      bytes = 0;
    }
    bytes += length;
  }
  if (from < keys.length) yield [from, keys.length];
}
