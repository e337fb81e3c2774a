import { LineError } from './line-hasher.js';

const QUOTE = 0x22;

/** The names of the columns in a header that is well-formed. */
export function namesOf(header: Uint8Array, delimiter: number): string[] {
  const names: string[] = [];
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  let isQuoted = false;
  for (let start = 0, at = 0; at <= header.length; at++) {
    if (header[at] === QUOTE) isQuoted = !isQuoted;
    if (at < header.length && (isQuoted || header[at] !== delimiter)) continue;
    const name = decoder.decode(header.subarray(start, at));
    names.push(name.startsWith('"') ? name.slice(1, -1).replaceAll('""', '"') : name);
    start = at + 1;
  }
  return names;
}

/**
 * The places of columns, counted from 0.
 * @param keys names, or numbers from 1
 * @throws LineError if a column is missing, occurs twice in the header, or is twice in the key
 */
export function placesOf(keys: readonly (string | number)[], names: readonly string[]): number[] {
  const places = keys.map((key) => {
    const place = typeof key === 'number' ? key - 1 : names.indexOf(key);
    if (place < 0) throw headerError(`a column named ${key}`, names);
    if (place >= names.length) throw headerError(`at least ${key} columns`, names);
    if (typeof key === 'string' && names.lastIndexOf(key) !== place)
      throw headerError(`one column named ${key}`, names);
    return place;
  });
  if (new Set(places).size < places.length) throw headerError('each column of the key once', names);
  return places;
}

export function headerError(expected: string, names: readonly string[]): LineError {
  return new LineError(1, expected, names.join());
}
