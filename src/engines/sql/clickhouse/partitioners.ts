import { checkOneOf } from '../../../arguments.js';
import type { Partitioner } from '../../../partitioners/partitioner.js';
import type { SystemVariant } from '../../../partitioners/variants.js';
import { checkedShards } from '../dialects/clickhouse.js';
import { type FUNCTIONS, moduleSql, nameInClickHouse, type ReadModule } from './module.js';

/** How a system places keys in SQL: the shard by `hash` and `shards`. */
interface InSql {
  readonly hash: string;
  /** The function of the module that `hash` calls. */
  readonly module?: keyof typeof FUNCTIONS;
  readonly shard: string;
}

const REMAINDER = 'hash % shards';
const WITHOUT_SIGN = 'bitAnd(hash, 2147483647) % shards';
const FLOORED = 'positiveModulo(toInt64(reinterpretAsInt32(hash)), toInt64(shards))';
/** As in Math.floor((hash * shards) / 2^64). */
const MULTIPLY_HIGH = 'bitShiftRight(toUInt128(hash) * shards, 64)';

const native = (hash: string, shard: string): InSql => ({ hash, shard });
const byModule = (module: keyof typeof FUNCTIONS, shard: string): InSql => ({
  hash: `${nameInClickHouse(module)}(key)`,
  module,
  shard,
});

/** The index of the last shard that begins at or below the first bits of a keyspace id. */
const ofKeyspaceId = (bits: number) =>
  `intDiv((bitShiftRight(hash, ${64 - bits}) + 1) * toUInt64(shards) - 1, ${2 ** bits})`;

/** The last shard for a larger one, which is an Int64. `least` would give it for NULL, too. */
const atMostTheLast = (shard: string) => `if(${shard} >= shards, shards - 1, ${shard})`;

/** How many routing shards there are for each shard before Elasticsearch 9.4: 2 to 1024, of about 1024 in all. */
const ROUTING_FACTOR =
  'bitShiftLeft(toInt64(1), greatest(1, 10 - arrayCount(i -> bitShiftLeft(toUInt64(1), i) < shards, range(31))))';

/** The systems and their variants, by the words of `--as`. Those that are missing have servers or tokens, not a number. */
const SYSTEMS: { readonly [word: string]: InSql } = {
  kafka: native('kafkaMurmurHash(key)', REMAINDER),
  'kafka:unsigned': byModule('murmur2_kafka', REMAINDER),
  rdkafka: native('CRC32(key)', REMAINDER),
  'rdkafka:consistent': native('CRC32(key)', REMAINDER),
  'rdkafka:murmur2': native('kafkaMurmurHash(key)', REMAINDER),
  'rdkafka:fnv1a': byModule('fnv1a', 'abs(reinterpretAsInt32(hash)) % shards'),
  'rdkafka:fnv1a-positive': byModule('fnv1a', WITHOUT_SIGN),
  redis: byModule('crc16', REMAINDER),
  ragedb: native('gccMurmurHash(key)', MULTIPLY_HIGH),
  spark: byModule('murmur3_spark', FLOORED),
  'spark:hash': byModule('murmur3_spark', FLOORED),
  'spark:rdd': byModule('java_hash', FLOORED),
  iceberg: native('icebergHash(key)', WITHOUT_SIGN),
  postgres: byModule('lookup3_postgres', REMAINDER),
  citus: byModule(
    'lookup3_citus',
    atMostTheLast('intDiv(toInt64(reinterpretAsInt32(hash)) + 2147483648, intDiv(4294967296, shards))'),
  ),
  vitess: native('byteSwap(xxHash64(key))', `if(shards > 256,\n      ${ofKeyspaceId(16)},\n      ${ofKeyspaceId(8)})`),
  elasticsearch: byModule('murmur3_utf16', FLOORED),
  'elasticsearch:before-9.4': byModule(
    'murmur3_utf16',
    `intDiv(positiveModulo(toInt64(reinterpretAsInt32(hash)),\n      toInt64(shards) * ${ROUTING_FACTOR}),\n      ${ROUTING_FACTOR})`,
  ),
  couchbase: native('bitAnd(bitShiftRight(CRC32(key), 16), 32767)', REMAINDER),
  flink: byModule(
    'java_hash',
    'abs(toInt64(reinterpretAsInt32(murmurHash3_32(reinterpretAsInt32(hash))))) % 2147483648 % shards',
  ),
  'clickhouse:sipHash64': native('sipHash64(key)', REMAINDER),
  'clickhouse:murmurHash3_64': native('murmurHash3_64(key)', REMAINDER),
  'clickhouse:xxHash64': native('xxHash64(key)', REMAINDER),
  'clickhouse:cityHash64': native('cityHash64(key)', REMAINDER),
  nats: byModule('fnv1a', REMAINDER),
  pulsar: byModule('java_hash', WITHOUT_SIGN),
  'pulsar:java': byModule('java_hash', WITHOUT_SIGN),
  'pulsar:murmur3': native('murmurHash3_32(key)', WITHOUT_SIGN),
  hive: byModule('murmur3_hive', WITHOUT_SIGN),
  'hive:2': byModule('murmur3_hive', WITHOUT_SIGN),
  'hive:1': native('javaHash(key)', WITHOUT_SIGN),
  discord: native('bitShiftRight(toUInt64(key), 22)', REMAINDER),
  kinesis: native(
    'toUInt256(reinterpretAsUInt128(reverse(MD5(key))))',
    atMostTheLast('toInt64(intDiv(hash, intDiv(bitShiftLeft(toUInt256(1), 128), shards)))'),
  ),
};

