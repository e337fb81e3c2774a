import { checkInteger, checkOneOf, MAX_BUCKETS, wordsOf, wrongKind } from '../arguments.js';
import { kernels } from '../kernels/active.js';
import { partitionerKernels } from '../kernels/partitioners.js';
import type { TokenSign } from '../kernels/types.js';
import { STRATEGIES } from '../routing/router.js';
import type { Abilities } from '../routing/routing.js';
import type { Combination } from './columns.js';
import type { Hashers } from './hash.js';
import type { KeyKind } from './keys.js';

/** How a system places keys with given options. */
export interface Configuration {
  readonly shards: number;
  readonly hashers: Hashers;
  readonly tokens: TokenType;
  /** Keys of several columns, and NULL; undefined: a key is one column, and not NULL. */
  readonly columns?: Combination | undefined;
  /** Turns hashes into tokens, in place. */
  finalize?(tokens: Tokens): void;
  readonly toShard: ToShard;
  /**
   * Corrects the shards of rows whose tokens leave them open, or refuses rows. `bytesOf` gives the bytes of a row of text or
   * bytes, and `from` is the number of the first row; undefined for a single key.
   */
  settle?(tokens: Tokens, shards: Uint32Array, bytesOf: (row: number) => Uint8Array, from?: number): void;
  /** Whether `settle` may refuse rows. */
  readonly refuses?: boolean;
  /** The options for JSON. */
  readonly json: { readonly servers?: Abilities['servers']; readonly [option: string]: unknown };
}

export type TokenType = 'i32' | 'u32' | 'i64' | 'u64';

/** Tokens of 32 or 64 bits, signed or unsigned as in the system. */
export type Tokens = Int32Array | Uint32Array | BigInt64Array | BigUint64Array;

export const TOKEN_ARRAYS: {
  readonly [type in TokenType]: {
    new (length: number): Tokens;
    new (buffer: ArrayBufferLike, byteOffset: number, length: number): Tokens;
  };
} = { i32: Int32Array, u32: Uint32Array, i64: BigInt64Array, u64: BigUint64Array };

/** Types of columns whose values are texts elsewhere: one of a list of texts, and JSON. */
export type TextType = 'enum' | 'json';

/** A system, and how it places keys with its options. */
export interface System<O extends object> {
  readonly options: readonly (keyof O & string)[];
  /** The option that is the number of shards. */
  readonly count?: keyof O & string;
  /** The largest number of shards, if it is less than MAX_BUCKETS. */
  readonly max?: number;
  /** What a shard is called, unless the number of shards is called the same. */
  readonly noun?: string;
  /** The option that picks a variant. The word of a variant follows the name of the system and a colon. */
  readonly choice?: {
    readonly option: keyof O & string;
    /** What the option is for each word, or its values if they are their own words. */
    readonly values: readonly string[] | { readonly [word: string]: O[keyof O] };
    /** What the system without the option is: one more variant, one that has a word, or refused. */
    readonly without: 'another' | 'one of them' | 'refused';
  };
  /** The kind of keys unless another one is named, if it is not text. */
  readonly key?: KeyKind;
  /** Texts that it hashes in another way than other texts. */
  readonly otherTexts?: readonly TextType[];
  /** @throws TypeError or RangeError for options that the system does not have */
  configure(options: O): Configuration;
}

/**
 * A system whose only options are the number of its shards, from 1 to `max`, `usual` by default, and perhaps a `variant`. The
 * first variant is the default, unless the system without one is `another`.
 */
export function systemOfCount<V extends string | undefined = undefined>(
  count: string,
  configure: (shards: number, variant: V) => Omit<Configuration, 'shards' | 'json'>,
  { max = MAX_BUCKETS, usual, variants, without = 'one of them', ...more }: CountedSystem<NonNullable<V>> = {},
): System<any> {
  const usualVariant = without === 'another' ? undefined : variants?.[0];
  return {
    options: variants === undefined ? [count] : [count, 'variant'],
    count,
    max,
    ...more,
    ...(variants && { choice: { option: 'variant', values: variants, without } }),
    configure({ [count]: given = usual, variant = usualVariant }) {
      const shards = checkInteger(count, given, 1, max);
      if (variants !== undefined && variant !== undefined) checkOneOf('variant', variant, variants);
      return { shards, ...configure(shards, variant), json: { [count]: shards, ...(variant && { variant }) } };
    },
  };
}

interface CountedSystem<V extends string> extends Pick<System<object>, 'max' | 'noun' | 'key' | 'otherTexts'> {
  readonly usual?: number;
  readonly variants?: readonly V[];
  readonly without?: 'another' | 'one of them';
}

