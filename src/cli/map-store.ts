import type { Command } from 'commander';
import { currentMap, publishMap } from '../map/index.js';
import { MAP, readMap, writeMap } from './map-file.js';
import { engineOf, openStore, STORES, storeName, withoutPassword } from './open-store.js';
import { checkOutputs, OUT } from './output.js';
import { isRefusal, path, required, shown } from './usage.js';

const STORE = `where the current map is kept: ${STORES} (required)`;

export function addPublish(map: Command): void {
  map
    .command('publish')
    .summary('make a map the current one of a store')
    .description(
      'Make a map the current one of a store, for all who share the store. It must be the next version after the one in ' +
        'the store, so that nobody undoes what somebody else has published.',
    )
    .argument('<map>', MAP)
    .option('--store <path|url>', STORE, storeName('--store'))
    .addHelpText('after', '\nExample:\n  shardbits map publish map-2.json --store ids.db')
    .action(publish);
}

async function publish(where: string, options: { store: string }): Promise<void> {
  required(options, '--store');
  const map = await readMap(where);
  const name = withoutPassword(options.store);
  const store = await openStore(options.store, 'create');
  try {
    await publishMap(store, map);
  } catch (error) {
    const { code, message } = error as Error & { code?: string };
    if (code === 'ERR_MAP_CONFLICT') throw new Error(`${name}: ${message}`, { cause: error });
    if (!isRefusal(error)) throw error;
    const problem = `expected ${error.expected}, as in ${name}, got one of ${shown(error.got)}`;
    throw new Error(`${where}: ${problem}`, { cause: error });
  } finally {
    await store.close();
  }
  process.stderr.write(`published version ${map.version}\n`);
}

export function addGet(map: Command): void {
  map
    .command('get')
    .summary('print the current map of a store')
    .description('Print the map that was published last in a store.')
    .option('--store <path|url>', STORE, storeName('--store'))
    .option('--out <file>', OUT, path)
    .addHelpText(
      'after',
      '\nExamples:\n  shardbits map get --store ids.db --out map.json\n' +
        '  shardbits map get --store ids.db | shardbits map show -',
    )
    .action(get);
}

async function get(options: { store: string; out?: string }): Promise<void> {
  required(options, '--store');
  checkOutputs(options, engineOf(options.store).isFile ? [options.store] : []);
  const store = await openStore(options.store, 'read');
  try {
    const map = await currentMap(store);
    if (map === undefined) throw new Error(`${withoutPassword(options.store)}: no map has been published there`);
    await writeMap(map, options.out);
  } finally {
    await store.close();
  }
}
