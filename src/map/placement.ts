import { checkOneOf, checkOptions, wrongKind, wrongValue } from '../arguments.js';
import { partitioner } from '../partitioners/index.js';
import type { RingServer } from '../partitioners/systems/rings.js';
import { Router } from '../routing/router.js';
import {
  abilitiesOf,
  checkRouting,
  NamedPlacement,
  namedBy,
  type Placement,
  type Routing,
  type ShardNames,
} from '../routing/routing.js';
import type { ShardMap } from './shard-map.js';

/** Servers on a ring, as `ketama` (default) or `nginx` places keys on them. */
export interface Ring {
  readonly servers: readonly RingServer[];
  readonly system?: 'ketama' | 'nginx' | undefined;
}

/**
 * A routing with the labels of its shards, for plans, audits and files.
 * @param what a routing: of ketama and nginx, shards are called by the names of their servers. A map: a Router of as many
 *   shards, on their primary nodes. Or servers
 * @param labels for a routing: the label of each shard, or a map whose primary nodes hold the shards
 * @throws TypeError or RangeError for arguments of the wrong kind or value
 * @example
 * placementOf(new Router({ shards: 2 }), ['eu', 'us']).labelOf(1); // 'us'
 */
export function placementOf<K = any>(
  what: Routing<K> | ShardMap | Ring,
  labels?: readonly string[] | ShardMap,
): Placement<K> {
  if (isMap(what) || isRing(what)) {
    if (labels !== undefined) throw wrongKind('labels', 'undefined except with a routing', labels);
    return isMap(what) ? placementOf<any>(new Router({ shards: what.shards }), what) : placementOf<any>(ringOf(what));
  }
  const routing = checkRouting('what', what);
  if (isMap(labels)) return new NamedPlacement(routing, nodesOf(labels, routing.shards));
  if (labels !== undefined) return new NamedPlacement(routing, namedBy('labels', labels, routing.shards));
  const { servers } = abilitiesOf(routing);
  const names = servers?.map(({ name }) => name);
  return new NamedPlacement(routing, names && { names, ofShard: Uint32Array.from(names, (_, i) => i) });
}

/** Also of another copy of this package. */
const isMap = (what: unknown): what is ShardMap => 'nodeColumn' in Object(what);
const isRing = (what: object): what is Ring => 'servers' in Object(what);

function ringOf(ring: Ring): Routing<any> {
  const { servers, system = 'ketama' } = checkOptions(ring, ['servers', 'system'], 'what');
  checkOneOf('what.system', system, ['ketama', 'nginx']);
  return partitioner(system, { servers });
}

function nodesOf(map: ShardMap, shards: number): ShardNames {
  if (map.shards !== shards) throw wrongValue('labels', `a map of ${shards} shards`, map.shards);
  const primaries = map.nodeColumn(Uint32Array.from({ length: shards }, (_, shard) => shard));
  return { names: map.nodes.map(({ name }) => name), ofShard: Uint32Array.from(primaries) };
}
