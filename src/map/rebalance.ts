import { stepThrough } from '../arguments.js';
import { COPY, cheapestPath, NEEDED } from './cheapest-path.js';
import { choiceAmong, NO_CELL } from './choice.js';
import { byRemainder, cellOf, cellsOf, excess, fits, randomFrom, roomInZone, type Shares, sum } from './shares.js';

/**
 * Gives every node its share of the copies again, with as few new copies as possible: a flow of minimum cost, in which a
 * copy costs 1 on a node that did not hold it. Tests compare the result with that of a general solver.
 *
 * Copies go directly from nodes that must give to nodes that must take while that is possible: such a step is always one of
 * the cheapest. After that, the cheapest indirect paths are searched, which takes longer and is rarely needed.
 * @param before the cells of `width` nodes for each shard; one more than the last node stands for an empty cell
 * @param replicas how many of the cells are to get nodes
 * @param of what the nodes should hold
 * @param seed selects the shards; it must differ each time, or nodes that join one after the other get the same shards
 * @returns the nodes of each shard
 */
export function rebalance(before: Uint16Array, width: number, replicas: number, of: Shares, seed: number): Uint16Array {
  const shards = before.length / width;
  const random = randomFrom(seed);
  // `missing` and `dropped` are treated as nodes with their own shares.
  const shares = Float64Array.of(...of.copies, 0, shards * (width - replicas));
  const least = shares.map(Math.floor);
  const most = shares.map(Math.ceil);
  const cells = cellsOf(of, before.slice(), width, replicas);
  const { nodes, zones, missing, dropped } = cells;
  const counts = new Float64Array(shares.length);
  for (const node of before) counts[node]++;
  // How many copies each node must give, and how many it must take.
  const spares = () => excess(counts, most);
  const lacks = () => excess(least, counts);

  // If no copy was dropped or has become missing, every step makes a new copy.
  const mayBeFree = emptyCrowdedZones() || lacks()[dropped] > 0;
  drop();
  if (mayBeFree) goAround(2 * NEEDED + COPY);
  transfer(spares(), lacks());
  goAround(NEEDED);
  if (mayBeFree) goAround(NEEDED + COPY);
  for (const areTaking of [true, false]) useWilling(areTaking);
  goAround(0);
  return counts[dropped] === 0 ? nodes : nodes.filter((node) => node !== dropped);

  /**
   * Removes copies from zones that hold too many of a shard, because zones may have changed. The copies of the nodes that
   * exceed their share the most go first.
   * @returns whether there were any
   */
  function emptyCrowdedZones(): boolean {
    let wereAny = false;
    const spareOf = (cell: number) => counts[nodes[cell]] - most[nodes[cell]];
    for (let first = 0; first < nodes.length; first += width) {
      for (let cell = first; cell < first + width; cell++) {
        const zone = zones[nodes[cell]];
        if (nodes[cell] === missing || roomInZone(cells, cell, zone) > 0) continue;
        let fullest = cell;
        for (let other = first; other < first + width; other++) {
          if (zones[nodes[other]] === zone && spareOf(other) > spareOf(fullest)) fullest = other;
        }
        move(fullest, missing);
        wereAny = true;
        cell = first - 1;
      }
    }
    return wereAny;
  }

  /** With fewer replicas, each shard drops an empty cell, or the copy of a node that has too many. */
  function drop(): void {
    while (lacks()[dropped] > 0) {
      const drops = choiceAmong({ nodes, width, count: counts.length, mayChoose: (_, cell) => nodes[cell] < missing });
      const spare = counts.map((count, node) => count - shares[node]);
      for (let shard = 0; shard < shards; shard++) {
        const absent = cellOf(nodes, width, shard, missing);
        if (absent >= 0) move(absent, dropped);
        else drops.chooseLeast(shard, spare);
      }
      // Later rounds may drop more than this one.
      const rounds = lacks()[dropped] / shards;
      drops.balance(
        spare.map((count) => Math.max(0, Math.floor(count / rounds))),
        spare.map((count) => Math.max(0, Math.ceil(count / rounds))),
      );
      for (const cell of drops.cells) if (cell !== NO_CELL) move(cell, dropped);
    }
  }

  /** Takes the cheapest paths while they cost less than `below` and there are nodes that must give or take. */
  function goAround(below: number): void {
    for (;;) {
      const needs = [spares(), lacks()].filter((counts) => sum(counts) > 0).length;
      if (needs * NEEDED >= below) return;
      const { path, cost } = cheapestPath(cells, before, counts, least, most);
      if (cost >= below) return;
      for (const { cell, node } of path) move(cell, node);
    }
  }

  function move(cell: number, node: number): void {
    counts[nodes[cell]]--;
    counts[node]++;
    nodes[cell] = node;
  }

  /**
   * From nodes that must give to nodes that may take one more, preferably those with the largest remainders; or from nodes
   * that may give one, preferably those with the smallest remainders, to nodes that must take.
   */
  function useWilling(areTaking: boolean): void {
    const bounds = areTaking ? least : most;
    for (const isChosen of [true, false]) {
      const others = areTaking ? spares() : lacks();
      const willing = byRemainder(shares).filter((node) => counts[node] === bounds[node]);
      if (!areTaking) willing.reverse();
      const ones = new Float64Array(counts.length);
      for (const node of isChosen ? willing.slice(0, sum(others)) : willing) ones[node] = 1;
      if (areTaking) transfer(others, ones);
      else transfer(ones, others);
    }
  }

  /** Moves as many copies as each node gives and takes, where they fit, from shards in pseudorandom order. */
  function transfer(gives: Float64Array, takes: Float64Array): void {
    const slots = new Uint16Array(sum(takes));
    let filled = 0;
    for (const [node, count] of takes.entries()) {
      slots.fill(node, filled, filled + count);
      filled += count;
    }
    for (let i = slots.length - 1; i > 0; i--) {
      const other = random(i + 1);
      const slot = slots[i];
      slots[i] = slots[other];
      slots[other] = slot;
    }
    let [giving, taking] = [sum(gives), slots.length];
    for (const tried of [SLOTS_TRIED, Number.POSITIVE_INFINITY]) {
      for (const shard of shardsAtRandom()) {
        if (giving === 0 || taking === 0) return;
        for (let cell = shard * width; cell < (shard + 1) * width; cell++) {
          const giver = nodes[cell];
          if (gives[giver] === 0) continue;
          const slot = slotFor(cell, slots, taking, tried);
          if (slot < 0) continue;
          move(cell, slots[slot]);
          slots[slot] = slots[--taking];
          gives[giver]--;
          giving--;
        }
      }
    }
  }

  /** The last of the `count` slots whose node fits the cell. */
  function slotFor(cell: number, slots: Uint16Array, count: number, tried: number): number {
    let last = -1;
    for (let slot = count - 1; slot >= Math.max(0, count - tried); slot--) {
      const node = slots[slot];
      if (node === last) continue;
      if (fits(cells, cell, node)) return slot;
      last = node;
    }
    return -1;
  }

  /** Every shard once, in steps of a random width that is coprime to the number of shards. */
  function* shardsAtRandom(): Generator<number> {
    let shard = random(shards);
    const step = stepThrough(shards, 1 + random(shards));
    for (let i = 0; i < shards; i++) {
      yield shard;
      shard = (shard + step) % shards;
    }
  }
}

// A shard's other copies and zones exclude only a few nodes.
const SLOTS_TRIED = 16;
