import { COPY, cheapestPath, NEEDED } from './cheapest-path.js';
import { Choice, NO_CELL } from './choice.js';
import {
  addCount,
  byRemainder,
  type CopyCells,
  cellOf,
  cellsOf,
  excess,
  fits,
  Random,
  roomInZone,
  type Shares,
  sum,
} from './shares.js';

/**
 * Gives every node its share of the copies again, with as few new copies as possible: a flow of minimum cost, in which a
 * copy costs 1 on a node that did not hold it. Tests compare the result with that of a general solver.
 *
 * Copies go directly from nodes that must give to nodes that must take while that is possible: such a step is always one of
 * the cheapest. After that, the cheapest indirect paths are searched, which takes longer and is rarely needed.
 */
export class Rebalancing {
  readonly #before: Uint16Array;
  readonly #cells: CopyCells;
  readonly #shards: number;
  readonly #shares: Float64Array;
  readonly #counts: Float64Array;
  readonly #least: Float64Array;
  readonly #most: Float64Array;
  readonly #random: Random;

  /**
   * @param before the cells of `width` nodes for each shard; one more than the last node stands for an empty cell
   * @param replicas how many of the cells are to get nodes
   * @param seed selects the shards; it must differ each time, or nodes that join one after the other get the same shards
   */
  constructor(before: Uint16Array, width: number, replicas: number, shares: Shares, seed: number) {
    this.#before = before;
    this.#shards = before.length / width;
    this.#random = new Random(seed);
    // `missing` and `dropped` are treated as nodes with their own shares.
    this.#shares = Float64Array.of(...shares.copies, 0, this.#shards * (width - replicas));
    this.#least = this.#shares.map(Math.floor);
    this.#most = this.#shares.map(Math.ceil);
    this.#cells = cellsOf(shares, before.slice(), width, replicas);
    this.#counts = new Float64Array(this.#shares.length);
    for (const node of before) addCount(this.#counts, node);
  }

  /** @returns the nodes of each shard */
  run(): Uint16Array {
    // If no copy was dropped or has become missing, every step makes a new copy.
    const mayBeFree = this.#emptyCrowdedZones() || this.#lacks()[this.#cells.dropped] > 0;
    this.#drop();
    if (mayBeFree) this.#goAround(2 * NEEDED + COPY);
    this.#transfer(this.#spares(), this.#lacks());
    this.#goAround(NEEDED);
    if (mayBeFree) this.#goAround(NEEDED + COPY);
    this.#giveToWilling();
    this.#takeFromWilling();
    this.#goAround(0);
    const { nodes, dropped } = this.#cells;
    return this.#counts[dropped] === 0 ? nodes : nodes.filter((node) => node !== dropped);
  }

  /**
   * Removes copies from zones that hold too many of a shard, because zones may have changed. The copies of the nodes that
   * exceed their share the most go first.
   * @returns whether there were any
   */
  #emptyCrowdedZones(): boolean {
    let wereAny = false;
    const spareOf = (cell: number) => this.#counts[nodes[cell]] - this.#most[nodes[cell]];
    const { nodes, width, zones, missing } = this.#cells;
    for (let first = 0; first < nodes.length; first += width) {
      for (let cell = first; cell < first + width; cell++) {
        const zone = zones[nodes[cell]];
        if (nodes[cell] === missing || roomInZone(this.#cells, cell, zone) > 0) continue;
        let fullest = cell;
        for (let other = first; other < first + width; other++) {
          if (zones[nodes[other]] === zone && spareOf(other) > spareOf(fullest)) fullest = other;
        }
        this.#move(fullest, missing);
        wereAny = true;
        cell = first - 1;
      }
    }
    return wereAny;
  }

  /** With fewer replicas, each shard drops an empty cell, or the copy of a node that has too many. */
  #drop(): void {
    const { nodes, width, missing, dropped } = this.#cells;
    const candidates = {
      nodes,
      width,
      count: this.#counts.length,
      mayChoose: (_: number, cell: number) => nodes[cell] < missing,
    };
    while (this.#lacks()[dropped] > 0) {
      const drops = new Choice(candidates);
      const spare = this.#counts.map((count, node) => count - this.#shares[node]);
      for (let shard = 0; shard < this.#shards; shard++) {
        const absent = cellOf(nodes, width, shard, missing);
        if (absent >= 0) this.#move(absent, dropped);
        else drops.chooseLeast(shard, spare);
      }
      // Later rounds may drop more than this one.
      const rounds = this.#lacks()[dropped] / this.#shards;
      drops.balance(
        spare.map((count) => Math.max(0, Math.floor(count / rounds))),
        spare.map((count) => Math.max(0, Math.ceil(count / rounds))),
      );
      for (const cell of drops.cells) if (cell !== NO_CELL) this.#move(cell, dropped);
    }
  }

  /** Takes the cheapest paths while they cost less than `below` and there are nodes that must give or take. */
  #goAround(below: number): void {
    for (;;) {
      const needs = [this.#spares(), this.#lacks()].filter((counts) => sum(counts) > 0).length;
      if (needs * NEEDED >= below) return;
      const { path, cost } = cheapestPath(this.#cells, this.#before, this.#counts, this.#least, this.#most);
      if (cost >= below) return;
      for (const { cell, node } of path) this.#move(cell, node);
    }
  }

  #move(cell: number, node: number): void {
    const { nodes } = this.#cells;
    addCount(this.#counts, nodes[cell], -1);
    addCount(this.#counts, node);
    nodes[cell] = node;
  }

  /** From nodes that must give to nodes that may take one more, preferably those with the largest remainders. */
  #giveToWilling(): void {
    for (const isChosen of [true, false]) {
      const spares = this.#spares();
      const willing = byRemainder(this.#shares).filter((node) => this.#counts[node] === this.#least[node]);
      this.#transfer(spares, this.#oneEach(isChosen ? willing.slice(0, sum(spares)) : willing));
    }
  }

  /** From nodes that may give one, preferably those with the smallest remainders, to nodes that must take. */
  #takeFromWilling(): void {
    for (const isChosen of [true, false]) {
      const lacks = this.#lacks();
      const willing = byRemainder(this.#shares).filter((node) => this.#counts[node] === this.#most[node]);
      this.#transfer(this.#oneEach(isChosen ? willing.reverse().slice(0, sum(lacks)) : willing), lacks);
    }
  }

  #oneEach(some: readonly number[]): Float64Array {
    const ones = new Float64Array(this.#counts.length);
    for (const node of some) ones[node] = 1;
    return ones;
  }

  /** How many copies each node must give. */
  #spares(): Float64Array {
    return excess(this.#counts, this.#most);
  }

  /** How many copies each node must take. */
  #lacks(): Float64Array {
    return excess(this.#least, this.#counts);
  }

  /** Moves as many copies as each node gives and takes, where they fit, from shards in pseudorandom order. */
  #transfer(gives: Float64Array, takes: Float64Array): void {
    const slots = new Uint16Array(sum(takes));
    let filled = 0;
    for (const [node, count] of takes.entries()) {
      slots.fill(node, filled, filled + count);
      filled += count;
    }
    this.#random.shuffle(slots);
    let [giving, taking] = [sum(gives), slots.length];
    const { nodes, width } = this.#cells;
    for (const tried of [SLOTS_TRIED, Number.POSITIVE_INFINITY]) {
      for (const shard of this.#shardsAtRandom()) {
        if (giving === 0 || taking === 0) return;
        for (let cell = shard * width; cell < (shard + 1) * width; cell++) {
          const giver = nodes[cell];
          if (gives[giver] === 0) continue;
          const slot = this.#slotFor(cell, slots, taking, tried);
          if (slot < 0) continue;
          this.#move(cell, slots[slot]);
          slots[slot] = slots[--taking];
          addCount(gives, giver, -1);
          giving--;
        }
      }
    }
  }

  /** The last of the `count` slots whose node fits the cell. */
  #slotFor(cell: number, slots: Uint16Array, count: number, tried: number): number {
    let last = -1;
    for (let slot = count - 1; slot >= Math.max(0, count - tried); slot--) {
      const node = slots[slot];
      if (node === last) continue;
      if (fits(this.#cells, cell, node)) return slot;
      last = node;
    }
    return -1;
  }

  /** Every shard once, in steps of a random width that is coprime to the number of shards. */
  *#shardsAtRandom(): Generator<number> {
    let shard = this.#random.below(this.#shards);
    let step = 1 + this.#random.below(this.#shards);
    while (greatestDivisor(step, this.#shards) > 1) step++;
    for (let i = 0; i < this.#shards; i++) {
      yield shard;
      shard = (shard + step) % this.#shards;
    }
  }
}

function greatestDivisor(a: number, b: number): number {
  return b === 0 ? a : greatestDivisor(b, a % b);
}

// A shard's other copies and zones exclude only a few nodes.
const SLOTS_TRIED = 16;
