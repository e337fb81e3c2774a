import type { LineKeys } from '../../node/index.js';
import type {
  KeyKind,
  KeyKinds,
  Partitioner,
  RingServer,
  SystemName,
  SystemVariant,
} from '../../partitioners/index.js';
import { KEY_KINDS, systems } from './facts.js';
import { BadValue, fromOptions, oneOf, optionOf, suggestion, UsageError } from './usage.js';

export interface AsSystem extends SystemVariant {
  readonly servers?: readonly RingServer[];
}

/** What the shards of each system are, for help. */
const LINES: { readonly [name in Exclude<SystemName, 'cassandra'>]: string } = {
  kafka:
    'partitions of a topic by murmur2, as in the Java client, Kafka Streams, KafkaJS 2 and franz-go; kafka:unsigned as in ' +
    '@platformatic/kafka',
  rdkafka:
    'partitions of a topic by CRC32, as in librdkafka, Confluent and node-rdkafka; rdkafka:murmur2 as in Java; ' +
    'rdkafka:fnv1a as in Sarama, and rdkafka:fnv1a-positive as in its NewReferenceHashPartitioner',
  redis: 'slots of Redis Cluster by CRC16; always 16384, so leave out the number of shards',
  ragedb: "shards, by libstdc++'s hash and multiply-high",
  spark: 'partitions of DataFrames, and buckets, by murmur3; spark:rdd for partitions of RDDs, by hashCode',
  iceberg: 'buckets of the transform bucket[N], by murmur3',
  postgres: 'remainders of PARTITION BY HASH over one column or several; the number of shards is the modulus',
  citus: 'shards of a distributed table, in the order of shardminvalue',
  vitess:
    'shards of equal size, by the xxhash vindex; vitess:hash, vitess:binary_md5, and vitess:multicol of several columns by hash',
  elasticsearch:
    'primary shards of an index created by 9.4 or later; elasticsearch:before-9.4 for older ones and OpenSearch, with the ' +
    'default routing shards',
  couchbase:
    'vBuckets; 1024 by default; Magma buckets made by 8.0 or later have 128: take the number from the cluster map',
  flink: 'key groups of keyBy; the number of shards is the maximum parallelism',
  clickhouse:
    'shards of a Distributed table, by clickhouse:sipHash64, :cityHash64, :xxHash64, :murmurHash3_64, :murmurHash2_64 or ' +
    ':farmHash64 of one column or several, or by :javaHash, :intHash32, :intHash64, or :none for the column itself',
  nats: 'partitions of partition() in a subject mapping',
  pulsar: 'partitions of a topic, as in the Java client; pulsar:murmur3 with its Murmur3_32Hash',
  hive: 'buckets of a table; hive:1 of one from before Hive 3',
  discord: 'shards of the gateway, by the ids of guilds',
  kinesis: 'shards of equal size of a stream',
  mongodb: 'chunks of equal size of a collection with a hashed shard key, as an empty one gets them',
  bigquery: 'MOD(ABS(FARM_FINGERPRINT(key)), n); bigquery:floored for MOD(MOD(f, n) + n, n)',
  mysql: 'partitions of PARTITION BY KEY over integers or bytes, in MySQL and MariaDB',
  eventhubs: 'partitions of Azure Event Hubs, as in its own clients',
  prometheus: 'remainders of hashmod over one source label or several; the number of shards is the modulus',
  ketama:
    'servers of libmemcached with KETAMA_WEIGHTED, in --servers; ketama:plain with KETAMA; ketama:hashring as in the npm ' +
    'package hashring',
  nginx: 'servers of an upstream with hash … consistent, in --servers',
};

/** How servers are written, for help. */
export const SERVERS = 'each on a line as NAME or as NAME,WEIGHT, in their order';

/** A line about each system, for help. */
export const SYSTEM_LINES = Object.entries(LINES);
export const SYSTEM_WIDTH = Math.max(...SYSTEM_LINES.map(([name]) => name.length));

const WORDS = Object.keys(systems).filter((word) => word !== 'cassandra');
const VARIANTS = WORDS.map((word) => systems[word]);

/** What systems call the number of shards, if not so. */
export const COUNTS: readonly string[] = [...new Set(VARIANTS.map(({ count = 'shards' }) => count))].filter(
  (count) => count !== 'shards',
);

