import { visible } from '../../../arguments.js';
import { type MapNode, type NodeSpec, ShardMap } from '../../../map/index.js';
import { checkOutputs, number, printTable } from '../../io/output.js';
import { aligned, bar, listed } from '../../io/reports.js';
import type { CliCommand } from '../../options/command.js';
import { inputOf } from '../../options/input.js';
import { checkOneStdin, MAP, readMap } from '../../options/placement.js';
import { BadValue, fromOptions, integer, required, shown, suggestion, UsageError } from '../../options/usage.js';
import { inLines, print, say } from '../../terminal.js';
import { addGet, addHistory, addPublish, addRollback, copiesMoved, writeMap } from './published.js';

export function define(map: CliCommand): void {
  map
    .helpCommand(false) // `shardbits help map` does the same
    .usage('<command> [options]')
    .description(
      'Make and change maps, which say which nodes hold which shards, with weights, zones and several copies of each shard. A map is one line of JSON. route --map writes the nodes of keys, and plan --from-map counts the keys that move.',
    )
    .examples(
      'shardbits map create --shards 4096 --nodes db1,db2,db3 --out map.json',
      'shardbits map show map.json',
      'shardbits help map change',
    );
  const published = [addPublish, addGet, addHistory, addRollback];
  for (const add of [addCreate, addChange, addMoves, addShow, ...published]) add(map);
}

function addCreate(map: CliCommand): void {
  map
    .command('create')
    .summary('print the first version of a map')
    .description('Print the first version of a map. The same options give the same map on every machine.')
    .option('--shards <n>', 'the number of shards, 1 to 16777216, which can never change (required)', integer)
    .option('--nodes <list>', `${NODES} (required)`, nodeList)
    .option('--replicas <n>', 'the number of copies of each shard (default: 1)', integer)
    .outOption()
    .examples(
      'shardbits map create --shards 1024 --nodes db1,db2,db3 --out map.json',
      'shardbits map create --shards 4096 --nodes db1=2@eu,db2@eu,db3@us --replicas 2 | shardbits map show -',
    )
    .action(async (options: { shards: number; nodes: readonly NodeSpec[]; replicas?: number; out?: string }) => {
      required(options, '--shards', '--nodes');
      const { shards, nodes, replicas = 1, out } = options;
      checkReplicas(replicas, nodes, true);
      const map = fromOptions(() => ShardMap.create({ shards, nodes, replicas }));
      await writeMap(map, out);
    });
}

type Changes = { [option in 'add' | 'remove' | 'weight' | 'zone']?: readonly NodeSpec[] } & { replicas?: number };

function addChange(map: CliCommand): void {
  map
    .command('change')
    .summary('print the next version of a map, with changed nodes')
    .description(
      'Print the next version of a map, with nodes added, removed or changed. It moves as few copies as possible, and writes on standard error how many.',
    )
    .argument('<map>', MAP)
    .option('--add <list>', `new ${NODES}`, nodeList)
    .option('--remove <list>', 'the names of nodes to remove, such as db1,db2', nameList)
    .option('--weight <list>', 'new weights, such as db1=3,db2=0.5', weightList)
    .option('--zone <list>', 'new zones, such as db1=us; db1= removes the zone', zoneList)
    .option('--replicas <n>', 'the new number of copies of each shard', integer)
    .outOption()
    .examples(
      'shardbits map change map.json --add db4@us --out map-2.json',
      'shardbits map change map.json --remove db2 --weight db1=3 | shardbits map show -',
    )
    .action(change);
}

async function change(where: string, { out, ...changes }: Changes & { out?: string }): Promise<void> {
  if (Object.keys(changes).length === 0) {
    throw new UsageError('expected --add, --remove, --weight, --zone or --replicas, got none');
  }
  checkOutputs({ out }, [inputOf(where)]); // a map must not overwrite the one that it is made from
  const map = await readMap(where);
  const nodes = changedNodes(map.nodes, changes);
  const { replicas } = changes;
  checkReplicas(replicas ?? map.replicas, nodes, replicas !== undefined);
  const next = fromOptions(() => map.with({ nodes, replicas }));
  await writeMap(next, out);
  say(`version ${next.version}: ${copiesMoved(map, next)}`);
}

