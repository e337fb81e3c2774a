import type { Keys } from '../../columns/keys.js';
import { xxh64Many } from '../../hash/xxh64.js';
import { type RoutingKeys, shardsOf } from '../../routing/routing.js';
import { routingFrom } from './routing-from.js';

/** Rows of a column to route, or to hash; plain data, for another thread. */
export interface ColumnTask {
  readonly keys: Exclude<RoutingKeys, readonly string[]>;
  readonly to: { readonly routing: object } | { readonly seed: bigint };
  /** Shared memory for the results, if there is any. */
  readonly out?: Uint32Array | BigUint64Array | undefined;
}

export function doColumnTask({ keys, to, out }: ColumnTask): Uint32Array | BigUint64Array {
  if ('routing' in to) return shardsOf(routingFrom(to.routing), keys, out as Uint32Array | undefined);
  return xxh64Many(keys as Keys, { seed: to.seed, ...(out && { out: out as BigUint64Array }) });
}
