// `npm run verify -- partitioners`: compares partitioners, key by key and on both backends, with functions of ClickHouse and
// of npm packages, and has rows that these have placed told apart by `shardbits/detect`. The keys are the texts `user:0` to
// `user:999999`, random keys of every kind, and random keys of two and three columns. `ROWS=…` for fewer.
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { detecting, finish } from '../../src/detect/detect.js';
import { setBackend } from '../../src/index.js';
import { type KeyKind, type Partitioner, partitioner } from '../../src/partitioners/index.js';
import { type RandomKeys, randomKeys } from '../../test/partitioners/random-keys.js';
import { utf8 } from '../../test/support/bytes.js';
import { ClickHouse } from './clickhouse.js';
import { compareColumnsWithCassandra, compareColumnsWithClickHouse } from './columns.js';
import { ROWS } from './rows.js';

const RANDOM = ROWS / 5;
/** How many rows are told apart. */
const TOLD = 100_000;
const PACKAGES = [
  ...['chdb', 'hashring', 'kafkajs', '@platformatic/kafka', 'cassandra-driver', '@redis/client'],
  '@azure/event-hubs',
];
const RING = BigInt64Array.of(-(2n ** 62n), -1n, 2n ** 40n, 2n ** 62n);

type Results = ArrayLike<number | bigint>;
type Options = Readonly<Record<string, unknown>>;

/** Keys with the name of their table in ClickHouse. */
interface Table extends RandomKeys {
  readonly name: 'users' | 'texts' | 'utf16' | 'ascii' | 'bytes' | 'int32' | 'int64' | 'uuid';
}

/** SQL with the same results as a partitioner. */
interface InClickHouse {
  readonly system: string;
  readonly options: Options;
  /** The function of ClickHouse. */
  readonly as: string;
  /** The hash of a key `x`, for every table that can be compared. */
  readonly hash: { readonly [name in Table['name']]?: string };
  /** The type of the tokens, if the hash is the token. */
  readonly tokens?: keyof typeof TOKENS;
  /** The shard of a hash `h`, or of `x`. */
  readonly shard: string;
}

const TOKENS = { Int32: Int32Array, UInt32: Uint32Array, Int64: BigInt64Array, UInt64: BigUint64Array };

const INTEGER_TYPES = {
  ...{ int8: Int8Array, int16: Int16Array, int32: Int32Array, int64: BigInt64Array },
  ...{ uint8: Uint8Array, uint16: Uint16Array, uint32: Uint32Array, u64: BigUint64Array },
};

const STRINGS = ['users', 'texts', 'bytes'] as const;
const ALL = [...STRINGS, 'int32', 'int64', 'uuid'] as const;
const INTEGERS = ['int32', 'int64'] as const;

const BIG_ENDIAN = 'reinterpretAsFixedString(byteSwap(x))';
const UTF_16 = "convertCharset(x, 'UTF-8', 'UTF-16LE')";
const UUID_HALF = [1, 9].map((at) => `reinterpretAsInt64(reverse(substring(UUIDToNum(x), ${at}, 8)))`);
/**
 * `hashCode()` of Java. ClickHouse skips one byte order mark, so every text gets one more. UUIDs are hashed as the long that
 * Java makes of them, because `javaHash` of a UUID has another result.
 */
const HASH_CODE = {
  users: `javaHashUTF16LE(concat('\\xff\\xfe', ${UTF_16}))`,
  utf16: "javaHashUTF16LE(concat('\\xff\\xfe', x))",
  int32: 'x',
  int64: 'javaHash(x)',
  uuid: `javaHash(bitXor(${UUID_HALF}))`,
};
/** The two words of MD5, big-endian. */
const md5Words = (text: string) =>
  [1, 9].map((at) => `byteSwap(reinterpretAsUInt64(substring(MD5(${text}), ${at}, 8)))`) as [string, string];
/** That of a keyspace id `h`. */
const VITESS_SHARD = 'arrayCount(i -> intDiv(i * 256, 12) <= bitShiftRight(h, 56), range(1, 12))';
const flinkHash = (hashCode: string) => `abs(reinterpretAsInt32(murmurHash3_32(toInt32(${hashCode})))) % 0x80000000`;

