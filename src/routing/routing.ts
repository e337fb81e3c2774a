import { checkInteger, checkRecord, checkString, MAX_BUCKETS, typeName, wrongKind, wrongValue } from '../arguments.js';
import {
  hasControlCharacter,
  type Key,
  type KeyKind,
  type Keys,
  type PartitionKeys,
  type RowValues,
} from '../columns/keys.js';

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
 * Columns of keys: those that a {@link Router} takes, and others for partitioners.
 * @inline
 */
export type RoutingKeys = PartitionKeys;

/** What the routings of this package tell about themselves. A Routing of your own tells nothing. */
export interface Abilities {
  /** What each column of a key is; undefined if keys are strings, bytes and u64s. */
  readonly kinds?: readonly KeyKind[] | undefined;
  /** Whether values may be NULL. */
  readonly takesNull?: boolean | undefined;
  /** The shards that are down. */
  readonly down?: readonly number[];
  /** The servers that the shards are, on a ring. */
  readonly servers?: readonly { readonly name: string; readonly weight: number }[] | undefined;
  /** How keys are hashed, and what routes the hashes. */
  readonly hashing?: Hashing;
  /** Checks a column of keys that are not u64s, and says what memory it is in. */
  checkKeys?(keys: PartitionKeys): { readonly rows: number; readonly memory: readonly ArrayBufferView[] };
  /**
   * Reads keys from rows and writes their shards to `shards`.
   * @throws RangeError with `row` for a row that is not a key; shards of other rows may have been written then
   */
  routeRows?(columns: readonly RowValues[], shards: Uint32Array): void;
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

export function checkRouting(argument: string, routing: Routing<any> | undefined): Routing<any> {
  const { shards, route, routeMany }: Partial<Routing<any>> = Object(routing);
  const isRouting = typeof route === 'function' && typeof routeMany === 'function';
  if (routing === undefined || typeof shards !== 'number' || !isRouting) {
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

/**
 * A routing, and what its shards are called: the nodes that hold them, or the servers that they are.
 * @typeParam K what a key is
 */
export interface Placement<K = Key> {
  readonly routing: Routing<K>;
  /** The label of each shard. Several shards may have the same. Undefined: shards are called by their numbers. */
  readonly labels: readonly string[] | undefined;
  /** All labels, each once, also those that no shard has. */
  readonly names?: readonly string[] | undefined;
  /** The label of a shard, or its number. */
  labelOf(shard: number): string;
}

/** What shards are called, each name once; plain data, for another thread. */
export interface ShardNames {
  readonly names: readonly string[];
  /** The index of the name of each shard. */
  readonly ofShard: Uint32Array;
}

/** A placement of this package. */
export class NamedPlacement<K = Key> implements Placement<K> {
  #labels: readonly string[] | undefined;

  /** @param named undefined: shards are called by their numbers */
  constructor(
    readonly routing: Routing<K>,
    readonly named: ShardNames | undefined,
  ) {}

  get labels(): readonly string[] | undefined {
    const { named } = this;
    this.#labels ??= named && Object.freeze(Array.from(named.ofShard, (name) => named.names[name]));
    return this.#labels;
  }

  get names(): readonly string[] | undefined {
    return this.named?.names;
  }

  labelOf(shard: number): string {
    return this.named === undefined ? String(shard) : this.named.names[this.named.ofShard[shard]];
  }
}

/** What the shards of a placement are called; undefined: their numbers. */
export function namesOf(placement: Placement<any>): ShardNames | undefined {
  if (placement instanceof NamedPlacement) return placement.named;
  const { labels, routing } = placement;
  return labels && namedBy('placement.labels', labels, routing.shards);
}

const MAX_NAMES = 65_535;

/** Labels of shards as names, in the order in which they first come. */
export function namedBy(argument: string, labels: readonly string[], shards: number): ShardNames {
  if (!Array.isArray(labels)) throw wrongKind(argument, 'an array of strings', labels);
  if (labels.length !== shards) throw wrongValue(argument, `a label for each of ${shards} shards`, labels.length);
  const numbers = new Map<string, number>();
  const ofShard = Uint32Array.from(labels, (label, shard) => {
    const known = numbers.get(label);
    if (known !== undefined) return known;
    if (hasControlCharacter(checkString(argument, label))) {
      throw wrongValue(argument, 'no control characters', label, shard);
    }
    numbers.set(label, numbers.size);
    return numbers.size - 1;
  });
  if (numbers.size > MAX_NAMES) throw wrongValue(argument, `at most ${MAX_NAMES} different labels`, numbers.size);
  return { names: [...numbers.keys()], ofShard };
}

export function checkPlacement(argument: string, placement: Placement<any>): NamedPlacement<any> {
  if (placement instanceof NamedPlacement) return placement;
  checkRecord(argument, placement);
  return new NamedPlacement(checkRouting(`${argument}.routing`, placement.routing), namesOf(placement));
}

/** Numbers for the labels of placements: the same for the same label; plain data, for another thread. */
export interface LabelNumbers {
  /** The number of each shard's label; undefined: shards have their own numbers. */
  readonly before: Uint32Array | undefined;
  readonly after: Uint32Array | undefined;
  /** How many numbers there are at most before, and after. */
  readonly counts: readonly [number, number];
  /** So many numbers are those of shards. Numbers of names follow. */
  readonly numbered: number;
  readonly names: readonly string[];
}

/**
 * Numbers the labels of two placements. Names are in their order, or in that of the placement if it is only one. The number of
 * a shard is another label than any name.
 * @param others more names
 */
export function labelNumbers(from: Placement<any>, to: Placement<any>, others: readonly string[] = []): LabelNumbers {
  const sides = [from, to].map((placement) => ({ shards: placement.routing.shards, named: namesOf(placement) }));
  const numbered = Math.max(0, ...sides.map(({ named, shards }) => (named === undefined ? shards : 0)));
  const known = new Set(sides.flatMap(({ named }) => named?.names ?? []));
  const inOrder = from === to ? [...known] : [...known].sort((a, b) => (a < b ? -1 : 1));
  const names = [...inOrder, ...new Set(others.filter((name) => !known.has(name)))];
  const numbers = new Map(names.map((name, i) => [name, numbered + i]));
  const [before, after] = sides.map(({ named }) => {
    const ofName = named?.names.map((name) => numbers.get(name) as number) ?? [];
    return named && Uint32Array.from(named.ofShard, (name) => ofName[name]);
  });
  const countOf = (shards: number, named: Uint32Array | undefined) => (named ? numbered + known.size : shards);
  return {
    before,
    after,
    counts: [countOf(sides[0].shards, before), countOf(sides[1].shards, after)],
    numbered,
    names,
  };
}

/** The label with a number; a number, if it is that of a shard. */
export function labelAt({ numbered, names }: Pick<LabelNumbers, 'numbered' | 'names'>, number: number) {
  return number < numbered || names.length === 0 ? number : names[number - numbered];
}
