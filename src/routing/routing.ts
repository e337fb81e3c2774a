import { checkInteger, MAX_BUCKETS, typeName, wrongKind, wrongValue } from '../arguments.js';
import type { Key, Keys } from '../columns/keys.js';
import type { Spans } from '../kernels/types.js';

/**
 * What maps keys to shards: a {@link Router}, a partitioner of `shardbits/partitioners`, or an object of your own. Plans,
 * streams, files and Arrow vectors take any of them; pools and threads take only the first two.
 * @typeParam K what a key is. What takes a routing for any keys takes a `Routing<any>`
 */
export interface Routing<K = Key> {
  /** How many shards there are; they are numbered from 0. */
  readonly shards: number;
  /** The shard of one key. */
  route(key: K): number;
  /** The shard of every key of a column, in `out` or a new array. */
  routeMany(keys: Keys, options?: { out?: Uint32Array | undefined }): Uint32Array;
  /** Its options as plain data for JSON, so without bigints. */
  toJSON(): object;
}

/**
 * Columns of keys: those that a {@link Router} takes, and integers for partitioners.
 * @inline
 */
export type RoutingKeys = Keys | Int32Array;

/** The key of the method of {@link TextRouting}; the same in every copy of this package. */
export const routeText = /* @__PURE__ */ Symbol.for('shardbits.routeText');

/** A Routing that knows how its keys are written in files. Partitioners are such Routings. */
export interface TextRouting extends Routing<any> {
  /**
   * Writes the shards of rows of text to `shards`.
   * @throws RangeError with `row` for a row that is not a key; shards of other rows may have been written then
   */
  [routeText](rows: Spans, shards: Uint32Array): void;
}

export function isTextRouting(routing: Routing<any>): routing is TextRouting {
  return routeText in routing;
}

/** Whether another thread can make the same routing from its JSON. */
export function isTransferable(routing: Routing<any>): boolean {
  return ['Router', 'Partitioner'].includes(typeName(routing));
}

export function checkRouting(argument: string, routing: Routing<any>): Routing<any> {
  const isObject = typeof routing === 'object' && routing !== null;
  if (isObject && isTransferable(routing)) return routing;
  const shards = isObject && routing.shards;
  if (typeof shards !== 'number' || typeof routing.route !== 'function' || typeof routing.routeMany !== 'function') {
    throw wrongKind(argument, 'a Router, a Partitioner or another Routing', routing);
  }
  checkInteger(`${argument}.shards`, shards, 1, MAX_BUCKETS);
  return routing;
}

/**
 * The shards of a column. Those from a Routing that is not this package's are checked, because later code trusts them.
 * @param argument the caller's name for the routing
 */
export function shardsOf(
  routing: Routing<any>,
  keys: RoutingKeys,
  out?: Uint32Array | undefined,
  argument = 'router',
): Uint32Array {
  const shards = routing.routeMany(keys as Keys, out && { out });
  if (isTransferable(routing)) return shards;
  if (typeName(shards) !== 'Uint32Array') throw wrongKind(argument, 'a Uint32Array of shards from routeMany', shards);
  const count = rowCount(keys);
  if (shards.length !== count) throw wrongValue(argument, `${count} shards from routeMany`, shards.length);
  const most = shards.reduce((most, shard) => Math.max(most, shard), 0);
  if (most >= routing.shards) throw wrongValue(argument, `shards from 0 to ${routing.shards - 1} from routeMany`, most);
  if (out !== undefined && out !== shards) out.set(shards);
  return out ?? shards;
}

function rowCount(keys: RoutingKeys): number {
  return 'offsets' in keys ? Math.max(0, keys.offsets.length - 1) : keys.length;
}
