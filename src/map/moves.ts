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

/** What is compared of a map, which may be one of another copy of this package. */
export interface Assignment {
  readonly shards: number;
  readonly replicas: number;
  readonly nodes: readonly { readonly name: string }[];
  nodeColumn(shards: Uint32Array, options: { copy: number }): Uint16Array;
}

/** The shards whose nodes differ between two maps, with the names of these nodes. */
function* differences(a: Assignment, b: Assignment): Generator<{ shard: number; before: string[]; after: string[] }> {
  const shards = Uint32Array.from({ length: a.shards }, (_, shard) => shard);
  const columnsOf = (map: Assignment) =>
    Array.from({ length: map.replicas }, (_, copy) => map.nodeColumn(shards, { copy }));
  const [ours, theirs] = [columnsOf(a), columnsOf(b)];
  const indexes = new Map(b.nodes.map(({ name }, index) => [name, index]));
  const indexInB = a.nodes.map(({ name }) => indexes.get(name) ?? -1);
  const isAlike = (shard: number) =>
    a.replicas === b.replicas && ours.every((nodes, copy) => indexInB[nodes[shard]] === theirs[copy][shard]);
  for (const shard of shards) {
    if (isAlike(shard)) continue;
    const before = ours.map((nodes) => a.nodes[nodes[shard]].name);
    yield { shard, before, after: theirs.map((nodes) => b.nodes[nodes[shard]].name) };
  }
}

export function movesBetween(a: Assignment, b: Assignment): CopyMove[] {
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

export function primaryChangesBetween(a: Assignment, b: Assignment): PrimaryChange[] {
  const changes: PrimaryChange[] = [];
  for (const { shard, before, after } of differences(a, b)) {
    const [from, to] = [before[0], after[0]];
    if (from !== to && before.includes(to)) changes.push({ shard, from, to });
  }
  return changes;
}
