/** A copy of a shard that has to be made, dropped, or both. */
export interface CopyMove {
  readonly shard: number;
  /** The node that drops the copy; missing if the copy is only added. */
  readonly from?: string;
  /** The node that gets the copy; missing if the copy is only dropped. */
  readonly to?: string;
  /** Whether `to` becomes the primary; without `to`, whether `from` was it. */
  readonly primary: boolean;
}

/** A shard whose new primary is another node that holds the shard already. */
export interface PrimaryChange {
  readonly shard: number;
  /** The old primary, which may be gone. */
  readonly from: string;
  readonly to: string;
}

/** The nodes of each shard, the primary first, one shard after the other. */
export interface CopyTable {
  readonly cells: Uint16Array;
  readonly replicas: number;
  readonly names: readonly string[];
}

/** The shards whose nodes differ between two tables, with the names of these nodes. */
function* differences(a: CopyTable, b: CopyTable): Generator<{ shard: number; before: string[]; after: string[] }> {
  const indexes = new Map(b.names.map((name, index) => [name, index]));
  const indexInB = a.names.map((name) => indexes.get(name) ?? -1);
  const shards = a.cells.length / a.replicas;
  const isAlike = (shard: number) => {
    if (a.replicas !== b.replicas) return false;
    for (let i = shard * a.replicas; i < (shard + 1) * a.replicas; i++) {
      if (indexInB[a.cells[i]] !== b.cells[i]) return false;
    }
    return true;
  };
  const namesOf = ({ cells, replicas, names }: CopyTable, shard: number) =>
    Array.from(cells.subarray(shard * replicas, (shard + 1) * replicas), (node) => names[node]);
  for (let shard = 0; shard < shards; shard++) {
    if (!isAlike(shard)) yield { shard, before: namesOf(a, shard), after: namesOf(b, shard) };
  }
}

export function movesBetween(a: CopyTable, b: CopyTable): CopyMove[] {
  const moves: CopyMove[] = [];
  for (const { shard, before, after } of differences(a, b)) {
    const left = before.filter((node) => !after.includes(node));
    const joined = after.filter((node) => !before.includes(node));
    for (let i = 0; i < Math.max(left.length, joined.length); i++) {
      const [from, to] = [left[i], joined[i]];
      const primary = to === undefined ? from === before[0] : to === after[0];
      moves.push({ shard, ...(from !== undefined && { from }), ...(to !== undefined && { to }), primary });
    }
  }
  return moves;
}

export function primaryChangesBetween(a: CopyTable, b: CopyTable): PrimaryChange[] {
  const changes: PrimaryChange[] = [];
  for (const { shard, before, after } of differences(a, b)) {
    const [from, to] = [before[0], after[0]];
    if (from !== to && before.includes(to)) changes.push({ shard, from, to });
  }
  return changes;
}
