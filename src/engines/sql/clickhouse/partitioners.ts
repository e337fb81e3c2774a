import { checkOneOf, wrongValue } from '../../../arguments.js';
import type { KeyKind } from '../../../partitioners/keys.js';
import type { Partitioner } from '../../../partitioners/partitioner.js';
import type { SystemVariant } from '../../../partitioners/variants.js';
import { checkedShards } from '../dialects/clickhouse.js';
import { type FUNCTIONS, moduleSql, nameInClickHouse, type ReadModule } from './module.js';

/** How a system places keys in SQL: the shard by `hash` and `shards`. */
interface InSql {
  /** The hash of a text or of bytes, which both are a String. */
  readonly hash: (bytes: string) => string;
  /** The function of the module that `hash` calls. */
  readonly module?: keyof typeof FUNCTIONS;
  readonly shard: string;
  readonly keys: Keys;
}

/** Keys other than texts and bytes. */
interface Keys {
  /** Kinds that are hashed as these bytes. */
  readonly bytes?: Written;
  /** The hashes of others. */
  readonly hashes?: Written;
  /** The hash of several columns, by the kind and the expression of each. */
  readonly combine?: (columns: readonly Column[], hashOf: (column: Column) => string) => string;
  /** The hash of NULL. Without it, NULL gives NULL. */
  readonly ofNull?: string;
}

type Written = { readonly [kind in KeyKind]?: (key: string) => string };

interface Column {
  readonly kind: KeyKind;
  readonly key: string;
}

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
  decimal: 'Decimal',
  date: 'Date or Date32',
  time: 'Time64',
  timestamp: 'DateTime or DateTime64',
};

/** An integer as the type of its kind. */
function integer(kind: KeyKind): (key: string) => string {
  const [, isUnsigned, digits] = /^(u)?int(\d+)$/.exec(kind) ?? ['', 'u', '64'];
  const type = `to${isUnsigned ? 'UInt' : 'Int'}${digits}`;
  if (digits === '64') return (key) => `${type}(${key})`;
  const bits = Number(digits) - (isUnsigned ? 0 : 1);
  const [min, max] = [isUnsigned ? 0 : -(2 ** bits), 2 ** bits - 1];
  const check = (key: string) =>
    `throwIf(${key} < ${min} or ${key} > ${max}, 'key: expected an integer from ${min} to ${max}')`;
  return (key) => `${type}(${key} + ${check(key)})`;
}

const NARROW = ['int8', 'int16', 'int32', 'uint8', 'uint16'] as const;
const WIDE = ['uint32', 'int64'] as const;
const DAYS = (key: string) => `toInt32(toDate32(${key}))`;
const MICROS = (key: string) => `toUnixTimestamp64Micro(toDateTime64(${key}, 6))`;
const UUID_BYTES = (key: string) => `unhex(replaceAll(toString(${key}), '-', ''))`;

/** The bytes of an integer. A FixedString becomes a String without losing zeros. */
const little = (width: number, value: string) => `substring(reinterpretAsFixedString(${value}), 1, ${width})`;
const big = (width: number, value: string) => `substring(reverse(reinterpretAsFixedString(${value})), 1, ${width})`;

/** Integers by their own width. */
const each = (kinds: readonly KeyKind[], write: (width: number, value: string) => string): Written =>
  Object.fromEntries(
    kinds.map((kind) => [kind, (key: string) => write(Number(/\d+/.exec(kind)) / 8, integer(kind)(key))]),
  );

/** Narrower integers as those of 32 bits, and others as those of 64. */
const widened = (narrow: (value: string) => string, wide: (value: string) => string): Written => ({
  ...Object.fromEntries(NARROW.map((kind) => [kind, (key: string) => narrow(`toInt32(${integer(kind)(key)})`)])),
  ...Object.fromEntries(WIDE.map((kind) => [kind, (key: string) => wide(`toInt64(${integer(kind)(key)})`)])),
});

const withU64 = (written: Written): Written => ({ ...written, u64: written.int64 as (key: string) => string });

const xorOfHalves = (value: string) => `toUInt32(bitXor(${value}, bitShiftRight(${value}, 32)))`;
/** The bytes of 4 words become one. */
const uuidHashCode = (key: string) =>
  `byteSwap(arrayReduce('groupBitXor', arrayMap(i -> reinterpretAsUInt32(substring(${UUID_BYTES(key)}, 4 * i + 1, 4)), range(4))))`;

/** As `int64Folded` in src/partitioners/hash.ts. */
const folded = (value: string) =>
  little(4, `toUInt32(bitXor(bitXor(${value}, bitShiftRight(${value}, 32)), if(${value} < 0, -1, 0)))`);

