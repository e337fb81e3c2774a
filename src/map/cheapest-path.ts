import { groupByShard } from '../routing/group.js';
import { type CopyCells, cellOf, fits, roomInZone } from './shares.js';

/**
 * The nodes that no cell has reached yet. If a cell may not have any node of a zone, all of them are skipped at once. Most
 * cells reach nearly all nodes that are left. Without this, a million shards on a thousand nodes took 90 s.
 */
class NodesByZone {
  /** The zones that have nodes. The first `#zonesLeft` still have nodes left. */
  readonly #zones: Uint16Array;
  #zonesLeft = 0;
  /** The nodes, zone by zone. The first `#left[zone]` nodes of a zone are left. */
  readonly #nodes: Uint16Array;
  readonly #starts: Uint32Array;
  readonly #left: Uint32Array;
  #reached = 0;

  /** @param mostInZone zones that may hold nothing have no nodes here */
  constructor(zones: Uint16Array, mostInZone: Uint16Array) {
    const { offsets, rows } = groupByShard(zones, mostInZone.length);
    this.#starts = offsets;
    this.#nodes = Uint16Array.from(rows);
    this.#zones = Uint16Array.from(mostInZone.keys()).filter((zone) => mostInZone[zone] !== 0);
    this.#left = new Uint32Array(mostInZone.length);
  }

  /** Starts again with all nodes except one. */
  reset(reached: number): void {
    this.#zonesLeft = this.#zones.length;
    this.#reached = reached;
    for (const zone of this.#zones) {
      this.#left[zone] = this.#starts[zone + 1] - this.#starts[zone];
    }
  }

  /** Removes the nodes that a cell can get, and reports them. */
  reach(cells: CopyCells, cell: number, onNode: (node: number) => void): void {
    for (let i = this.#zonesLeft - 1; i >= 0; i--) {
      const zone = this.#zones[i];
      if (roomInZone(cells, cell, zone) === 0) continue;
      const left = this.#reachInZone(zone, cells, cell, onNode);
      this.#left[zone] = left;
      if (left > 0) continue;
      this.#zonesLeft--;
      this.#zones[i] = this.#zones[this.#zonesLeft];
      this.#zones[this.#zonesLeft] = zone;
    }
  }

  /** @returns how many nodes of the zone are left: those that hold the shard already */
  #reachInZone(zone: number, { nodes, width }: CopyCells, cell: number, onNode: (node: number) => void): number {
    const start = this.#starts[zone];
    const end = start + this.#left[zone];
    const first = cell - (cell % width);
    let kept = start;
    for (let i = start; i < end; i++) {
      const node = this.#nodes[i];
      if (node === this.#reached) continue;
      let other = first;
      while (other < first + width && nodes[other] !== node) other++;
      if (other === first + width) {
        onNode(node);
        continue;
      }
      this.#nodes[i] = this.#nodes[kept];
      this.#nodes[kept++] = node;
    }
    return kept - start;
  }
}

/** A cell that gets another node. */
interface Step {
  readonly cell: number;
  readonly node: number;
}

// A path is better if more of its ends must give or take, then if it makes fewer copies, then if it is shorter. Because it
// is the shortest of the cheapest paths, it passes no shard twice, so its steps do not conflict.
export const NEEDED = -(2 ** 40);
export const COPY = 2 ** 20;

/**
 * The cheapest path that moves a copy from a node that can give one to a node that can take one, through the cells of any
 * shards, by the Bellman-Ford algorithm over nodes. Undefined if no path is an improvement.
 * @param before the cells before any move: a copy on a node that held the shard then costs nothing
 */
export function cheapestPath(
  cells: CopyCells,
  before: Uint16Array,
  counts: Float64Array,
  least: Float64Array,
  most: Float64Array,
): { readonly path: readonly Step[]; readonly cost: number } {
  const size = counts.length;
  const costs = new Float64Array(size).fill(Number.POSITIVE_INFINITY);
  const steps: (Step | undefined)[] = new Array(size).fill(undefined);
  const arcs = new Arcs(cells, before, size);
  const queue: number[] = [];
  const isQueued = new Uint8Array(size);
  const enter = (node: number) => {
    if (isQueued[node] === 1) return;
    isQueued[node] = 1;
    queue.push(node);
  };
  for (const [node, count] of counts.entries()) {
    if (count <= least[node]) continue;
    costs[node] = count > most[node] ? NEEDED : 0;
    enter(node);
  }
  for (const from of queue) {
    isQueued[from] = 0;
    const best = arcs.from(from);
    for (let node = 0; node < size; node++) {
      const cost = costs[from] + best.costs[node];
      if (node === from || cost >= costs[node]) continue;
      costs[node] = cost;
      steps[node] = { cell: best.cells[node], node };
      enter(node);
    }
  }

  let [end, cheapest] = [-1, 0];
  for (const [node, count] of counts.entries()) {
    if (count >= most[node] || steps[node] === undefined) continue;
    const cost = costs[node] + (count < least[node] ? NEEDED : 0);
    if (cost < cheapest) [end, cheapest] = [node, cost];
  }
  const path: Step[] = [];
  for (let step = end < 0 ? undefined : steps[end]; step !== undefined; ) {
    path.push(step);
    step = steps[cells.nodes[step.cell]];
  }
  return { path, cost: cheapest };
}

/** The cost of moving a copy from one node to each other node, and the best cell for it. */
class Arcs {
  readonly costs: Float64Array;
  readonly cells: Uint32Array;
  readonly #cells: CopyCells;
  readonly #before: Uint16Array;
  /** The cells of each node. */
  readonly #starts: Uint32Array;
  readonly #ofNode: Uint32Array;
  readonly #unreached: NodesByZone;

  constructor(cells: CopyCells, before: Uint16Array, size: number) {
    this.#cells = cells;
    this.#before = before;
    this.costs = new Float64Array(size);
    this.cells = new Uint32Array(size);
    const { offsets, rows } = groupByShard(cells.nodes, size);
    this.#starts = offsets;
    this.#ofNode = rows;
    this.#unreached = new NodesByZone(cells.zones, cells.mostInZone);
  }

  /** New copies come first, because they can go to any node at no cost. */
  from(node: number): { readonly costs: Float64Array; readonly cells: Uint32Array } {
    this.costs.fill(Number.POSITIVE_INFINITY);
    this.#unreached.reset(node);
    const { nodes, width, missing, dropped } = this.#cells;
    for (const isNew of [true, false]) {
      const gain = isNew ? COPY : 0;
      for (let i = this.#starts[node]; i < this.#starts[node + 1]; i++) {
        const cell = this.#ofNode[i];
        const first = cell - (cell % width);
        if (isNew !== (node < missing && !this.#wasHeld(cell, node))) continue;
        for (let other = first; other < first + width; other++) {
          if (this.#before[other] !== nodes[other]) this.#offer(cell, this.#before[other], -gain);
        }
        this.#offer(cell, dropped, -gain);
        this.#unreached.reach(this.#cells, cell, (other) => this.#take(cell, other, COPY - gain));
      }
    }
    return this;
  }

  #wasHeld(cell: number, node: number): boolean {
    const { width } = this.#cells;
    return this.#before[cell] === node || cellOf(this.#before, width, Math.floor(cell / width), node) >= 0;
  }

  #offer(cell: number, node: number, copies: number): void {
    if (fits(this.#cells, cell, node)) this.#take(cell, node, copies);
  }

  #take(cell: number, node: number, copies: number): void {
    if (copies + 1 >= this.costs[node]) return;
    this.costs[node] = copies + 1;
    this.cells[node] = cell;
  }
}
