import type { Command } from 'commander';
import { type NodeSpec, ShardMap } from '../map/index.js';
import { addChange } from './map-change.js';
import { writeMap } from './map-file.js';
import { addMoves } from './map-moves.js';
import { fromNodes, NODES, nodeList } from './map-nodes.js';
import { addShow } from './map-show.js';
import { addGet, addPublish } from './map-store.js';
import { OUT } from './output.js';
import { fromOptions, integer, path, required, UsageError } from './usage.js';

export function addMap(program: Command): void {
  const map = program
    .command('map')
    .helpCommand(false) // `shardbits help map` does the same
    .usage('<command> [options]')
    .summary('make and change maps of which nodes hold which shards')
    .description(
      'Make and change maps, which say which nodes hold which shards, with weights, zones and several copies of each ' +
        'shard. A map is one line of JSON. route --map writes the nodes of keys, and plan --from-map tells which keys move.',
    )
    .addHelpText(
      'after',
      '\nExamples:\n  shardbits map create --shards 4096 --nodes db1,db2,db3 --out map.json\n' +
        '  shardbits map show map.json\n  shardbits help map change',
    );
  for (const add of [addCreate, addChange, addMoves, addShow, addPublish, addGet]) add(map);
}

interface CreateOptions {
  shards: number;
  nodes: readonly NodeSpec[];
  replicas?: number;
  out?: string;
}

function addCreate(map: Command): void {
  map
    .command('create')
    .summary('print the first version of a map')
    .description('Print the first version of a map. The same options give the same map on every machine.')
    .option('--shards <n>', 'the number of shards, 1 to 16777216, which can never change (required)', integer)
    .option('--nodes <list>', `${NODES} (required)`, nodeList('--nodes'))
    .option('--replicas <n>', 'the number of copies of each shard (default: 1)', integer)
    .option('--out <file>', OUT, path)
    .addHelpText(
      'after',
      '\nExamples:\n  shardbits map create --shards 1024 --nodes db1,db2,db3 --out map.json\n' +
        '  shardbits map create --shards 4096 --nodes db1=2@eu,db2@eu,db3@us --replicas 2 | shardbits map show -',
    )
    .action(create);
}

async function create(options: CreateOptions): Promise<void> {
  required(options, '--shards', '--nodes');
  const { shards, nodes, replicas, out } = options;
  if (replicas !== undefined && replicas > nodes.length) {
    throw new UsageError(
      `--replicas: expected an integer from 1 to ${nodes.length}, the number of nodes, got ${replicas}`,
    );
  }
  const map = fromOptions(() => fromNodes(() => ShardMap.create({ shards, nodes, replicas })));
  await writeMap(map, out);
}