const OF_POSTGRES: Written = {
  ...withU64(widened((value) => little(4, value), folded)),
  uuid: UUID_BYTES,
  date: (key) => little(4, `toInt32(${DAYS(key)} - 10957)`),
  timestamp: (key) => folded(`(${MICROS(key)} - 946684800000000)`),
};

const JAVA: Written = widened((value) => `toUInt32(${value})`, xorOfHalves);

/** Folds the hashes of columns from the first to the last. */
const fold =
  (step: string, start: string) =>
  (columns: readonly Column[], hashOf: (column: Column) => string): string =>
    `arrayFold((a, h) -> ${step}, [${columns.map(hashOf).join(', ')}], ${start})`;

const OF_HIVE: Pick<Keys, 'combine' | 'ofNull'> = {
  combine: (columns, hashOf) =>
    fold('toUInt32(31 * a + h)', 'toUInt32(0)')(columns, (column) => `toUInt32(ifNull(${hashOf(column)}, 0))`),
  ofNull: '0',
};

// Spark's MurmurHash3 of several columns. A folded lambda stands for a loop or for a variable.
const times = (value: string, factor: number) => `toUInt32(toUInt64(${value}) * ${factor})`;
const MIXED_WORD = times(`bitRotateLeft(${times('k', 0xcc9e2d51)}, 15)`, 0x1b873593);
const SPARK_WORDS =
  'arrayConcat(arrayMap(i -> reinterpretAsUInt32(substring(b, 4 * i + 1, 4)), range(intDiv(length(b), 4))), ' +
  'arrayMap(i -> toUInt32(reinterpretAsInt8(substring(b, i + 1, 1))), range(intDiv(length(b), 4) * 4, length(b))))';
const SPARK_BODY = `arrayFold((h, k) -> toUInt32(toUInt64(bitRotateLeft(bitXor(h, ${MIXED_WORD}), 13)) * 5 + ${0xe6546b64}), ${SPARK_WORDS}, seed)`;
const SPARK_STEP = `arrayFold((h, s) -> toUInt32(toUInt64(bitXor(h, bitShiftRight(h, s.1))) * s.2), [(16, ${0x85ebca6b}), (13, ${0xc2b2ae35}), (16, 1)], bitXor(${SPARK_BODY}, toUInt32(length(b))))`;

/** @param bytesOf the bytes of a column */
function sparkHash(columns: readonly Column[], bytesOf: (column: Column) => string): string {
  const step = `if(isNull(bytes), seed, ${SPARK_STEP.replace(/\bb\b/g, 'assumeNotNull(bytes)')})`;
  return `arrayFold((seed, bytes) -> ${step}, [${columns.map(bytesOf).join(', ')}], toUInt32(42))`;
}

const native = (hash: string, shard: string, keys: Keys = {}): InSql => ({
  hash: (key) => hash.replace('key', () => key),
  shard,
  keys,
});
const byModule = (module: keyof typeof FUNCTIONS, shard: string, keys: Keys = {}): InSql => ({
  ...native(`${nameInClickHouse(module)}(key)`, shard, keys),
  module,
});

/** A function of ClickHouse, which hashes each type in its own way, and takes several arguments. */
function ofClickHouse(name: string): InSql {
  const kinds = [...NARROW, ...WIDE, 'u64'] as const;
  const typed: Written = {
    ...Object.fromEntries(kinds.map((kind) => [kind, integer(kind)])),
    uuid: (key) => `toUUID(toString(${key}))`,
  };
  return native(`${name}(key)`, REMAINDER, {
    bytes: typed,
    combine: (columns) => `${name}(${columns.map(({ kind, key }) => typed[kind]?.(key) ?? key).join(', ')})`,
  });
}

/** The index of the last shard that begins at or below the first bits of a keyspace id. */
const ofKeyspaceId = (bits: number) =>
  `intDiv((bitShiftRight(hash, ${64 - bits}) + 1) * toUInt64(shards) - 1, ${2 ** bits})`;

/** The last shard for a larger one, which is an Int64. `least` would give it for NULL, too. */
const atMostTheLast = (shard: string) => `if(${shard} >= shards, shards - 1, ${shard})`;

/** How many routing shards there are for each shard before Elasticsearch 9.4: 2 to 1024, of about 1024 in all. */
const ROUTING_FACTOR =
  'bitShiftLeft(toInt64(1), greatest(1, 10 - arrayCount(i -> bitShiftLeft(toUInt64(1), i) < shards, range(31))))';

const OF_KAFKA: Keys = {
  bytes: {
    ...each(['int16', 'int32', 'int64'], big),
    u64: (key) => big(8, `toUInt64(${key})`),
    uuid: (key) => `toString(${key})`,
  },
};

const OF_SPARK: Keys = {
  bytes: {
    ...widened(
      (value) => little(4, value),
      (value) => little(8, value),
    ),
    date: (key) => little(4, DAYS(key)),
    timestamp: (key) => little(8, MICROS(key)),
  },
  combine: sparkHash,
  ofNull: '42',
};

