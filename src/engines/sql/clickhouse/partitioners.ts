import { checkOneOf, namesIn, wrongValue } from '../../../arguments.js';
import type { KeyKind } from '../../../partitioners/keys.js';
import type { Partitioner } from '../../../partitioners/partitioner.js';
import type { SystemVariant } from '../../../partitioners/variants.js';
import { encoder } from '../../../utf8.js';
import { checkedShards } from '../dialects/clickhouse.js';
import { FUNCTIONS, type ModuleFunction, moduleSql, nameInClickHouse, type ReadModule } from './module.js';

/** How a system places keys in SQL. In templates, `?` is the value that is put in. */
interface InSql {
  /** The template of the hash of a text or of bytes, which both are a String. */
  readonly hash: string;
  /** The shard by `hash` and `shards`. */
  readonly shard: string;
  /** Other kinds of keys that are hashed as these bytes. */
  readonly bytes?: KindTemplates;
  /** The hashes of others. */
  readonly hashes?: KindTemplates;
  /** The hash of several columns, by the bytes or by the hashes of all. */
  readonly combine?: (bytes: readonly string[], hashes: readonly string[]) => string;
  /** The hash of NULL. Without it, NULL gives NULL. */
  readonly ofNull?: string;
}

type KindTemplates = { readonly [kind in KeyKind]?: string };

const put = (template: string, value: string): string => template.replaceAll('?', () => value);

const REMAINDER = 'hash % shards';
const WITHOUT_SIGN = 'bitAnd(hash, 2147483647) % shards';
const FLOORED = 'positiveModulo(toInt64(reinterpretAsInt32(hash)), toInt64(shards))';
/** As in Math.floor((hash * shards) / 2^64). */
const MULTIPLY_HIGH = 'bitShiftRight(toUInt128(hash) * shards, 64)';

// Keys in SQL. A text, and an integer that the type of a kind cannot hold, end the query.

const TYPES: { readonly [kind in KeyKind]: string } = {
  text: 'String',
  bytes: 'String',
  int8: 'Int8',
  int16: 'Int16',
  int32: 'Int32',
  int64: 'UInt64 or Int64',
  uint8: 'UInt8',
  uint16: 'UInt16',
  uint32: 'UInt32',
  u64: 'UInt64',
  uuid: 'UUID',
  objectid: 'String',
  decimal: 'Decimal',
  date: 'Date or Date32',
  time: 'Time64',
  timestamp: 'DateTime or DateTime64',
};

const integer = (type: string, min: number, max: number): string =>
  `to${type}(? + throwIf(? < ${min} or ? > ${max}, 'key: expected an integer from ${min} to ${max}'))`;

const NARROW = {
  int8: integer('Int8', -128, 127),
  int16: integer('Int16', -32768, 32767),
  int32: integer('Int32', -(2 ** 31), 2 ** 31 - 1),
  uint8: integer('UInt8', 0, 255),
  uint16: integer('UInt16', 0, 65535),
};
const WIDE = { uint32: integer('UInt32', 0, 2 ** 32 - 1), int64: 'toInt64(?)' };
/** Integers as the types of their kinds. */
const INTEGERS = { ...NARROW, ...WIDE, u64: 'toUInt64(?)' };

const DAYS = 'toInt32(toDate32(?))';
const MICROS = 'toUnixTimestamp64Micro(toDateTime64(?, 6))';
const UUID = 'toUUID(toString(?))';
const UUID_BYTES = "unhex(replaceAll(toString(?), '-', ''))";

/** The bytes of an integer. A FixedString becomes a String without losing zeros. */
const little = (width: number, value = '?') => `substring(reinterpretAsFixedString(${value}), 1, ${width})`;
const big = (width: number, value: string) => `substring(reverse(reinterpretAsFixedString(${value})), 1, ${width})`;

const BIG_ENDIAN: KindTemplates = {
  int16: big(2, INTEGERS.int16),
  int32: big(4, INTEGERS.int32),
  int64: big(8, INTEGERS.int64),
  u64: big(8, INTEGERS.u64),
};

const putEach = (template: string, values: KindTemplates): KindTemplates =>
  Object.fromEntries(Object.entries(values).map(([kind, value]) => [kind, put(template, value)]));

const WIDE_AND_U64 = { ...WIDE, u64: WIDE.int64 };

/** Narrower integers as those of 32 bits, and others as those of 64. */
const widened = (int32: string, int64: string, wide: KindTemplates = WIDE): KindTemplates => ({
  ...putEach(put(int32, 'toInt32(?)'), NARROW),
  ...putEach(put(int64, 'toInt64(?)'), wide),
});