const IN_CLICKHOUSE: readonly InClickHouse[] = [
  {
    system: 'kafka',
    options: { partitions: 12 },
    as: 'kafkaMurmurHash', // which has dropped the sign
    hash: {
      ...each(STRINGS, 'kafkaMurmurHash(x)'),
      ...each(INTEGERS, `kafkaMurmurHash(${BIG_ENDIAN})`),
      uuid: 'kafkaMurmurHash(toString(x))',
    },
    shard: 'h % 12',
  },
  {
    system: 'rdkafka',
    options: { partitions: 12 },
    as: 'CRC32',
    hash: { ...each(STRINGS, 'CRC32(x)'), ...each(INTEGERS, `CRC32(${BIG_ENDIAN})`) },
    tokens: 'UInt32',
    shard: 'h % 12',
  },
  {
    system: 'couchbase',
    options: { vbuckets: 1000 },
    as: 'CRC32',
    hash: each(STRINGS, 'bitAnd(bitShiftRight(CRC32(x), 16), 0x7fff)'),
    tokens: 'UInt32',
    shard: 'h % 1000',
  },
  {
    system: 'ragedb',
    options: { shards: 12 },
    as: 'gccMurmurHash',
    hash: each(STRINGS, 'gccMurmurHash(x)'),
    tokens: 'UInt64',
    shard: 'bitShiftRight(toUInt128(h) * 12, 64)',
  },
  {
    system: 'iceberg',
    options: { buckets: 1000 },
    as: 'icebergBucket',
    hash: each(ALL, 'icebergHash(x)'),
    tokens: 'Int32',
    shard: 'icebergBucket(1000, x)',
  },
  // farmHash64 is only of texts of up to 256 bytes: test/vectors/partitioners.ts has all of their lengths.
  ...['sipHash64', 'cityHash64', 'murmurHash3_64', 'xxHash64', 'murmurHash2_64'].map(
    (hash): InClickHouse => ({
      system: 'clickhouse',
      options: { hash, shards: 12 },
      as: hash,
      hash: each(ALL, `${hash}(x)`),
      tokens: 'UInt64',
      shard: 'h % 12',
    }),
  ),
  {
    system: 'clickhouse',
    options: { hash: 'javaHash', shards: 12 },
    as: 'javaHash',
    hash: each(ALL, 'reinterpretAsUInt32(javaHash(x))'),
    tokens: 'UInt64',
    shard: 'h % 12',
  },
  {
    system: 'vitess',
    options: { shards: 12, vindex: 'binary_md5' },
    as: 'MD5',
    hash: { ...each(STRINGS, md5Words('x')[0]), ...each(INTEGERS, md5Words('toString(x)')[0]) },
    tokens: 'UInt64',
    shard: VITESS_SHARD,
  },
  {
    system: 'prometheus',
    options: { modulus: 12 },
    as: 'MD5',
    hash: each(['users', 'texts'], md5Words('x')[1]),
    tokens: 'UInt64',
    shard: 'h % 12',
  },
  {
    system: 'vitess',
    options: { shards: 12 },
    as: 'xxHash64',
    hash: { ...each(STRINGS, 'byteSwap(xxHash64(x))'), ...each(INTEGERS, 'byteSwap(xxHash64(toString(x)))') },
    tokens: 'UInt64',
    shard: VITESS_SHARD,
  },
  {
    system: 'cassandra',
    options: { tokens: RING },
    as: 'murmurHash3_128', // which differs for bytes from 0x80 on
    hash: each(['users', 'ascii'], 'reinterpretAsInt64(substring(murmurHash3_128(x), 1, 8))'),
    tokens: 'Int64',
    shard: `arrayCount(token -> token < h, [${RING}]) % ${RING.length}`,
  },
  ...[
    { options: { shards: 5 }, shard: 'positiveModulo(h, 5)' },
    { options: { shards: 5, before: '9.4' }, shard: 'intDiv(positiveModulo(h, 640), 128)' },
  ].map(
    ({ options, shard }): InClickHouse => ({
      system: 'elasticsearch',
      options,
      as: 'murmurHash3_32 of UTF-16',
      hash: {
        users: `reinterpretAsInt32(murmurHash3_32(${UTF_16}))`,
        utf16: 'reinterpretAsInt32(murmurHash3_32(x))',
      },
      tokens: 'Int32',
      shard,
    }),
  ),
  {
    system: 'spark',
    options: { partitions: 12, variant: 'rdd' },
    as: 'javaHash',
    hash: { ...HASH_CODE, uuid: '' }, // it has no UUIDs
    tokens: 'Int32',
    shard: 'positiveModulo(h, 12)',
  },
  {
    system: 'flink',
    options: { maxParallelism: 128 },
    as: 'murmurHash3_32 of javaHash',
    hash: Object.fromEntries(Object.entries(HASH_CODE).map(([name, hashCode]) => [name, flinkHash(hashCode)])),
    tokens: 'Int32',
    shard: 'h % 128',
  },
  {
    system: 'pulsar',
    options: { partitions: 12 },
    as: 'javaHash',
    hash: { users: `bitAnd(${HASH_CODE.users}, 0x7fffffff)`, utf16: `bitAnd(${HASH_CODE.utf16}, 0x7fffffff)` },
    tokens: 'Int32',
    shard: 'h % 12',
  },
  {
    system: 'pulsar',
    options: { partitions: 12, variant: 'murmur3' },
    as: 'murmurHash3_32',
    hash: each(['users', 'texts'], 'bitAnd(murmurHash3_32(x), 0x7fffffff)'),
    tokens: 'Int32',
    shard: 'h % 12',
  },
  {
    system: 'hive',
    options: { buckets: 12, version: 1 },
    as: 'javaHash of UTF-8',
    hash: { ...each(['users', 'texts', 'int64'], 'javaHash(x)'), int32: 'x' },
    tokens: 'Int32',
    shard: 'bitAnd(h, 0x7fffffff) % 12',
  },
];