/** The words of `--as` for which there is SQL. */
export const PLACING_WORDS: readonly string[] = Object.keys(SYSTEMS);

/**
 * The statements that make a function which places keys as another system does. It is called `kafka_partition` or
 * `rdkafka_fnv1a_partition`.
 * @param variant that of one of the PLACING_WORDS
 * @param example a partitioner of this system, for the example at the end
 * @throws RangeError for a system for which there is no SQL
 * @example
 * const readModule = () => readFileSync(fileURLToPath(import.meta.resolve('shardbits/clickhouse.wasm')));
 * placingSql(systems.kafka, partitionerNamed('kafka', { shards: 12 }), readModule);
 */
export function placingSql(variant: SystemVariant, example: Partitioner, readModule: ReadModule): string {
  const { word, count, most, noun } = variant;
  checkOneOf('variant.word', word, PLACING_WORDS);
  const { hash, module, shard } = SYSTEMS[word] as InSql;
  const name = `${word} ${noun}`.replace(/\W+/g, '_').toLowerCase();
  const hasCount = count !== undefined;
  const parameters = hasCount ? '(key, shards)' : '(key)';
  const call = (key: string) => `${name}(${key}${hasCount ? `, ${example.shards}` : ''})`;
  const placed = shard.replaceAll(/\b(hash|shards)\b/g, (part) =>
    part === 'hash' ? hash : hasCount ? part : `${example.shards}`,
  );
  const body = hasCount ? `toUInt32(${placed}\n    + ${checkedShards(most)})` : `toUInt32(${placed})`;
  const [kind, sample] =
    example.key === 'int64' ? (['UInt64 or Int64', 2n ** 60n] as const) : (['String', 'user:42'] as const);
  return [
    `-- ${name}${parameters} for ClickHouse: the ${noun} of a key, as with \`shardbits route --as ${word}\`.`,
    ...(module === undefined ? [] : [moduleSql(readModule, [module]), '']),
    `-- A key is a ${kind}.`,
    `create or replace function ${name} as ${parameters} -> ${body};`,
    '',
    `-- To check it: select ${call(typeof sample === 'string' ? `'${sample}'` : `${sample}`)}; gives ${example.route(sample)}.\n`,
  ].join('\n');
}
