import { hashersOf } from '../hash.js';
import { remainder, type System } from '../system.js';

/** Redis Cluster always has this many slots. */
const SLOTS = 16384;

/**
 * The slots of Redis Cluster and Valkey.
 * Source: redis/redis `cluster.h keyHashSlot`, `crc16.c`; Redis Cluster specification, "Hash tags".
 */
export const redis: System<object> = {
  options: [],
  noun: 'slot',
  configure() {
    return {
      shards: SLOTS,
      hashers: hashersOf('crc16Tag'),
      tokens: 'u32',
      toShard: remainder('none', SLOTS),
      json: {},
    };
  },
};