/** The bytes of 4 words become one. */
const UUID_HASH_CODE = `byteSwap(arrayReduce('groupBitXor', arrayMap(i -> reinterpretAsUInt32(substring(${UUID_BYTES}, 4 * i + 1, 4)), range(4))))`;

/** As `int64Folded` in src/partitioners/encodings.ts. */
const FOLDED = little(4, 'toUInt32(bitXor(bitXor(?, bitShiftRight(?, 32)), if(? < 0, -1, 0)))');

const OF_POSTGRES: KindTemplates = {
  ...widened(little(4), FOLDED, WIDE_AND_U64),
  uuid: UUID_BYTES,
  date: little(4, `toInt32(${DAYS} - 10957)`),
  timestamp: put(FOLDED, `(${MICROS} - 946684800000000)`),
};

const JAVA = ['toUInt32(?)', 'toUInt32(bitXor(?, bitShiftRight(?, 32)))'] as const;

/** Folds the values of columns from the first to the last. */
const fold = (step: string, values: readonly string[], start: string): string =>
  `arrayFold(${step}, [${values.join(', ')}], ${start})`;

// Spark's MurmurHash3 of several columns. A folded lambda stands for a loop or for a variable.
const times = (value: string, factor: number) => `toUInt32(toUInt64(${value}) * ${factor})`;
const MIXED_WORD = times(`bitRotateLeft(${times('k', 0xcc9e2d51)}, 15)`, 0x1b873593);
const BYTES = 'assumeNotNull(bytes)';
const SPARK_WORDS =
  `arrayConcat(arrayMap(i -> reinterpretAsUInt32(substring(${BYTES}, 4 * i + 1, 4)), range(intDiv(length(${BYTES}), 4))), ` +
  `arrayMap(i -> toUInt32(reinterpretAsInt8(substring(${BYTES}, i + 1, 1))), range(intDiv(length(${BYTES}), 4) * 4, length(${BYTES}))))`;
const SPARK_BODY = `arrayFold((h, k) -> toUInt32(toUInt64(bitRotateLeft(bitXor(h, ${MIXED_WORD}), 13)) * 5 + ${0xe6546b64}), ${SPARK_WORDS}, seed)`;
const SPARK_STEP = `arrayFold((h, s) -> toUInt32(toUInt64(bitXor(h, bitShiftRight(h, s.1))) * s.2), [(16, ${0x85ebca6b}), (13, ${0xc2b2ae35}), (16, 1)], bitXor(${SPARK_BODY}, toUInt32(length(${BYTES}))))`;

/** A function of ClickHouse, which hashes each type in its own way, and takes several arguments. */
const ofClickHouse = (name: string): InSql => ({
  hash: `${name}(?)`,
  shard: REMAINDER,
  bytes: { ...INTEGERS, uuid: UUID },
  combine: (bytes) => `${name}(${bytes.join(', ')})`,
});

/** A function of the module. */
const ours = (name: ModuleFunction): string => `${nameInClickHouse(name)}(?)`;

/** The index of the last shard that begins at or below the first bits of a keyspace id. */
const ofKeyspaceId = (bits: number) =>
  `intDiv((bitShiftRight(hash, ${64 - bits}) + 1) * toUInt64(shards) - 1, ${2 ** bits})`;

/** The first or the last 8 bytes of MD5 as a big-endian number. */
const md5 = (from: 1 | 9, bytes = '?') => `reinterpretAsUInt64(reverse(substring(MD5(${bytes}), ${from}, 8)))`;

const OF_VITESS: Omit<InSql, 'hash' | 'ofNull'> = {
  shard: `if(shards > 256,\n      ${ofKeyspaceId(16)},\n      ${ofKeyspaceId(8)})`,
  bytes: { ...widened('toString(?)', 'toString(?)'), u64: `toString(${INTEGERS.u64})` },
};

/** A value as MongoDB hashes it: after the seed 0 and its type. */
const ofType = (type: string, value: string) => `concat(unhex('00000000${type}000000'), ${value})`;
const mongoHash = (bytes: string) => `reinterpretAsInt64(substring(MD5(${bytes}), 1, 8))`;
const MONGO_INT64 = ofType('0A', little(8, 'toInt64(?)'));
const mongoDate = (ms: string) => mongoHash(ofType('2D', little(8, `toInt64(${ms})`)));

/** The last shard for a larger one, which is an Int64. `least` would give it for NULL, too. */
const atMostTheLast = (shard: string) => `if(${shard} >= shards, shards - 1, ${shard})`;