/** The systems that call it so, in words. */
export function systemsWith(count: string): string {
  const names = [...new Set(VARIANTS.filter((one) => one.count === count).map(({ system }) => system))];
  return names.join(', ').replace(/, (?=[^,]*$)/, ' or ');
}

/** Parses `rdkafka:fnv1a`. */
export function asSystem(given: string): AsSystem {
  if (given === 'cassandra') {
    throw new UsageError('--as cassandra needs the tokens of the ring, which only the library takes');
  }
  if (WORDS.includes(given)) return systems[given];
  const [system, variant = system] = given.toLowerCase().split(':');
  const own = WORDS.filter((word) => word.startsWith(`${system}:`) || (word === system && variant !== system));
  if (variant === system && own.length > 0) throw new BadValue(`one of ${own.join(', ')}`);
  // The name of a hash or a client.
  const about = SYSTEM_LINES.filter(([, line]) => variant.length > 2 && line.toLowerCase().includes(variant));
  const notes = about.map(([name, line]) => `; ${name}: ${line}`).join('');
  const near = suggestion(given, WORDS);
  const isSystem = own.length > 0 || WORDS.includes(variant);
  if (!isSystem && notes !== '') throw new BadValue('a system, as help route lists them', notes);
  const expected = own.length > 0 ? own : SYSTEM_LINES.map(([name]) => name);
  throw new BadValue(`one of ${expected.join(', ')}`, near || notes);
}
asSystem.words = WORDS;

/** The words of --keys. */
export const KINDS = [
  'text',
  'u64',
  ...KEY_KINDS.filter((kind) => !['text', 'u64', 'bytes'].includes(kind)),
  'hex',
  'base64',
];
const kind = oneOf(KINDS as readonly KeyWord[]);

/** Parses `int64`, or `int64,text` for keys of several columns. */
export function kindsOfKeys(given: string): RoutingOptions['keys'] {
  return given.includes(',') ? given.split(/, */).map(kind) : kind(given);
}
kindsOfKeys.words = KINDS;

type KeyWord = LineKeys | Exclude<KeyKind, 'bytes'>;

/** How a Router can make a shard of a hash. */
export const STRATEGIES = ['jump', 'fastrange', 'modulo'] as const;

/** The options that say what a key is and how its shard is found. */
export interface RoutingOptions {
  keys?: KeyWord | readonly KeyWord[] | undefined;
  hash?: 'xxh64' | 'none';
  seed?: bigint;
  strategy?: (typeof STRATEGIES)[number];
  down?: number[];
  as?: AsSystem | undefined;
  /** For records. */
  key?: string[];
}

/** The options that say a number that a system calls by this name. */
const wordsOf = (count: string): string => [...new Set([optionOf(count), '--shards'])].join(' or ');

/** A system, and the options with its number of shards. */
export function countOf({ system, count, hasServers }: AsSystem): string {
  const has = count === undefined ? 'always has 16384 slots' : `has ${wordsOf(count)}`;
  return `--as ${system}, which ${hasServers ? 'has --servers' : has}`;
}

export async function makePartitioner(
  as: AsSystem,
  flag: string,
  shards: number | undefined,
  keys?: RoutingOptions['keys'],
): Promise<Partitioner<any>> {
  const { word, count, servers } = as;
  if (count === undefined && shards !== undefined) {
    throw new UsageError(`${flag} cannot be combined with ${countOf(as)}`);
  }
  const isList = Array.isArray(keys);
  if (isList && as.columns === 1) {
    throw new UsageError(`--keys: expected one kind, because ${word} hashes one column, got ${keys.join()}`);
  }
  const key = (areEncoded(keys) ? 'bytes' : keys) as KeyKinds;
  const words = as.keys.flatMap((kind) => (kind === 'bytes' ? (isList ? [] : ['hex', 'base64']) : [kind]));
  const expected = `one of ${words.join(', ')}, which are the keys of ${word}`;
  const name = shards === undefined && flag === '--shards' && count !== undefined ? wordsOf(count) : flag;
  const { partitionerNamed } = await import('../../partitioners/index.js');
  const made = fromOptions(() => partitionerNamed(word, { shards, servers, key }), {
    key: { name: '--keys', expected, ...(isList ? {} : { got: keys }) },
    ...(count !== undefined && { [count]: { name, got: shards } }),
    servers: { name: '--servers' },
  });
  if (made.shards === 0) throw new UsageError(`${name} is required`);
  return made;
}

export const areEncoded = (keys: RoutingOptions['keys']): boolean => keys === 'hex' || keys === 'base64';
