import { wordsOf } from '../../arguments.js';
import { widened } from '../encodings.js';
import { ofValues } from '../hash.js';
import { byStrategy, systemOfCount } from '../system.js';

export interface DiscordOptions {
  /** The number of shards with which the bot connects to the gateway, 1 to 2^31 - 1. */
  shards: number;
}

/** The milliseconds of a snowflake: an unsigned number of 64 bits without its last 22. */
const timeOf = ofValues(BigUint64Array, (ids: BigInt64Array, times) => {
  const words = wordsOf(ids);
  const halves = wordsOf(times);
  for (let i = 0; i < words.length; i += 2) {
    halves[i] = (words[i] >>> 22) | (words[i + 1] << 10);
    halves[i + 1] = words[i + 1] >>> 22;
  }
});

/** The same of an integer of 32 bits; a negative one is the u64 of the same bits as the integer of 64 bits. */
const timeOfInt32 = ofValues(BigUint64Array, (ids: Int32Array, times) => {
  for (let i = 0; i < ids.length; i++) times[i] = BigInt.asUintN(64, BigInt(ids[i])) >> 22n;
});

/**
 * The shard of Discord's gateway that has a guild, by the id of the guild.
 * Source: discord/discord-api-docs `Gateway`, "Sharding Formula".
 */
export const discord = /* @__PURE__ */ systemOfCount(
  'shards',
  (shards) => ({ hashers: widened(timeOfInt32, timeOf), tokens: 'u64', toShard: byStrategy('modulo', shards) }),
  { key: 'int64' },
);
