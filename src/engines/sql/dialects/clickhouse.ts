import type { Dialect, Strategy } from '../types.js';

/** The seeds with which ClickHouse has XXH64. Its function for Spark takes texts alone, and gives a signed hash. */
const HASHES = new Map([
  [0n, 'xxHash64(key)'],
  [42n, 'reinterpretAsUInt64(xxHash64Spark(key))'],
]);

const PLACES: { readonly [strategy in Strategy]: (hash: string) => string } = {
  jump: (hash) => `jumpConsistentHash(${hash}, shards)`,
  fastrange: (hash) => `toUInt32(bitShiftRight(toUInt128(${hash}) * shards, 64))`,
  modulo: (hash) => `toUInt32(${hash} % shards)`,
};

export const clickhouse: Dialect = {
  title: 'ClickHouse',
  strategies: ['jump', 'fastrange', 'modulo'],
  seeds: [...HASHES.keys()],
  routing({ strategy, seed }) {
    const keys = seed === 0n ? 'A key is a String, or a UInt64 or Int64 for a u64.' : 'A key is a String.';
    const body = PLACES[strategy](HASHES.get(seed) ?? '');
    return `-- ${keys}\ncreate or replace function shard_of as (key, shards) -> ${body};`;
  },
  query: (key, shards) => `select shard_of('${key}', ${shards});`,
  times: {
    fromMs: (ms) => `fromUnixTimestamp64Milli(${ms}, 'UTC')`,
    fromUs: (us) => `fromUnixTimestamp64Micro(${us}, 'UTC')`,
    toUs: "toUnixTimestamp64Micro(toDateTime64(instant, 6, 'UTC'))",
    divide: (dividend, divisor) => `intDiv(${dividend}, ${divisor})`,
    toId: (units, shift, others) => `bitOr(bitShiftLeft(toUInt64(${units}), ${shift}), toUInt64(${others}))`,
  },
  functions: (functions) =>
    functions
      .map(({ name, parameter, body }) => `create or replace function ${name} as (${parameter}) -> ${body};`)
      .join('\n'),
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
