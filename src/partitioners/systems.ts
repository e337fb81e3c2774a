import { namesIn } from '../arguments.js';
import type { KeyKind } from './keys.js';
import type { System } from './system.js';
import {
  type BigqueryOptions,
  bigquery,
  type FlinkOptions,
  flink,
  type HiveOptions,
  hive,
  type IcebergOptions,
  iceberg,
  type SparkOptions,
  spark,
} from './systems/big-data.js';
import { type ClickhouseOptions, clickhouse } from './systems/clickhouse.js';
import { type DiscordOptions, discord } from './systems/discord.js';
import {
  type EventhubsOptions,
  eventhubs,
  type KafkaOptions,
  type KinesisOptions,
  kafka,
  kinesis,
  type NatsOptions,
  nats,
  type PulsarOptions,
  pulsar,
  type RdkafkaOptions,
  rdkafka,
} from './systems/messaging.js';
import {
  type CitusOptions,
  citus,
  type MysqlOptions,
  mysql,
  type PostgresModulus,
  postgres,
} from './systems/relational.js';
import { type KetamaOptions, ketama, type NginxOptions, nginx } from './systems/rings.js';
import {
  type CassandraOptions,
  type CouchbaseOptions,
  cassandra,
  couchbase,
  type ElasticsearchOptions,
  elasticsearch,
  type MongodbOptions,
  mongodb,
  type PrometheusOptions,
  prometheus,
  type RagedbOptions,
  ragedb,
  redis,
} from './systems/stores.js';
import { type VitessOptions, vitess } from './systems/vitess.js';

/** The systems by name, with their options, the column of their tokens, and their kind of keys if it is not text. */
export interface Systems {
  kafka: { options: KafkaOptions; tokens: Int32Array };
  rdkafka: { options: RdkafkaOptions; tokens: Int32Array | Uint32Array };
  redis: { options: object | undefined; tokens: Uint32Array };
  ragedb: { options: RagedbOptions; tokens: BigUint64Array };
  spark: { options: SparkOptions; tokens: Int32Array };
  iceberg: { options: IcebergOptions; tokens: Int32Array };
  postgres: { options: PostgresModulus; tokens: BigUint64Array };
  citus: { options: CitusOptions; tokens: Int32Array };
  cassandra: { options: CassandraOptions | undefined; tokens: BigInt64Array };
  vitess: { options: VitessOptions; tokens: BigUint64Array };
  elasticsearch: { options: ElasticsearchOptions; tokens: Int32Array };
  couchbase: { options: CouchbaseOptions | undefined; tokens: Uint32Array };
  flink: { options: FlinkOptions; tokens: Int32Array };
  clickhouse: { options: ClickhouseOptions; tokens: BigUint64Array };
  nats: { options: NatsOptions; tokens: Uint32Array };
  pulsar: { options: PulsarOptions; tokens: Int32Array };
  hive: { options: HiveOptions; tokens: Int32Array };
  discord: { options: DiscordOptions; tokens: BigUint64Array; key: 'int64' };
  kinesis: { options: KinesisOptions; tokens: BigUint64Array };
  mongodb: { options: MongodbOptions | undefined; tokens: BigInt64Array };
  bigquery: { options: BigqueryOptions; tokens: BigInt64Array };
  mysql: { options: MysqlOptions; tokens: Uint32Array; key: 'int64' };
  eventhubs: { options: EventhubsOptions; tokens: Int32Array };
  prometheus: { options: PrometheusOptions; tokens: BigUint64Array };
  ketama: { options: KetamaOptions; tokens: Uint32Array };
  nginx: { options: NginxOptions; tokens: Uint32Array };
}

/**
 * The name of a system.
 * @useDeclaredType
 */
export type SystemName = keyof Systems;

/** The kind of keys of a system, unless another one is named. */
export type UsualKind<S extends SystemName> = Systems[S] extends { key: infer K extends KeyKind } ? K : 'text';

const SYSTEMS = {
  kafka,
  rdkafka,
  redis,
  ragedb,
  spark,
  iceberg,
  postgres,
  citus,
  cassandra,
  vitess,
  elasticsearch,
  couchbase,
  flink,
  clickhouse,
  nats,
  pulsar,
  hive,
  discord,
  kinesis,
  mongodb,
  bigquery,
  mysql,
  eventhubs,
  prometheus,
  ketama,
  nginx,
};

export const SYSTEM_NAMES = /* @__PURE__ */ namesIn(SYSTEMS);

export const definitionOf = (name: SystemName): System<any> => SYSTEMS[name];
