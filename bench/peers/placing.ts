// Compares partitioners with plain C on rows of bytes, and with npm packages that have the same results on strings.
import { createRequire } from 'node:module';
import { type Area, onBackends, type Way } from '../area.js';
import { byteStrings, strings } from '../inputs.js';
import { partitioner } from '../shardbits.js';
import { Native } from './native.js';

const require = createRequire(import.meta.url);
const BYTES = 9;

type Place = (key: string) => number;

/** The npm packages for a system, which are called once for each key. */
function packages(): { readonly [system: string]: { readonly name: string; readonly place: Place }[] } {
  const { Partitioners } = require('kafkajs');
  const kafkajs = Partitioners.DefaultPartitioner();
  const partitionMetadata = Array.from({ length: 12 }, (_, partitionId) => ({ partitionId, leader: 1 }));
  const murmur2 = require('murmur2-partitioner') as { partition(key: string, partitions: number): number };
  const crc = require('crc-32') as { str(key: string): number };
  const redis = require('@redis/client/dist/lib/utils/calculate-slot.js') as { default: Place };
  const murmur3 = require('murmurhash3js-revisited') as { x86: { hash32(bytes: Uint8Array): number } };
  return {
    kafka: [
      {
        name: 'kafkajs',
        place: (key) => kafkajs({ topic: 't', partitionMetadata, message: { key } }),
      },
      { name: 'murmur2-partitioner', place: (key) => murmur2.partition(key, 12) },
    ],
    rdkafka: [{ name: 'crc-32', place: (key) => (crc.str(key) >>> 0) % 12 }],
    redis: [{ name: '@redis/client', place: redis.default }],
    iceberg: [
      {
        name: 'murmurhash3js-revisited',
        place: (key) => (murmur3.x86.hash32(Buffer.from(key)) & 0x7fffffff) % 12,
      },
    ],
  };
}

/** Partitioners, by their names for `--as`. */
const PARTITIONERS = {
  kafka: partitioner('kafka', { partitions: 12 }),
  rdkafka: partitioner('rdkafka', { partitions: 12 }),
  'rdkafka:fnv1a': partitioner('rdkafka', { partitions: 12, variant: 'fnv1a' }),
  redis: partitioner('redis'),
  ragedb: partitioner('ragedb', { shards: 12 }),
  spark: partitioner('spark', { partitions: 12 }),
  'spark:rdd': partitioner('spark', { partitions: 12, variant: 'rdd' }),
  iceberg: partitioner('iceberg', { buckets: 12 }),
  postgres: partitioner('postgres', { modulus: 12 }),
  citus: partitioner('citus', { shards: 12 }),
  cassandra: partitioner('cassandra', {
    tokens: BigInt64Array.from({ length: 256 }, (_, i) => BigInt(i - 128) << 56n),
  }),
  vitess: partitioner('vitess', { shards: 12 }),
  elasticsearch: partitioner('elasticsearch', { shards: 12 }),
  'elasticsearch:before-9.4': partitioner('elasticsearch', { shards: 12, before: '9.4' }),
  couchbase: partitioner('couchbase', {}),
  flink: partitioner('flink', { maxParallelism: 128 }),
  'clickhouse:sipHash64': partitioner('clickhouse', { hash: 'sipHash64', shards: 12 }),
  'clickhouse:murmurHash3_64': partitioner('clickhouse', { hash: 'murmurHash3_64', shards: 12 }),
  'clickhouse:xxHash64': partitioner('clickhouse', { hash: 'xxHash64', shards: 12 }),
  'clickhouse:cityHash64': partitioner('clickhouse', { hash: 'cityHash64', shards: 12 }),
};

/** The partitioners that partitioners.c has, too. */
const IN_C = ['kafka', 'rdkafka', 'redis', 'ragedb', 'spark', 'iceberg', 'postgres', 'clickhouse:sipHash64'];

/** @param started gets the programs to stop at the end */
export function* placing(rows: number, started: Native[]): Iterable<Area> {
  const texts = strings(rows, BYTES, '-');
  // Some systems hash UTF-16, and take bytes only if they are UTF-8.
  const data = new TextEncoder().encode(texts.join(''));
  const column = { data, offsets: byteStrings(rows, BYTES).offsets };
  const shards = new Uint32Array(rows);
  const native = new Native('partitioners.c');
  started.push(native);
  const isCompiled = native.start(new BigUint64Array(1), column.data, column.offsets);
  const others = packages();
  for (const [system, routing] of Object.entries(PARTITIONERS)) {
    const area = (kind: string, title: string, ways: Way[]): Area => {
      return {
        name: `as-${system.replace(':', '-')}-${kind}`,
        title: `as ${system}, ${title}`,
        rows,
        bytesPerRow: BYTES + 8,
        ways,
      };
    };
    const [ofBytes] = onBackends(rows, () => [routing.routeMany(column, { out: shards })]);
    yield area('bytes', `a BytesColumn of rows of ${BYTES} bytes`, [
      ofBytes,
      ...(isCompiled && IN_C.includes(system) ? [native.way(`${system} 12`, Uint32Array, rows)] : []),
    ]);
    const [ofTexts] = onBackends(rows, () => [routing.routeMany(texts, { out: shards })]);
    yield area('strings', `strings of ${BYTES} characters`, [
      ofTexts,
      ...(others[system] ?? []).map(({ name, place }) => ofPackage(name, texts, place)),
    ]);
  }
}

function ofPackage(name: string, texts: readonly string[], place: Place): Way {
  const rows = Math.ceil(texts.length / 4);
  const shards = new Uint32Array(rows);
  return {
    name,
    rows,
    run() {
      for (let i = 0; i < rows; i++) shards[i] = place(texts[i]);
      return [shards];
    },
  };
}
