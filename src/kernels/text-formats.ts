/**
 * How u64s are written: `dec` in 20 digits, `hex` in 16 (lower case), `base62` in 11 (0-9A-Za-z), `crockford32` in 13
 * (upper case) or `sortable32` in 13 (2-7a-z).
 */
export type TextFormat = 'dec' | 'hex' | 'base62' | 'crockford32' | 'sortable32';

interface Digits {
  /** Characters for 2^64 - 1. */
  readonly width: number;
  readonly radix: 10 | 16 | 32 | 62;
  /** A character for each digit, in the order of their codes, so that texts sort as their values do. */
  readonly alphabet: string;
  /** Whether letters of either case are read alike. */
  readonly foldsCase?: boolean;
  /** What else a digit may be read from: pairs of a character and what it stands for. */
  readonly alike?: string;
}

const LETTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ';

// Crockford, "Base 32": decoders take I and L for 1, O for 0, and lower case; hyphens are not taken here.
export const TEXT_FORMATS: { readonly [K in TextFormat]: Digits } = {
  dec: { width: 20, radix: 10, alphabet: '0123456789' },
  hex: { width: 16, radix: 16, alphabet: '0123456789abcdef', foldsCase: true },
  base62: { width: 11, radix: 62, alphabet: `0123456789${LETTERS}${LETTERS.toLowerCase()}` },
  crockford32: { width: 13, radix: 32, alphabet: '0123456789ABCDEFGHJKMNPQRSTVWXYZ', foldsCase: true, alike: 'I1L1O0' },
  sortable32: { width: 13, radix: 32, alphabet: `234567${LETTERS.toLowerCase()}`, foldsCase: true },
};

/** What `digitOf` has for a byte that is no digit. */
export const NO_DIGIT = 255;

const tables: { [K in TextFormat]?: Uint8Array } = {};

/** For each byte the digit it is, or {@link NO_DIGIT}. */
export function digitOf(format: TextFormat): Uint8Array {
  tables[format] ??= tableOf(TEXT_FORMATS[format]);
  return tables[format];
}

function tableOf({ alphabet, foldsCase, alike = '' }: Digits): Uint8Array {
  const table = new Uint8Array(256).fill(NO_DIGIT);
  const read = (character: string, digit: number) => {
    table[character.charCodeAt(0)] = digit;
    if (foldsCase) table[character.toUpperCase().charCodeAt(0)] = table[character.toLowerCase().charCodeAt(0)] = digit;
  };
  for (let digit = 0; digit < alphabet.length; digit++) read(alphabet.charAt(digit), digit);
  for (let i = 0; i < alike.length; i += 2) read(alike.charAt(i), alphabet.indexOf(alike.charAt(i + 1)));
  return table;
}
