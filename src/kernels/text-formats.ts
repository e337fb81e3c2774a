/**
 * How u64s are written: `dec` in 20 digits, `hex` in 16 (lower case), `base62` in 11 (0-9A-Za-z), `crockford32` in 13
 * (upper case) or `sortable32` in 13 (2-7a-z).
 */
export type TextFormat = 'dec' | 'hex' | 'base62' | 'crockford32' | 'sortable32';

interface Digits {
  /** How many characters 2^64 - 1 takes. */
  readonly width: number;
  readonly radix: 10 | 16 | 32 | 62;
  /** The digits in ascending order of their character codes, so that texts sort as their values do. */
  readonly alphabet: string;
  /** Whether upper and lower case are read alike. */
  readonly foldsCase?: boolean;
  /** Characters that are read as digits, too: pairs of a character and its digit. */
  readonly alike?: string;
}

const LETTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ';

// Crockford, "Base 32": decoders read I and L as 1, O as 0, and lower case. Hyphens are not accepted here.
export const TEXT_FORMATS: { readonly [K in TextFormat]: Digits } = {
  dec: { width: 20, radix: 10, alphabet: '0123456789' },
  hex: { width: 16, radix: 16, alphabet: '0123456789abcdef', foldsCase: true },
  base62: { width: 11, radix: 62, alphabet: `0123456789${LETTERS}${LETTERS.toLowerCase()}` },
  crockford32: { width: 13, radix: 32, alphabet: '0123456789ABCDEFGHJKMNPQRSTVWXYZ', foldsCase: true, alike: 'I1L1O0' },
  sortable32: { width: 13, radix: 32, alphabet: `234567${LETTERS.toLowerCase()}`, foldsCase: true },
};

/** The value in `digitOf` of a byte that is not a digit. */
export const NO_DIGIT = 255;

const tables: { [K in TextFormat]?: Uint8Array } = {};

/** The value of every byte as a digit, or {@link NO_DIGIT}. */
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
