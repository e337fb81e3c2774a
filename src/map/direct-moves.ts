import { addCount, byRemainder, type CopyCells, cellsOf, fits, Random, type Shares, sum } from './shares.js';

/** Moves copies directly from nodes that must give to nodes that must take. */
export abstract class DirectMoves {
  protected readonly before: Uint16Array;
  protected readonly cells: CopyCells;
  protected readonly shards: number;
  protected readonly shares: Float64Array;
  protected readonly counts: Float64Array;
  protected readonly least: Float64Array;
  protected readonly most: Float64Array;
  protected readonly random: Random;

  /**
   * @param before the cells of `width` nodes for each shard; one more than the last node stands for an empty cell
   * @param replicas how many of the cells are to get nodes
   * @param seed selects the shards; it must differ each time, or nodes that join one after the other get the same shards
   */
  constructor(before: Uint16Array, width: number, replicas: number, shares: Shares, seed: number) {
    this.before = before;
    this.shards = before.length / width;
    this.random = new Random(seed);
    // `missing` and `dropped` are treated as nodes with their own shares.
    this.shares = Float64Array.of(...shares.copies, 0, this.shards * (width - replicas));
    this.least = this.shares.map(Math.floor);
    this.most = this.shares.map(Math.ceil);
    this.cells = cellsOf(shares, before.slice(), width, replicas);
    this.counts = new Float64Array(this.shares.length);
    for (const node of before) addCount(this.counts, node);
  }

  /** How many copies a node has above the most that it may have. */
  protected spare(node: number): number {
    return this.counts[node] - this.most[node];
  }

  /** How many copies a node has below the least that it may have. */
  protected lack(node: number): number {
    return this.least[node] - this.counts[node];
  }

  protected move(cell: number, node: number): void {
    const { nodes } = this.cells;
    addCount(this.counts, nodes[cell], -1);
    addCount(this.counts, node);
    nodes[cell] = node;
  }

  /** Moves copies directly from nodes that must give to nodes that must take. */
  protected giveToTakers(): void {
    this.transfer(this.spares(), this.lacks());
  }

  /** From nodes that must give to nodes that may take one more, preferably those with the largest remainders. */
  protected giveToWilling(): void {
    for (const isChosen of [true, false]) {
      const spares = this.spares();
      const willing = byRemainder(this.shares).filter((node) => this.counts[node] === this.least[node]);
      this.transfer(spares, this.oneEach(isChosen ? willing.slice(0, sum(spares)) : willing));
    }
  }

  /** From nodes that may give one, preferably those with the smallest remainders, to nodes that must take. */
  protected takeFromWilling(): void {
    for (const isChosen of [true, false]) {
      const lacks = this.lacks();
      const willing = byRemainder(this.shares).filter((node) => this.counts[node] === this.most[node]);
      this.transfer(this.oneEach(isChosen ? willing.reverse().slice(0, sum(lacks)) : willing), lacks);
    }
  }

  protected oneEach(some: readonly number[]): Float64Array {
    const ones = new Float64Array(this.counts.length);
    for (const node of some) ones[node] = 1;
    return ones;
  }

  protected spares(): Float64Array {
    return this.counts.map((_, node) => Math.max(0, this.spare(node)));
  }

  protected lacks(): Float64Array {
    return this.counts.map((_, node) => Math.max(0, this.lack(node)));
  }

  /** Moves as many copies as each node gives and takes, where they fit, from shards in pseudorandom order. */
  protected transfer(gives: Float64Array, takes: Float64Array): void {
    const slots = new Uint16Array(sum(takes));
    let filled = 0;
    for (const [node, count] of takes.entries()) {
      slots.fill(node, filled, filled + count);
      filled += count;
    }
    this.random.shuffle(slots);
    let [giving, taking] = [sum(gives), slots.length];
    const { nodes, width } = this.cells;
    for (const tried of [SLOTS_TRIED, Number.POSITIVE_INFINITY]) {
      for (const shard of this.shardsAtRandom()) {
        if (giving === 0 || taking === 0) return;
        for (let cell = shard * width; cell < (shard + 1) * width; cell++) {
          const giver = nodes[cell];
          if (gives[giver] === 0) continue;
          const slot = this.slotFor(cell, slots, taking, tried);
          if (slot < 0) continue;
          this.move(cell, slots[slot]);
          slots[slot] = slots[--taking];
          addCount(gives, giver, -1);
          giving--;
        }
      }
    }
  }

  /** The last of the `count` slots whose node fits the cell. */
  protected slotFor(cell: number, slots: Uint16Array, count: number, tried: number): number {
    let last = -1;
    for (let slot = count - 1; slot >= Math.max(0, count - tried); slot--) {
      const node = slots[slot];
      if (node === last) continue;
      if (fits(this.cells, cell, node)) return slot;
      last = node;
    }
    return -1;
  }

  /** Every shard once, in steps of a random width that is coprime to the number of shards. */
  protected *shardsAtRandom(): Generator<number> {
    let shard = this.random.below(this.shards);
    let step = 1 + this.random.below(this.shards);
    while (greatestDivisor(step, this.shards) > 1) step++;
    for (let i = 0; i < this.shards; i++) {
      yield shard;
      shard = (shard + step) % this.shards;
    }
  }
}

function greatestDivisor(a: number, b: number): number {
  return b === 0 ? a : greatestDivisor(b, a % b);
}

// A shard's other copies and zones exclude only a few nodes.
const SLOTS_TRIED = 16;