/** How many routing shards there are for each shard before Elasticsearch 9.4: 2 to 1024, of about 1024 in all. */
const ROUTING_FACTOR =
  'bitShiftLeft(toInt64(1), greatest(1, 10 - arrayCount(i -> bitShiftLeft(toUInt64(1), i) < shards, range(31))))';

const OF_KAFKA: Partial<InSql> = { bytes: { ...BIG_ENDIAN, uuid: 'toString(?)' } };

const HIVE_COLUMNS: Partial<InSql> = {
  combine(_, hashes) {
    const values = hashes.map((hash) => `toUInt32(ifNull(${hash}, 0))`);
    return fold('(a, h) -> toUInt32(31 * a + h)', values, 'toUInt32(0)');
  },
  ofNull: '0',
};

/** A variant that the name of its system alone means, too. */
const usual = (word: string, inSql: InSql) => ({ [word.split(':')[0]]: inSql, [word]: inSql });

/** The systems and their variants, by the words of `--as`. Those that are missing have servers or tokens, not a number. */
const SYSTEMS: { readonly [word: string]: InSql } = {
  kafka: { hash: 'kafkaMurmurHash(?)', shard: REMAINDER, ...OF_KAFKA },
  'kafka:unsigned': { hash: ours('murmur2_kafka'), shard: REMAINDER, ...OF_KAFKA },
  ...usual('rdkafka:consistent', { hash: 'CRC32(?)', shard: REMAINDER, ...OF_KAFKA }),
  'rdkafka:murmur2': { hash: 'kafkaMurmurHash(?)', shard: REMAINDER, ...OF_KAFKA },
  'rdkafka:fnv1a': { hash: ours('fnv1a'), shard: 'abs(reinterpretAsInt32(hash)) % shards', ...OF_KAFKA },
  'rdkafka:fnv1a-positive': { hash: ours('fnv1a'), shard: WITHOUT_SIGN, ...OF_KAFKA },
  redis: { hash: ours('crc16'), shard: REMAINDER },
  ragedb: { hash: 'gccMurmurHash(?)', shard: MULTIPLY_HIGH },
  ...usual('spark:hash', {
    hash: ours('murmur3_spark'),
    shard: FLOORED,
    bytes: { ...widened(little(4), little(8)), date: little(4, DAYS), timestamp: little(8, MICROS) },
    combine: (bytes) => fold(`(seed, bytes) -> if(isNull(bytes), seed, ${SPARK_STEP})`, bytes, 'toUInt32(42)'),
    ofNull: '42',
  }),
  'spark:rdd': { hash: ours('java_hash'), shard: FLOORED, hashes: widened(...JAVA), ofNull: '0' },
  iceberg: {
    hash: 'icebergHash(?)',
    shard: WITHOUT_SIGN,
    bytes: {
      ...widened('toInt64(?)', '?', WIDE_AND_U64),
      uuid: UUID,
      decimal: '?',
      date: `toInt64(${DAYS})`,
      timestamp: MICROS,
    },
  },
  postgres: {
    hash: ours('lookup3_postgres'),
    shard: REMAINDER,
    bytes: OF_POSTGRES,
    combine(_, hashes) {
      const combined = 'bitXor(a, h + bitShiftLeft(a, 54) + bitShiftRight(a, 7))';
      return fold(`(a, h) -> if(isNull(h), a, assumeNotNull(${combined}))`, hashes, 'toUInt64(0)');
    },
    ofNull: '0',
  },
  citus: {
    hash: ours('lookup3_citus'),
    shard: atMostTheLast('intDiv(toInt64(reinterpretAsInt32(hash)) + 2147483648, intDiv(4294967296, shards))'),
    bytes: OF_POSTGRES,
  },
  ...usual('vitess:xxhash', { ...OF_VITESS, hash: 'byteSwap(xxHash64(?))', ofNull: `${0x99e9d85137db46efn}` }),
  'vitess:binary_md5': { ...OF_VITESS, hash: md5(1), ofNull: `${0xd41d8cd98f00b204n}` },
  elasticsearch: { hash: ours('murmur3_utf16'), shard: FLOORED },
  'elasticsearch:before-9.4': {
    hash: ours('murmur3_utf16'),
    shard: `intDiv(positiveModulo(toInt64(reinterpretAsInt32(hash)),\n      toInt64(shards) * ${ROUTING_FACTOR}),\n      ${ROUTING_FACTOR})`,
  },
  couchbase: { hash: 'bitAnd(bitShiftRight(CRC32(?), 16), 32767)', shard: REMAINDER },
  flink: {
    hash: ours('java_hash'),
    shard: 'abs(toInt64(reinterpretAsInt32(murmurHash3_32(reinterpretAsInt32(hash))))) % 2147483648 % shards',
    hashes: { ...widened(...JAVA), uuid: UUID_HASH_CODE },
  },
  'clickhouse:sipHash64': ofClickHouse('sipHash64'),
  'clickhouse:murmurHash3_64': ofClickHouse('murmurHash3_64'),
  'clickhouse:xxHash64': ofClickHouse('xxHash64'),
  'clickhouse:cityHash64': ofClickHouse('cityHash64'),
  'clickhouse:murmurHash2_64': ofClickHouse('murmurHash2_64'),
  'clickhouse:javaHash': { ...ofClickHouse('javaHash'), hash: 'reinterpretAsUInt32(javaHash(?))' },
  'clickhouse:intHash64': ofClickHouse('intHash64'),
  'clickhouse:intHash32': ofClickHouse('intHash32'),
  'clickhouse:none': {
    hash: '?',
    shard: REMAINDER,
    bytes: { ...putEach('toUInt32(?)', { ...NARROW, uint32: WIDE.uint32 }), int64: 'toUInt64(?)', u64: 'toUInt64(?)' },
  },
  nats: { hash: ours('fnv1a'), shard: REMAINDER },
  ...usual('pulsar:java', { hash: ours('java_hash'), shard: WITHOUT_SIGN }),
  'pulsar:murmur3': { hash: 'murmurHash3_32(?)', shard: WITHOUT_SIGN },
  ...usual('hive:2', {
    hash: ours('murmur3_hive'),
    shard: WITHOUT_SIGN,
    bytes: { ...BIG_ENDIAN, date: big(4, DAYS) },
    hashes: { int8: `toUInt32(${INTEGERS.int8})` },
    ...HIVE_COLUMNS,
  }),
  'hive:1': {
    hash: 'javaHash(?)',
    shard: WITHOUT_SIGN,
    hashes: { ...widened(...JAVA, WIDE_AND_U64), date: `toUInt32(${DAYS})` },
    ...HIVE_COLUMNS,
  },
  discord: { hash: 'bitShiftRight(toUInt64(?), 22)', shard: REMAINDER, bytes: INTEGERS },
  mongodb: {
    hash: mongoHash(ofType('0F', `${little(4, 'toUInt32(length(?) + 1)')}, ?, unhex('00')`)),
    shard: atMostTheLast(
      'toInt64(intDiv(toInt128(hash) + intDiv(9223372036854775807, shards) * shards, 2 * intDiv(9223372036854775807, shards)))',
    ),
    hashes: {
      ...putEach(mongoHash(MONGO_INT64), { ...NARROW, ...WIDE }),
      uuid: mongoHash(ofType('1E', `unhex('1000000004'), ${UUID_BYTES}`)),
      objectid: mongoHash(ofType('23', 'unhex(?)')),
      date: mongoDate(`toInt64(${DAYS}) * 86400000`),
      timestamp: mongoDate(`intDiv(${MICROS} - positiveModulo(${MICROS}, 1000), 1000)`),
      bytes: mongoHash(ofType('1E', `${little(4, 'toUInt32(length(?))')}, unhex('00'), ?`)),
    },
  },
  prometheus: {
    hash: md5(9),
    shard: REMAINDER,
    combine: (bytes) => md5(9, `concat(${bytes.map((part) => `ifNull(${part}, '')`).join(", ';', ")})`),
    ofNull: `${0xe9800998ecf8427en}`,
  },
  kinesis: {
    hash: 'toUInt256(reinterpretAsUInt128(reverse(MD5(?))))',
    shard: atMostTheLast('toInt64(intDiv(hash, intDiv(bitShiftLeft(toUInt256(1), 128), shards)))'),
  },
};

