import { groupByShard } from '../routing/group.js';
import { type CopyCells, cellOf, fits } from './cells.js';
import { NodesByZone } from './nodes-by-zone.js';

/** A cell that gets another node. */
export interface Step {
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
    if (count <= (least[node] as number)) continue;
    costs[node] = count > (most[node] as number) ? NEEDED : 0;
    enter(node);
  }
  for (const from of queue) {
    isQueued[from] = 0;
    const best = arcs.from(from);
    for (let node = 0; node < size; node++) {
      const cost = (costs[from] as number) + (best.costs[node] as number);
      if (node === from || cost >= (costs[node] as number)) continue;
      costs[node] = cost;
      steps[node] = { cell: best.cells[node] as number, node };
      enter(node);
    }
  }

  let [end, cheapest] = [-1, 0];
  for (const [node, count] of counts.entries()) {
    if (count >= (most[node] as number) || steps[node] === undefined) continue;
    const cost = (costs[node] as number) + (count < (least[node] as number) ? NEEDED : 0);
    if (cost < cheapest) [end, cheapest] = [node, cost];
  }
  const path: Step[] = [];
  for (let step = end < 0 ? undefined : steps[end]; step !== undefined; ) {
    path.push(step);
    step = steps[cells.nodes[step.cell] as number];
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
      for (let i = this.#starts[node] as number; i < (this.#starts[node + 1] as number); i++) {
        const cell = this.#ofNode[i] as number;
        const first = cell - (cell % width);
        if (isNew !== (node < missing && !this.#wasHeld(cell, node))) continue;
        for (let other = first; other < first + width; other++) {
          if (this.#before[other] !== nodes[other]) this.#offer(cell, this.#before[other] as number, -gain);
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
    if (copies + 1 >= (this.costs[node] as number)) return;
    this.costs[node] = copies + 1;
    this.cells[node] = cell;
  }
}
