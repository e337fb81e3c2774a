import type { Command } from 'commander';
import type { Flow, ReshardPlan, Routing } from '../../index.js';
import type { ShardMap } from '../../map/index.js';
import { type Input, type LineJobOptions, planLines, routeLines } from '../../node/index.js';
import { checkOutputs, OUT, withOutput } from '../io/output.js';
import { startProgress } from '../io/progress.js';
import { number } from '../io/summary.js';
import { inputsOf, type RowOptions, recordFormatOf, withRowOptions } from '../options/input.js';
import { checkOneStdin, MAP, primariesOf, readMap } from '../options/map.js';
import { lineKeysOf, makeRouting, type RoutingOptions, withRoutingOptions } from '../options/routing.js';
import { integer, path, required, UsageError } from '../options/usage.js';

/** What moves between two maps: like a plan of shards, but between the primary nodes of the shards. */
export interface NodePlan {
  readonly total: number;
  readonly moved: number;
  /** The smallest number of keys that has to move, if all shards have equally many keys. */
  readonly ideal: number;
  /** Sorted by the names of nodes. */
  readonly flows: readonly { readonly from: string; readonly to: string; readonly count: number }[];
}

/** @param router has as many shards as both maps, so that every key stays in its shard */
export async function planMaps(
  input: readonly Input[],
  router: Routing<any>,
  [from, to]: readonly [ShardMap, ShardMap],
  { keys, records, onProgress }: LineJobOptions,
): Promise<NodePlan> {
  const counts = new Float64Array(from.shards);
  for await (const { shards, progress } of routeLines(input, router, { keys, records })) {
    for (let row = 0; row < shards.length; row++) counts[shards[row]]++;
    onProgress?.(progress);
  }
  const total = counts.reduce((sum, count) => sum + count, 0);
  const flows = flowsOf(counts, from, to);
  const moved = flows.reduce((sum, { count }) => sum + count, 0);
  return { total, moved, ideal: total * leastMoved(from, to), flows };
}

function flowsOf(counts: Float64Array, from: ShardMap, to: ShardMap): NodePlan['flows'] {
  const [left, joined] = [primariesOf(from), primariesOf(to)];
  const ofPair = new Map<number, number>();
  for (const [shard, count] of counts.entries()) {
    const pair = left[shard] * to.nodes.length + joined[shard];
    if (count > 0) ofPair.set(pair, (ofPair.get(pair) ?? 0) + count);
  }
  // Nodes are in the order of their names.
  const pairs = [...ofPair].sort(([a], [b]) => a - b);
  const flows = pairs.map(([pair, count]) => {
    return { from: nameOf(from, Math.floor(pair / to.nodes.length)), to: nameOf(to, pair % to.nodes.length), count };
  });
  return flows.filter((flow) => flow.from !== flow.to);
}

function nameOf({ nodes }: ShardMap, node: number): string {
  return nodes[node]?.name;
}

/** The share of the shards that nodes gain as primaries. */
function leastMoved(from: ShardMap, to: ShardMap): number {
  const before = new Map(from.balance().map(({ node, primaries }) => [node, primaries]));
  const more = to.balance().map(({ node, primaries }) => Math.max(0, primaries - (before.get(node) ?? 0)));
  return more.reduce((sum, count) => sum + count, 0) / to.shards;
}

interface PlanOptions extends RoutingOptions, RowOptions {
  from: number;
  to: number;
  fromMap?: string;
  toMap?: string;
  json?: boolean;
  out?: string;
}

const MAX_FLOWS = 20;

/** A plan of shards by number, or of nodes by name. */
interface Plan extends Pick<ReshardPlan, 'total' | 'moved' | 'ideal'> {
  readonly flows: readonly (Flow | NodePlan['flows'][number])[];
}

