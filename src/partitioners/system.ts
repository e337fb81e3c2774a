import { checkInteger, MAX_BUCKETS } from '../arguments.js';
import type { Hashers } from './hash.js';
import type { Tokens, ToShard } from './to-shard.js';

/** How a system places keys with given options. */
export interface Configuration {
  readonly shards: number;
  readonly hashers: Hashers;
  readonly tokens: TokenType;
  /** Turns hashes into tokens, in place. */
  finalize?(tokens: Tokens): void;
  readonly toShard: ToShard;
  /** The options for JSON. */
  readonly json: object;
}

/** The element types of tokens, and their arrays. */
export const TOKEN_ARRAYS = {
  i32: Int32Array,
  u32: Uint32Array,
  i64: BigInt64Array,
  u64: BigUint64Array,
} as const;

export type TokenType = keyof typeof TOKEN_ARRAYS;

/** A system, and how it places keys with its options. */
export interface System<O extends object> {
  readonly options: readonly (keyof O & string)[];
  /** The option that is the number of shards. */
  readonly count?: keyof O & string;
  /** The option that picks a variant. The word of a variant follows the name of the system and a colon. */
  readonly choice?: {
    readonly option: keyof O & string;
    /** What the option is for each word. */
    readonly values: { readonly [word: string]: O[keyof O] };
    /** Whether the system without the option is one more variant. Otherwise it is one that has a word, or refused. */
    readonly hasUnnamed: boolean;
  };
  /** @throws TypeError or RangeError for options that the system does not have */
  configure(options: O): Configuration;
}

/** A system whose only option is the number of its shards: from 1 to `max`, `usual` by default. */
export function systemOfCount<O extends object>(
  count: keyof O & string,
  configure: (shards: number) => Omit<Configuration, 'shards' | 'json'>,
  { max = MAX_BUCKETS, usual }: { max?: number; usual?: number } = {},
): System<O> {
  return {
    options: [count],
    count,
    configure(options) {
      const { [count]: given = usual } = options as { readonly [name: string]: number | undefined };
      const shards = checkInteger(count, given, 1, max);
      return { shards, ...configure(shards), json: { [count]: shards } };
    },
  };
}

/** For a choice between values that are their own words. */
export function ownWords<V extends string>(values: readonly V[]): { readonly [word: string]: V } {
  return Object.fromEntries(values.map((value) => [value, value]));
}
