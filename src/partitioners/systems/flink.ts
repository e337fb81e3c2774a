import { checkInteger } from '../../arguments.js';
import { javaIntegers, javaUuid, ofUnits } from '../hash.js';
import { mapShards, remainder, type System } from '../system.js';

/** At least one of the two is required. */
export interface FlinkOptions {
  /** The number of key groups, 1 to 32768; by default what Flink derives from the parallelism. */
  maxParallelism?: number | undefined;
  /** The number of parallel operators, at most the number of key groups. With it, shards are operators; without, key groups. */
  parallelism?: number | undefined;
}

const MAX_GROUPS = 32768;

const HASHERS = { text: ofUnits('javaHash'), ...javaIntegers, uuid: javaUuid };

/**
 * The key groups of Apache Flink's `keyBy`, and their operators.
 * Source: apache/flink `runtime/state/KeyGroupRangeAssignment`, `util/MathUtils.murmurHash`.
 */
export const flink: System<FlinkOptions> = {
  options: ['maxParallelism', 'parallelism'],
  count: 'maxParallelism',
  max: MAX_GROUPS,
  noun: 'key group',
  configure({ parallelism, maxParallelism }) {
    const groups =
      parallelism !== undefined && maxParallelism === undefined
        ? defaultGroups(checkInteger('parallelism', parallelism, 1, MAX_GROUPS))
        : checkInteger('maxParallelism', maxParallelism, 1, MAX_GROUPS);
    if (parallelism !== undefined) checkInteger('parallelism', parallelism, 1, maxParallelism ?? MAX_GROUPS);
    return {
      shards: parallelism ?? groups,
      hashers: HASHERS,
      tokens: 'i32',
      finalize(codes: Int32Array) {
        for (let i = 0; i < codes.length; i++) codes[i] = murmurHash(codes[i]);
      },
      toShard:
        parallelism === undefined
          ? remainder('none', groups)
          : mapShards(remainder('none', groups), (group) => Math.floor((group * parallelism) / groups)),
      json: { maxParallelism: groups, ...(parallelism !== undefined && { parallelism }) },
    };
  },
};

function defaultGroups(parallelism: number): number {
  const wanted = parallelism + (parallelism >>> 1);
  return Math.min(MAX_GROUPS, Math.max(128, 2 ** (32 - Math.clz32(wanted - 1))));
}

/** MurmurHash3 of 4 bytes without its sign; -2^31 becomes 0. */
function murmurHash(code: number): number {
  let h = Math.imul(code, 0xcc9e2d51);
  h = Math.imul((h << 15) | (h >>> 17), 0x1b873593);
  h = (Math.imul((h << 13) | (h >>> 19), 5) + 0xe6546b64) ^ 4;
  h = Math.imul(h ^ (h >>> 16), 0x85ebca6b);
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35);
  h ^= h >>> 16;
  return Math.max(h, -h | 0, 0);
}
