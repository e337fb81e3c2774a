import { namesIn } from '../arguments.js';
import { xxh64Many } from '../hash/xxh64.js';
import { checkPartitionKeys, type KeyKind } from '../partitioners/keys.js';
import type { Tokens } from '../partitioners/system.js';
import type { RingServer } from '../partitioners/systems/rings.js';
import { configurationOf, partitionerNamed, type SystemVariant, systems } from '../partitioners/variants.js';
import { Router, STRATEGIES, type Strategy } from '../routing/router.js';
import type { Routing } from '../routing/routing.js';
import { BY_HAND, BY_HAND_OF_INTEGERS, type KeyWords, routingByHand } from './by-hand.js';
import { type KeyInterpretation, type KeysOfOne, type TriedKeys, unlessRefused } from './readings.js';

/** A way to place keys of one kind, for any number of shards. */
export interface Mapping {
  readonly reading: KeyInterpretation;
  /** The number of shards, if it is always the same. */
  readonly fixed?: number | undefined;
  nameOf(shards: number): string;
  /** The options of `shardbits route`; undefined for what is written by hand. */
  optionsOf(shards: number): string | undefined;
  /** @throws RangeError for a number of shards that it does not have */
  routing(shards: number): Routing<any>;
  /** Hashes some keys once, for all numbers of shards. */
  hash(keys: TriedKeys): ShardsFor;
}

/**
 * The shards of the first `rows` keys, or of all.
 * @throws RangeError for a number of shards that the mapping does not have
 */
export type ShardsFor = (shards: number, rows?: number) => Uint32Array;

/** What systems are called, and variants that are not called after their words. */
const TITLES: { readonly [word: string]: string } = {
  kafka: "Kafka's Java client",
  'kafka:unsigned': '@platformatic/kafka with unsigned hashes',
  'rdkafka:consistent': "librdkafka's default",
  'rdkafka:murmur2': "librdkafka's murmur2",
  'rdkafka:fnv1a': "librdkafka's fnv1a and Sarama's default",
  'rdkafka:fnv1a-positive': "Sarama's reference hash",
  redis: 'Redis Cluster',
  ragedb: 'RageDB',
  'spark:hash': 'Spark DataFrames',
  'spark:rdd': 'Spark RDDs',
  iceberg: 'Iceberg',
  postgres: 'PostgreSQL',
  citus: 'Citus',
  vitess: 'Vitess',
  elasticsearch: 'Elasticsearch',
  'elasticsearch:before-9.4': 'Elasticsearch before 9.4 and OpenSearch',
  couchbase: 'Couchbase',
  flink: 'Flink',
  clickhouse: 'ClickHouse',
  'clickhouse:none': 'ClickHouse by the column itself',
  nats: 'NATS',
  'pulsar:java': "Pulsar's Java client",
  'pulsar:murmur3': "Pulsar's Murmur3_32Hash",
  'hive:1': 'Hive before 3',
  'hive:2': 'Hive 3 and later',
  discord: "Discord's gateway",
  kinesis: 'Kinesis',
  ketama: 'libmemcached with KETAMA_WEIGHTED',
  'ketama:plain': 'libmemcached with KETAMA',
  'ketama:hashring': 'hashring',
  nginx: 'nginx',
  mongodb: 'MongoDB',
  bigquery: 'BigQuery by MOD(ABS(FARM_FINGERPRINT))',
  'bigquery:floored': 'BigQuery by FARM_FINGERPRINT, never negative',
  mysql: 'MySQL by KEY',
  eventhubs: 'Azure Event Hubs',
  prometheus: "Prometheus' hashmod",
};

function titleOf(word: string): string {
  const [system, variant] = word.split(':');
  return TITLES[word] ?? `${TITLES[system]} by ${variant}`;
}

/** All mappings of some keys, the best known ones first. */
export function mappingsOf(readings: readonly KeyInterpretation[], servers?: readonly RingServer[]): Mapping[] {
  const plain = readings.find(({ kind }) => kind === 'u64');
  return [
    // Several systems agree with it, too.
    ...(plain === undefined ? [] : [ofRouter(plain, 'modulo', undefined)]),
    ...readings.flatMap((reading) => ofSystems(reading)),
    ...(servers === undefined ? [] : readings.flatMap((reading) => ofSystems(reading, servers))),
    ...readings.flatMap(routers),
    ...readings.flatMap(byHand),
  ];
}

/** The systems and their variants, each once. Cassandra needs the tokens of a ring. */
const VARIANTS = Object.values(systems).filter(({ system, isShort }) => !isShort && system !== 'cassandra');

/** Those that place keys on servers, if there are some; otherwise those that do not. */
function ofSystems(reading: KeyInterpretation, servers?: readonly RingServer[]): Mapping[] {
  const { kind } = reading;
  if (kind === 'u64') return [];
  const isRing = servers !== undefined;
  const kinds = [kind].flat();
  const fitting = VARIANTS.filter(
    ({ word, hasServers, keys, columns }) =>
      hasServers === isRing &&
      columns >= kinds.length &&
      kinds.every((one) => keys.includes(one)) &&
      (kinds.length > 1 || word !== 'vitess:multicol'), // which is `vitess:hash` of one column
  );
  return fitting.flatMap((variant) => ofSystem(variant, reading, servers) ?? []);
}

