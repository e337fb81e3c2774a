import { COPY, cheapestPath, NEEDED } from './cheapest-path.js';
import { Choice, NO_CELL } from './choice.js';
import { DirectMoves } from './direct-moves.js';
import { cellOf, sum } from './shares.js';

/**
 * Gives every node its share of the copies again, with as few new copies as possible: a flow of minimum cost, in which a
 * copy costs 1 on a node that did not hold it. Tests compare the result with that of a general solver.
 *
 * Copies go directly from nodes that must give to nodes that must take while that is possible: such a step is always one of
 * the cheapest. After that, the cheapest indirect paths are searched, which takes longer and is rarely needed.
 */
export class Rebalancing extends DirectMoves {
  /** @returns the nodes of each shard */
  run(): Uint16Array {
    // If no copy was dropped or has become missing, every step makes a new copy.
    const mayBeFree = this.emptyCrowdedZones() || this.lack(this.cells.dropped) > 0;
    this.drop();
    if (mayBeFree) this.goAround(2 * NEEDED + COPY);
    this.giveToTakers();
    this.goAround(NEEDED);
    if (mayBeFree) this.goAround(NEEDED + COPY);
    this.giveToWilling();
    this.takeFromWilling();
    this.goAround(0);
    const { nodes, dropped } = this.cells;
    return this.counts[dropped] === 0 ? nodes : nodes.filter((node) => node !== dropped);
  }

  /**
   * Removes copies from zones that hold too many of a shard, because zones may have changed. The copies of the nodes that
   * exceed their share the most go first.
   * @returns whether there were any
   */
  private emptyCrowdedZones(): boolean {
    let wereAny = false;
    const { nodes, width, zones, mostInZone, missing } = this.cells;
    for (let first = 0; first < nodes.length; first += width) {
      for (let cell = first; cell < first + width; cell++) {
        const zone = zones[nodes[cell]];
        if (nodes[cell] === missing) continue;
        let inZone = 0;
        let fullest = cell;
        for (let other = first; other < first + width; other++) {
          if (zones[nodes[other]] !== zone) continue;
          inZone++;
          if (this.spare(nodes[other]) > this.spare(nodes[fullest])) fullest = other;
        }
        if (inZone <= mostInZone[zone]) continue;
        this.move(fullest, missing);
        wereAny = true;
        cell = first - 1;
      }
    }
    return wereAny;
  }

  /** With fewer replicas, each shard drops an empty cell, or the copy of a node that has too many. */
  private drop(): void {
    const { nodes, width, missing, dropped } = this.cells;
    const candidates = {
      nodes,
      width,
      count: this.counts.length,
      mayChoose: (_: number, cell: number) => nodes[cell] < missing,
    };
    while (this.lack(dropped) > 0) {
      const drops = new Choice(candidates);
      const spare = this.counts.map((count, node) => count - this.shares[node]);
      for (let shard = 0; shard < this.shards; shard++) {
        const absent = cellOf(nodes, width, shard, missing);
        if (absent >= 0) this.move(absent, dropped);
        else drops.chooseLeast(shard, spare);
      }
      // Later rounds may drop more than this one.
      const rounds = this.lack(dropped) / this.shards;
      drops.balance({
        least: spare.map((count) => Math.max(0, Math.floor(count / rounds))),
        most: spare.map((count) => Math.max(0, Math.ceil(count / rounds))),
      });
      for (const cell of drops.cells) if (cell !== NO_CELL) this.move(cell, dropped);
    }
  }

  /** Takes the cheapest paths while they cost less than `below` and there are nodes that must give or take. */
  private goAround(below: number): void {
    for (;;) {
      const needs = [this.spares(), this.lacks()].filter((counts) => sum(counts) > 0).length;
      if (needs * NEEDED >= below) return;
      const { path, cost } = cheapestPath(this.cells, this.before, this.counts, this.least, this.most);
      if (cost >= below) return;
      for (const { cell, node } of path) this.move(cell, node);
    }
  }
}