const require = createRequire(import.meta.url);
const make = partitioner as unknown as (system: string, options: Options) => Partitioner;
let different = 0;
process.exitCode = await main();

async function main(): Promise<number> {
  const missing = PACKAGES.filter((name) => !existsSync(new URL(`node_modules/${name}`, import.meta.url)));
  if (missing.length > 0) {
    console.log(`skipped: ${missing.join(', ')} not installed (npm install --prefix bench/peers)`);
    return process.env.CI ? 1 : 0;
  }
  const texts = randomKeys('text', RANDOM);
  const bytes = randomKeys('bytes', RANDOM);
  const others = (['int32', 'int64', 'uuid'] as const).map((kind) => randomKeys(kind, RANDOM));
  const clickhouse = new ClickHouse();
  try {
    await compareWithClickHouse(clickhouse, [
      { name: 'users', ...users() },
      { name: 'texts', ...texts },
      { name: 'utf16', ...texts },
      { name: 'ascii', ...asText((texts.keys as string[]).map((key) => key.replace(/[^\0-\x7f]/g, '') || '-')) },
      { name: 'bytes', ...bytes },
      ...others.map((keys) => ({ name: keys.kind as Table['name'], ...keys })),
    ]);
    await compareIntegersWithClickHouse(clickhouse);
    await compareColumnsWithClickHouse(clickhouse, report);
  } finally {
    clickhouse.stop();
  }
  for (const keys of [texts, bytes]) {
    compareWithKafkajs(keys);
    await compareWithPlatformatic(keys);
    compareWithRedisClient(keys);
  }
  compareWithHashring(texts);
  await compareWithEventHubs(texts);
  for (const keys of [texts, bytes, ...others]) compareWithCassandraDriver(keys);
  await compareColumnsWithCassandra(report);
  console.log(different === 0 ? 'all results are the same' : `${different} are different`);
  return different === 0 ? 0 : 1;
}

/** Prints what was compared, and what is wrong. */
function report(same: boolean, what: string): void {
  if (!same) different++;
  console.log(`${same ? '' : 'DIFFERENT     '}${what}`);
}

/** The same SQL for several tables. */
function each(names: readonly Table['name'][], sql: string): { [name in Table['name']]?: string } {
  return Object.fromEntries(names.map((name) => [name, sql]));
}

/** The users as one column of UTF-8. */
function users(): RandomKeys {
  const texts = Array.from({ length: ROWS }, (_, i) => `user:${i}`);
  const data = Buffer.from(texts.join(''));
  const offsets = new Uint32Array(ROWS + 1);
  for (const [i, text] of texts.entries()) offsets[i + 1] = offsets[i] + text.length;
  return {
    kind: 'text',
    keys: { data, offsets },
    rows: texts.map((_, i) => data.subarray(offsets[i], offsets[i + 1])),
  };
}