export function addPlan(program: Command): void {
  const command = program
    .command('plan')
    .summary('tell which keys move when the number of shards or the map of nodes changes')
    .description(
      'Tell which keys move when the number of shards changes, or between nodes when the shard map changes. A key is a line, or a value of a record. Without FILE, or for -, it reads standard input.',
    )
    .argument('[file...]')
    .option('--from <n>', 'the number of shards now (required without maps)', integer)
    .option('--to <n>', 'the number of shards afterwards (required without maps)', integer)
    .option('--from-map <file>', `the map of nodes now: ${MAP}`, path)
    .option('--to-map <file>', 'the map afterwards, with the same number of shards', path);
  withRowOptions(withRoutingOptions(command))
    .option('--json', 'write total, moved, ideal and all flows as JSON')
    .option('--out <file>', OUT, path)
    .addHelpText(
      'after',
      '\nExamples:\n  shardbits plan keys.txt --from 10 --to 11\n  shardbits plan keys.txt --from 10 --to 11 --strategy modulo --json\n  shardbits plan users.csv --csv --key email --from 10 --to 11\n  shardbits plan keys.txt --as kafka --from 12 --to 24\n  shardbits plan keys.txt --from-map map.json --to-map map-2.json',
    )
    .action(plan);
}

async function plan(files: string[], options: PlanOptions): Promise<void> {
  const maps = await mapsOf(options, files);
  if (maps === undefined) required(options, '--from', '--to');
  const from = makeRouting('--from', maps?.[0].shards ?? options.from, options);
  const to = makeRouting('--to', maps?.[1].shards ?? options.to, options);
  const records = recordFormatOf(options);
  const input = inputsOf(files);
  const mapFiles = [options.fromMap, options.toMap].filter((file) => file !== undefined);
  checkOutputs(options, [...input, ...mapFiles.flatMap((file) => inputsOf([file]))]);
  const progress = startProgress(input, { rowsToStdout: false });
  await withOutput(options.out, async (print) => {
    const job = { keys: lineKeysOf(options), records, onProgress: progress.update };
    const planned = maps === undefined ? planLines(input, from, to, job) : planMaps(input, from, maps, job);
    const { total, moved, ideal, flows } = await planned.finally(progress.stop);
    const plan = { total, moved, ideal, flows };
    await print(options.json ? `${JSON.stringify(plan)}\n` : inWords(plan));
  });
}

/** Reads the maps, if there are any, and checks them against the other options. */
async function mapsOf(options: PlanOptions, files: readonly string[]): Promise<[ShardMap, ShardMap] | undefined> {
  const { fromMap, toMap } = options;
  if (fromMap === undefined && toMap === undefined) return undefined;
  if (fromMap === undefined) throw new UsageError('--to-map requires --from-map');
  if (toMap === undefined) throw new UsageError('--from-map requires --to-map');
  for (const name of ['from', 'to', 'as'] as const) {
    if (options[name] !== undefined) throw new UsageError(`--${name} cannot be combined with --from-map and --to-map`);
  }
  const keys = files.length === 0 || files.includes('-') ? '-' : '';
  checkOneStdin({ FILE: keys, '--from-map': fromMap, '--to-map': toMap });
  const [from, to] = [await readMap(fromMap), await readMap(toMap)];
  if (from.shards === to.shards) return [from, to];
  throw new UsageError(`--to-map: expected a map of ${from.shards} shards, as in --from-map, got one of ${to.shards}`);
}

function inWords({ total, moved, ideal, flows }: Plan): string {
  const percent = (count: number) => `${((100 * count) / Math.max(total, 1)).toFixed(2)} %`;
  const largest = [...flows].sort((a, b) => b.count - a.count).slice(0, MAX_FLOWS);
  const named = (from: number | string) => (typeof from === 'number' ? `shard ${from}` : from);
  const width = number(largest[0]?.count ?? 0).length;
  return [
    `keys   ${number(total)}`,
    `moved  ${number(moved)} (${percent(moved)})`,
    `ideal  ${number(ideal)} (${percent(ideal)})`,
    ...(flows.length > 0
      ? [
          '',
          flows.length > MAX_FLOWS
            ? `the largest ${MAX_FLOWS} of ${number(flows.length)} flows (--json: all)`
            : 'flows',
        ]
      : []),
    ...largest.map((flow) => `  ${number(flow.count).padStart(width)}  ${named(flow.from)} -> ${flow.to}`),
    '',
  ].join('\n');
}
