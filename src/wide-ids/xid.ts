import { digitTable, numberAt } from './digits.js';
import type { WideIdFormat } from './format.js';

// github.com/rs/xid: 12 bytes in base32hex, lower case and without padding, of which the first 4 are Unix seconds. 20
// characters have 4 bits more than 12 bytes; they are zero.

const DIGITS = /* @__PURE__ */ digitTable('0123456789abcdefghijklmnopqrstuv');

export const xid: WideIdFormat = {
  lengths: [20],

  timeAt(data, at) {
    const first = numberAt(data, at, 7, DIGITS, 32); // 35 bits, of which 32 are the seconds
    const last = numberAt(data, at + 19, 1, DIGITS, 32);
    const isWhole = last % 16 === 0 && !Number.isNaN(numberAt(data, at + 7, 12, DIGITS, 32));
    return isWhole ? Math.floor(first / 8) * 1000 : Number.NaN;
  },

  expected: () => 'an xid: 20 characters of 0-9 and a-v, the last one 0 or g',
};
