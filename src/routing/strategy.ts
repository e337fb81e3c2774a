import type { CoreKernels } from '../kernels/contract.js';

/** How a hash becomes a shard. */
export type Strategy = 'jump' | 'fastrange' | 'modulo';

interface StrategyKernels {
  one(kernels: CoreKernels, hash: bigint, shards: number): number;
  column(kernels: CoreKernels, hashes: BigUint64Array, shards: number, out: Uint32Array): void;
}

export const STRATEGIES: Record<Strategy, StrategyKernels> = {
  jump: {
    one: (kernels, hash, shards) => kernels.jumpHash(hash, shards),
    column: (kernels, hashes, shards, out) => kernels.jumpHashColumn(hashes, shards, out),
  },
  fastrange: {
    one: (kernels, hash, shards) => kernels.fastRange(hash, shards),
    column: (kernels, hashes, shards, out) => kernels.fastRangeColumn(hashes, shards, out),
  },
  modulo: {
    one: (_, hash, shards) => Number(hash % BigInt(shards)),
    column: (kernels, hashes, shards, out) => kernels.moduloColumn(hashes, shards, out),
  },
};
