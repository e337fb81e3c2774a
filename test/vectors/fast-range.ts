import { TEXT_HASHES } from './xxh64.js';

const [, ABC] = TEXT_HASHES as [unknown, { hash: bigint }];

/** By the definition in Lemire, "Fast Random Integer Generation in an Interval" (2019): floor(hash * n / 2^64). */
export const FAST_RANGE: readonly { hash: bigint; n: number; result: number }[] = [
  { hash: 0x1999999999999999n, n: 10, result: 0 }, // 2^64 / 10 lies between this and the next
  { hash: 0x199999999999999an, n: 10, result: 1 },
  { hash: 1n << 63n, n: 3, result: 1 },
  { hash: ABC.hash, n: 1000, result: 268 },
];

/**
 * ragedb/ragedb, the tests of Shard::CalculateShardId(type, key) with 4 shards. `hash` is libstdc++'s
 * std::hash (MurmurHash64A, seed 0xc70f6907) of the text, as g++ computes it.
 */
export const RAGEDB: readonly { text: string; hash: bigint; shardOf4: number }[] = [
  { text: 'User-maxdemarzi', hash: 0x35a0683ba4b8f4cbn, shardOf4: 0 },
  { text: 'User-helene', hash: 0x469fda1e2c7b1bf4n, shardOf4: 1 },
  { text: 'User-alejandro', hash: 0xafce8dffac9a6e8bn, shardOf4: 2 },
  { text: 'User-tyler', hash: 0x44b7968ceedff2f6n, shardOf4: 1 },
  { text: 'User-ronnie', hash: 0x7c8862fc056018aen, shardOf4: 1 },
  { text: 'User-penny', hash: 0x049ceb6a7c4981b3n, shardOf4: 0 },
  { text: 'User-someone', hash: 0xa534f4b0774b4986n, shardOf4: 2 },
  { text: 'User-else', hash: 0x5704b61350dbeadan, shardOf4: 1 },
  { text: 'User-maxdemarzi1', hash: 0xe938b32a9be23c08n, shardOf4: 3 },
];
