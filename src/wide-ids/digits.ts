/** The value of each byte as a digit. A byte that is not a digit has a larger value, even after `|` with other digits. */
export type DigitTable = Uint8Array;

const NONE = 255;
const MOST_DIGIT = 63;

/** @param alphabet the digits in ascending order, at most 64 */
export function digitTable(alphabet: string, foldsCase = false): DigitTable {
  const table = new Uint8Array(256).fill(NONE);
  for (let digit = 0; digit < alphabet.length; digit++) {
    const character = alphabet.charAt(digit);
    for (const alike of foldsCase ? [character.toUpperCase(), character.toLowerCase()] : [character]) {
      table[alike.charCodeAt(0)] = digit;
    }
  }
  return table;
}

/** Reads `count` characters as a number, exact up to 2^53. NaN if one of them is not a digit. */
export function numberAt(data: Uint8Array, at: number, count: number, table: DigitTable, radix: number): number {
  let value = 0;
  let seen = 0;
  for (let i = at; i < at + count; i++) {
    const digit = table[data[i] as number] as number;
    seen |= digit;
    value = value * radix + digit;
  }
  return seen > MOST_DIGIT ? Number.NaN : value;
}