function changedNodes(before: readonly MapNode[], changes: Changes): readonly NodeSpec[] {
  const { add = [], remove = [], weight = [], zone = [] } = changes;
  const known = before.map(({ name }) => name);
  checkKnown('--remove', remove, known);
  const gone = new Set(remove.map(({ name }) => name));
  const kept = before.filter(({ name }) => !gone.has(name));
  const staying = kept.map(({ name }) => name);
  if (staying.length + add.length === 0) {
    throw new UsageError(`--remove: expected at least one node to stay, got all ${known.length}`);
  }
  checkKnown('--weight', weight, staying);
  checkKnown('--zone', zone, staying);
  for (const { name } of add) {
    if (!known.includes(name)) continue;
    throw new UsageError(`--add: expected the name of a new node, got ${shown(name)}, which the map has`);
  }
  const changed = new Map<string, NodeSpec>(kept.map((node) => [node.name, node]));
  for (const { name, ...changes } of [...weight, ...zone]) {
    const node = { ...changed.get(name), name, ...changes };
    changed.set(name, node.zone === '' ? { ...node, zone: undefined } : node);
  }
  return [...changed.values(), ...add];
}

function checkKnown(option: string, given: readonly NodeSpec[], known: readonly string[]): void {
  const names = new Set(known);
  for (const { name } of given) {
    if (names.has(name)) continue;
    const hint = suggestion(name, known);
    throw new UsageError(`${option}: expected the name of a node of the map, got ${shown(name)}${hint}`);
  }
}

function checkReplicas(replicas: number, { length }: readonly NodeSpec[], isGiven: boolean): void {
  if (replicas <= length) return;
  const problem = isGiven
    ? `--replicas: expected an integer from 1 to ${length}, the number of nodes, got ${replicas}`
    : `--remove: expected to leave ${replicas} nodes, one for each copy of a shard, got ${length}`;
  throw new UsageError(problem);
}