function asText(keys: readonly string[]): RandomKeys {
  return { kind: 'text', keys, rows: keys.map(utf8) };
}

/** Prints what is compared, and the first key with a different shard or token on a backend. */
function compare(
  ours: Partitioner,
  as: string,
  { kind, keys, rows }: RandomKeys,
  theirs: { readonly shards?: Results; readonly tokens?: Results },
  isExcepted: (row: number) => boolean = () => false,
): void {
  compareResults(ours, as, { kind, keys, rows }, theirs, isExcepted);
  if (theirs.shards !== undefined && hasCount(ours)) told(ours, keys, theirs.shards, isExcepted);
}

/** The same without telling what placed the keys. */
function compareResults(
  ours: Partitioner,
  as: string,
  { kind, keys, rows }: Omit<RandomKeys, 'kind'> & { readonly kind: KeyKind },
  theirs: { readonly shards?: Results; readonly tokens?: Results },
  isExcepted: (row: number) => boolean = () => false,
): void {
  const compared = Array.from(rows.keys()).filter((row) => !isExcepted(row));
  const count = compared.length.toLocaleString('en').padStart(9);
  console.log(`${ours.system.padEnd(13)} ${count} ${kind.padEnd(5)} keys  as ${as}`);
  for (const backend of ['wasm', 'bigint'] as const) {
    setBackend(backend);
    check('shard', theirs.shards, () => ours.routeMany(keys));
    check('token', theirs.tokens, () => ours.tokens(keys));

    function check(what: string, expected: Results | undefined, results: () => Results): void {
      if (expected === undefined) return;
      const got = results();
      if (got.length !== rows.length || expected.length !== rows.length) {
        throw new Error(`${rows.length} keys have ${got.length} results, and ${expected.length} as ${as}`);
      }
      const row = compared.find((row) => got[row] !== expected[row]);
      if (row === undefined) return;
      different++;
      const key = Buffer.from(rows[row]).toString('hex');
      console.log(
        `DIFFERENT     ${what} of 0x${key}, row ${row}: expected ${expected[row]}, got ${got[row]} (${backend})`,
      );
    }
  }
  setBackend('auto');
}

/** Rings of servers or tokens cannot be told from keys. */
function hasCount({ system }: Partitioner): boolean {
  return !['cassandra', 'ketama'].includes(system);
}

/** Prints what rows are told to be that a system has placed, and one in a hundred of them another one. */
function told(
  ours: Partitioner,
  keys: RandomKeys['keys'],
  theirs: Results,
  isExcepted: (row: number) => boolean,
): void {
  const some = 'offsets' in keys ? { ...keys, offsets: keys.offsets.subarray(0, TOLD + 1) } : keys.slice(0, TOLD);
  const { shards, key } = ours;
  const other =
    ours.system === 'iceberg' ? make('kafka', { partitions: shards, key }) : make('iceberg', { buckets: shards, key });
  const mixed = other.routeMany(some).map((shard, row) => (row % 100 === 99 ? shard : Number(theirs[row])));
  const { verdict, placed } = finish(detecting(some, mixed, { shards }));
  console.log(`                told by ${mixed.length.toLocaleString('en')} rows: ${verdict?.name}`);
  const row = mixed.findIndex((_, at) => placed?.[at] !== Number(theirs[at]) && !isExcepted(at));
  if (verdict !== undefined && row < 0) return;
  different++;
  console.log(`DIFFERENT     row ${row} was placed in ${theirs[row]}, and is told to be in ${placed?.[row]}`);
}

async function compareWithClickHouse(clickhouse: ClickHouse, tables: readonly Table[]): Promise<void> {
  for (const table of tables) if (table.name !== 'users') clickhouse.load(table.name, ...columnOf(table));
  for (const { system, options, as, hash, tokens, shard } of IN_CLICKHOUSE) {
    for (const table of tables.filter(({ name }) => hash[name])) {
      const column = (sql: string) => {
        const hashes = `SELECT x, ${hash[table.name]} AS h FROM ${sourceOf(table)}`;
        return clickhouse.rowBinary(`SELECT ${sql} FROM (${hashes}) SETTINGS max_threads = 1`);
      };
      const ours = make(system, { ...options, key: table.kind });
      const shards = new Uint32Array(await column(`toUInt32(${shard})`));
      const hashes = tokens && { tokens: new TOKENS[tokens](await column(`to${tokens}(h)`)) };
      compare(ours, `ClickHouse ${as}`, table, { shards, ...hashes });
    }
  }
}

