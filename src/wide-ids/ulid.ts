import { TEXT_FORMATS } from '../kernels/contract.js';
import { digitTable, numberAt } from './digits.js';
import type { WideIdFormat } from './format.js';

// github.com/ulid/spec: 48 bits of Unix milliseconds in 10 characters, then 80 bits in 16. It has the alphabet of Crockford's
// base32 in upper or lower case, but does not read I and L as 1 and O as 0.

const MAX_MS = 2 ** 48 - 1;

const DIGITS = /* @__PURE__ */ digitTable(TEXT_FORMATS.crockford32.alphabet, true);

export const ulid: WideIdFormat = {
  lengths: [26],

  timeAt(data, at) {
    const ms = numberAt(data, at, 10, DIGITS, 32);
    const isWhole = ms <= MAX_MS && !Number.isNaN(numberAt(data, at + 10, 16, DIGITS, 32));
    return isWhole ? ms : Number.NaN;
  },

  expected: () => 'a ULID: 26 characters of 0-9 and A-Z without I, L, O and U, the first one at most 7',
};