const OF_HIVE_2: Keys = {
  bytes: {
    ...each(['int16', 'int32', 'int64'], big),
    u64: (key) => big(8, `toUInt64(${key})`),
    date: (key) => big(4, DAYS(key)),
  },
  hashes: { int8: (key) => `toUInt32(${integer('int8')(key)})` },
  ...OF_HIVE,
};

/** The systems and their variants, by the words of `--as`. Those that are missing have servers or tokens, not a number. */
const SYSTEMS: { readonly [word: string]: InSql } = {
  kafka: native('kafkaMurmurHash(key)', REMAINDER, OF_KAFKA),
  'kafka:unsigned': byModule('murmur2_kafka', REMAINDER, OF_KAFKA),
  rdkafka: native('CRC32(key)', REMAINDER, OF_KAFKA),
  'rdkafka:consistent': native('CRC32(key)', REMAINDER, OF_KAFKA),
  'rdkafka:murmur2': native('kafkaMurmurHash(key)', REMAINDER, OF_KAFKA),
  'rdkafka:fnv1a': byModule('fnv1a', 'abs(reinterpretAsInt32(hash)) % shards', OF_KAFKA),
  'rdkafka:fnv1a-positive': byModule('fnv1a', WITHOUT_SIGN, OF_KAFKA),
  redis: byModule('crc16', REMAINDER),
  ragedb: native('gccMurmurHash(key)', MULTIPLY_HIGH),
  spark: byModule('murmur3_spark', FLOORED, OF_SPARK),
  'spark:hash': byModule('murmur3_spark', FLOORED, OF_SPARK),
  'spark:rdd': byModule('java_hash', FLOORED, { hashes: JAVA, ofNull: '0' }),
  iceberg: native('icebergHash(key)', WITHOUT_SIGN, {
    bytes: {
      ...withU64(
        widened(
          (value) => `toInt64(${value})`,
          (value) => value,
        ),
      ),
      uuid: (key) => `toUUID(toString(${key}))`,
      decimal: (key) => key,
      date: (key) => `toInt64(${DAYS(key)})`,
      timestamp: MICROS,
    },
  }),
  postgres: byModule('lookup3_postgres', REMAINDER, {
    bytes: OF_POSTGRES,
    combine: fold(
      'if(isNull(h), a, assumeNotNull(bitXor(a, h + bitShiftLeft(a, 54) + bitShiftRight(a, 7))))',
      'toUInt64(0)',
    ),
    ofNull: '0',
  }),
  citus: byModule(
    'lookup3_citus',
    atMostTheLast('intDiv(toInt64(reinterpretAsInt32(hash)) + 2147483648, intDiv(4294967296, shards))'),
    { bytes: OF_POSTGRES },
  ),
  vitess: native('byteSwap(xxHash64(key))', `if(shards > 256,\n      ${ofKeyspaceId(16)},\n      ${ofKeyspaceId(8)})`, {
    bytes: {
      ...widened(
        (value) => `toString(${value})`,
        (value) => `toString(${value})`,
      ),
      u64: (key) => `toString(toUInt64(${key}))`,
    },
    ofNull: `${0x99e9d85137db46efn}`,
  }),
  elasticsearch: byModule('murmur3_utf16', FLOORED),
  'elasticsearch:before-9.4': byModule(
    'murmur3_utf16',
    `intDiv(positiveModulo(toInt64(reinterpretAsInt32(hash)),\n      toInt64(shards) * ${ROUTING_FACTOR}),\n      ${ROUTING_FACTOR})`,
  ),
  couchbase: native('bitAnd(bitShiftRight(CRC32(key), 16), 32767)', REMAINDER),
  flink: byModule(
    'java_hash',
    'abs(toInt64(reinterpretAsInt32(murmurHash3_32(reinterpretAsInt32(hash))))) % 2147483648 % shards',
    { hashes: { ...JAVA, uuid: uuidHashCode } },
  ),
  'clickhouse:sipHash64': ofClickHouse('sipHash64'),
  'clickhouse:murmurHash3_64': ofClickHouse('murmurHash3_64'),
  'clickhouse:xxHash64': ofClickHouse('xxHash64'),
  'clickhouse:cityHash64': ofClickHouse('cityHash64'),
  nats: byModule('fnv1a', REMAINDER),
  pulsar: byModule('java_hash', WITHOUT_SIGN),
  'pulsar:java': byModule('java_hash', WITHOUT_SIGN),
  'pulsar:murmur3': native('murmurHash3_32(key)', WITHOUT_SIGN),
  hive: byModule('murmur3_hive', WITHOUT_SIGN, OF_HIVE_2),
  'hive:2': byModule('murmur3_hive', WITHOUT_SIGN, OF_HIVE_2),
  'hive:1': native('javaHash(key)', WITHOUT_SIGN, {
    hashes: { ...withU64(JAVA), date: (key) => `toUInt32(${DAYS(key)})` },
    ...OF_HIVE,
  }),
  discord: native('bitShiftRight(toUInt64(key), 22)', REMAINDER, {
    bytes: Object.fromEntries([...NARROW, ...WIDE, 'u64' as const].map((kind) => [kind, integer(kind)])),
  }),
  kinesis: native(
    'toUInt256(reinterpretAsUInt128(reverse(MD5(key))))',
    atMostTheLast('toInt64(intDiv(hash, intDiv(bitShiftLeft(toUInt256(1), 128), shards)))'),
  ),
};

