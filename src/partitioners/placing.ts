import { kernels } from '../kernels/active.js';
import { STRATEGIES } from '../routing/strategy.js';

/** Tokens of 32 bits, with the sign that the system gives them, or of 64. */
export type Tokens = Int32Array | Uint32Array | BigInt64Array | BigUint64Array;

/** How tokens become shards. */
export interface Placing {
  column(tokens: Tokens, shards: Uint32Array): void;
  /** Of one token, where that is quicker than a column of one. */
  one?(token: bigint): number;
}

/** The sign is cut off, then the remainder. */
export function masked(n: number): Placing {
  return {
    column(tokens, shards) {
      const words = tokens as Int32Array;
      for (let i = 0; i < words.length; i++) shards[i] = ((words[i] as number) & 0x7fffffff) % n;
    },
  };
}

/** The remainder of what has no sign. */
export function unsigned(n: number): Placing {
  return {
    column(tokens, shards) {
      const words = tokens as Uint32Array;
      for (let i = 0; i < words.length; i++) shards[i] = (words[i] as number) % n;
    },
  };
}

/** The remainder of the absolute value, which for -2^31 is 2^31. */
export function absolute(n: number): Placing {
  return {
    column(tokens, shards) {
      const words = tokens as Int32Array;
      for (let i = 0; i < words.length; i++) shards[i] = (Math.abs(words[i] as number) >>> 0) % n;
    },
  };
}

/** The remainder that has no sign of what has one. */
export function floored(n: number): Placing {
  return {
    column(tokens, shards) {
      const words = tokens as Int32Array;
      for (let i = 0; i < words.length; i++) {
        const rest = ((words[i] as number) % n) | 0; // of -0, too
        shards[i] = rest < 0 ? rest + n : rest;
      }
    },
  };
}

/** The remainder or the multiply-high of a u64. */
export function byStrategy(name: 'modulo' | 'fastrange', n: number): Placing {
  const { one, column } = STRATEGIES[name];
  return {
    column: (tokens, shards) => column(kernels(), tokens as BigUint64Array, n, shards),
    one: (token) => one(kernels(), token, n),
  };
}

/** The shards so far, each replaced by what it stands for. */
export function replaced(place: Placing, replace: (shard: number) => number): Placing {
  return {
    column(tokens, shards) {
      place.column(tokens, shards);
      for (let i = 0; i < shards.length; i++) shards[i] = replace(shards[i] as number);
    },
  };
}
