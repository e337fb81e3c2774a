// What the characters in a field of CSV mean, for all who read fields in JavaScript.

/** A byte that no byte equals, for a format without quotes or without escapes. */
export const NO_BYTE = 256;

/** The characters with a meaning in fields of CSV; {@link NO_BYTE} for one that has none. */
export interface FieldSyntax {
  readonly quote: number;
  /** The byte that makes the character after it data. A line break `\r\n` counts as one character. */
  readonly escaper: number;
}

const NEWLINE = 0x0a;
const CARRIAGE_RETURN = 0x0d;

/** What an escape character and a letter mean, if not that letter. */
const ESCAPED = new Map(
  Object.entries({ 0: 0, b: 0x08, t: 0x09, n: NEWLINE, v: 0x0b, f: 0x0c, r: CARRIAGE_RETURN, Z: 0x1a }).map(
    ([letter, byte]) => [letter.charCodeAt(0), byte],
  ),
);

/** How many bytes the character at a place takes: 2 or 3 if it is escaped, otherwise 1. */
export function lengthAt(data: Uint8Array, at: number, to: number, escaper: number): number {
  if (data[at] !== escaper || at + 1 >= to) return 1;
  return data[at + 1] === CARRIAGE_RETURN && at + 2 < to && data[at + 2] === NEWLINE ? 3 : 2;
}

/** The value of a well-formed field: without its quotes, with doubled quotes as one, and without escapes. */
export function fieldValue(field: Uint8Array, { quote, escaper }: FieldSyntax): Uint8Array {
  const isQuoted = field[0] === quote;
  const value = new Uint8Array(field.length);
  let length = 0;
  for (let at = isQuoted ? 1 : 0, end = field.length - at; at < end; at++) {
    const byte = field[at];
    if (byte === escaper) {
      const next = field[++at];
      value[length++] = ESCAPED.get(next) ?? next;
    } else {
      value[length++] = byte;
      if (byte === quote) at++;
    }
  }
  return value.subarray(0, length);
}
