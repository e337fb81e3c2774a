import { groupByShard } from '../routing/buckets.js';
import { type CopyCells, cellOf, fits, roomInZone } from './shares.js';

/**
 * The nodes that no cell has reached yet. If a cell may not have any node of a zone, all of them are skipped at once. Most
 * cells reach nearly all nodes that are left. Without this, a million shards on a thousand nodes took 90 s.
 */
function unreachedNodes(cells: CopyCells) {
  const { nodes: held, width, mostInZone } = cells;
  const { offsets: starts, rows } = groupByShard(cells.zones, mostInZone.length);
  const nodes = Uint16Array.from(rows); // zone by zone: the first `left[zone]` nodes of a zone are left
  const zones = Uint16Array.from(mostInZone.keys()).filter((zone) => mostInZone[zone] !== 0);
  const left = new Uint32Array(mostInZone.length);
  let zonesLeft = 0; // the first ones of `zones`
  let reached = 0;

  /** Starts again with all nodes except one. */
  function reset(except: number): void {
    zonesLeft = zones.length;
    reached = except;
    for (const zone of zones) left[zone] = starts[zone + 1] - starts[zone];
  }

  /** Removes the nodes that a cell can get, and reports them. */
  function reach(cell: number, onNode: (node: number) => void): void {
    for (let i = zonesLeft - 1; i >= 0; i--) {
      const zone = zones[i];
      if (roomInZone(cells, cell, zone) === 0) continue;
      left[zone] = reachInZone(zone, cell, onNode);
      if (left[zone] > 0) continue;
      zonesLeft--;
      zones[i] = zones[zonesLeft];
      zones[zonesLeft] = zone;
    }
  }

  /** @returns how many nodes of the zone are left: those that hold the shard already */
  function reachInZone(zone: number, cell: number, onNode: (node: number) => void): number {
    const start = starts[zone];
    const end = start + left[zone];
    const first = cell - (cell % width);
    let kept = start;
    for (let i = start; i < end; i++) {
      const node = nodes[i];
      if (node === reached) continue;
      let other = first;
      while (other < first + width && held[other] !== node) other++;
      if (other === first + width) {
        onNode(node);
        continue;
      }
      nodes[i] = nodes[kept];
      nodes[kept++] = node;
    }
    return kept - start;
  }

  return { reset, reach };
}

type Step = { readonly cell: number; readonly node: number };

// A path is better if more of its ends must give or take, then if it makes fewer copies, then if it is shorter. Because it
// is the shortest of the cheapest paths, it passes no shard twice, so its steps do not conflict.
export const NEEDED = -(2 ** 40);
export const COPY = 2 ** 20;

/**
 * The cheapest path that moves a copy from a node that can give one to a node that can take one, through the cells of any
 * shards, by the Bellman-Ford algorithm over nodes. It is empty if no path is an improvement.
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
  const arcsFrom = arcsOf(cells, before, size);
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
    const best = arcsFrom(from);
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

/** Makes what gives the cost of moving a copy from one node to each other node, and the best cell for it. */
function arcsOf(cells: CopyCells, before: Uint16Array, size: number) {
  const { nodes, width, missing, dropped } = cells;
  const best = { costs: new Float64Array(size), cells: new Uint32Array(size) };
  const { offsets, rows } = groupByShard(nodes, size); // the cells of each node
  const unreached = unreachedNodes(cells);
  const wasHeld = (cell: number, node: number) =>
    before[cell] === node || cellOf(before, width, Math.floor(cell / width), node) >= 0;
  const take = (cell: number, node: number, copies: number) => {
    if (copies + 1 >= best.costs[node]) return;
    best.costs[node] = copies + 1;
    best.cells[node] = cell;
  };
  const offer = (cell: number, node: number, copies: number) => {
    if (fits(cells, cell, node)) take(cell, node, copies);
  };

  return (node: number) => {
    best.costs.fill(Number.POSITIVE_INFINITY);
    unreached.reset(node);
    // New copies come first, because they can go to any node at no cost.
    for (const isNew of [true, false]) {
      const gain = isNew ? COPY : 0;
      for (let i = offsets[node]; i < offsets[node + 1]; i++) {
        const cell = rows[i];
        const first = cell - (cell % width);
        if (isNew !== (node < missing && !wasHeld(cell, node))) continue;
        for (let other = first; other < first + width; other++) {
          if (before[other] !== nodes[other]) offer(cell, before[other], -gain);
        }
        offer(cell, dropped, -gain);
        unreached.reach(cell, (other) => take(cell, other, COPY - gain));
      }
    }
    return best;
  };
}
