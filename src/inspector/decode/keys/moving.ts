import { type SystemName, systems } from '../../../partitioners/index.js';

const ORDER = 'so their order is lost across the change';
const RECORDS = `Records stay where they are: only new ones of a key go to its new partition, ${ORDER}.`;

/** What it means in a system that a key moves. Sources: the documentation of each. */
const MOVING: { readonly [system in SystemName]: string } = {
  kafka: RECORDS,
  rdkafka: RECORDS,
  redis: 'Slots move between nodes with all of their keys, and a client that asks the old node is sent on with MOVED.',
  ragedb: 'The shard is part of the id of a node, so a node that moves gets another id, also where others refer to it.',
  spark: 'The files of a bucketed table have to be rewritten; a shuffle places its rows anew each time.',
  iceberg:
    'Files keep the buckets that they were written with until they are rewritten; only new files have the new ones.',
  postgres: 'Rows are rewritten: partitions with another modulus are other tables, which are filled from the old ones.',
  citus: 'Rows are rewritten: alter_distributed_table copies the table into as many new shards.',
  cassandra:
    'Nodes stream the ranges of tokens that change hands; the old owner keeps its copy until nodetool cleanup.',
  vitess: 'Reshard copies the rows to the new shards while the old ones serve, and then switches the traffic.',
  elasticsearch:
    'Documents have to be reindexed; the split API makes only multiples of the shards that divide number_of_routing_shards.',
  couchbase:
    'A bucket keeps its number of vBuckets, so documents go to a new bucket; a rebalance moves whole vBuckets.',
  flink: 'State cannot be restored with another maxParallelism; another parallelism moves whole key groups of it.',
  clickhouse:
    'Rows stay where they were inserted: only new rows go to their new shard, unless old ones are inserted again.',
  nats: `Messages that are stored keep their subject: only new ones get that of the new partition, ${ORDER}.`,
  pulsar: RECORDS.replace('Records', 'Messages'),
  hive: 'Files keep their buckets, because ALTER TABLE changes only the metadata: the table has to be rewritten.',
  discord:
    'Nothing is stored: the bot opens sessions with the new number, and events of a guild come in its new shard.',
  kinesis:
    'Records stay in the shard that they were put into: only new records go to the shards after a split or merge.',
  ketama: 'A key that moves is a miss on its new server until it is cached again; the old copy stays until it expires.',
  mongodb: 'A chunk moves with all of its documents when the balancer gives it to another shard.',
  bigquery:
    'Nothing is stored: a query with another number gives each row its new one, such as another part of a split.',
  mysql: 'Rows are rewritten: ALTER TABLE copies the table into as many new partitions.',
  eventhubs: RECORDS.replace('Records', 'Events'),
  prometheus: 'Another server scrapes the target from then on; what it had before stays on the old one.',
  nginx: 'Requests for a key that moves go to another server, which has nothing of it in its cache.',
};

/** What moving means for a strategy of the Router, a system or one of its variants. */
export const movingBy = (by: string): string =>
  by in systems
    ? MOVING[systems[by].system]
    : 'A Router only names shards: move the data of these keys before you ask for it in the new shard.';
