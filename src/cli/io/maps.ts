import type { ShardMap } from '../../map/index.js';
import { withOutput } from './output.js';

/** Writes a map as JSON to a file or to standard output. */
export async function writeMap(map: ShardMap, out: string | undefined): Promise<void> {
  await withOutput(out, (print) => print(`${JSON.stringify(map)}\n`));
}

/**
 * How many copies move from one map to the next, in words. A copy that is only added or only dropped, because the number
 * of copies changes, does not count as moved.
 */
export function copiesMoved(map: ShardMap, next: ShardMap): string {
  let [moves, added, dropped] = [0, 0, 0];
  for (const { from, to } of map.movesTo(next)) {
    if (from === undefined) added++;
    else if (to === undefined) dropped++;
    else moves++;
  }
  const total = next.shards * next.replicas;
  const more = `${added > 0 ? `, ${added} are added` : ''}${dropped > 0 ? `, ${dropped} are dropped` : ''}`;
  return `${moves} of ${total} copies move${more}`;
}
