import { checkInteger, MAX_BUCKETS } from '../../arguments.js';
import { ofBytes } from '../hash.js';
import type { System } from '../system.js';
import { byStrategy } from '../to-shard.js';

export interface RagedbOptions {
  /** The number of RageDB's shards, one for each core: 1 to 2^31 - 1. */
  shards: number;
}

/**
 * RageDB, and other systems that reduce `std::hash<std::string>` of 64-bit libstdc++ by multiply-high.
 * Source: gcc `libsupc++/hash_bytes.cc`; ragedb `Shard::CalculateShardId`.
 */
export const ragedb: System<RagedbOptions> = {
  options: ['shards'],
  count: 'shards',
  configure({ shards }) {
    checkInteger('shards', shards, 1, MAX_BUCKETS);
    return {
      shards,
      hashers: { text: ofBytes('murmur64A'), bytes: ofBytes('murmur64A') },
      tokens: 'u64',
      toShard: byStrategy('fastrange', shards),
      json: { shards },
    };
  },
};
