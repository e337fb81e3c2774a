import { describe, expect, it } from 'vitest';
import { randomU64s } from '../support/random.js';
import { SEED } from '../support/seed.js';
import { canChoosePrimaries, fewestCopies, type Problem } from './exact-flow.js';

type Bounds = Problem['bounds'];

const PROBLEMS = 400;

/** Random integers: the same on every run. */
class Draws {
  readonly #values: BigUint64Array;
  #at = 0;

  constructor(seed: number) {
    this.#values = randomU64s(64, seed);
  }

  /** An integer from min to max. */
  between(min: number, max: number): number {
    const value = this.#values[this.#at++];
    if (value === undefined) throw new Error('a problem takes more draws than there are');
    return min + Number(value % BigInt(max - min + 1));
  }

  list<T>(length: number, draw: () => T): T[] {
    return Array.from({ length }, draw);
  }

  some(items: readonly number[]): number[] {
    return items.filter(() => this.between(0, 1) === 1);
  }

  /** Bounds not far from an even share of a total, as those far from it are seldom of any effect. */
  bounds(nodes: number, total: number): Bounds {
    return this.list(nodes, () => {
      const fewest = Math.max(0, Math.floor(total / nodes) - this.between(0, 2));
      return [fewest, fewest + this.between(0, 3)];
    });
  }
}

const upTo = (count: number): number[] => [...new Array(count).keys()];

/** A random problem of 2 to 4 shards on 2 to 4 nodes. */
function randomProblem(draws: Draws): Problem {
  const shards = draws.between(2, 4);
  const nodes = draws.between(2, 4);
  const replicas = draws.between(1, 3);
  return {
    held: draws.list(shards, () => draws.some(upTo(nodes))),
    replicas,
    bounds: draws.bounds(nodes, shards * replicas),
    zones: draws.list(nodes, () => draws.between(0, nodes - 1)),
    copiesAZone: draws.between(1, 3),
  };
}

/** Every way to take one of each list of choices. */
function* ways<T>([choices, ...rest]: readonly (readonly T[])[]): Generator<T[]> {
  if (choices === undefined) return yield [];
  for (const choice of choices) for (const way of ways(rest)) yield [choice, ...way];
}

function isWithin(bounds: Bounds, chosen: readonly number[]): boolean {
  return bounds.every(([fewest, most], node) => {
    const count = chosen.filter((each) => each === node).length;
    return fewest <= count && count <= most;
  });
}

/** The answer that trying every placement gives. */
function fewestCopiesOfAll({ held, replicas, bounds, zones, copiesAZone }: Problem): number | undefined {
  const places = [...ways(bounds.map(() => [false, true]))]
    .map((isUsed) => upTo(bounds.length).filter((node) => isUsed[node]))
    .filter((nodes) => nodes.length === replicas)
    .filter((nodes) => zones.every((zone) => nodes.filter((node) => zones[node] === zone).length <= copiesAZone));
  const counts = [...ways(held.map(() => places))]
    .filter((placement) => isWithin(bounds, placement.flat()))
    .map(
      (placement) => placement.flatMap((nodes, shard) => nodes.filter((node) => !held[shard]?.includes(node))).length,
    );
  return counts.length === 0 ? undefined : Math.min(...counts);
}

// By these a list of lists stays on one line.
const nodesOf = (...shards: number[][]): number[][] => shards;
const within = (...bounds: Bounds): Bounds => bounds;

