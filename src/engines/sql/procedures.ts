import { MAX_BUCKETS } from '../../arguments.js';
import { PRIME_1, PRIME_2, PRIME_3, PRIME_4, PRIME_5 } from '../../kernels/js/xxh64.js';
import type { Strategy } from './types.js';

/** What the accumulators of a long key begin with, added to the seed. Source: Cyan4973/xxHash, doc/xxhash_spec.md, step 1. */
export const LANES = [BigInt.asUintN(64, PRIME_1 + PRIME_2), PRIME_2, 0n, BigInt.asUintN(64, -PRIME_1)] as const;

/** By how many bits each accumulator is rotated before they are added. Source: the same, step 3. */
export const ROTATIONS = [1, 7, 12, 18] as const;

/** The multiplier of jump hash. Source: Lamping and Veach (2014), figure 1. */
export const JUMP_FACTOR = 2862933555777941757n;

export const TWO_64 = 2n ** 64n;

/** How a language of stored functions writes statements, and arithmetic on 64 unsigned bits. */
export interface Language {
  set(variable: string, value: string): string;
  /** A statement on several lines: what begins it, and what ends it. */
  loop(condition: string): readonly [begin: string, end: string];
  branch(condition: string): readonly [begin: string, end: string];
  /** A statement that ends the function with an error. */
  fail(message: string, variable: string): string;
  /** `x * factor + addend` modulo 2^64, of a variable. */
  multiply(x: string, factor: bigint, addend?: bigint | string): string;
  /** `x + y` modulo 2^64, of variables. */
  add(x: string, y: bigint | string): string;
  xor(x: string, y: string): string;
  shiftRight(x: string, bits: number): string;
  /** Some bytes of the key as an integer, the lowest byte first: those at `place` and some bytes after it. */
  bytes(after: number, count: 1 | 4 | 8): string;
  /** The remainder of an unsigned hash. */
  remainder(hash: string, shards: string): string;
}

/** Variables of {@link xxh64}, which are 64 bits wide; `place` and `size` are integers. The function has `data` and `seed`. */
export const XXH64_VARIABLES = ['hash', 'word', ...LANES.map((_, lane) => `lane${lane + 1}`)] as const;

export const placeAfter = (bytes: number): string => (bytes === 0 ? 'place' : `place + ${bytes}`);

/** The statements that compute the XXH64 of `data`, as in the specification. They leave it in `hash`. */
export function xxh64(language: Language): string[] {
  const { set, multiply, add, xor, bytes, shiftRight } = language;
  const rotated = (x: string, bits: number) => `(${x} << ${bits}) | ${shiftRight(x, 64 - bits)}`;
  const rotate = (x: string, bits: number) => set(x, rotated(x, bits));
  const times = (x: string, factor: bigint, addend?: bigint | string) => set(x, multiply(x, factor, addend));
  const mixIn = (x: string) => set('hash', xor('hash', x));
  const next = (count: number) => set('place', `place + ${count}`);
  const round = (x: string) => [times(x, PRIME_2), rotate(x, 31), times(x, PRIME_1)];
  const shiftedIn = (bits: number) => mixIn(shiftRight('hash', bits));
  /** The next bytes of what is left after whole stripes. */
  const rest = (count: 1 | 4 | 8, prepared: readonly string[], bits: number, multiplied: string) => [
    set('word', bytes(0, count)),
    ...prepared,
    mixIn('word'),
    rotate('hash', bits),
    multiplied,
    next(count),
  ];
  const lanes = LANES.map((start, lane) => [`lane${lane + 1}`, start, ROTATIONS[lane]] as const);
  return [
    set('hash', add('seed', PRIME_5)),
    ...block(language.branch('size >= 32'), [
      ...lanes.map(([lane, start]) => set(lane, add('seed', start))),
      ...block(language.loop('place + 32 <= size'), [
        ...lanes.flatMap(([lane], i) => [
          set('word', bytes(8 * i, 8)),
          set(lane, multiply('word', PRIME_2, lane)),
          rotate(lane, 31),
          times(lane, PRIME_1),
        ]),
        next(32),
      ]),
      set('hash', '0'),
      ...lanes.flatMap(([lane, , bits]) => [set('word', rotated(lane, bits)), set('hash', add('hash', 'word'))]),
      ...lanes.flatMap(([lane]) => [...round(lane), mixIn(lane), times('hash', PRIME_1, PRIME_4)]),
    ]),
    set('word', 'size'),
    set('hash', add('hash', 'word')),
    ...block(language.loop('place + 8 <= size'), rest(8, round('word'), 27, times('hash', PRIME_1, PRIME_4))),
    ...block(
      language.branch('place + 4 <= size'),
      rest(4, [times('word', PRIME_1)], 23, times('hash', PRIME_2, PRIME_3)),
    ),
    ...block(language.loop('place < size'), rest(1, [times('word', PRIME_5)], 11, times('hash', PRIME_1))),
    ...[shiftedIn(33), times('hash', PRIME_2), shiftedIn(29), times('hash', PRIME_3), shiftedIn(32)],
  ];
}

interface Placing {
  /** The function that does it, of (hash, shards). */
  readonly name: string;
  /** Variables that are floating point numbers, with what they begin with. */
  readonly variables: Readonly<Record<string, number>>;
  /** They may change `hash`. */
  statements(language: Language): string[];
}

export const PLACING: { readonly [strategy in Strategy]: Placing } = {
  jump: {
    name: 'jump_hash',
    variables: { bucket: -1, following: 0, divisor: 1 },
    statements: ({ set, loop, multiply, shiftRight }) => [
      ...block(loop('following < shards'), [
        set('bucket', 'following'),
        set('hash', multiply('hash', JUMP_FACTOR, 1n)),
        set('divisor', `${shiftRight('hash', 33)} + 1`),
        set('following', 'floor((bucket + 1) * (2147483648 / divisor))'),
      ]),
      'return bucket;',
    ],
  },
  fastrange: {
    name: 'fast_range',
    variables: {},
    statements: ({ shiftRight }) => [`return ${fastRange('hash', 'shards', shiftRight)};`],
  },
  modulo: {
    name: 'hash_modulo',
    variables: {},
    statements: ({ remainder }) => [`return ${remainder('hash', 'shards')};`],
  },
};

/** `hash * shards / 2^64` for at most 2^31 - 1 shards, in halves, whose products have less than 64 bits. */
export function fastRange(hash: string, shards: string, shiftRight: Language['shiftRight']): string {
  const low = shiftRight(`((${hash} & 4294967295) * ${shards})`, 32);
  return shiftRight(`(${shiftRight(hash, 32)} * ${shards} + ${low})`, 32);
}

/** The statement that refuses a number of shards that no router has. */
export function checkShards({ branch, fail }: Language): string[] {
  return block(branch('shards < 1'), [fail(`shards: expected an integer from 1 to ${MAX_BUCKETS}`, 'shards')]);
}

export function block([begin, end]: readonly [string, string], lines: readonly string[]): string[] {
  return [begin, ...lines.map((line) => `  ${line}`), end];
}
