import type { KeyKind } from './keys.js';
import type { Placing, Tokens } from './placing.js';
import type { Recipe } from './recipes.js';

/** How a system places keys, with some options. */
export interface Placement {
  readonly shards: number;
  /** The kinds of keys that it has. */
  readonly recipes: { readonly [kind in KeyKind]?: Recipe };
  readonly tokens: TokenType;
  /** What becomes of a hash before it is a token, in place. */
  readonly finish?: ((tokens: Tokens) => void) | undefined;
  readonly place: Placing;
  /** The options as JSON has them. */
  readonly json: object;
}

/** The element types of tokens, with their arrays. */
export const TOKEN_ARRAYS = {
  i32: Int32Array,
  u32: Uint32Array,
  i64: BigInt64Array,
  u64: BigUint64Array,
} as const;

export type TokenType = keyof typeof TOKEN_ARRAYS;

/** What a system is told. */
export interface System<O extends object> {
  readonly options: readonly (keyof O & string)[];
  /** The option that is the number of shards. */
  readonly count?: keyof O & string;
  /** The option that is one of some names. */
  readonly choice?: { readonly option: keyof O & string; readonly names: readonly string[] };
  /** @throws TypeError or RangeError for options that the system does not have */
  place(options: O): Placement;
}
