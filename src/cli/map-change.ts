import type { Command } from 'commander';
import type { MapNode, NodeSpec, ShardMap } from '../map/index.js';
import { checkMapOutput, MAP, readMap, writeMap } from './map-file.js';
import { checkKnown, fromNodes, NODES, nameList, nodeList, weightList, zoneList } from './map-nodes.js';
import { OUT } from './output.js';
import { fromOptions, integer, path, shown, UsageError } from './usage.js';

interface Changes {
  add?: readonly NodeSpec[];
  remove?: readonly { readonly name: string }[];
  weight?: readonly { readonly name: string; readonly weight: number }[];
  zone?: readonly { readonly name: string; readonly zone: string }[];
  replicas?: number;
}

export function addChange(map: Command): void {
  map
    .command('change')
    .summary('print the next version of a map, with changed nodes')
    .description(
      'Print the next version of a map, with nodes added, removed or changed. It moves as few copies as possible, and ' +
        'writes on standard error how many.',
    )
    .argument('<map>', MAP)
    .option('--add <list>', `new ${NODES}`, nodeList('--add'))
    .option('--remove <list>', 'the names of nodes to remove, such as db1,db2', nameList('--remove'))
    .option('--weight <list>', 'new weights, such as db1=3,db2=0.5', weightList('--weight'))
    .option('--zone <list>', 'new zones, such as db1=us; db1= removes the zone', zoneList('--zone'))
    .option('--replicas <n>', 'the new number of copies of each shard', integer)
    .option('--out <file>', OUT, path)
    .addHelpText(
      'after',
      '\nExamples:\n  shardbits map change map.json --add db4@us --out map-2.json\n' +
        '  shardbits map change map.json --remove db2 --weight db1=3 | shardbits map show -',
    )
    .action(change);
}

async function change(where: string, { out, ...changes }: Changes & { out?: string }): Promise<void> {
  if (Object.keys(changes).length === 0) {
    throw new UsageError('expected --add, --remove, --weight, --zone or --replicas, got none');
  }
  checkMapOutput(out, where);
  const map = await readMap(where);
  const nodes = changedNodes(map.nodes, changes);
  checkReplicas(map, nodes, changes);
  const { replicas } = changes;
  const next = fromOptions(() => fromNodes(() => map.with({ nodes, replicas })));
  await writeMap(next, out);
  process.stderr.write(moved(map, next));
}

function changedNodes(before: readonly MapNode[], changes: Changes): readonly NodeSpec[] {
  const { add = [], remove = [], weight = [], zone = [] } = changes;
  const known = before.map(({ name }) => name);
  checkKnown('--remove', remove, known);
  const gone = new Set(remove.map(({ name }) => name));
  const staying = known.filter((name) => !gone.has(name));
  if (staying.length + add.length === 0) {
    throw new UsageError(`--remove: expected at least one node to stay, got all ${known.length}`);
  }
  checkKnown('--weight', weight, staying);
  checkKnown('--zone', zone, staying);
  for (const { name } of add) {
    if (!known.includes(name)) continue;
    throw new UsageError(`--add: expected the name of a new node, got ${shown(name)}, which the map has`);
  }
  const weights = new Map(weight.map((one) => [one.name, one.weight]));
  const zones = new Map(zone.map((one) => [one.name, one.zone === '' ? undefined : one.zone]));
  const changed = before
    .filter(({ name }) => !gone.has(name))
    .map((node) => ({
      name: node.name,
      weight: weights.get(node.name) ?? node.weight,
      zone: zones.has(node.name) ? zones.get(node.name) : node.zone,
    }));
  return [...changed, ...add];
}

function checkReplicas(map: ShardMap, nodes: readonly NodeSpec[], changes: Changes): void {
  const { length } = nodes;
  const { replicas = map.replicas } = changes;
  if (replicas <= length) return;
  const copies = `${replicas} nodes, one for each copy of a shard`;
  if (changes.replicas === undefined) throw new UsageError(`--remove: expected to leave ${copies}, got ${length}`);
  throw new UsageError(`--replicas: expected an integer from 1 to ${length}, the number of nodes, got ${replicas}`);
}

/** A copy that is only added or only dropped, because the number of copies changes, does not count as moved. */
function moved(map: ShardMap, next: ShardMap): string {
  let [moves, added, dropped] = [0, 0, 0];
  for (const { from, to } of map.movesTo(next)) {
    if (from === undefined) added++;
    else if (to === undefined) dropped++;
    else moves++;
  }
  const total = next.shards * next.replicas;
  const more = `${added > 0 ? `, ${added} are added` : ''}${dropped > 0 ? `, ${dropped} are dropped` : ''}`;
  return `version ${next.version}: ${moves} of ${total} copies move${more}\n`;
}
