import { digitOf, digitTable, NO_DIGIT, PIECE_ROWS, type Spans } from '../../kernels/types.js';
import { type Batch, type Refused, refuse } from '../batch.js';
import { isEncoded, type LineKeys } from '../format.js';

/** Digits of some bits each, the most significant first. */
type DigitSet = { readonly bits: 4 | 6; readonly digitOf: Uint8Array };

const LETTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ';

/** RFC 4648, with both alphabets of base64: `-` is also `+`, and `_` is also `/`. */
const BASE64 = /* @__PURE__ */ digitTable({
  alphabet: `${LETTERS}${LETTERS.toLowerCase()}0123456789+/`,
  alike: '-+_/',
});

const [ZERO, BACKSLASH, LETTER_X, PADDING] = [0x30, 0x5c, 0x78, 0x3d];

/**
 * Reads keys as the bytes that are hashed: those of the text, or those that it says in hex or base64.
 * @returns a function that gives the bytes of each row, valid until its next call, or refuses one
 */
export function keyReader(keys: LineKeys): (rows: Batch) => Spans | Refused {
  if (!isEncoded(keys)) return (rows) => rows.keys;
  const isHex = keys === 'hex';
  const digits: DigitSet = isHex ? { bits: 4, digitOf: digitOf('hex') } : { bits: 6, digitOf: BASE64 };
  const offsets = new Uint32Array(PIECE_ROWS + 1);
  let bytes = new Uint8Array(1 << 16);
  return (batch) => {
    const { data, starts, ends } = batch.keys;
    const rows = starts.length;
    let length = 0;
    for (let row = 0; row < rows; row++) length += ends[row] - starts[row];
    if (length > bytes.length) bytes = new Uint8Array(length);
    for (let row = 0, at = 0; row < rows; row++) {
      const [start, end] = [starts[row], ends[row]];
      at = isHex
        ? decode(data, afterPrefix(data, start, end), end, digits, bytes, at)
        : decode(data, start, beforePadding(data, start, end), digits, bytes, at);
      if (at < 0) return refuse(batch, row, `bytes in ${keys}`);
      offsets[row + 1] = at;
    }
    return { data: bytes, starts: offsets.subarray(0, rows), ends: offsets.subarray(1, rows + 1) };
  };
}

/** Where digits start after `0x`, or after `\x`, as PostgreSQL writes it. */
function afterPrefix(data: Uint8Array, start: number, end: number): number {
  const isPrefix = end - start > 1 && data[start + 1] === LETTER_X;
  return isPrefix && (data[start] === ZERO || data[start] === BACKSLASH) ? start + 2 : start;
}

/** Where digits end before `=` or `==`. Padding makes the length a multiple of 4. */
function beforePadding(data: Uint8Array, start: number, end: number): number {
  if (end === start || (end - start) % 4 > 0 || data[end - 1] !== PADDING) return end;
  return data[end - 2] === PADDING ? end - 2 : end - 1;
}

/**
 * Writes the bytes that digits say. The last digit may have bits of no byte, which must be 0, as encoders write it: so no
 * two texts of an alphabet are the same bytes.
 * @returns where the bytes end, or -1 for what is not such digits
 */
function decode(
  data: Uint8Array,
  start: number,
  end: number,
  { bits, digitOf }: DigitSet,
  bytes: Uint8Array,
  at: number,
): number {
  let [held, word] = [0, 0];
  for (let i = start; i < end; i++) {
    const digit = digitOf[data[i]];
    if (digit === NO_DIGIT) return -1;
    word = (word << bits) | digit;
    held += bits;
    if (held < 8) continue;
    held -= 8;
    bytes[at++] = word >>> held;
    word &= (1 << held) - 1;
  }
  return held < bits && word === 0 ? at : -1;
}