/** The words of `--as` for which there is SQL. */
export const PLACING_WORDS: readonly string[] = Object.keys(SYSTEMS);

const SAMPLES: { readonly [kind in KeyKind]?: readonly [key: string | number | bigint | Uint8Array, sql: string] } = {
  text: ['user:42', "'user:42'"],
  bytes: [encoder().encode('user:42'), "'user:42'"],
  int64: [2n ** 60n, `${2n ** 60n}`],
  u64: [2n ** 60n, `${2n ** 60n}`],
  uuid: ['f79c3e09-677c-4bbd-a479-3f349cb785e7', "toUUID('f79c3e09-677c-4bbd-a479-3f349cb785e7')"],
  objectid: ['507f1f77bcf86cd799439011', "'507f1f77bcf86cd799439011'"],
  decimal: ['14.20', "toDecimal64('14.20', 2)"],
  date: ['2017-11-16', "toDate('2017-11-16')"],
  timestamp: ['2017-11-16T22:31:08', "toDateTime64('2017-11-16 22:31:08', 6, 'UTC')"],
};

type SqlColumn = { readonly kind: KeyKind; readonly key: string };

/** The hash of a key in SQL. @throws RangeError for a kind for which there is none */
function hashIn(inSql: InSql, word: string, columns: readonly SqlColumn[]): string {
  const { hash, bytes = {}, hashes = {}, combine, ofNull } = inSql;
  const known = ['text', 'bytes', ...Object.keys(bytes), ...Object.keys(hashes)];
  for (const { kind } of columns) {
    if (known.includes(kind)) continue;
    throw wrongValue('example.key', `one of ${known.join(', ')}, for which there is SQL with ${word}`, kind);
  }
  const bytesOf = ({ kind, key }: SqlColumn) => put(bytes[kind] ?? '?', key);
  const hashOf = ({ kind, key }: SqlColumn) => put(hashes[kind] ?? put(hash, bytes[kind] ?? '?'), key);
  if (columns.length > 1 && combine !== undefined) return combine(columns.map(bytesOf), columns.map(hashOf));
  const of = hashOf(columns[0]);
  return ofNull === undefined ? of : `ifNull(${of}, ${ofNull})`;
}

