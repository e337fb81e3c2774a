import { groupByShard } from '../routing/buckets.js';
import { excess, sum } from './shares.js';

/** The candidates: `width` nodes for each shard, one shard after the other. */
interface ChoiceCandidates {
  readonly nodes: Uint16Array;
  readonly width: number;
  readonly count: number;
  readonly mayChoose: (shard: number, cell: number) => boolean;
}

export const NO_CELL = 0xffffffff;

/**
 * Chooses for each shard one of its nodes, so that each node is chosen as often as it should be.
 *
 * Nodes form a graph, and shards that can choose between two nodes are its edges. Choices move along them from nodes that have
 * too many. This is a maximum flow, found by Dinic's algorithm, so a solution is found if there is one.
 */
export function choiceAmong({ nodes, width, count, mayChoose }: ChoiceCandidates) {
  const shards = nodes.length / width;
  /** The cell of each shard, or NO_CELL for a shard that takes no part. */
  const cells = new Uint32Array(shards).fill(NO_CELL);
  const loads = new Float64Array(count);

  function choose(shard: number, cell: number): void {
    cells[shard] = cell;
    loads[nodes[cell]]++;
  }

  /** Chooses, for a shard without a choice, the node that has been chosen for the smallest part of its share. */
  function chooseLeast(shard: number, shares: Float64Array): void {
    let best = NO_CELL;
    let least = Number.POSITIVE_INFINITY;
    for (let cell = shard * width; cell < (shard + 1) * width; cell++) {
      if (!mayChoose(shard, cell)) continue;
      const node = nodes[cell];
      const part = (loads[node] + 1) / shares[node];
      if (best !== NO_CELL && !(part < least)) continue;
      least = part;
      best = cell;
    }
    if (best !== NO_CELL) choose(shard, best);
  }

  /** Moves choices, so that each node is chosen `least` to `most` times. @returns whether that is so now */
  function balance(least: Float64Array, most: Float64Array): boolean {
    flow(excess(loads, most), excess(least, loads));
    flow(excess(loads, most), excess(most, loads));
    flow(excess(loads, least), excess(least, loads));
    return loads.every((load, node) => load >= least[node] && load <= most[node]);
  }

  /** Moves as many choices as possible from nodes with too many to those with room. */
  function flow(excess: Float64Array, room: Float64Array): void {
    exchange(excess, room);
    while (excess.some((count) => count > 0) && room.some((count) => count > 0)) {
      const push = graphFrom(excess, room);
      if (push === undefined) return;
      for (const node of excess.keys()) {
        while (excess[node] > 0) {
          const end = push(node);
          if (end < 0) break;
          excess[node]--;
          loads[node]--;
          loads[end]++;
        }
      }
    }
  }

  /** Like `flow`, but only directly from node to node. That is nearly always enough, and takes a tenth of the time. */
  function exchange(excess: Float64Array, room: Float64Array): void {
    let left = Math.min(sum(excess), sum(room));
    for (let shard = 0; left > 0 && shard < shards; shard++) {
      const chosen = cells[shard];
      if (chosen === NO_CELL) continue;
      const node = nodes[chosen];
      if (excess[node] === 0) continue;
      for (let cell = shard * width; cell < (shard + 1) * width; cell++) {
        const other = nodes[cell];
        if (!(room[other] > 0) || !mayChoose(shard, cell)) continue;
        cells[shard] = cell;
        excess[node]--;
        loads[node]--;
        room[other]--;
        loads[other]++;
        left--;
        break;
      }
    }
  }

  /**
   * Finds the shards that have chosen each node, and the distance of each node from those with too many.
   * @returns what moves one choice from a node, by way of other nodes, to a node that has room, and returns that one, or -1
   *   if none can be reached; undefined if no node with room can be reached
   */
  function graphFrom(excess: Float64Array, room: Float64Array): ((node: number) => number) | undefined {
    // Shards that take no part come last: their number is one more than the last node.
    const chosen = Uint32Array.from(cells, (cell) => nodes[cell] ?? count);
    const { offsets: starts, rows } = groupByShard(chosen, count + 1);
    const next = starts.slice(); // where the search continues for each node
    const levels = new Int32Array(count).fill(-1);
    const queue = [...excess.keys()].filter((node) => excess[node] > 0);
    for (const node of queue) levels[node] = 0;
    for (const node of queue) {
      if (queue.length === count) break;
      for (let i = starts[node]; i < starts[node + 1]; i++) {
        const shard = rows[i];
        for (let cell = shard * width; cell < (shard + 1) * width; cell++) {
          const other = nodes[cell];
          if (levels[other] !== -1 || !mayChoose(shard, cell)) continue;
          levels[other] = levels[node] + 1;
          queue.push(other);
        }
      }
    }
    return queue.some((node) => room[node] > 0) ? push : undefined;

    function push(node: number): number {
      if (room[node] > 0) {
        room[node]--;
        return node;
      }
      for (; next[node] < starts[node + 1]; next[node]++) {
        const shard = rows[next[node]];
        if (nodes[cells[shard]] !== node) continue;
        for (let cell = shard * width; cell < (shard + 1) * width; cell++) {
          const other = nodes[cell];
          if (levels[other] !== levels[node] + 1 || !mayChoose(shard, cell)) continue;
          const end = push(other);
          if (end < 0) continue;
          cells[shard] = cell;
          return end;
        }
      }
      return -1;
    }
  }

  return { cells, choose, chooseLeast, balance };
}

