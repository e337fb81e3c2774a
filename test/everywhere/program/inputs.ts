import { splitMix64 } from '../../support/split-mix.js';

// Pieces are of 16,384 rows.
const LENGTHS = [0, 1, 2, 3, 5, 7, 8, 9, 63, 1023, 16_383, 16_384, 16_385, 40_001];

export const columns = (): BigUint64Array[] => LENGTHS.map((length) => splitMix64(length, length));

/** Strings of all widths of UTF-8, and of all lengths below 200. */
export const texts = (): string[] =>
  Array.from(
    splitMix64(2001),
    (value) => `${['a', 'é', '漢', '😀', '\udc00'][Number(value % 5n)]?.repeat(Number(value % 199n))}${value}`,
  );
