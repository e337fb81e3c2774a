// DES with a key of zeros, whose rounds have keys of zeros, too: FIPS PUB 46-3.

/** The S-boxes, 64 digits each. */
const S = [
  'e4d12fb83a6c59070f74e2d1a6cb953841e8d62bfc973a50fc8249175b3ea06d',
  'f18e6b34972dc05a3d47f28ec01a69b50e7ba4d158c6932fd8a13f42b67c05e9',
  'a09e63f51dc7b428d709346a285ecbf1d6498f30b12c5ae71ad069874fe3b52c',
  '7de3069a1285bc4fd8b56f03472c1ae9a690cb7df13e52843f06a1d8945bc72e',
  '2c417ab6853fd0e9eb2c47d150fa3986421bad78f9c5630eb8c71e2d6f09a453',
  'c1af92680d34e75baf427c9561de0b389ef528c3704a1db6432c95fabe17608d',
  '4b2ef08d3c975a61d0b7491ae35c2f8614bdc37eaf6805926bd814a7950fe23c',
  'd2846fb1a93e50c71fd8a374c56b0e927b419ce206adf35821e74a8dfc90356b',
];
/** The bits of the S-boxes in the order of the permutation P, from 1. */
const P = [
  16, 7, 20, 21, 29, 12, 28, 17, 1, 15, 23, 26, 5, 18, 31, 10, 2, 8, 24, 14, 32, 27, 3, 9, 19, 13, 30, 6, 22, 11, 4, 25,
];

/** What each S-box adds to a half, by 6 bits of the other half: 2 KB, made when a key is first hashed. */
let boxes: readonly Int32Array[] | undefined;

/** The digits of an S-box are in rows of 16. The first and the last bit choose the row. */
const boxesOf = (): Int32Array[] =>
  S.map((digits, box) =>
    Int32Array.from({ length: 64 }, (_, bits) => {
      const digit = Number.parseInt(digits[16 * (((bits >>> 4) & 2) | (bits & 1)) + ((bits >>> 1) & 15)], 16);
      return P.reduce((word, from, to) => {
        const bit = from - 1 - 4 * box; // of this digit, from its highest one
        return bit >= 0 && bit < 4 ? word | (((digit >>> (3 - bit)) & 1) << (31 - to)) : word;
      }, 0);
    }),
  );

/** Swaps the bits of two halves that differ in a mask: the steps of the initial permutation and, backwards, of the last one. */
const SWAPS = [
  [4, 0x0f0f0f0f],
  [16, 0x0000ffff],
  [-2, 0x33333333],
  [-8, 0x00ff00ff],
  [1, 0x55555555],
] as const;
const BACK = [...SWAPS].reverse();

/** Encrypts u64s, whose bytes count as big-endian. @param words the low half of each u64, then the high one; so in `out` */
export function des(words: Uint32Array, out: Uint32Array): void {
  boxes ??= boxesOf();
  for (let i = 0; i < words.length; i += 2) {
    out[i] = words[i];
    out[i + 1] = words[i + 1];
    permute(out, i, SWAPS);
    let left = out[i + 1];
    let right = out[i];
    for (let round = 0; round < 16; round++) {
      let word = left;
      for (let box = 0; box < 8; box++) {
        const turned = 4 * box + 5;
        word ^= boxes[box][((right << turned) | (right >>> -turned)) & 63];
      }
      left = right;
      right = word;
    }
    out[i] = left;
    out[i + 1] = right;
    permute(out, i, BACK);
  }
}

function permute(words: Uint32Array, at: number, swaps: typeof BACK | typeof SWAPS): void {
  for (const [places, mask] of swaps) {
    const from = places > 0 ? at + 1 : at;
    const to = places > 0 ? at : at + 1;
    const shift = Math.abs(places);
    const differing = ((words[from] >>> shift) ^ words[to]) & mask;
    words[to] ^= differing;
    words[from] ^= differing << shift;
  }
}
