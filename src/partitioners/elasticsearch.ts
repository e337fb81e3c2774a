import { checkInteger, wrongValue } from '../arguments.js';
import { remainder, replaced } from './placing.js';
import { ofUnits } from './recipes.js';
import type { System } from './system.js';

export interface ElasticsearchOptions {
  /** The number of primary shards of the index, 1 to 2^30 - 1. */
  shards: number;
  /** `index.number_of_routing_shards`, a multiple of `shards`; by default what Elasticsearch 7 and later choose. */
  routingShards?: number | undefined;
}

const MOST_SHARDS = 2 ** 30 - 1;

/**
 * Elasticsearch and OpenSearch, by `_routing` or else `_id`.
 * Source: elastic/elasticsearch `routing/Murmur3HashFunction`, `routing/IndexRouting.hashToShardId`,
 * `metadata/MetadataCreateIndexService.calculateNumRoutingShards`.
 */
export const elasticsearch: System<ElasticsearchOptions> = {
  options: ['shards', 'routingShards'],
  count: 'shards',
  place({ shards, routingShards }) {
    checkInteger('shards', shards, 1, MOST_SHARDS);
    if (routingShards !== undefined) checkInteger('routingShards', routingShards, shards, 2 ** 31 - 1);
    const hashed = routingShards ?? defaultRoutingShards(shards);
    if (hashed % shards !== 0) throw wrongValue('routingShards', `a multiple of ${shards}`, routingShards);
    const factor = hashed / shards;
    return {
      shards,
      recipes: { text: ofUnits('murmur3') },
      tokens: 'i32',
      place: replaced(remainder('floored', hashed), (shard) => Math.floor(shard / factor)),
      json: { shards, routingShards: hashed },
    };
  },
};

/** The number of shards, doubled as often as possible up to 1024, and at least once. */
function defaultRoutingShards(shards: number): number {
  const log2 = 32 - Math.clz32(shards - 1); // rounded up
  return shards * 2 ** Math.max(1, 10 - log2);
}
