import { groupByShard } from '../routing/group.js';
import { addCount, excess, sum } from './shares.js';

/** The candidates: `width` nodes for each shard, one shard after the other. */
interface ChoiceCandidates {
  readonly nodes: Uint16Array;
  readonly width: number;
  /** The number of nodes. */
  readonly count: number;
  /** Whether a shard may choose the node of a cell. */
  readonly mayChoose: (shard: number, cell: number) => boolean;
}

export const NO_CELL = 0xffffffff;

/**
 * Chooses for each shard one of its nodes, so that each node is chosen as often as it should be.
 *
 * Nodes form a graph, and shards that can choose between two nodes are its edges. Choices move along them from nodes that have
 * too many. This is a maximum flow, found by Dinic's algorithm, so a solution is found if there is one.
 */
export class Choice {
  /** The cell of each shard, or NO_CELL for a shard that takes no part. */
  readonly cells: Uint32Array;
  readonly #candidates: ChoiceCandidates;
  readonly #shards: number;
  readonly #loads: Float64Array;

  constructor(candidates: ChoiceCandidates) {
    this.#candidates = candidates;
    this.#shards = candidates.nodes.length / candidates.width;
    this.cells = new Uint32Array(this.#shards).fill(NO_CELL);
    this.#loads = new Float64Array(candidates.count);
  }

  choose(shard: number, cell: number): void {
    this.cells[shard] = cell;
    addCount(this.#loads, this.#candidates.nodes[cell]);
  }

  /** Chooses, for a shard without a choice, the node that has been chosen for the smallest part of its share. */
  chooseLeast(shard: number, shares: Float64Array): void {
    const { nodes, width } = this.#candidates;
    let best = NO_CELL;
    let least = Number.POSITIVE_INFINITY;
    for (let cell = shard * width; cell < (shard + 1) * width; cell++) {
      if (!this.#candidates.mayChoose(shard, cell)) continue;
      const node = nodes[cell];
      const part = (this.#loads[node] + 1) / shares[node];
      if (best !== NO_CELL && !(part < least)) continue;
      least = part;
      best = cell;
    }
    if (best !== NO_CELL) this.choose(shard, best);
  }

  /** Moves choices, so that each node is chosen `least` to `most` times. @returns whether that is so now */
  balance(least: Float64Array, most: Float64Array): boolean {
    const loads = this.#loads;
    this.#flow(excess(loads, most), excess(least, loads));
    this.#flow(excess(loads, most), excess(most, loads));
    this.#flow(excess(loads, least), excess(least, loads));
    return loads.every((load, node) => load >= least[node] && load <= most[node]);
  }

  /** Moves as many choices as possible from nodes with too many to those with room. */
  #flow(excess: Float64Array, room: Float64Array): void {
    this.#exchange(excess, room);
    while (excess.some((count) => count > 0) && room.some((count) => count > 0)) {
      const graph = graphOf(this.#candidates, this.cells, this.#loads);
      if (!graph.reach(excess, room)) return;
      for (const node of excess.keys()) {
        while (excess[node] > 0) {
          const end = graph.push(node, room);
          if (end < 0) break;
          addCount(excess, node, -1);
          addCount(this.#loads, node, -1);
          addCount(this.#loads, end);
        }
      }
    }
  }

  /** Like #flow, but only directly from node to node. That is nearly always enough, and takes a tenth of the time. */
  #exchange(excess: Float64Array, room: Float64Array): void {
    const { nodes, width } = this.#candidates;
    let left = Math.min(sum(excess), sum(room));
    for (let shard = 0; left > 0 && shard < this.#shards; shard++) {
      const chosen = this.cells[shard];
      if (chosen === NO_CELL) continue;
      const node = nodes[chosen];
      if (excess[node] === 0) continue;
      for (let cell = shard * width; cell < (shard + 1) * width; cell++) {
        const other = nodes[cell];
        if (!(room[other] > 0) || !this.#candidates.mayChoose(shard, cell)) continue;
        this.cells[shard] = cell;
        for (const counts of [excess, this.#loads]) addCount(counts, node, -1);
        addCount(room, other, -1);
        addCount(this.#loads, other);
        left--;
        break;
      }
    }
  }
}

/** Searches from nodes with too many: by the shards that have chosen each node, and the distance of each node from these. */
function graphOf({ nodes, width, mayChoose }: ChoiceCandidates, cells: Uint32Array, loads: Float64Array) {
  const levels = new Int32Array(loads.length).fill(-1);
  // Shards that take no part come last: their number is one more than the last node.
  const chosen = Uint32Array.from(cells, (cell) => nodes[cell] ?? loads.length);
  const { offsets: starts, rows: shards } = groupByShard(chosen, loads.length + 1);
  const next = starts.slice(); // where the search continues for each node

  /** @returns whether a node with room can be reached */
  function reach(excess: Float64Array, room: Float64Array): boolean {
    const queue = [...excess.keys()].filter((node) => excess[node] > 0);
    for (const node of queue) levels[node] = 0;
    for (const node of queue) {
      if (queue.length === levels.length) break;
      for (let i = starts[node]; i < starts[node + 1]; i++) {
        const shard = shards[i];
        for (let cell = shard * width; cell < (shard + 1) * width; cell++) {
          const other = nodes[cell];
          if (levels[other] !== -1 || !mayChoose(shard, cell)) continue;
          levels[other] = levels[node] + 1;
          queue.push(other);
        }
      }
    }
    return queue.some((node) => room[node] > 0);
  }

  /**
   * Moves one choice from a node, by way of other nodes, to a node that has room.
   * @returns the node that had room, or -1 if none can be reached
   */
  function push(node: number, room: Float64Array): number {
    if (room[node] > 0) {
      addCount(room, node, -1);
      return node;
    }
    for (; next[node] < starts[node + 1]; addCount(next, node)) {
      const shard = shards[next[node]];
      if (nodes[cells[shard]] !== node) continue;
      for (let cell = shard * width; cell < (shard + 1) * width; cell++) {
        const other = nodes[cell];
        if (levels[other] !== levels[node] + 1 || !mayChoose(shard, cell)) continue;
        const end = push(other, room);
        if (end < 0) continue;
        cells[shard] = cell;
        return end;
      }
    }
    return -1;
  }

  return { reach, push };
}
