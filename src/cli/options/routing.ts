import { Router, type Routing } from '../../index.js';
import type { LineKeys } from '../../node/index.js';
import {
  type KeyKind,
  type Partitioner,
  partitionerNamed,
  type RingServer,
  type SystemName,
  type SystemVariant,
  systems,
} from '../../partitioners/index.js';
import type { CliCommand } from './command.js';
import { KEYS } from './input.js';
import { BadValue, fromOptions, oneOf, type Parser, refuse, seed, suggestion, UsageError } from './usage.js';

export interface AsSystem extends SystemVariant {
  readonly servers?: readonly RingServer[];
}

/** What the shards of each system are, for help. */
const SYSTEM_LINES: { readonly [name in Exclude<SystemName, 'cassandra'>]: string } = {
  kafka: 'partitions of a topic, as in the Java client and Kafka Streams; kafka:unsigned as in @platformatic/kafka',
  rdkafka:
    'partitions of a topic by CRC32, as in librdkafka; rdkafka:murmur2 as in Java; rdkafka:fnv1a as in Sarama, and ' +
    'rdkafka:fnv1a-positive as in its NewReferenceHashPartitioner',
  redis: 'slots of Redis Cluster; always 16384, so leave out the number of shards',
  ragedb: "shards, by libstdc++'s hash and multiply-high",
  spark: 'partitions of DataFrames, and buckets; spark:rdd for partitions of RDDs',
  iceberg: 'buckets of the transform bucket[N]',
  postgres: 'remainders of PARTITION BY HASH over one column; the number of shards is the modulus',
  citus: 'shards of a distributed table, in the order of shardminvalue',
  vitess: 'shards of equal size, by the xxhash vindex',
  elasticsearch:
    'primary shards of an index created by 9.4 or later; elasticsearch:before-9.4 for older ones and OpenSearch, with the ' +
    'default routing shards',
  couchbase:
    'vBuckets; 1024 by default; Magma buckets made by 8.0 or later have 128: take the number from the cluster map',
  flink: 'key groups of keyBy; the number of shards is the maximum parallelism',
  clickhouse:
    'shards of a Distributed table, by clickhouse:sipHash64, :murmurHash3_64, :xxHash64 or :cityHash64 of one column',
  nats: 'partitions of partition() in a subject mapping',
  pulsar: 'partitions of a topic, as in the Java client; pulsar:murmur3 with its Murmur3_32Hash',
  hive: 'buckets of a table; hive:1 of one from before Hive 3',
  discord: 'shards of the gateway, by the ids of guilds',
  kinesis: 'shards of equal size of a stream',
  ketama:
    'servers of libmemcached with KETAMA_WEIGHTED, in --servers; ketama:plain with KETAMA; ketama:hashring as in the npm ' +
    'package hashring',
  nginx: 'servers of an upstream with hash … consistent, in --servers',
};

const WORDS = Object.keys(systems).filter((word) => word !== 'cassandra');

/** Parses `rdkafka:fnv1a`. */
export const asSystem: Parser<AsSystem> = Object.assign(
  (given: string): AsSystem => {
    if (given === 'cassandra') {
      throw new UsageError('--as cassandra needs the tokens of the ring, which only the library takes');
    }
    if (WORDS.includes(given)) return systems[given];
    const variants = WORDS.filter((word) => word.startsWith(`${given}:`));
    if (variants.length > 0) throw new BadValue(`one of ${variants.join(', ')}`);
    throw new BadValue(`one of ${WORDS.join(', ')}`, suggestion(given, WORDS));
  },
  { words: WORDS },
);

/** The options that say what a key is and how its shard is found. */
export interface RoutingOptions {
  keys?: LineKeys | Exclude<KeyKind, 'bytes'> | undefined;
  hash?: 'xxh64' | 'none';
  seed?: bigint;
  strategy?: 'jump' | 'fastrange' | 'modulo';
  down?: number[];
  as?: AsSystem;
  /** For records. */
  key?: string[];
}

export const STRATEGIES = ['jump', 'fastrange', 'modulo'] as const;
const KINDS = ['text', 'u64', 'int32', 'int64', 'uuid'] as const;

export function withRoutingOptions(command: CliCommand): CliCommand {
  const width = Math.max(...Object.keys(SYSTEM_LINES).map((name) => name.length));
  const lines = Object.entries(SYSTEM_LINES).map(([name, line]) => `  ${name.padEnd(width)}  ${line}`);
  return command
    .option(
      '--strategy <name>',
      `how a hash becomes a shard: ${STRATEGIES.join(', ')} (default: "jump")`,
      oneOf(STRATEGIES),
    )
    .option('--keys <kind>', `${KEYS}; with --as: text, int32, int64 or uuid (default: "text")`, oneOf(KINDS))
    .option('--hash <name>', 'xxh64; none: a u64 key is its own hash (default: "xxh64")', oneOf(['xxh64', 'none']))
    .option('--seed <n>', 'the seed of the hash, modulo 2^64 (default: 0)', seed)
    .option(
      '--as <system>',
      'place keys as another system does (see the list below); shards are then its partitions, buckets or shards',
      asSystem,
    )
    .addHelpText('after', `\nSystems for --as, and what they place:\n${lines.join('\n')}`);
}

/**
 * Makes the routing of keys to shards.
 * @param flag the option that gives the number of shards
 */
export function makeRouting(
  flag: '--shards' | '--from' | '--to' | '--to-router',
  shards: number | undefined,
  options: RoutingOptions,
): Routing<any> {
  const { as, strategy, hash, seed, down, keys, key = [] } = options;
  if (as !== undefined) {
    refuse(options, ['strategy', 'hash', 'seed', 'down'], 'cannot be combined with --as');
    if (key.length > 1) throw new UsageError(`--key: expected one column with --as, got ${key.join(' and ')}`);
    if (keys === 'u64') throw new UsageError('--keys u64 cannot be combined with --as: int64 is the kind for integers');
    return makePartitioner(as, flag, shards, keys);
  }
  if (shards === undefined) throw new UsageError(`${flag} is required`);
  if (keys !== undefined && keys !== 'text' && keys !== 'u64') throw new UsageError(`--keys ${keys} requires --as`);
  return fromOptions(() => new Router({ shards, strategy, hash, seed, down }), { shards: { name: flag } });
}

export function makePartitioner(
  as: AsSystem,
  flag: string,
  shards: number | undefined,
  key?: KeyKind,
): Partitioner<any> {
  const { word, system: name, count, servers } = as;
  if (count === undefined && shards !== undefined) {
    throw new UsageError(`${flag} cannot be combined with --as ${name}, which always has 16384 slots`);
  }
  return fromOptions(() => partitionerNamed(word, { shards, servers, key }), {
    key: { name: '--keys', expected: `a kind of key that ${name} has`, got: key },
    ...(count !== undefined && { [count]: { name: flag, got: shards } }),
    servers: { name: '--servers' },
  });
}

/** The kind of keys in rows, for a Router. A partitioner has its own, or that of the column in Parquet. */
export function keysOf({ as, keys, key = [] }: RoutingOptions, isParquet = false): LineKeys | 'column' | undefined {
  if (as !== undefined) return isParquet && keys === undefined ? 'column' : undefined;
  if (keys === 'u64' && key.length > 1) {
    throw new UsageError('--keys: expected "text" with several --key, got "u64"');
  }
  return keys as LineKeys | undefined;
}
