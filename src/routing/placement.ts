import { checkRecord, checkString, wrongKind, wrongValue } from '../arguments.js';
import { hasControlCharacter } from '../columns/checks.js';
import type { Key } from '../columns/keys.js';
import { leastOfShards } from './plan.js';
import { abilitiesOf, checkRouting, type Routing } from './routing.js';

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
  const routing = checkRouting(`${argument}.routing`, placement.routing);
  return new NamedPlacement(routing, namesOf(placement));
}

/**
 * The share of the keys that each name gets, if keys are spread evenly. Of servers on a ring, each is a shard, with its share
 * by weight. Of others, all shards that are up have the same.
 */
export function sharesOf({ names, ofShard }: ShardNames, routing: Routing<any>): Float64Array {
  const { servers, down } = abilitiesOf(routing);
  const isDown = new Set(down);
  const weightOf = (shard: number) => servers?.[shard].weight ?? (isDown.has(shard) ? 0 : 1);
  const total = servers?.reduce((sum, { weight }) => sum + weight, 0) ?? routing.shards - isDown.size;
  const shares = new Float64Array(names.length);
  for (const [shard, name] of ofShard.entries()) shares[name] += weightOf(shard) / total;
  return shares;
}

/**
 * The smallest share of the keys that any mapping must move, if keys are spread evenly: what each shard, or each label,
 * holds afterwards beyond what it held before. If only one placement has labels, nothing stays.
 * @returns 0 to 1
 * @example
 * leastMoved(placementOf(new Router({ shards: 10 })), placementOf(new Router({ shards: 11 }))); // 1 / 11
 */
export function leastMoved(from: Placement<any>, to: Placement<any>): number {
  const [before, after] = [checkPlacement('from', from).named, checkPlacement('to', to).named];
  if (before === undefined && after === undefined) return leastOfShards(from.routing, to.routing);
  if (before === undefined || after === undefined) return 1;
  const shares = sharesOf(before, from.routing);
  const held = new Map(before.names.map((name, i) => [name, shares[i]]));
  return sharesOf(after, to.routing).reduce((sum, share, i) => {
    return sum + Math.max(0, share - (held.get(after.names[i]) ?? 0));
  }, 0);
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
