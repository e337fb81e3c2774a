import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { FUNCTIONS } from '../../../src/engines/sql/clickhouse/module.js';
import { PLACING_WORDS, placingSql, routingSql } from '../../../src/engines/sql/index.js';
import { type KeyKinds, partitionerNamed, systems } from '../../../src/partitioners/index.js';

// bench/peers/clickhouse-module.ts runs the statements in ClickHouse.

const bytes = readFileSync('build/clickhouse.wasm');
const readModule = () => bytes;
const noModule = () => {
  throw new Error('the module is not needed');
};

const placing = (word: string, read: () => Uint8Array): string =>
  placingSql(systems[word], partitionerNamed(word, { shards: 12 }), read);

describe('the statements for ClickHouse', () => {
  it('use its own functions if it has them', () => {
    for (const [seed, hash] of [
      [0n, 'xxHash64(key)'],
      [42n, 'reinterpretAsUInt64(xxHash64Spark(key)) + 0 * length(key)'],
    ] as const) {
      const sql = routingSql('clickhouse', { seed, shards: 64, readModule: noModule });
      expect(sql).toContain(
        `create or replace function shard_of as (key, shards) -> jumpConsistentHash(${hash}, shards);`,
      );
      expect(sql).not.toContain('webassembly');
    }
    expect(placing('kafka', noModule)).toContain('kafkaMurmurHash(key) % shards');
    expect(placing('iceberg', noModule)).not.toContain('webassembly');
  });

  it.each([
    ['a seed', routingSql('clickhouse', { seed: 7n, shards: 64, readModule })],
    ['shards that are down', routingSql('clickhouse', { down: [3], shards: 64, readModule })],
    ['a hash of another system', placing('redis', readModule)],
  ])('bring the module for %s, and say that it is experimental and what the server needs', (_, sql) => {
    const [, name = '', code = ''] =
      /insert into system.webassembly_modules \(name, code\) select '(\w+)', base64Decode\('([\w+/=]+)'\);/.exec(sql) ??
      [];
    expect(Buffer.from(code, 'base64')).toEqual(bytes);
    expect(name).toMatch(/^shardbits_[0-9a-f]{8}$/);
    expect(sql).toContain('-- EXPERIMENTAL');
    expect(sql).toContain('--   <allow_experimental_webassembly_udf>true</allow_experimental_webassembly_udf>');
    // Those that are called are those that are made.
    const made = Array.from(sql.matchAll(/function shardbits_(\w+) language WASM from '(\w+)' :: '(\w+)'/g));
    expect(made.length).toBeGreaterThan(0);
    for (const [, ours, from, theirs] of made) expect([ours, from]).toEqual([theirs, name]);
    const called = Array.from(sql.matchAll(/shardbits_(\w+)\(/g), ([, called]) => called);
    expect(new Set(called)).toEqual(new Set(made.map(([, ours]) => ours)));
    // A statement may have 256 KiB.
    expect(sql.length).toBeLessThan(64 * 1024);
  });

  it('have the seed and the shards that are down', () => {
    const sql = routingSql('clickhouse', { strategy: 'fastrange', seed: -1n, down: [7, 3, 3], shards: 64, readModule });
    const router =
      "toUInt128(shards) + bitShiftLeft(toUInt128(18446744073709551615), 64), cast([3, 7], 'Array(UInt32)')";
    expect(sql).toContain("new Router({ shards, strategy: 'fastrange', seed: 18446744073709551615n, down: [3, 7] })");
    expect(sql).toContain(`shard_of as (key, shards) -> shardbits_fastrange_down(key, ${router});`);
    expect(sql).toContain(`shard_of_u64 as (key, shards) -> shardbits_fastrange_down_u64(toUInt64(key), ${router});`);
  });

  it('are there for every system with a number of shards, and every function of the module has some', () => {
    const rings = ['cassandra', 'ketama', 'ketama:plain', 'ketama:hashring', 'nginx'];
    const others = [
      ...rings,
      'clickhouse:farmHash64',
      'vitess:hash',
      'vitess:multicol',
      'mysql',
      'eventhubs',
      'bigquery',
      'bigquery:floored',
    ];
    expect([...PLACING_WORDS, ...others].sort()).toEqual(Object.keys(systems).sort());
    const all = PLACING_WORDS.map((word) => placing(word, readModule));
    const names = all.map((sql) => /function (\w+) as \(key/.exec(sql)?.[1]);
    expect(new Set(names).size).toBe(all.length);
    for (const strategy of ['jump', 'fastrange', 'modulo'] as const) {
      for (const down of [[], [3]])
        all.push(routingSql('clickhouse', { strategy, down, seed: 7n, shards: 64, readModule }));
    }
    const made = all.flatMap((sql) => Array.from(sql.matchAll(/:: '(\w+)'/g), ([, name]) => name));
    expect(new Set(made)).toEqual(new Set(Object.keys(FUNCTIONS)));
  });

  it('check the number of shards', () => {
    const message = "throwIf(shards < 1 or shards > 2147483647, 'shards: expected an integer from 1 to 2147483647')";
    expect(placing('nats', readModule)).toContain(message);
    expect(placing('citus', readModule)).toContain("'shards: expected an integer from 1 to 64000'");
    for (const strategy of ['fastrange', 'modulo'] as const) {
      expect(routingSql('clickhouse', { strategy, shards: 64, readModule: noModule })).toContain(message);
    }
    expect(placing('redis', readModule)).toContain('as (key) -> toUInt32(shardbits_crc16(key) % 16384);');
  });

  const kinds = (word: string, key: KeyKinds) =>
    placingSql(systems[word], partitionerNamed(word, { shards: 12, key }), readModule);

  it('have the kinds of keys in the names of functions, and say the types', () => {
    const sql = kinds('postgres', ['int64', 'text']);
    expect(sql).toContain('-- postgres_remainder_int64_text(key1, key2, shards) for ClickHouse');
    expect(sql).toContain('-- A key is a UInt64 or Int64 and a String.');
    const made = partitionerNamed('postgres', { shards: 12, key: ['int64', 'text'] });
    const example = `postgres_remainder_int64_text(${2n ** 60n}, 'user:42', 12); gives ${made.route([2n ** 60n, 'user:42'])}.`;
    expect(sql).toContain(example);
    expect(kinds('kafka', 'int32')).toContain('kafka_partition_int32 as (key, shards)');
    expect(kinds('kafka', 'bytes')).toContain('kafka_partition as (key, shards)');
    expect(kinds('discord', 'int64')).toContain('discord_shard as (key, shards)');
    expect(kinds('clickhouse:sipHash64', ['text', 'int8'])).toContain('sipHash64(key1, toInt8(key2 + throwIf(');
  });

  it('bring the module only for keys that need it', () => {
    expect(kinds('spark', 'int64')).toContain('shardbits_murmur3_spark');
    expect(kinds('spark', ['int64', 'text'])).not.toContain('webassembly');
    expect(kinds('hive', 'int8')).not.toContain('webassembly');
  });

  it('have the place of NULL if the system has one', () => {
    expect(placing('postgres', readModule)).toContain('ifNull(shardbits_lookup3_postgres(key), 0) % shards');
    expect(placing('citus', readModule)).not.toContain('ifNull');
  });

  it('are refused for kinds of keys that they cannot place', () => {
    expect(() => kinds('postgres', 'time')).toThrow('for which there is SQL with postgres, got "time"');
    expect(() => kinds('postgres', ['int64', 'time'])).toThrow('"example.key": expected one of text, bytes, int8');
  });
});
