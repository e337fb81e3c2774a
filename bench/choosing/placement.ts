import { CHANGED, type Change, COUNTS, type Contender, changed, KEYS, keys, nodeNames, TAKEN } from './ours.js';

/** Where a contender places the keys: figures that are the same on every machine. */
export interface Placement {
  readonly name: string;
  /** The keys of the fullest node, over the average, for each number of nodes. */
  readonly balance: readonly number[];
  readonly added: Moves;
  readonly taken: Moves;
  /** Whether two processes place all keys on the same nodes. */
  readonly isStable: boolean;
}

/** How many keys move, and how many of them from one node to another that were both there before and after. */
export interface Moves {
  readonly moved: number;
  readonly needless: number;
}

export function placementOf(contender: Contender): Placement {
  const all = keys();
  const balance = COUNTS.map((count) => {
    const loads = new Map<string, number>();
    const place = contender.place(nodeNames(count));
    for (const key of all) {
      const node = place(key);
      loads.set(node, (loads.get(node) ?? 0) + 1);
    }
    return Math.max(...loads.values()) / (KEYS / count);
  });
  const nodes = nodeNames(CHANGED);
  const before = all.map(contender.place(nodes));
  const again = all.map(contender.place(nodes));
  const moves = (change: Change): Moves => {
    const after = all.map(contender.place(nodes, change));
    const rows = [...all.keys()].filter((row) => before[row] !== after[row]);
    const changing = change === 'added' ? changed(nodes, change)[CHANGED] : nodes[TAKEN];
    const needless = rows.filter((row) => before[row] !== changing && after[row] !== changing);
    return { moved: rows.length, needless: needless.length };
  };
  return {
    name: contender.name,
    balance,
    added: moves('added'),
    taken: moves('taken'),
    isStable: before.every((node, row) => node === again[row]),
  };
}
