// A year in the life of a cluster, for its test and for a chart.

import { type NodeSpec, ShardMap } from '../../src/map/index.js';
import { randomU64s } from '../support/random.js';
import { copiesMade } from './moves.js';
import { neighbors, sumOf, zoneOf } from './reading.js';

/** What one change came to. */
export interface YearRow {
  /** From 1. */
  readonly week: number;
  readonly change: string;
  /** How many there are after it. */
  readonly nodes: number;
  /** How many copies it made. */
  readonly made: number;
  /** A number of copies that no way to the same shares can do without. */
  readonly fewest: number;
  /** How far a node is from its ideal number of copies at most. */
  readonly worst: number;
}

export interface YearOptions {
  readonly shards?: number;
  /** Whether nodes have zones; true by default. */
  readonly zoned?: boolean;
  readonly seed?: number;
  readonly weeks?: number;
  /** What `fewest` is found by, instead of a bound that is simple and quick. */
  readonly fewestBy?: (before: ShardMap, after: ShardMap) => number | undefined;
}

const REPLICAS = 3;
const ZONES = ['a', 'b', 'c'];
const NODES_A_WEEK = 4; // about 200 more in all

/** Integers that look random, the same ones on every run. */
class Draws {
  readonly #values: BigUint64Array;
  #at = 0;

  constructor(seed: number) {
    this.#values = randomU64s(10_000, seed);
  }

  /** 0 to count - 1. */
  below(count: number): number {
    return Number(this.#values[this.#at++] % BigInt(count));
  }
}

/**
 * How many copies any way must make to get from one map to nodes that hold what they do in the next.
 *
 * Whatever the order, a node that held less than the least it must hold gets what is missing. And if a group of nodes
 * holds a number of copies that cannot be otherwise, then what its nodes may keep of theirs, which is at most what each may
 * hold, is not more than that; the rest is made. Such a group is the whole cluster; where there are as many zones as
 * copies, it is each zone, which must hold every shard then. The groups have no node in common, so their copies add up.
 */
function fewestOf(before: ShardMap, after: ShardMap): number {
  const held = new Map(before.balance().map(({ node, copies }) => [node, copies]));
  const zones = new Set(after.nodes.map(zoneOf));
  const areZonesFull = zones.size === after.replicas;
  const groups = areZonesFull ? [...zones] : ['all'];
  const total = areZonesFull ? after.shards : after.shards * after.replicas;
  const balance = after.balance();
  return sumOf(
    groups.map((group) => {
      let [lacking, kept] = [0, 0];
      for (const [i, { node, ideal }] of balance.entries()) {
        if (areZonesFull && zoneOf(after.nodes[i]) !== group) continue;
        const [fewest, most] = neighbors(ideal);
        lacking += Math.max(0, fewest - (held.get(node) ?? 0));
        kept += Math.min(most, held.get(node) ?? 0);
      }
      return Math.max(lacking, total - kept);
    }),
  );
}

function worstOf(map: ShardMap): number {
  return Math.max(...map.balance().map(({ copies, ideal }) => Math.abs(copies - ideal)));
}

/**
 * A cluster that starts with 3 nodes and gets some more each week, up to about 200. Nodes fail, too; most of them come back
 * some weeks later, the others are replaced by one with another weight. And now and then the weight of a node changes.
 */
export function simulateYear(options: YearOptions = {}): YearRow[] {
  const { shards = 4096, zoned = true, seed = 2024, weeks = 52, fewestBy = fewestOf } = options;
  const draws = new Draws(seed);
  let count = 0;
  const newNode = (): NodeSpec => {
    const zone = ZONES[count % ZONES.length];
    const node = { name: `node-${String(++count).padStart(3, '0')}`, weight: 1 + draws.below(8) };
    return zoned ? { ...node, zone } : node;
  };
  let nodes = ZONES.map(newNode);
  let map = ShardMap.create({ shards, nodes, replicas: REPLICAS });
  const rows: YearRow[] = [];
  const change = (week: number, what: string, next: NodeSpec[]) => {
    const after = map.with({ nodes: next });
    const [made, fewest] = [copiesMade(map, after), fewestBy(map, after) ?? Number.NaN];
    rows.push({ week, change: what, nodes: next.length, made, fewest, worst: worstOf(after) });
    nodes = next;
    map = after;
  };

  let away: { readonly node: NodeSpec; readonly until: number }[] = [];
  for (let week = 1; week <= weeks; week++) {
    for (const { node } of away.filter(({ until }) => until === week)) {
      const isBack = draws.below(3) > 0;
      const other = { ...newNode(), ...(node.zone !== undefined && { zone: node.zone }) };
      change(week, isBack ? 'back' : 'replaced', [...nodes, isBack ? node : other]);
    }
    away = away.filter(({ until }) => until > week);
    change(week, 'grown', [...nodes, ...Array.from({ length: NODES_A_WEEK }, newNode)]);
    if (draws.below(3) > 0) {
      const failed = draws.below(nodes.length);
      away.push({ node: nodes[failed], until: week + 1 + draws.below(3) });
      change(
        week,
        'failed',
        nodes.filter((_, i) => i !== failed),
      );
    }
    if (draws.below(3) === 0) {
      const chosen = draws.below(nodes.length);
      const weight = 1 + draws.below(8);
      change(
        week,
        'reweighted',
        nodes.map((node, i) => (i === chosen ? { ...node, weight } : node)),
      );
    }
  }
  return rows;
}
