import type { WideIdFormat } from './format.js';
import { hexAt } from './hex.js';

// The BSON specification, "ObjectId": 4 bytes of Unix seconds, unsigned and big-endian, 5 random ones and a counter of 3.

export const objectId: WideIdFormat = {
  lengths: [24],

  timeAt(data, at) {
    const isWhole = !Number.isNaN(hexAt(data, at + 8, 16));
    return isWhole ? hexAt(data, at, 8) * 1000 : Number.NaN;
  },

  expected: () => 'an ObjectId: 24 hexadecimal digits',
};