/** Undefined if it refuses the servers. */
function ofSystem(
  variant: SystemVariant,
  reading: KeyInterpretation,
  servers: readonly RingServer[] | undefined,
): Mapping | undefined {
  const { word, noun, keys, count } = variant;
  const { kind: key } = reading;
  const [inWords, option] = key === keys[0] ? ['', ''] : [keysIn(key), ` --keys ${reading.word ?? key}`];
  const made = unlessRefused(() => partitionerNamed(word, { shards: 1, servers, key })); // a server may weigh too much
  if (made === undefined) return undefined;
  const isFixed = count === undefined;
  return {
    reading,
    fixed: isFixed ? made.shards : undefined,
    nameOf: (n) => `${titleOf(word)}, ${number(n)} ${noun}s${inWords}`,
    optionsOf: (n) => `--as ${word}${servers ? ' --servers FILE' : isFixed ? '' : ` --shards ${n}`}${option}`,
    routing: (shards) => (isFixed ? made : partitionerNamed(word, { shards, key })),
    hash(keys) {
      if (isFixed) {
        const placed = made.routeMany(keys);
        return (_, rows) => placed.subarray(0, rows);
      }
      const tokens: Tokens = made.tokens(keys);
      return (shards, rows = tokens.length) => {
        const placed = new Uint32Array(rows);
        configurationOf(variant, { shards }).toShard.column(tokens.subarray(0, rows), placed);
        return placed;
      };
    },
  };
}

export const number = (value: number): string => value.toLocaleString('en');
const keysIn = (kind: KeyInterpretation['kind']) => (kind === 'text' ? '' : `, keys as ${[kind].flat().join(' and ')}`);

const SEEDS = [0n, 42n];
const HOW: { readonly [strategy in Strategy]: string } = {
  jump: 'jump consistent hash of',
  fastrange: 'multiply-high of',
  modulo: 'the remainder of',
};

function routers(reading: KeyInterpretation): Mapping[] {
  const { kind } = reading;
  if (kind !== 'text' && kind !== 'bytes' && kind !== 'u64') return [];
  const hashes = kind === 'u64' ? [undefined, ...SEEDS] : SEEDS;
  const strategies = namesIn(STRATEGIES);
  return hashes.flatMap((seed) => {
    // The first of all mappings is the remainder of the number itself.
    const others = strategies.filter((strategy) => seed !== undefined || strategy !== 'modulo');
    return others.map((strategy) => ofRouter(reading, strategy, seed));
  });
}

/** @param seed undefined: a u64 is its own hash */
function ofRouter(reading: KeyInterpretation, strategy: Strategy, seed: bigint | undefined): Mapping {
  const isHashed = seed !== undefined;
  const hashed = isHashed ? `xxHash64${seed === 0n ? '' : ` with the seed ${seed}`}` : 'the number itself';
  const options = [
    ...(strategy === 'jump' ? [] : [`--strategy ${strategy}`]),
    ...(reading.kind === 'text' ? [] : [`--keys ${reading.word ?? reading.kind}`]),
    ...(isHashed ? [] : ['--hash none']),
    ...(seed === undefined || seed === 0n ? [] : [`--seed ${seed}`]),
  ];
  return {
    reading,
    nameOf: (n) => `${HOW[strategy]} ${hashed}, ${number(n)} shards${isHashed ? keysIn(reading.kind) : ''}`,
    optionsOf: (n) => [`--shards ${n}`, ...options].join(' '),
    routing: (shards) => new Router({ shards, strategy, seed, hash: isHashed ? 'xxh64' : 'none' }),
    hash(keys: BigUint64Array) {
      const hashes = isHashed ? xxh64Many(keys, { seed }) : keys;
      return (n, rows = hashes.length) => {
        const placed = new Uint32Array(rows);
        STRATEGIES[strategy].column(hashes.subarray(0, rows), n, placed);
        return placed;
      };
    },
  };
}

function byHand(reading: KeyInterpretation): Mapping[] {
  const { kind } = reading;
  const isText = kind === 'text' || kind === 'bytes';
  if (!isText && kind !== 'int32' && kind !== 'int64') return [];
  const handKind = isText ? 'text' : kind;
  const wordsOf = sharedWords(handKind);
  return (isText ? BY_HAND : BY_HAND_OF_INTEGERS).map((mapping) => ({
    reading,
    nameOf: (n) => mapping.name.replaceAll(/\bn\b/g, String(n)) + keysIn(kind),
    optionsOf: () => undefined,
    routing: (shards) => routingByHand(mapping, shards, handKind),
    hash(keys: KeysOfOne) {
      const words = wordsOf(mapping.hash, keys);
      return (n, rows) => mapping.shardsOf(words.subarray(0, rows && rows * mapping.hash.width), n);
    },
  }));
}

/** Several mappings take different parts of one hash. */
function sharedWords(kind: KeyKind) {
  const known = new Map<KeyWords, { readonly keys: object; readonly words: Uint32Array }>();
  return (hash: KeyWords, keys: KeysOfOne) => {
    const found = known.get(hash);
    if (found?.keys === keys) return found.words;
    const words = hash.words(checkPartitionKeys(kind, keys));
    known.set(hash, { keys, words });
    return words;
  };
}
