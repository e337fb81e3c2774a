import type { Command } from 'commander';
import type { CopyMove } from '../map/index.js';
import { checkOneStdin, MAP, readMap } from './map-file.js';
import { print } from './stdout.js';
import { UsageError } from './usage.js';

const ROWS_A_WRITE = 10_000;

export function addMoves(map: Command): void {
  map
    .command('moves')
    .summary('list the copies that move from one map to another')
    .description(
      'List the copies of shards to make and drop on the way from one map to another: the shard, the node that drops a ' +
        'copy (from), the node that gets it (to), and whether it is the primary. A copy that is only added has no from, ' +
        'and one that is only dropped has no to.',
    )
    .argument('<map>', MAP)
    .argument('<next>', 'the map afterwards, with the same number of shards; a file or -')
    .option('--json', 'write an object on each line instead of a table with a header')
    .addHelpText(
      'after',
      '\nExamples:\n  shardbits map moves map.json map-2.json\n' +
        '  shardbits map change map.json --add db4 | shardbits map moves map.json - --json',
    )
    .action(list);
}

async function list(from: string, to: string, { json = false }: { json?: boolean }): Promise<void> {
  checkOneStdin({ MAP: from, NEXT: to });
  const map = await readMap(from);
  const next = await readMap(to);
  if (next.shards !== map.shards) {
    throw new UsageError(`NEXT: expected a map of ${map.shards} shards, as in MAP, got one of ${next.shards}`);
  }
  const moves = map.movesTo(next);
  if (!json) await print('shard\tfrom\tto\tprimary\n');
  for (let row = 0; row < moves.length; row += ROWS_A_WRITE) {
    const some = moves.slice(row, row + ROWS_A_WRITE);
    await print(some.map((move) => `${json ? JSON.stringify(move) : asRow(move)}\n`).join(''));
  }
}

/** Names have no control characters, so no tabs. */
function asRow({ shard, from = '', to = '', primary }: CopyMove): string {
  return [shard, from, to, primary].join('\t');
}
