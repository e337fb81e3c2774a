import { kernels } from '../kernels/active.js';
import type { TokenSign } from '../kernels/partitioner-contract.js';
import { partitionerKernels } from '../kernels/partitioners.js';
import { STRATEGIES } from '../routing/strategy.js';

/** Tokens of 32 or 64 bits, signed or unsigned as in the system. */
export type Tokens = Int32Array | Uint32Array | BigInt64Array | BigUint64Array;

/** Turns tokens into shards. */
export interface Placing {
  column(tokens: Tokens, shards: Uint32Array): void;
  /** The shard of one token, if that is faster than a column of one row. */
  one?(token: number | bigint): number;
}

/** The remainder of a 32-bit token, with its sign handled as `sign` says. */
export function remainder(sign: TokenSign, n: number): Placing {
  return {
    column(tokens, shards) {
      const words = new Uint32Array(tokens.buffer, tokens.byteOffset, tokens.length);
      partitionerKernels(kernels()).remainders(words, sign, n, shards);
    },
    one(token) {
      const value = Number(token);
      if (sign === 'cut') return (value & 0x7fffffff) % n;
      if (sign === 'floored') return (((value % n) + n) % n) | 0;
      return Math.abs(value) % n;
    },
  };
}

/** The remainder or the multiply-high of a u64. */
export function byStrategy(name: 'modulo' | 'fastrange', n: number): Placing {
  const { one, column } = STRATEGIES[name];
  return {
    column: (tokens, shards) => column(kernels(), tokens as BigUint64Array, n, shards),
    one: (token) => one(kernels(), token as bigint, n),
  };
}

/** Replaces every shard that `place` gives. */
export function replaced(place: Placing, replace: (shard: number) => number): Placing {
  return {
    column(tokens, shards) {
      place.column(tokens, shards);
      for (let i = 0; i < shards.length; i++) shards[i] = replace(shards[i] as number);
    },
    ...(place.one && { one: (token: number | bigint) => replace(place.one?.(token) as number) }),
  };
}
