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
