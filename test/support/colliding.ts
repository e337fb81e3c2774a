/** doc/xxhash_spec.md of Cyan4973/xxHash, XXH64. */
const PRIME_1 = 0x9e3779b185ebca87n;
const PRIME_2 = 0xc2b2ae3d27d4eb4fn;

const FIRST_PRINTABLE = 0x21;
const LAST_PRINTABLE = 0x7e;
const LANES = 4;

/** Two texts of 8 printable characters each. */
type WordPair = readonly [word: string, other: string];

/** What a lane reads in one stripe and in the next one, in two versions. */
interface Switch {
  readonly first: WordPair;
  readonly second: WordPair;
}

/**
 * 2^count printable strings of one length that have one XXH64, whatever the seed is.
 *
 * A lane of XXH64 takes up a word by acc = rotl(acc + word * P2, 31) * P1. If the word is changed so that word * P2 grows
 * by a small d, the rotated sum grows by d * 2^31, unless the sum of the lower 33 bits carries, which happens with d of
 * 2^33 seeds. So acc grows by d * 2^31 * P1, and if the product of the next word of the lane, 32 bytes later, shrinks by
 * as much, acc is as it was. Each of the four lanes of every two stripes can be switched like this by itself.
 */
export function collidingStrings(count: number): string[] {
  const switches = smallSwitches(count);
  return Array.from({ length: 2 ** count }, (_, version) => {
    let text = '';
    for (let from = 0; from < count; from += LANES) {
      const lanes = switches.slice(from, from + LANES);
      const words = (stripe: keyof Switch) =>
        lanes
          .map((lane, i) => lane[stripe][(version >> (from + i)) & 1])
          .join('')
          .padEnd(8 * LANES);
      text += words('first') + words('second');
    }
    return text;
  });
}

function smallSwitches(count: number): Switch[] {
  const switches: Switch[] = [];
  const inverse = inverseOf(PRIME_2);
  for (let d = 1n; switches.length < count; d++) {
    const first = pairApart(d * inverse);
    const second = pairApart(-(d << 31n) * PRIME_1 * inverse);
    if (first && second) switches.push({ first, second });
  }
  return switches;
}

/** Two words of which the second one is greater by a number, modulo 2^64. About one number in 13 has such a pair. */
function pairApart(difference: bigint): WordPair | undefined {
  let rest = BigInt.asUintN(64, difference);
  const words: [string, string] = ['', ''];
  for (let byte = 0; byte < 8; byte++) {
    const step = Number(BigInt.asIntN(8, rest));
    // A step from -128 to 127 is one byte's difference or, with a borrow from the next byte, the one 256 away, which is
    // outside of what two printable characters can differ by.
    if (Math.abs(step) > LAST_PRINTABLE - FIRST_PRINTABLE) return undefined;
    const from = step < 0 ? LAST_PRINTABLE : FIRST_PRINTABLE;
    words[0] += String.fromCharCode(from);
    words[1] += String.fromCharCode(from + step);
    rest = (rest - BigInt(step)) >> 8n;
  }
  return words;
}

/** The inverse of an odd number modulo 2^64. Newton's method doubles the bits that are right, from 3 on. */
function inverseOf(odd: bigint): bigint {
  let inverse = odd;
  for (let bits = 3; bits < 64; bits *= 2) inverse = BigInt.asUintN(64, inverse * (2n - odd * inverse));
  return inverse;
}
