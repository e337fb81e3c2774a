import type { Command } from 'commander';
import type { Routing } from '../index.js';
import {
  definitionOf,
  partitionerOf,
  SYSTEM_WORDS,
  type SystemVariant,
  systemOfWord,
} from '../partitioners/by-word.js';
import type { KeyKind, SystemName } from '../partitioners/index.js';
import { BadValue, inOwnWords, isRefusal, oftenOneOf, type Parser, required, suggestion, UsageError } from './usage.js';

export interface AsSystem extends SystemVariant {
  readonly name: Exclude<SystemName, 'cassandra'>;
}

/** What the shards of each system are, for help. */
const SYSTEM_LINES: { readonly [name in AsSystem['name']]: string } = {
  kafka: 'partitions of a topic, as in the Java client and Kafka Streams',
  rdkafka: 'partitions of a topic by CRC32, as in librdkafka; rdkafka:murmur2 as in Java; rdkafka:fnv1a as in Sarama',
  redis: 'slots of Redis Cluster; always 16384, so leave out the number of shards',
  ragedb: "shards, by libstdc++'s hash and multiply-high",
  spark: 'partitions of DataFrames, and buckets; spark:rdd for partitions of RDDs',
  iceberg: 'buckets of the transform bucket[N]',
  postgres: 'remainders of PARTITION BY HASH over one column; the number of shards is the modulus',
  citus: 'shards of a distributed table, in the order of shardminvalue',
  vitess: 'shards of equal size, by the xxhash vindex',
  elasticsearch:
    'primary shards of an index of 9.4 or later; elasticsearch:before-9.4 for older ones and OpenSearch, with the ' +
    'default routing shards',
  couchbase:
    'vBuckets; 1024 by default; Magma buckets made by 8.0 or later have 128: take the number from the cluster map',
  flink: 'key groups of keyBy; the number of shards is the maximum parallelism',
  clickhouse:
    'shards of a Distributed table, by clickhouse:sipHash64, :murmurHash3_64, :xxHash64 or :cityHash64 of one column',
};

const WORDS = SYSTEM_WORDS.filter((word) => word !== 'cassandra');

/** Parses `rdkafka:fnv1a`. */
const asSystem: Parser<AsSystem> = Object.assign(
  (given: string): AsSystem => {
    const system = systemOfWord(given);
    if (system.name === 'cassandra') {
      throw new UsageError('--as cassandra needs the tokens of the ring, which only the library takes');
    }
    if (!WORDS.includes(given)) {
      throw new BadValue(`one of ${WORDS.join(', ')}`, suggestion(given, WORDS));
    }
    return system as AsSystem;
  },
  { words: oftenOneOf(WORDS).words as readonly string[] },
);

export function withAsSystem(command: Command): Command {
  const width = Math.max(...Object.keys(SYSTEM_LINES).map((name) => name.length));
  const lines = Object.entries(SYSTEM_LINES).map(([name, line]) => `  ${name.padEnd(width)}  ${line}`);
  return command
    .option(
      '--as <system>',
      'place keys as another system does (see the list below); shards are then its partitions, buckets or shards',
      asSystem,
    )
    .addHelpText('after', `\nSystems for --as, and what they place:\n${lines.join('\n')}`);
}

/**
 * Makes the partitioner of a system.
 * @param flag the option that gives the number of shards
 */
export function makePartitioner(
  system: AsSystem,
  flag: '--shards' | '--from' | '--to',
  shards: number | undefined,
  key: KeyKind | undefined,
): Routing {
  const { name } = system;
  const { count, choice } = definitionOf(name);
  if (count === undefined && shards !== undefined) {
    throw new UsageError(`${flag} cannot be combined with --as ${name}, which always has 16384 slots`);
  }
  try {
    return partitionerOf(system, shards, key);
  } catch (error) {
    if (!isRefusal(error)) throw error;
    const { argument, expected } = error;
    if (argument === 'key') throw new UsageError(`--keys: expected a kind of key that ${name} has, got "${key}"`);
    if (argument === choice?.option) {
      const words = WORDS.filter((word) => word.startsWith(`${name}:`));
      throw new UsageError(`--as: expected one of ${words.join(', ')}, got "${name}"`);
    }
    if (argument === count && shards === undefined) required({}, flag);
    if (argument === count) throw new UsageError(`${flag}: expected ${expected}, got ${shards}`);
    throw new UsageError(inOwnWords(error));
  }
}
