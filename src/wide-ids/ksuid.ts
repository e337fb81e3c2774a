import { TEXT_FORMATS } from '../kernels/contract.js';
import { digitTable, numberAt } from './digits.js';
import type { WideIdFormat } from './format.js';

// github.com/segmentio/ksuid: 20 bytes as one number in base62, of which the first 4 are seconds since 2014-05-13.

const EPOCH_SECONDS = 1400000000;

const LENGTH = 27;
const GROUP = 3;
const GROUP_RADIX = 62 ** GROUP;

const DIGITS = /* @__PURE__ */ digitTable(TEXT_FORMATS.base62.alphabet);

/** The 160 bits, the lowest 32 first. */
const words = /* @__PURE__ */ new Uint32Array(5);

export const ksuid: WideIdFormat = {
  lengths: [LENGTH],

  timeAt(data, at) {
    words.fill(0);
    for (let group = at; group < at + LENGTH; group += GROUP) {
      let carry = numberAt(data, group, GROUP, DIGITS, 62);
      for (let i = 0; i < words.length; i++) {
        const product = (words[i] as number) * GROUP_RADIX + carry; // below 2^50
        words[i] = product; // its lowest 32 bits
        carry = Math.floor(product / 2 ** 32);
      }
      if (carry !== 0) return Number.NaN; // more than 160 bits, or not a digit
    }
    return ((words[4] as number) + EPOCH_SECONDS) * 1000;
  },

  expected: () => 'a KSUID: 27 characters of 0-9, A-Z and a-z, at most aWgEPTl1tmebfsQzFP4bxwgy80V',
};
