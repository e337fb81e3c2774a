import { groupByShard } from '../routing/group.js';
import { type CopyCells, roomInZone } from './cells.js';

/**
 * The nodes that no cell has reached yet. If a cell may not have any node of a zone, all of them are skipped at once. Most
 * cells reach nearly all nodes that are left. Without this, a million shards on a thousand nodes took 90 s.
 */
export class NodesByZone {
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
      this.#left[zone] = (this.#starts[zone + 1] as number) - (this.#starts[zone] as number);
    }
  }

  /** Removes the nodes that a cell can get, and reports them. */
  reach(cells: CopyCells, cell: number, onNode: (node: number) => void): void {
    for (let i = this.#zonesLeft - 1; i >= 0; i--) {
      const zone = this.#zones[i] as number;
      if (roomInZone(cells, cell, zone) === 0) continue;
      const left = this.#reachInZone(zone, cells, cell, onNode);
      this.#left[zone] = left;
      if (left > 0) continue;
      this.#zonesLeft--;
      this.#zones[i] = this.#zones[this.#zonesLeft] as number;
      this.#zones[this.#zonesLeft] = zone;
    }
  }

  /** @returns how many nodes of the zone are left: those that hold the shard already */
  #reachInZone(zone: number, { nodes, width }: CopyCells, cell: number, onNode: (node: number) => void): number {
    const start = this.#starts[zone] as number;
    const end = start + (this.#left[zone] as number);
    const first = cell - (cell % width);
    let kept = start;
    for (let i = start; i < end; i++) {
      const node = this.#nodes[i] as number;
      if (node === this.#reached) continue;
      let other = first;
      while (other < first + width && nodes[other] !== node) other++;
      if (other === first + width) {
        onNode(node);
        continue;
      }
      this.#nodes[i] = this.#nodes[kept] as number;
      this.#nodes[kept++] = node;
    }
    return kept - start;
  }
}
