import { hashersOf } from '../hash.js';
import { byStrategy, systemOfCount } from '../system.js';

export interface RagedbOptions {
  /** The number of RageDB's shards, one for each core: 1 to 2^31 - 1. */
  shards: number;
}

/**
 * RageDB, and other systems that reduce `std::hash<std::string>` of 64-bit libstdc++ by multiply-high.
 * Source: gcc `libsupc++/hash_bytes.cc`; ragedb `Shard::CalculateShardId`.
 */
export const ragedb = /* @__PURE__ */ systemOfCount<RagedbOptions>('shards', (shards) => ({
  hashers: hashersOf('murmur64A'),
  tokens: 'u64',
  toShard: byStrategy('fastrange', shards),
}));