/** Columns of integers of every width, and the hashes that depend on it. Up to 32 bits a shard is that of a UInt32. */
async function compareIntegersWithClickHouse(clickhouse: ClickHouse): Promise<void> {
  const shards = 11; // 12 shards do not tell -1 of 8 bits from 255
  const integers = randomKeys('int64', RANDOM).keys as BigInt64Array;
  for (const [kind, array] of Object.entries(INTEGER_TYPES) as [keyof typeof INTEGER_TYPES, typeof Int8Array][]) {
    const isBig = kind === 'int64' || kind === 'u64';
    const keys = array.from(integers as never, (value: never) => (isBig ? value : Number(BigInt.asIntN(32, value))));
    const rows = Array.from(keys, (value) => Buffer.from(String(value)));
    clickhouse.load(
      'integers',
      array.name.replace(/Big|Array/g, '').replace('Uint', 'UInt'),
      new Uint8Array(keys.buffer),
    );
    for (const hash of ['intHash32', 'intHash64', 'farmHash64', 'murmurHash2_64', 'javaHash', 'none'] as const) {
      if (hash === 'javaHash' && kind.startsWith('u')) continue; // which ClickHouse refuses
      const value = hash === 'none' ? 'x' : `${hash}(x)`;
      const word = hash === 'javaHash' || (hash === 'none' && !isBig) ? `toUInt32(${value})` : `toUInt64(${value})`;
      const column = (sql: string) =>
        clickhouse.rowBinary(`SELECT ${sql} FROM bench.integers SETTINGS max_threads = 1`);
      const theirs = {
        tokens: new BigUint64Array(await column(`toUInt64(${word})`)),
        shards: new Uint32Array(await column(`toUInt32(${word} % ${shards})`)),
      };
      const ours = make('clickhouse', { hash, shards, key: kind });
      compareResults(ours, `ClickHouse ${hash}`, { kind, keys: keys as never, rows }, theirs);
    }
    clickhouse.drop('integers');
  }
}

/** ClickHouse makes the users itself. */
function sourceOf({ name }: Table): string {
  return name === 'users' ? `(SELECT concat('user:', toString(number)) AS x FROM numbers(${ROWS}))` : `bench.${name}`;
}

/** The keys in the format RowBinary. */
function columnOf({ name, kind, keys, rows }: Table): [type: string, column: Uint8Array] {
  if (kind === 'int32' || kind === 'int64') {
    return [kind === 'int32' ? 'Int32' : 'Int64', new Uint8Array((keys as Int32Array | BigInt64Array).buffer)];
  }
  if (kind === 'uuid') {
    return ['UUID', Buffer.concat(rows.flatMap((row) => [row.slice(0, 8).reverse(), row.slice(8).reverse()]))];
  }
  const strings = name === 'utf16' ? (keys as string[]).map((key) => Buffer.from(key, 'utf16le')) : rows;
  // Each key after its length, with seven bits in a byte.
  const length = (bytes: number) => (bytes < 128 ? [bytes] : [(bytes & 127) | 128, bytes >>> 7]);
  return ['String', Buffer.concat(strings.flatMap((row) => [Buffer.from(length(row.length)), row]))];
}

function compareWithKafkajs(keys: RandomKeys): void {
  const { Partitioners } = require('kafkajs') as {
    Partitioners: { DefaultPartitioner(): (of: object) => number };
  };
  const partition = Partitioners.DefaultPartitioner();
  const partitionMetadata = Array.from({ length: 12 }, (_, partitionId) => ({ partitionId, leader: 0 }));
  const shards = asGiven(keys).map((key) => partition({ topic: 'orders', partitionMetadata, message: { key } }));
  const ours = make('kafka', { partitions: 12, key: keys.kind });
  compare(ours, 'kafkajs DefaultPartitioner', keys, { shards });
}