function addMoves(map: CliCommand): void {
  map
    .command('moves')
    .summary('list the copies that move from one map to another')
    .description(
      'List the copies of shards to make and drop on the way from one map to another: the shard, the node that drops a copy (from), the node that gets it (to), and whether it is the primary. A copy that is only added has no from, and one that is only dropped has no to.',
    )
    .argument('<map>', MAP)
    .argument('<next>', 'the map afterwards, with the same number of shards; a file or -')
    .option('--json', 'write an object on each line instead of a table with a header')
    .examples(
      'shardbits map moves map.json map-2.json',
      'shardbits map change map.json --add db4 | shardbits map moves map.json - --json',
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
  const header = ['shard', 'from', 'to', 'primary'];
  await printTable(map.movesTo(next), json ? 'json' : 'tsv', header, ({ shard, from = '', to = '', primary }) => {
    return [shard, from, to, primary];
  });
}

function addShow(map: CliCommand): void {
  map
    .command('show')
    .summary('show what each node of a map holds')
    .description(
      'Show what each node of a map holds: how many shards it is the primary of, how many copies it has in total, and its ideal number of copies, which is its share by weight as far as zones allow. Maps that place all shards alike have the same digest.',
    )
    .argument('<map>', MAP)
    .option('--json', 'write one JSON object: version, digest, shards, replicas, nodes, limited')
    .examples('shardbits map show map.json', 'shardbits map get --store ids.db | shardbits map show - --json')
    .action(async (where: string, { json }: { json?: boolean }) => {
      const map = await readMap(where);
      const { version, digest, shards, replicas, limited } = map;
      const found = { version, digest, shards, replicas, nodes: rowsOf(map), limited };
      await print(json ? inLines([JSON.stringify(found)]) : inWords(map));
    });
}

function rowsOf(map: ShardMap) {
  return map.balance().map(({ node, primaries, copies, ideal }, i) => {
    const { zone, weight = 1 } = map.nodes[i] ?? {};
    return { node, ...(zone !== undefined && { zone }), weight, primaries, copies, ideal };
  });
}

function inWords(map: ShardMap): string {
  const rows = rowsOf(map);
  const most = Math.max(0, ...rows.map(({ copies }) => copies));
  const table = [
    ['node', 'zone', 'weight', 'primaries', 'copies', 'ideal'],
    ...rows.map(({ node, zone = '', weight, primaries, copies, ideal }) => {
      return [visible(node), visible(zone), String(weight), number(primaries), number(copies), number(ideal, 1)];
    }),
  ];
  const lines = aligned(table, [0, 1]).map((line, i) => {
    const row = rows[i - 1];
    return row === undefined ? line : `${line} ${bar(row.copies, most)}`.trimEnd();
  });
  const { version, digest, shards, replicas } = map;
  const head = listed({ version: String(version), digest, shards, replicas });
  return inLines([...head, '', ...lines, ...limits(map)]);
}

/** Names the nodes that hold less than their share, and says why. */
function limits(map: ShardMap): string[] {
  const { limited, nodes, replicas } = map;
  if (limited.length === 0) return [];
  // A node without a zone counts as a zone of its own. With fewer zones than copies, zones limit nothing.
  const zones = new Set(nodes.map(({ name, zone }) => JSON.stringify(zone === undefined ? { name } : zone)));
  const isByZone = nodes.some(({ zone }) => zone !== undefined) && zones.size >= replicas;
  const share = limited.length === 1 ? "its weight's share" : "their weights' share";
  const what = isByZone ? 'zone' : 'node';
  return ['', `${limited.join(', ')}: less than ${share}, because no ${what} may hold two copies of a shard`];
}

const NODES = 'nodes as NAME, NAME=WEIGHT, NAME@ZONE or NAME=WEIGHT@ZONE, with commas between them';

const NUMBER = /^([0-9]+(\.[0-9]+)?|\.[0-9]+)(e[+-]?[0-9]+)?$/i;
const MAX_WEIGHT = 1e9;

/** Parses `db1=2@eu,db2`. */
const nodeList = listOf(
  /^(?<name>[^=@]+)(?:=(?<weight>[^=@]*))?(?:@(?<zone>[^=@]+))?$/,
  'NAME, NAME=WEIGHT, NAME@ZONE or NAME=WEIGHT@ZONE',
);

/** Parses `db1,db2`. */
const nameList = listOf(/^(?<name>[^=@]+)$/, 'the name of a node');

/** Parses `db1=3,db2=0.5`. */
const weightList = listOf(/^(?<name>[^=@]+)=(?<weight>[^=@]*)$/, 'NAME=WEIGHT');

/** Parses `db1=eu,db2=`, of which the second has no zone. */
const zoneList = listOf(/^(?<name>[^=@]+)=(?<zone>[^=@]*)$/, 'NAME=ZONE');

/** Parses an option that is a list. The option may be repeated to add to the list. */
function listOf(form: RegExp, expected: string) {
  return (given: string, before: readonly NodeSpec[] = []): readonly NodeSpec[] => {
    const all = [...before];
    for (const text of given.split(',')) {
      const { groups } = form.exec(text) ?? {};
      if (groups === undefined) throw new BadValue(expected, '', shown(text));
      const { name, weight, zone } = groups;
      if (all.some((node) => node.name === name)) throw new BadValue('each node once', ' again', shown(name));
      all.push({
        name,
        ...(weight !== undefined && { weight: weightOf(name, weight) }),
        ...(zone !== undefined && { zone }),
      });
    }
    return all;
  };
}

function weightOf(name: string, text: string): number {
  const weight = NUMBER.test(text) ? Number(text) : Number.NaN;
  if (weight > 0 && weight <= MAX_WEIGHT) return weight;
  throw new BadValue(`a weight above 0, at most ${MAX_WEIGHT}, for ${name}`, '', shown(text));
}
