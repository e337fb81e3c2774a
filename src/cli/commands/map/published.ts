import { withoutPassword } from '../../../arguments.js';
import { currentMap, mapHistory, publishMap, rollbackMap, type ShardMap } from '../../../map/index.js';
import { tell } from '../../io/outcomes.js';
import { checkOutputs, printTable, type TableFormat, withOutput } from '../../io/output.js';
import type { CliCommand } from '../../options/command.js';
import { MAP, readMap } from '../../options/placement.js';
import { filesOfStore, operator, STORES_IN_SHORT, storeName, withStore } from '../../options/store.js';
import { checkCanAsk, integer, isRefusal, problemOf, required, shown } from '../../options/usage.js';
import { confirm, say } from '../../terminal.js';

const STORE = `where the current map is kept: ${STORES_IN_SHORT} (required)`;

export function addPublish(map: CliCommand): void {
  map
    .command('publish')
    .summary('make a map the current one of a store')
    .description(
      'Make a map the current one of a store, for all who share the store. It must be made from the one in the store by one map change, so that nobody undoes what somebody else has published.',
    )
    .argument('<map>', MAP)
    .option('--store <path|url>', STORE, storeName)
    .examples('shardbits map publish map-2.json --store ids.db')
    .action(publishFile);
}

async function publishFile(where: string, options: { store: string }): Promise<void> {
  required(options, '--store');
  const map = await readMap(where);
  const name = withoutPassword(options.store);
  await withStore(options.store, 'create', async (store) => {
    const had = await currentMap(store);
    await publishMap(store, map);
    const isNew = had?.version !== map.version;
    tell({ outcome: isNew ? 'published' : 'already published', version: map.version }, { store: name });
  }).catch((error) => {
    if (!isRefusal(error)) throw error;
    const problem = `expected ${error.expected}, as in ${name}, got one of ${shown(error.got)}`;
    throw new Error(`${where}: ${problem}`, { cause: error });
  });
}

export function addGet(map: CliCommand): void {
  map
    .command('get')
    .summary('print the current map of a store')
    .description('Print the map that was published last in a store.')
    .option('--store <path|url>', STORE, storeName)
    .outOption()
    .examples(
      'shardbits map get --store ids.db --out map.json',
      'shardbits map get --store ids.db | shardbits map show -',
    )
    .action(async (options: { store: string; out?: string }) => {
      required(options, '--store');
      checkOutputs(options, filesOfStore(options.store));
      await withStore(options.store, 'read', async (store) => {
        const map = await currentMap(store);
        if (map === undefined) throw noMap(options.store);
        await writeMap(map, options.out);
      });
    });
}

function noMap(store: string): Error {
  return new Error(`${withoutPassword(store)}: no map has been published there`);
}

export function addHistory(map: CliCommand): void {
  map
    .command('history')
    .summary('list the versions of the map that a store keeps')
    .description(
      'List the versions of the map that a store keeps, the current one last: their digests, and when they were published. A store keeps the last 100 versions, or fewer if their JSON is longer than 16 MB in all.',
    )
    .option('--store <path|url>', STORE, storeName)
    .tableOption()
    .examples('shardbits map history --store ids.db', 'shardbits map history --store ids.db --format json')
    .action(async (options: { store: string; format: TableFormat }) => {
      required(options, '--store');
      await withStore(options.store, 'read', async (store) => {
        const versions = await mapHistory(store);
        if (versions.length === 0) throw noMap(options.store);
        await printTable(versions, options.format, ['version', 'digest', 'published'], (one) => {
          return [one.version, one.digest, one.published.toISOString()];
        });
      });
    });
}

export function addRollback(map: CliCommand): void {
  map
    .command('rollback')
    .summary('publish an earlier version of the map of a store again')
    .description(
      'Publish an earlier version of the map of a store again, as the version after the current one. It says which nodes get and drop copies of how many shards, and asks before it changes anything.',
    )
    .argument('<version>', 'one of the versions that map history lists', integer)
    .option('--store <path|url>', STORE, storeName)
    .option('--yes', 'do not ask')
    .examples('shardbits map rollback 3 --store ids.db')
    .action(rollBack);
}

async function rollBack(version: number, options: { store: string; yes?: boolean }): Promise<void> {
  required(options, '--store');
  checkCanAsk('map rollback', options);
  const name = withoutPassword(options.store);
  const isConfirmed = async (next: ShardMap, current: ShardMap) => {
    if (current.digest === next.digest) return false;
    say(...changesIn(current, next, version));
    await confirm(
      options.yes,
      'All processes that watch the store use the new version at once. Nodes that get copies must have the data of',
      'those shards already, with all writes since.',
    );
    isNew = true;
    return true;
  };
  let isNew = false;
  await withStore(options.store, 'change', async (store) => {
    const map = await rollbackMap(store, version, { by: operator(), confirm: isConfirmed });
    tell(isNew ? { outcome: 'published', version: map.version } : { outcome: 'current already', version }, {
      store: name,
    });
  }).catch((error) => {
    throw isRefusal(error) ? new Error(`${name}: ${problemOf(error)}`, { cause: error }) : error;
  });
}

export async function writeMap(map: ShardMap, out: string | undefined): Promise<void> {
  await withOutput(out, (print) => print(`${JSON.stringify(map)}\n`));
}

/**
 * How many copies move from one map to the next, in words. A copy that is only added or only dropped, because the number
 * of copies changes, does not count as moved.
 */
export function copiesMoved(map: ShardMap, next: ShardMap): string {
  const moves = map.movesTo(next);
  const added = moves.filter(({ from }) => from === undefined).length;
  const dropped = moves.filter(({ to }) => to === undefined).length;
  const total = next.shards * next.replicas;
  const more = `${added > 0 ? `, ${added} are added` : ''}${dropped > 0 ? `, ${dropped} are dropped` : ''}`;
  return `${moves.length - added - dropped} of ${total} copies move${more}`;
}

/** Which nodes get and drop how many copies, as a line each. */
function changesIn(current: ShardMap, next: ShardMap, version: number): string[] {
  const counts = new Map<string, { gets: number; drops: number }>();
  const countOf = (node: string) => {
    const count = counts.get(node) ?? { gets: 0, drops: 0 };
    counts.set(node, count);
    return count;
  };
  for (const { from, to } of current.movesTo(next)) {
    if (from !== undefined) countOf(from).drops++;
    if (to !== undefined) countOf(to).gets++;
  }
  const rows = [...counts]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([node, { gets, drops }]) => `  ${node}: gets ${gets}, drops ${drops}`);
  const primaries = current.primaryChangesTo(next).length;
  const first = `version ${next.version}, as version ${version}: ${copiesMoved(current, next)}`;
  return [`${first}, ${primaries} primaries change without a copy`, ...rows];
}