/** Its default hashes only buffers, and leaves the remainder to its producer. */
async function compareWithPlatformatic(keys: RandomKeys): Promise<void> {
  const file = new URL('node_modules/@platformatic/kafka/dist/clients/producer/partitioners.js', import.meta.url).href;
  const partitioners: { readonly [name: string]: (message: object, key: Buffer) => number } = await import(file);
  for (const [name, variant] of [
    ['defaultPartitioner', 'unsigned'],
    ['compatibilityPartitioner', undefined],
  ] as const) {
    const shards = keys.rows.map((row) => partitioners[name]({}, Buffer.from(row)) % 12);
    const ours = make('kafka', { partitions: 12, variant, key: keys.kind });
    compare(ours, `@platformatic/kafka ${name}`, keys, { shards });
  }
}

/** It hashes lone surrogates as they are, although it sends U+FFFD to the server. */
function compareWithRedisClient(keys: RandomKeys): void {
  const { default: calculateSlot } = require('@redis/client/dist/lib/utils/calculate-slot.js') as {
    default(key: string | Buffer): number;
  };
  const given = asGiven(keys);
  const ours = make('redis', { key: keys.kind });
  const hasLoneSurrogate = (row: number) => /\p{Surrogate}/u.test(String(keys.kind === 'text' ? given[row] : ''));
  const as = `@redis/client calculateSlot${keys.kind === 'text' ? ', without lone surrogates' : ''}`;
  compare(ours, as, keys, { shards: given.map((key) => calculateSlot(key)) }, hasLoneSurrogate);
}

/** What the package does with a partition key before it sends a batch to a partition. It takes only texts. */
async function compareWithEventHubs(keys: RandomKeys): Promise<void> {
  const path = 'node_modules/@azure/event-hubs/dist/esm/impl/partitionKeyToIdMapper.js';
  const mapper: {
    hashPartitionKey(key: string): number;
    mapPartitionKeyToId(key: string, partitions: number): number;
  } = await import(new URL(path, import.meta.url).href);
  const texts = keys.keys as string[];
  const tokens = texts.map((key) => mapper.hashPartitionKey(key));
  for (const partitions of [12, 32767]) {
    const shards = texts.map((key) => mapper.mapPartitionKeyToId(key, partitions));
    compare(make('eventhubs', { partitions }), '@azure/event-hubs mapPartitionKeyToId', keys, { shards, tokens });
  }
}

/** It counts the servers' weights, and hashes their ports. */
function compareWithHashring(keys: RandomKeys): void {
  const HashRing = require('hashring') as new (servers: object) => { get(key: string): string };
  for (const weights of [[1], [1, 1, 1], Array<number>(49).fill(1), [600, 300, 200, 350, 1000, 800, 950, 100]]) {
    const servers = weights.map((weight, i) => ({ name: `10.0.1.${i + 1}:${11211 + (i % 2)}`, weight }));
    const ring = new HashRing(Object.fromEntries(servers.map(({ name, weight }) => [name, weight])));
    const indexes = new Map(servers.map(({ name }, i) => [name, i]));
    const shards = (keys.keys as string[]).map((key) => indexes.get(ring.get(key)) as number);
    compare(make('ketama', { servers, variant: 'hashring' }), `hashring, ${weights.length} servers`, keys, { shards });
  }
}

/** It gives 0 for an empty key, and leaves the token -2^63 as it is. */
function compareWithCassandraDriver(keys: RandomKeys): void {
  const { Murmur3Tokenizer } = require('cassandra-driver/lib/tokenizer.js') as {
    Murmur3Tokenizer: new () => { hash(key: Buffer): { getValue(): object } };
  };
  const tokenizer = new Murmur3Tokenizer();
  const tokens = keys.rows.map((row) => BigInt(String(tokenizer.hash(Buffer.from(row)).getValue())));
  const ours = make('cassandra', { key: keys.kind });
  const isExcepted = (row: number) => keys.rows[row]?.length === 0 || tokens[row] === -(2n ** 63n);
  const hasEmpty = keys.rows.some((row) => row.length === 0);
  const as = `cassandra-driver Murmur3Tokenizer${hasEmpty ? ', without empty keys' : ''}`;
  compare(ours, as, keys, { tokens }, isExcepted);
}

/** Texts, or bytes in the form that npm packages take. */
function asGiven({ kind, keys, rows }: RandomKeys): readonly (string | Buffer)[] {
  return kind === 'text' ? (keys as string[]) : rows.map((row) => Buffer.from(row));
}
