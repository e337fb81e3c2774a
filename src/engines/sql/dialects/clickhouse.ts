import { MAX_BUCKETS } from '../../../arguments.js';
import { moduleSql, nameInClickHouse } from '../clickhouse/module.js';
import type { Dialect, SqlRouting, Strategy } from '../types.js';

/**
 * The seeds with which ClickHouse has XXH64. Its function for Spark takes texts alone, and gives a signed hash. For NULL it
 * gives the seed, while the length of NULL is NULL.
 */
const HASHES = new Map([
  [0n, 'xxHash64(key)'],
  [42n, 'reinterpretAsUInt64(xxHash64Spark(key)) + 0 * length(key)'],
]);

/**
 * Ends the query for a number of shards that is not between 1 and `most`. Otherwise it is 0, so it can be added to a shard.
 */
export function checkedShards(most: number): string {
  return `throwIf(shards < 1 or shards > ${most}, 'shards: expected an integer from 1 to ${most}')`;
}

const PLACES: { readonly [strategy in Strategy]: (hash: string) => string } = {
  jump: (hash) => `jumpConsistentHash(${hash}, shards)`,
  fastrange: (hash) => `toUInt32(bitShiftRight(toUInt128(${hash}) * shards, 64) + ${checkedShards(MAX_BUCKETS)})`,
  modulo: (hash) => `toUInt32((${hash}) % shards + ${checkedShards(MAX_BUCKETS)})`,
};

const create = (head: string, body: string) => `create or replace function ${head} -> ${body};`;

/** The functions of a routing that ClickHouse's own functions cannot do. */
function byModule({ strategy, seed, down, readModule }: SqlRouting): string {
  const name = down.length > 0 ? (`${strategy}_down` as const) : strategy;
  const router = `toUInt128(shards) + bitShiftLeft(toUInt128(${seed}), 64)`;
  const more = down.length > 0 ? `, cast([${down.join(', ')}], 'Array(UInt32)')` : '';
  return [
    moduleSql(readModule, [name, `${name}_u64`, 'xxh64', 'xxh64_u64']),
    '',
    '-- A key is a String, or for the functions with _u64 a UInt64 or Int64.',
    create('shard_of as (key, shards)', `${nameInClickHouse(name)}(key, ${router}${more})`),
    create('shard_of_u64 as (key, shards)', `${nameInClickHouse(`${name}_u64`)}(toUInt64(key), ${router}${more})`),
    create('xxh64 as (key, seed)', `${nameInClickHouse('xxh64')}(key, toUInt64(seed))`),
    create('xxh64_u64 as (key, seed)', `${nameInClickHouse('xxh64_u64')}(toUInt64(key), toUInt64(seed))`),
  ].join('\n');
}

export const clickhouse: Dialect = {
  title: 'ClickHouse',
  routing(routing) {
    const { strategy, seed, down } = routing;
    const hash = HASHES.get(seed);
    if (hash === undefined || down.length > 0) return byModule(routing);
    const keys = seed === 0n ? 'A key is a String, or a UInt64 or Int64 for a u64.' : 'A key is a String.';
    return `-- ${keys}\n${create('shard_of as (key, shards)', PLACES[strategy](hash))}`;
  },
  times: {
    fromMs: (ms) => `fromUnixTimestamp64Milli(${ms}, 'UTC')`,
    fromUs: (us) => `fromUnixTimestamp64Micro(${us}, 'UTC')`,
    toUs: "toUnixTimestamp64Micro(toDateTime64(instant, 6, 'UTC'))",
    divide: (dividend, divisor) => `intDiv(${dividend}, ${divisor})`,
    toId: (units, shift, others) => `bitOr(bitShiftLeft(toUInt64(${units}), ${shift}), toUInt64(${others}))`,
  },
  functions: (functions) =>
    functions.map(({ name, parameter, body }) => create(`${name} as (${parameter})`, body)).join('\n'),
  text: (value) => `'${value.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`,
  // A query sees the old rows or the new ones.
  map: {
    begin: `create or replace table shard_nodes_next (shard UInt32, copy UInt32, node String)
engine = MergeTree order by (shard, copy);`,
    insert: 'insert into shard_nodes_next (shard, copy, node) values',
    batch: Number.POSITIVE_INFINITY,
    end: `create table if not exists shard_nodes as shard_nodes_next;
exchange tables shard_nodes and shard_nodes_next;
drop table shard_nodes_next;`,
  },
};