/** What depends on the shards alone. */
export type ShardConfiguration = Pick<Configuration, 'shards' | 'toShard' | 'settle' | 'json'>;

/** Calls `ofShards` with the number of shards, 1 to `max`, or `ofEach` with an option that says more of each one. */
export function shardsOr<N extends string, T>(
  name: N,
  { shards, [name]: given }: { readonly shards?: number | undefined } & { readonly [option in N]?: T | undefined },
  [max, ofShards]: readonly [number, (shards: number) => ShardConfiguration],
  ofEach: (given: T) => ShardConfiguration,
): ShardConfiguration {
  if ((shards === undefined) === (given === undefined)) {
    throw wrongKind(given === undefined ? 'shards' : name, `either "shards" or "${name}"`, given);
  }
  return given === undefined ? ofShards(checkInteger('shards', shards, 1, max)) : ofEach(given);
}

// How tokens become shards.

const MAX_STEPS = 16; // a table of 2^16 entries, 256 KB

/**
 * Finds the place of a value among sorted u64s. A table says where the bounds with the same leading bits begin, so that few
 * have to be compared if they are spread like hashes. Halves are compared as numbers.
 */
export class Bounds {
  readonly #bounds: Uint32Array;
  readonly #shift: number;
  readonly #begins: Uint32Array;

  /** @param bounds ascending */
  constructor(bounds: BigUint64Array) {
    this.#bounds = wordsOf(bounds);
    const bits = Math.min(MAX_STEPS, 32 - Math.clz32(bounds.length | 1));
    this.#shift = 32 - bits;
    this.#begins = new Uint32Array(2 ** bits + 1);
    let bound = 0;
    for (let step = 0; step < 2 ** bits; step++) {
      this.#begins[step] = bound;
      while (bound < bounds.length && this.#bounds[2 * bound + 1] >>> this.#shift === step) bound++;
    }
    this.#begins[2 ** bits] = bound;
  }

  /** How many bounds are below each value; with `flip` 0x80000000 both are signed, and the bounds have been flipped. */
  countBelow(values: BigUint64Array | BigInt64Array, flip: number, counts: Uint32Array): void {
    const words = wordsOf(values);
    for (let i = 0; i < counts.length; i++) {
      counts[i] = this.#below((words[2 * i + 1] ^ flip) >>> 0, words[2 * i]);
    }
  }

  /** How many bounds are below each value of 32 bits, which counts as the upper half of a u64 whose lower half is 0. */
  countBelowHigh(values: Uint32Array, counts: Uint32Array): void {
    for (let i = 0; i < counts.length; i++) counts[i] = this.#below(values[i], 0);
  }

  #below(high: number, low: number): number {
    const step = high >>> this.#shift;
    let from = this.#begins[step];
    let to = this.#begins[step + 1];
    while (from < to) {
      const middle = (from + to) >>> 1;
      const boundHigh = this.#bounds[2 * middle + 1];
      if (boundHigh < high || (boundHigh === high && this.#bounds[2 * middle] < low)) from = middle + 1;
      else to = middle;
    }
    return from;
  }
}

export interface ToShard {
  column(tokens: Tokens, shards: Uint32Array): void;
  /** The shard of one token, if that is faster than a column of one row. */
  one?(token: number | bigint): number;
}

/** The remainder of a 32-bit token, with its sign handled as `sign` says. */
export function remainder(sign: TokenSign, n: number): ToShard {
  return {
    column(tokens, shards) {
      const words = new Uint32Array(tokens.buffer, tokens.byteOffset, tokens.length);
      partitionerKernels(kernels()).remainders(words, sign, n, shards);
    },
    one(token) {
      const value = Number(token);
      if (sign === 'cut') return (value & 0x7fffffff) % n;
      if (sign === 'none') return (value >>> 0) % n;
      if (sign === 'floored') return (((value % n) + n) % n) | 0;
      return Math.abs(value) % n;
    },
  };
}

/** The remainder or the multiply-high of a u64. */
export function byStrategy(name: 'modulo' | 'fastrange', n: number): ToShard {
  const { one, column } = STRATEGIES[name];
  return {
    column: (tokens: BigUint64Array, shards) => column(tokens, n, shards),
    one: (token: bigint) => one(token, n),
  };
}

export function mapShards({ column, one }: ToShard, replace: (shard: number) => number): ToShard {
  return {
    column(tokens, shards) {
      column(tokens, shards);
      for (let i = 0; i < shards.length; i++) shards[i] = replace(shards[i]);
    },
    ...(one && { one: (token) => replace(one(token)) }),
  };
}
