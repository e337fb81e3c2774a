import { Choice, NO_CELL } from './choice.js';

/** The `replicas` nodes that hold each shard, one shard after the other, and their previous roles. */
export interface Holders {
  readonly nodes: Uint16Array;
  readonly replicas: number;
  /** The previous primary of each shard, or a number that is not a node's; undefined in a new map. */
  readonly primaries?: Uint16Array | undefined;
  /** 1 for each cell whose node held the shard before. */
  readonly isOld?: Uint16Array | undefined;
}

/**
 * Puts the primary of each shard first. A node is the primary of its share of all shards, rounded up or down. A primary stays
 * if that is possible. Otherwise a node that held the shard already takes over, unless the shares of such nodes are too small
 * for that, for example when most nodes are new.
 */
export function arrangePrimaries(holders: Holders, shares: Float64Array): void {
  const { nodes, replicas, primaries, isOld } = holders;
  const shards = nodes.length / replicas;
  const mustBeOld = new Uint8Array(shards);
  let mayPassAnywhere = false;
  const choice = new Choice({
    nodes,
    width: replicas,
    count: shares.length,
    mayChoose: (shard, cell) => mayPassAnywhere || mustBeOld[shard] === 0 || isOld?.[cell] === 1,
  });
  for (let shard = 0; primaries !== undefined && shard < shards; shard++) {
    const [from, to] = [shard * replicas, (shard + 1) * replicas];
    for (let cell = from; cell < to; cell++) if (nodes[cell] === primaries[shard]) choice.choose(shard, cell);
    if (choice.cells[shard] !== NO_CELL) continue;
    for (let cell = from; cell < to; cell++) if (isOld?.[cell] === 1) mustBeOld[shard] = 1;
  }
  for (let shard = 0; shard < shards; shard++) {
    if (choice.cells[shard] === NO_CELL) choice.chooseLeast(shard, shares);
  }

  const rounded = { least: shares.map(Math.floor), most: shares.map(Math.ceil) };
  const withinOne = {
    least: shares.map((share) => Math.ceil(share - 1)),
    most: shares.map((share) => Math.floor(share + 1)),
  };
  if (!choice.balance(rounded) && !choice.balance(withinOne)) {
    mayPassAnywhere = true;
    if (!choice.balance(rounded)) choice.balance(withinOne);
  }
  for (let shard = 0; shard < shards; shard++) {
    const [first, cell] = [shard * replicas, choice.cells[shard] as number];
    const primary = nodes[cell] as number;
    nodes.copyWithin(first + 1, first, cell);
    nodes[first] = primary;
  }
}