/**
 * The statements that make a function which places keys as another system does. It is called `kafka_partition` or
 * `rdkafka_fnv1a_partition`; for keys other than the usual ones with their kinds, as in `postgres_remainder_int64_text`.
 * @param variant that of one of the PLACING_WORDS
 * @param example a partitioner of this system, for the kinds of keys and for the example at the end
 * @throws RangeError for a system or a kind of keys for which there is no SQL
 * @example
 * const readModule = () => readFileSync(fileURLToPath(import.meta.resolve('shardbits/clickhouse.wasm')));
 * placingSql(systems.kafka, partitionerNamed('kafka', { shards: 12 }), readModule);
 */
export function placingSql(variant: SystemVariant, example: Partitioner, readModule: ReadModule): string {
  const { word, count, most, noun, keys } = variant;
  checkOneOf('variant.word', word, PLACING_WORDS);
  const inSql = SYSTEMS[word];
  const kinds = [example.key].flat();
  const columns = kinds.map((kind, i): SqlColumn => ({ kind, key: kinds.length === 1 ? 'key' : `key${i + 1}` }));
  const hash = hashIn(inSql, word, columns);
  const isText = kinds[0] === 'bytes' && inSql.hashes?.bytes === undefined; // both are a String
  const isUsual = kinds.length === 1 && (kinds[0] === keys[0] || isText);
  const name = [word, noun, ...(isUsual ? [] : kinds)].join(' ').replace(/\W+/g, '_').toLowerCase();
  const asKeys = isUsual ? '' : ` --keys ${kinds.join(',')}`;
  const hasCount = count !== undefined;
  const parameters = `(${[...columns.map(({ key }) => key), ...(hasCount ? ['shards'] : [])].join(', ')})`;
  const shards = hasCount ? 'shards' : `${example.shards}`;
  const placed = inSql.shard.replaceAll(/\b(hash|shards)\b/g, (part) => (part === 'hash' ? hash : shards));
  const body = hasCount ? `toUInt32(${placed}\n    + ${checkedShards(most)})` : `toUInt32(${placed})`;
  const samples = kinds.map((kind) => SAMPLES[kind] ?? ([42, '42'] as const));
  const sample = samples.map(([key]) => key);
  const call = `${name}(${[...samples.map(([, sql]) => sql), ...(hasCount ? [example.shards] : [])].join(', ')})`;
  const modules = namesIn(FUNCTIONS).filter((one) => hash.includes(`${nameInClickHouse(one)}(`));
  return [
    `-- ${name}${parameters} for ClickHouse: the ${noun} of a key, as with \`shardbits route --as ${word}${asKeys}\`.`,
    ...(modules.length === 0 ? [] : [moduleSql(readModule, modules), '']),
    `-- A key is ${kinds.map((kind) => `a ${TYPES[kind]}`.replace(/^a (?=[I])/, 'an ')).join(' and ')}.`,
    `create or replace function ${name} as ${parameters} -> ${body};`,
    '',
    `-- To check it: select ${call}; gives ${example.route(typeof example.key === 'string' ? sample[0] : sample)}.\n`,
  ].join('\n');
}
