import { wrongValue } from '../arguments.js';
import type { Spans } from '../kernels/contract.js';

// UUIDs as in RFC 9562: 36 characters, digits in upper or lower case. In columns they are 16 bytes each, in the order of
// their text.

const TEXT_LENGTH = 36;
const UUID = 'a UUID such as f79c3e09-677c-4bbd-a479-3f349cb785e7';

/** The place in the text of the two digits of each byte. */
const PLACES = [0, 2, 4, 6, 9, 11, 14, 16, 19, 21, 24, 26, 28, 30, 32, 34] as const;
const HYPHENS = [8, 13, 18, 23] as const;
const HYPHEN = 0x2d;

const NO_DIGIT = 255;

/** The value of a hexadecimal digit by its code. */
const DIGITS = /* @__PURE__ */ Uint8Array.from({ length: 256 }, (_, code) => {
  const value = '0123456789abcdef'.indexOf(String.fromCharCode(code).toLowerCase());
  return value < 0 ? NO_DIGIT : value;
});

/** @param unitAt returns the code of a character of the text; beyond its end, any number */
function parse(unitAt: (place: number) => number, bytes: Uint8Array, at: number): boolean {
  for (const place of HYPHENS) if (unitAt(place) !== HYPHEN) return false;
  for (let i = 0; i < 16; i++) {
    const place = PLACES[i] as number;
    const high = DIGITS[unitAt(place)] ?? NO_DIGIT;
    const low = DIGITS[unitAt(place + 1)] ?? NO_DIGIT;
    if (high === NO_DIGIT || low === NO_DIGIT) return false;
    bytes[at + i] = (high << 4) | low;
  }
  return true;
}

/** The 16 bytes of a UUID's text. */
export function uuidText(text: string): Uint8Array {
  const bytes = new Uint8Array(16);
  if (text.length !== TEXT_LENGTH || !parse((place) => text.charCodeAt(place), bytes, 0)) {
    throw wrongValue('key', UUID, text);
  }
  return bytes;
}

/** Checks the 16 bytes of a UUID. */
export function uuidBytes(bytes: Uint8Array): Uint8Array {
  if (bytes.length !== 16) throw wrongValue('key', '16 bytes of a UUID', bytes, undefined, `${bytes.length} bytes`);
  return bytes;
}

/** The bytes of UUIDs that are strings, 16 for each. */
export function uuidsOfTexts(texts: readonly string[]): Uint8Array {
  const bytes = new Uint8Array(16 * texts.length);
  for (let row = 0; row < texts.length; row++) {
    const text = texts[row] as string;
    if (text.length !== TEXT_LENGTH || !parse((place) => text.charCodeAt(place), bytes, 16 * row)) {
      throw wrongValue('keys', UUID, text, row);
    }
  }
  return bytes;
}

/**
 * The bytes of UUIDs that are rows of text or of 16 bytes, 16 for each.
 * @param isText whether rows must be text
 */
export function uuidsOfSpans({ data, starts, ends }: Spans, isText: boolean): Uint8Array {
  const bytes = new Uint8Array(16 * starts.length);
  for (let row = 0; row < starts.length; row++) {
    const start = starts[row] as number;
    const length = (ends[row] as number) - start;
    if (length === 16 && !isText) for (let i = 0; i < 16; i++) bytes[16 * row + i] = data[start + i] as number;
    else if (length !== TEXT_LENGTH || !parse((place) => data[start + place] as number, bytes, 16 * row)) {
      throw wrongValue(
        'keys',
        isText ? UUID : `${UUID}, or its 16 bytes`,
        textOf(data.slice(start, start + Math.min(length, 64))),
        row,
      );
    }
  }
  return bytes;
}

const textOf = (bytes: Uint8Array): string => new TextDecoder().decode(bytes);