/** The `replicas` nodes that hold each shard, one shard after the other, and their previous roles. */
interface Holders {
  readonly nodes: Uint16Array;
  readonly replicas: number;
  /** The previous primary of each shard, or a number that is not a node's; undefined in a new map. */
  readonly primaries?: Uint16Array | undefined;
  /** 1 for each cell whose node held the shard before. */
  readonly isOld?: Uint16Array | undefined;
}

/**
 * Puts the primary of each shard first. A node is the primary of its share of all shards, rounded up or down. A primary stays
 * if that is possible. Otherwise a node that held the shard already takes over, unless the shares of such nodes are too small
 * for that, for example when most nodes are new.
 */
export function arrangePrimaries(holders: Holders, shares: Float64Array): void {
  const { nodes, replicas, primaries, isOld } = holders;
  if (replicas === 1) return;
  const shards = nodes.length / replicas;
  const mustBeOld = new Uint8Array(shards);
  let mayPassAnywhere = false;
  const choice = choiceAmong({
    nodes,
    width: replicas,
    count: shares.length,
    mayChoose: (shard, cell) => mayPassAnywhere || mustBeOld[shard] === 0 || isOld?.[cell] === 1,
  });
  for (let shard = 0; primaries !== undefined && shard < shards; shard++) {
    const [from, to] = [shard * replicas, (shard + 1) * replicas];
    for (let cell = from; cell < to; cell++) if (nodes[cell] === primaries[shard]) choice.choose(shard, cell);
    if (choice.cells[shard] !== NO_CELL) continue;
    for (let cell = from; cell < to; cell++) if (isOld?.[cell] === 1) mustBeOld[shard] = 1;
  }
  for (let shard = 0; shard < shards; shard++) if (choice.cells[shard] === NO_CELL) choice.chooseLeast(shard, shares);

  const balance = () =>
    choice.balance(shares.map(Math.floor), shares.map(Math.ceil)) ||
    choice.balance(
      shares.map((share) => Math.ceil(share - 1)),
      shares.map((share) => Math.floor(share + 1)),
    );
  if (!balance()) {
    mayPassAnywhere = true;
    balance();
  }
  for (let shard = 0; shard < shards; shard++) {
    const [first, cell] = [shard * replicas, choice.cells[shard]];
    const primary = nodes[cell];
    nodes.copyWithin(first + 1, first, cell);
    nodes[first] = primary;
  }
}