/** The words of `--as` for which there is SQL. */
export const PLACING_WORDS: readonly string[] = Object.keys(SYSTEMS);

const SAMPLES: { readonly [kind in KeyKind]?: readonly [key: string | number | bigint | Uint8Array, sql: string] } = {
  text: ['user:42', "'user:42'"],
  bytes: [new TextEncoder().encode('user:42'), "'user:42'"],
  int64: [2n ** 60n, `${2n ** 60n}`],
  u64: [2n ** 60n, `${2n ** 60n}`],
  uuid: ['f79c3e09-677c-4bbd-a479-3f349cb785e7', "toUUID('f79c3e09-677c-4bbd-a479-3f349cb785e7')"],
  decimal: ['14.20', "toDecimal64('14.20', 2)"],
  date: ['2017-11-16', "toDate('2017-11-16')"],
  timestamp: ['2017-11-16T22:31:08', "toDateTime64('2017-11-16 22:31:08', 6, 'UTC')"],
};

/** The hash of a key in SQL. @throws RangeError for a kind for which there is none */
function hashIn({ hash, keys }: InSql, word: string, columns: readonly Column[]): string {
  const { bytes = {}, hashes = {}, combine, ofNull } = keys;
  for (const { kind } of columns) {
    if (kind === 'text' || kind === 'bytes' || kind in bytes || kind in hashes) continue;
    const known = ['text', 'bytes', ...Object.keys(bytes), ...Object.keys(hashes)];
    throw wrongValue('example.key', `one of ${known.join(', ')}, for which there is SQL with ${word}`, kind);
  }
  const bytesOf = ({ kind, key }: Column) => bytes[kind]?.(key) ?? key;
  const hashOf = (column: Column) => hashes[column.kind]?.(column.key) ?? hash(bytesOf(column));
  if (columns.length > 1 && combine !== undefined) return combine(columns, combine === sparkHash ? bytesOf : hashOf);
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
  const inSql = SYSTEMS[word] as InSql;
  const kinds = [example.key].flat() as readonly KeyKind[];
  const columns = kinds.map((kind, i): Column => ({ kind, key: kinds.length === 1 ? 'key' : `key${i + 1}` }));
  const hash = hashIn(inSql, word, columns);
  const isUsual = kinds.length === 1 && (kinds[0] === keys[0] || kinds[0] === 'bytes');
  const name = [word, noun, ...(isUsual ? [] : kinds)].join(' ').replace(/\W+/g, '_').toLowerCase();
  const asKeys = isUsual ? '' : ` --keys ${kinds.join(',')}`;
  const hasCount = count !== undefined;
  const last = hasCount ? ['shards'] : [];
  const parameters = `(${[...columns.map(({ key }) => key), ...last].join(', ')})`;
  const placed = inSql.shard.replaceAll(/\b(hash|shards)\b/g, (part) =>
    part === 'hash' ? hash : hasCount ? part : `${example.shards}`,
  );
  const body = hasCount ? `toUInt32(${placed}\n    + ${checkedShards(most)})` : `toUInt32(${placed})`;
  const samples = kinds.map((kind) => SAMPLES[kind] ?? ([42, '42'] as const));
  const sample = samples.map(([key]) => key);
  const call = `${name}(${[...samples.map(([, sql]) => sql), ...(hasCount ? [`${example.shards}`] : [])].join(', ')})`;
  const module = inSql.module && hash.includes(nameInClickHouse(inSql.module)) ? inSql.module : undefined;
  return [
    `-- ${name}${parameters} for ClickHouse: the ${noun} of a key, as with \`shardbits route --as ${word}${asKeys}\`.`,
    ...(module === undefined ? [] : [moduleSql(readModule, [module]), '']),
    `-- A key is ${kinds.map((kind) => `a ${TYPES[kind]}`.replace(/^a (?=[I])/, 'an ')).join(' and ')}.`,
    `create or replace function ${name} as ${parameters} -> ${body};`,
    '',
    `-- To check it: select ${call}; gives ${example.route(typeof example.key === 'string' ? sample[0] : sample)}.\n`,
  ].join('\n');
}
