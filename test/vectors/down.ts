/**
 * Routing round shards that are down is shardbits' own scheme: jump consistent hash, then jump of
 * the outputs of SplitMix64 (Steele, Lea and Flood, 2014) started at the key. These values come from
 * a program apart from the library, and are pinned so that keys stay where they are for ever.
 * 10 shards, strategy jump, hash none.
 */
export const DOWN: readonly { down: readonly number[]; key: bigint; shard: number }[] = [
  { down: [], key: 0xan, shard: 7 },
  { down: [3], key: 0xan, shard: 7 },
  { down: [3, 7], key: 0xan, shard: 5 },
  { down: [7], key: 0xan, shard: 5 },
  { down: [], key: 0xffn, shard: 7 },
  { down: [3], key: 0xffn, shard: 7 },
  { down: [3, 7], key: 0xffn, shard: 9 },
  { down: [7], key: 0xffn, shard: 9 },
  { down: [], key: 0x100n, shard: 3 },
  { down: [3], key: 0x100n, shard: 0 },
  { down: [3, 7], key: 0x100n, shard: 0 },
  { down: [7], key: 0x100n, shard: 3 },
  { down: [], key: 0xdeadbeefn, shard: 5 },
  { down: [3], key: 0xdeadbeefn, shard: 5 },
  { down: [3, 7], key: 0xdeadbeefn, shard: 5 },
  { down: [7], key: 0xdeadbeefn, shard: 5 },
];

/**
 * The same scheme where only three shards of 5000 are up, so that most keys are past their 256
 * probes and go by rendezvous: to the highest of mix(mix(shard + 0x9e3779b97f4a7c15) + key), mix being
 * SplitMix64's finalizer. Strategy jump, hash none, by a program apart from the library.
 */
export const RENDEZVOUS = {
  shards: 5000,
  up: [1, 2, 4998],
  /** Of the keys 0, 1, 2, … */
  routes: [
    2, 2, 2, 2, 2, 1, 2, 2, 2, 1, 4998, 2, 2, 2, 2, 4998, 1, 1, 2, 4998, 2, 4998, 1, 2, 2, 1, 1, 4998, 1, 1, 2, 2,
  ],
  /** Two keys whose 256th probe is the first that is up, and two whose 257th would be. */
  lastProbe: [
    { key: 969n, shard: 4998 },
    { key: 1028n, shard: 2 },
    { key: 4006n, shard: 2 },
    { key: 18816n, shard: 4998 },
  ],
} as const;
