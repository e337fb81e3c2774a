import type { Keys } from '../../columns/keys.js';
import { xxh64Many } from '../../hash/xxh64.js';
import { Router, type RouterOptions } from '../../routing/router.js';

/** Rows of a column to route, or to hash; plain data, for another thread. */
export interface ColumnTask {
  readonly keys: Exclude<Keys, readonly string[]>;
  readonly to: { readonly router: RouterOptions } | { readonly seed: bigint };
  /** Shared memory for what comes of it, if there is any. */
  readonly out?: Uint32Array | BigUint64Array | undefined;
}

export function doColumnTask({ keys, to, out }: ColumnTask): Uint32Array | BigUint64Array {
  if ('router' in to) return new Router(to.router).routeMany(keys, out && { out: out as Uint32Array });
  return xxh64Many(keys, { seed: to.seed, ...(out && { out: out as BigUint64Array }) });
}
