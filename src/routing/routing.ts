import { checkInteger, MAX_BUCKETS, typeName, wrongKind, wrongValue } from '../arguments.js';
import type { Key, KeyColumn, Keys } from '../columns/keys.js';
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

/** What the routings of this package tell about themselves. A Routing of your own tells nothing. */
export interface Abilities {
  /** The kind of keys in a column; undefined if strings, bytes and u64s are all taken. */
  readonly keys?: KeyColumn['kind'] | undefined;
  /** The shards that are down. */
  readonly down?: readonly number[];
  /** The servers that the shards are, on a ring. */
  readonly servers?: readonly { readonly name: string; readonly weight: number }[] | undefined;
  /** How keys are hashed, and what routes the hashes. */
  readonly hashing?: Hashing;
  /**
   * Reads keys from rows of text and writes their shards to `shards`.
   * @throws RangeError with `row` for a row that is not a key; shards of other rows may have been written then
   */
  routeText?(rows: Spans, shards: Uint32Array): void;
}

/** XXH64 with a seed or, for keys that are hashes, nothing; and the routing of the hashes. */
export interface Hashing {
  readonly hash: 'xxh64' | 'none';
  readonly seed: bigint;
  ofHashes(): Routing<bigint>;
}

/** Of a routing of whichever copy of this package. A symbol as the name would keep bundlers from leaving Router out. */
export function abilitiesOf(routing: Routing<any> & { 'shardbits.abilities'?: Abilities }): Abilities {
  return routing['shardbits.abilities'] ?? {};
}

/** Whether another thread can make the same routing from its JSON, as it can for all of this package. */
export function isTransferable(routing: Routing<any>): boolean {
  return 'shardbits.abilities' in routing;
}

export function checkRouting(argument: string, routing: Routing<any>): Routing<any> {
  const { shards, route, routeMany } = Object(routing) as Routing<any>;
  if (typeof shards !== 'number' || typeof route !== 'function' || typeof routeMany !== 'function') {
    throw wrongKind(argument, 'a Router, a Partitioner or another Routing', routing);
  }
  // A partitioner for Cassandra has no shards without a ring, and says so when it routes.
  if (!isTransferable(routing)) checkInteger(`${argument}.shards`, shards, 1, MAX_BUCKETS);
  return routing;
}

/** How many keys a column has. */
export function rowsOf(keys: RoutingKeys): number {
  return 'offsets' in keys ? Math.max(0, keys.offsets.length - 1) : keys.length;
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
  const count = rowsOf(keys);
  if (shards.length !== count) throw wrongValue(argument, `${count} shards from routeMany`, shards.length);
  const most = shards.reduce((most, shard) => Math.max(most, shard), 0);
  if (most >= routing.shards) throw wrongValue(argument, `shards from 0 to ${routing.shards - 1} from routeMany`, most);
  if (out !== undefined && out !== shards) out.set(shards);
  return out ?? shards;
}
