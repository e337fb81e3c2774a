import { MAX_U64 } from '../arguments.js';
import { digitOf, NO_DIGIT, TEXT_FORMATS, type TextFormat } from './types.js';

// Single ids as text, on either backend. JavaScript's own conversions are the fastest where they exist. Other digits are
// worked out in numbers: BigInts take ten times as long, and loops or joined strings twice as long.

const id64 = /* @__PURE__ */ new BigUint64Array(1);
const words = /* @__PURE__ */ new Uint32Array(id64.buffer);

/** The text of an id, by default in the format's full width. */
export function idText(id: bigint, format: TextFormat, padded = true): string {
  const { width, alphabet, radix } = TEXT_FORMATS[format];
  if (radix <= 16) {
    const text = radix === 10 ? String(id) : id.toString(radix);
    return padded ? text.padStart(width, '0') : text;
  }
  id64[0] = id;
  const text = (radix === 32 ? inBase32 : inBase62)(words[0], words[1], alphabet);
  return padded ? text : withoutZeros(text, format);
}

/** The id in a text, or undefined if the text is not an id. */
export function idOf(text: string, format: TextFormat): bigint | undefined {
  const { width, radix } = TEXT_FORMATS[format];
  const digits = text.length > width ? withoutZeros(text, format) : text;
  if (digits.length > width || digits === '') return undefined;
  if (radix === 10) return /^[0-9]+$/.test(digits) ? u64OrNone(BigInt(digits)) : undefined;
  const table = digitOf(format);
  const middle = digits.length - LOW_DIGITS;
  let [high, low] = [0, 0];
  for (let i = 0; i < digits.length; i++) {
    const code = digits.charCodeAt(i);
    const digit = code < 256 ? table[code] : NO_DIGIT;
    if (digit === NO_DIGIT) return undefined;
    if (i < middle) high = high * radix + digit;
    else low = low * radix + digit;
  }
  if (radix > 16) return u64OrNone(BigInt(high) * BigInt(radix ** LOW_DIGITS) + BigInt(low));
  words[0] = low;
  words[1] = high;
  return id64[0];
}

const u64OrNone = (id: bigint): bigint | undefined => (id <= MAX_U64 ? id : undefined);

/** A text without its leading zeros; at least one digit stays. */
export function withoutZeros(text: string, format: TextFormat): string {
  const table = digitOf(format);
  let zeros = 0;
  while (zeros < text.length - 1 && table[text.charCodeAt(zeros)] === 0) zeros++;
  return text.slice(zeros);
}

// A text is read in two parts. With this many low digits both are below 2^48; in hex, each part is a 32-bit word.
const LOW_DIGITS = 8;

function inBase32(low: number, high: number, alphabet: string): string {
  const at = (digit: number) => alphabet.charCodeAt(digit & 31);
  return String.fromCharCode(
    at(high >>> 28),
    at(high >>> 23),
    at(high >>> 18),
    at(high >>> 13),
    at(high >>> 8),
    at(high >>> 3),
    at((high << 2) | (low >>> 30)),
    at(low >>> 25),
    at(low >>> 20),
    at(low >>> 15),
    at(low >>> 10),
    at(low >>> 5),
    at(low),
  );
}

const FIVE_DIGITS = 916132832; // 62^5

/** Divides a u64 by 62^5 in three steps, so that no dividend exceeds 2^46. The parts have 1, 5 and 5 digits. */
function inBase62(low: number, high: number, alphabet: string): string {
  const first = Math.floor(high / FIVE_DIGITS);
  const middle = (high % FIVE_DIGITS) * 65536 + (low >>> 16);
  const last = (middle % FIVE_DIGITS) * 65536 + (low & 65535);
  const above = (first * 65536 + Math.floor(middle / FIVE_DIGITS)) * 65536 + Math.floor(last / FIVE_DIGITS);
  const top = alphabet.charAt(Math.floor(above / FIVE_DIGITS));
  return top + fiveDigits(above % FIVE_DIGITS, alphabet) + fiveDigits(last % FIVE_DIGITS, alphabet);
}

function fiveDigits(value: number, alphabet: string): string {
  const a = (value / 62) | 0;
  const b = (a / 62) | 0;
  const c = (b / 62) | 0;
  const d = (c / 62) | 0;
  const at = (digit: number) => alphabet.charCodeAt(digit);
  return String.fromCharCode(at(d), at(c - d * 62), at(b - c * 62), at(a - b * 62), at(value - a * 62));
}
