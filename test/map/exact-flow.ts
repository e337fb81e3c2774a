// What is possible at best, found by flows through a network. It shares nothing with the library, so it can judge it.

type Bounds = readonly (readonly [fewest: number, most: number])[];

/** A placement problem: which nodes hold the copies of each shard before a change, and what must hold after it. */
export interface Problem {
  /**
   * For each shard, the indexes of the nodes (after the change) that hold it before it; a node that was removed is left
   * out.
   */
  readonly held: readonly (readonly number[])[];
  /** How many copies of each shard there must be after the change. */
  readonly replicas: number;
  /** For each node (after the change), the fewest and the most copies that it may hold. */
  readonly bounds: readonly (readonly [fewest: number, most: number])[];
  /** The zone of each node: an index from 0. */
  readonly zones: readonly number[];
  /** How many copies of a shard one zone may hold. */
  readonly copiesAZone: number;
}

/** A way from one vertex to another. Each has a twin that leads back, which has room for what can be taken back. */
interface Arc {
  readonly from: number;
  readonly to: number;
  readonly cost: number;
  /** How much more can flow here. */
  room: number;
}

/** Vertices and arcs, and what flows through them from the source to the sink. */
class Network {
  readonly source = 0;
  readonly sink = 1;
  /** An arc is followed by its twin, so the twin of arc i is arc i ^ 1. */
  readonly #arcs: Arc[] = [];
  /** The indexes of the arcs that leave each vertex. */
  readonly #leaving: number[][] = [[], []];

  addVertex(): number {
    return this.#leaving.push([]) - 1;
  }

  addArc(from: number, to: number, room: number, cost = 0): void {
    this.#leaving[from]?.push(this.#arcs.push({ from, to, room, cost }) - 1);
    this.#leaving[to]?.push(this.#arcs.push({ from: to, to: from, room: 0, cost: -cost }) - 1);
  }

  /**
   * Lets flow as much as can, at the least cost of all flows of that amount. Arcs may cost less than nothing, but must
   * not lead round. Filling a cheapest path at a time keeps every amount at its least cost.
   */
  fill(): { amount: number; cost: number } {
    let amount = 0;
    let cost = 0;
    for (;;) {
      const path = this.#cheapestPath();
      if (path.length === 0) return { amount, cost };
      const flow = Math.min(...path.map((i) => this.#arc(i).room));
      for (const i of path) {
        this.#arc(i).room -= flow;
        this.#arc(i ^ 1).room += flow;
        cost += flow * this.#arc(i).cost;
      }
      amount += flow;
    }
  }

  /** The arcs of a cheapest path that has room, from the sink back to the source; none if no path has. */
  #cheapestPath(): number[] {
    const costs = this.#leaving.map(() => Number.POSITIVE_INFINITY);
    const arrivals = this.#leaving.map(() => -1);
    const isQueued = this.#leaving.map(() => false);
    costs[this.source] = 0;
    const queue = [this.source];
    // The queue grows as it is read: a vertex comes again whenever a cheaper way to it has been found.
    for (const vertex of queue) {
      isQueued[vertex] = false;
      for (const i of this.#leaving[vertex]) {
        const { to, room, cost } = this.#arc(i);
        const cheaper = costs[vertex] + cost;
        if (room === 0 || cheaper >= costs[to]) continue;
        costs[to] = cheaper;
        arrivals[to] = i;
        if (!isQueued[to]) queue.push(to);
        isQueued[to] = true;
      }
    }
    const path: number[] = [];
    for (let i = arrivals[this.sink]; i !== -1; i = arrivals[this.#arc(i).from]) path.push(i);
    return path;
  }

  #arc(i: number): Arc {
    return this.#arcs[i];
  }
}

/**
 * The least cost at which exactly `amount` can flow so that each node gets between its bounds; undefined if it cannot.
 * `limit` is a cost that no such flow exceeds. The network has all but the arcs from the nodes to the sink.
 */
function leastCost(
  network: Network,
  nodes: readonly number[],
  bounds: Bounds,
  amount: number,
  limit: number,
): number | undefined {
  if (bounds.some(([fewest, most]) => fewest > most)) return undefined;
  // What a node must get is worth more than any flow within the bounds costs. So a cheapest flow gives every node that
  // much if any flow does; if none does, a worth is missing, which makes the cost greater than the limit.
  const worth = limit + 1;
  for (const [i, [fewest, most]] of bounds.entries()) {
    network.addArc(nodes[i], network.sink, fewest, -worth);
    network.addArc(nodes[i], network.sink, most - fewest);
  }
  const flow = network.fill();
  if (flow.amount !== amount) return undefined;
  const cost = flow.cost + worth * bounds.reduce((sum, [fewest]) => sum + fewest, 0);
  return cost <= limit ? cost : undefined;
}

/**
 * The fewest copies that have to be made (a copy of a shard on a node that did not hold it before); undefined if it is
 * not possible at all.
 */
export function fewestCopies({ held, replicas, bounds, zones, copiesAZone }: Problem): number | undefined {
  const network = new Network();
  const nodes = bounds.map(() => network.addVertex());
  for (const holders of held) {
    const shard = network.addVertex();
    network.addArc(network.source, shard, replicas);
    const parts = new Map<number, number>(); // a vertex for the copies of the shard in each zone
    for (const [i, node] of nodes.entries()) {
      const zone = zones[i];
      const part = parts.get(zone) ?? network.addVertex();
      if (!parts.has(zone)) network.addArc(shard, part, copiesAZone);
      parts.set(zone, part);
      network.addArc(part, node, 1, holders.includes(i) ? 0 : 1);
    }
  }
  const copies = held.length * replicas;
  return leastCost(network, nodes, bounds, copies, copies);
}

/**
 * Whether each shard can have one primary among the nodes that hold it (holders[shard]), so that node i is primary of
 * between bounds[i][0] and bounds[i][1] shards.
 */
export function canChoosePrimaries(
  holders: readonly (readonly number[])[],
  bounds: readonly (readonly [number, number])[],
): boolean {
  const network = new Network();
  const nodes = bounds.map(() => network.addVertex());
  for (const holding of holders) {
    const shard = network.addVertex();
    network.addArc(network.source, shard, 1);
    for (const i of holding) network.addArc(shard, nodes[i], 1);
  }
  return leastCost(network, nodes, bounds, holders.length, 0) !== undefined;
}
