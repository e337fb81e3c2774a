import type { ReshardPlan } from '../../index.js';
import { type NodePlan, planNodes } from '../../map/plan.js';
import { countMoves, type MoveSides } from '../../node/jobs/route.js';
import { allThreads } from '../../node/jobs/work.js';
import { type EachFlow, flowLines, type PlacedFlow, percentOf } from '../io/flows.js';
import { checkOutputs, runJob } from '../io/output.js';
import { countShards, number } from '../io/summary.js';
import type { CliCommand } from '../options/command.js';
import {
  inputsOf,
  type MissingKeyOptions,
  missingKeyOf,
  type ReadOptions,
  type RowOptions,
  recordFormatOf,
  withMissingKey,
  withReadOptions,
  withRowOptions,
} from '../options/input.js';
import { MAP } from '../options/map.js';
import { withRoutingOptions } from '../options/routing.js';
import { withServers } from '../options/servers.js';
import { type Side, type SidesOptions, sidesOf } from '../options/sides.js';
import { inOwnWords, integer, isRefusal, path, UsageError } from '../options/usage.js';

interface PlanOptions extends ReadOptions, MissingKeyOptions, SidesOptions, RowOptions {
  json?: boolean;
  out?: string;
}

interface Plan extends Pick<ReshardPlan, 'total' | 'moved' | 'ideal'> {
  readonly each: EachFlow;
  list(): readonly PlacedFlow[];
}

export function addPlan(program: CliCommand): void {
  const command = program
    .command('plan')
    .summary('tell which keys move when the number of shards or the map of nodes changes')
    .description(
      'Tell which keys move when the number of shards changes, or between nodes when the shard map changes. A key is a line, or a value of a record. Without FILE, or for -, it reads standard input.',
    )
    .argument('[file...]')
    .option('--from <n>', 'the number of shards now (required without maps or servers)', integer)
    .option('--to <n>', 'the number of shards afterwards', integer)
    .option(
      '--to-router <n>',
      'the number of shards afterwards, of a Router; --as is then what places keys now',
      integer,
    )
    .option('--from-map <file>', `the map of nodes now: ${MAP}`, path)
    .option('--to-map <file>', 'the map afterwards; after --from-map, with the same number of shards', path)
    .option('--to-servers <file>', 'the servers of --as ketama or nginx afterwards', path);
  withRowOptions(withRoutingOptions(withServers(command))).option(
    '--json',
    'write total, moved, ideal and all flows as JSON',
  );
  withReadOptions(withMissingKey(command))
    .outOption()
    .examples(
      'shardbits plan keys.txt --from 10 --to 11',
      'shardbits plan keys.txt --from 10 --to 11 --strategy modulo --json',
      'shardbits plan users.csv --csv --key email --from 10 --to 11',
      'shardbits plan keys.txt --as kafka --from 12 --to 24',
      'shardbits plan keys.txt --as kafka --from 12 --to-router 64',
      'shardbits plan keys.txt --as ketama --servers servers.txt --to-map map.json',
      'shardbits plan keys.txt --from-map map.json --to-map map-2.json',
    )
    .action(plan);
}

async function plan(files: string[], options: PlanOptions): Promise<void> {
  const { maps, from, to } = await sidesOf(options, files);
  const records = recordFormatOf(options);
  const input = inputsOf(files);
  const { fromMap, toMap, servers, toServers } = options;
  const others = [fromMap, toMap, servers, toServers].filter((file) => file !== undefined);
  checkOutputs(options, [...input, ...others.flatMap((file) => inputsOf([file]))]);
  try {
    await runJob(input, { out: options.out, rowsToStdout: false }, async ({ print, progress }) => {
      const { threads = allThreads(), encoding } = options;
      const job = {
        records,
        encoding,
        missingKey: missingKeyOf(options),
        threads,
        onProgress: progress.update,
      };
      const plan = maps
        ? planOfNodes(planNodes(...maps, await countShards(input, { ...job, keys: from.keys, router: from.routing })))
        : await planOfSides(from, to, (sides) => countMoves(input, from.routing, to.routing, job, sides));
      progress.stop();
      const { total, moved, ideal, list } = plan;
      await print(options.json ? `${JSON.stringify({ total, moved, ideal, flows: list() })}\n` : inWords(plan));
    });
  } catch (error) {
    throw isRefusal(error) ? new UsageError(inOwnWords(error)) : error;
  }
}

function planOfNodes({ flows, ...plan }: NodePlan): Plan {
  const each: Plan['each'] = (take) => {
    for (const { from, to, count } of flows) take(from, to, count);
  };
  return { ...plan, each, list: () => flows };
}

/** A place is the same on both sides if it has the same name or, if one side has none, the same number. */
async function planOfSides(
  from: Side,
  to: Side,
  count: (sides: MoveSides) => ReturnType<typeof countMoves>,
): Promise<Plan> {
  const keys = [from.keys, to.keys] as const;
  if (from.named === undefined && to.named === undefined) {
    const { flows, ...plan } = await count({ keys });
    return { ...plan, each: (take) => flows.each(take), list: () => flows.list() };
  }
  const all = from.named && to.named && [...new Set([...from.named.names.texts, ...to.named.names.texts])].sort();
  const [before, after] = [placesOf(from, all), placesOf(to, all)];
  const { flows, total, moved } = await count({ keys, places: [before.ofShard, after.ofShard] });
  const gained = after.shares.map((share, place) => Math.max(0, share - (before.shares[place] ?? 0)));
  const each: EachFlow = (take) =>
    flows.each((left, right, keys) => take(before.labels[left], after.labels[right], keys));
  const list: PlacedFlow[] = [];
  each((from, to, count) => list.push({ from, to, count }));
  return { total, moved, ideal: total * gained.reduce((sum, share) => sum + share, 0), each, list: () => list };
}

/** @param all the names of both sides; undefined: places are numbered */
function placesOf({ routing, named }: Side, all: readonly string[] | undefined) {
  if (named === undefined) {
    const places = Array.from({ length: routing.shards }, (_, shard) => shard);
    const shares = places.map(() => 1 / routing.shards);
    return { ofShard: Uint32Array.from(places), labels: places, shares };
  }
  const { names, shares } = named;
  const numbers = names.texts.map((name, i) => all?.indexOf(name) ?? i);
  const byNumber = <T>(values: readonly T[], missing: T) => {
    const sorted = new Array<T>(all?.length ?? values.length).fill(missing);
    for (const [i, number] of numbers.entries()) sorted[number] = values[i];
    return sorted;
  };
  return {
    ofShard: Uint32Array.from(names.ofShard, (name) => numbers[name]),
    labels: byNumber<number | string>(names.texts, ''),
    shares: byNumber(shares, 0),
  };
}

function inWords({ total, moved, ideal, each }: Plan): string {
  const percent = percentOf(total);
  return [
    `keys   ${number(total)}`,
    `moved  ${number(moved)} (${percent(moved)})`,
    `ideal  ${number(ideal)} (${percent(ideal)})`,
    ...flowLines(each, 'flows'),
    '',
  ].join('\n');
}