describe('fewestCopies', () => {
  /** Node 2 is new. */
  const problem: Problem = {
    held: nodesOf([0, 1], [0, 1], [0, 1]),
    replicas: 2,
    bounds: within([2, 2], [2, 2], [2, 2]),
    zones: [0, 1, 2],
    copiesAZone: 1,
  };
  const loose = within([0, 3], [0, 3], [0, 3]);

  it.each<[what: string, change: Partial<Problem>, copies: number | undefined]>([
    ['fills a new node', {}, 2],
    ['makes none if all may stay', { bounds: loose }, 0],
    ['makes what a lower bound asks for', { bounds: within([0, 3], [0, 3], [1, 3]) }, 1],
    ['makes what an upper bound drives out', { bounds: within([0, 3], [0, 0], [0, 3]) }, 3],
    ['makes all again if no node is left that held any', { held: nodesOf([], [], []) }, 6],
    ['moves copies out of a zone that holds too many', { zones: [0, 0, 1], bounds: loose }, 3],
    ['cannot fill a new node in the zone of an old one', { zones: [0, 1, 1] }, undefined],
    ['can if a zone may hold two copies', { zones: [0, 1, 1], copiesAZone: 2 }, 2],
    ['cannot put two copies of a shard on a node', { bounds: within([2, 2], [4, 4], [0, 0]) }, undefined],
    ['cannot with more replicas than nodes', { replicas: 4, bounds: within([0, 9], [0, 9], [0, 9]) }, undefined],
    ['cannot if the nodes have too little room', { bounds: within([0, 2], [0, 2], [0, 1]) }, undefined],
    ['cannot if the nodes must hold too much', { bounds: within([2, 3], [2, 3], [3, 3]) }, undefined],
    ['cannot if bounds exclude each other', { bounds: within([0, 3], [0, 3], [2, 1]) }, undefined],
    // Only node 2 has room for another copy, but it holds shard 0 already; so a copy of shard 1 moves to it.
    ['moves copies on', { held: nodesOf([2], [0, 1]), bounds: within([1, 1], [1, 1], [2, 2]) }, 2],
    ['makes none of no shards', { held: [], bounds: loose }, 0],
    ['cannot give a node copies of no shards', { held: [], bounds: within([1, 1], [0, 0], [0, 0]) }, undefined],
  ])('%s', (_, change, copies) => {
    expect(fewestCopies({ ...problem, ...change })).toBe(copies);
  });

  it('finds what trying every placement finds', () => {
    const answers = upTo(PROBLEMS).map((i) => {
      const random = randomProblem(new Draws(SEED + i));
      const copies = fewestCopies(random);
      expect(copies, JSON.stringify(random)).toBe(fewestCopiesOfAll(random));
      return copies;
    });
    const possible = answers.filter((copies) => copies !== undefined);
    expect(possible.length).toBeGreaterThan(PROBLEMS / 8);
    expect(possible.length).toBeLessThan((PROBLEMS * 7) / 8);
    expect(new Set(possible).size).toBeGreaterThan(4);
  });
});

describe('canChoosePrimaries', () => {
  it.each<[what: string, holders: number[][], bounds: Bounds, can: boolean]>([
    ['one each', nodesOf([0, 1], [0, 1]), within([1, 1], [1, 1]), true],
    ['one each, where a shard leaves its first node to another', nodesOf([0, 1], [0]), within([1, 1], [1, 1]), true],
    ['not one each if a node holds nothing', nodesOf([0], [0]), within([1, 1], [1, 1]), false],
    ['both on one node if it may', nodesOf([0], [0]), within([0, 2], [0, 0]), true],
    ['not both on one node if it may not', nodesOf([0], [0]), within([0, 1], [0, 2]), false],
    ['not of a shard that no node holds', nodesOf([0], []), within([0, 2], [0, 2]), false],
    ['not more than there are', nodesOf([0, 1]), within([1, 1], [1, 1]), false],
    ['not if bounds exclude each other', nodesOf([0, 1]), within([0, 1], [1, 0]), false],
    ['of no shards', [], within([0, 1]), true],
  ])('%s', (_, holders, bounds, can) => {
    expect(canChoosePrimaries(holders, bounds)).toBe(can);
  });

  it('finds what trying every choice finds', () => {
    const answers = upTo(PROBLEMS).map((i) => {
      const draws = new Draws(SEED + i);
      const nodes = draws.between(2, 4);
      const holders = draws.list(draws.between(2, 4), () => draws.some(upTo(nodes)));
      const bounds = draws.bounds(nodes, holders.length);
      const can = canChoosePrimaries(holders, bounds);
      const isFound = [...ways(holders)].some((primaries) => isWithin(bounds, primaries));
      expect(can, JSON.stringify({ holders, bounds })).toBe(isFound);
      return can;
    });
    const possible = answers.filter((can) => can);
    expect(possible.length).toBeGreaterThan(PROBLEMS / 8);
    expect(possible.length).toBeLessThan((PROBLEMS * 7) / 8);
  });
});
