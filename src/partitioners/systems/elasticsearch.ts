import { checkInteger, checkOneOf, wrongValue } from '../../arguments.js';
import { ofUnits } from '../hash.js';
import { mapShards, remainder, type System } from '../system.js';

export interface ElasticsearchOptions {
  /** The number of primary shards of the index, 1 to 2^30 - 1. */
  shards: number;
  /** `'9.4'` for an index that was created before Elasticsearch 9.4.0, or in OpenSearch: it has routing shards. */
  before?: '9.4' | undefined;
  /**
   * `index.number_of_routing_shards` of an index from before 9.4: a multiple of `shards`. It implies `before: '9.4'`. With
   * `before` alone, it is what Elasticsearch 7 and later chose.
   */
  routingShards?: number | undefined;
}

const MAX_SHARDS = 2 ** 30 - 1;

/**
 * Elasticsearch and OpenSearch, by `_routing` or else `_id`. Since 9.4.0 the hash chooses a shard of a new index; before,
 * and in OpenSearch, it chooses a routing shard, and each shard has several of them.
 * Source: elastic/elasticsearch `routing/Murmur3HashFunction`, `routing/RoutingFunction` (pull request #137062),
 * `metadata/MetadataCreateIndexService.calculateNumRoutingShards`.
 */
export const elasticsearch: System<ElasticsearchOptions> = {
  options: ['shards', 'before', 'routingShards'],
  count: 'shards',
  max: MAX_SHARDS,
  choice: { option: 'before', values: { 'before-9.4': '9.4' }, without: 'another' },
  configure({ shards, before, routingShards }) {
    checkInteger('shards', shards, 1, MAX_SHARDS);
    if (before !== undefined) checkOneOf('before', before, ['9.4']);
    if (routingShards !== undefined) checkInteger('routingShards', routingShards, shards, 2 ** 31 - 1);
    const routed = routingShards ?? (before && defaultRoutingShards(shards));
    const hashed = routed ?? shards;
    if (hashed % shards !== 0) throw wrongValue('routingShards', `a multiple of ${shards}`, routingShards);
    const factor = hashed / shards;
    const toHashed = remainder('floored', hashed);
    return {
      shards,
      hashers: { text: ofUnits('murmur3') },
      tokens: 'i32',
      toShard: factor === 1 ? toHashed : mapShards(toHashed, (shard) => Math.floor(shard / factor)),
      json: { shards, ...(routed !== undefined && { routingShards: routed }) },
    };
  },
};

/** The number of shards, doubled as often as possible up to 1024, and at least once. */
function defaultRoutingShards(shards: number): number {
  const log2 = 32 - Math.clz32(shards - 1); // rounded up
  return shards * 2 ** Math.max(1, 10 - log2);
}
