import type { ReshardPlan } from '../../index.js';
import type { ShardMap } from '../../map/index.js';
import { type NodePlan, planNodes } from '../../map/plan.js';
import { countMoves } from '../../node/jobs/route.js';
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
import { checkOneStdin, MAP, readMap } from '../options/map.js';
import { lineKeysOf, makeRouting, type RoutingOptions, withRoutingOptions } from '../options/routing.js';
import { inOwnWords, integer, isRefusal, path, refuse, required, UsageError } from '../options/usage.js';

interface PlanOptions extends ReadOptions, MissingKeyOptions, RoutingOptions, RowOptions {
  from: number;
  to: number;
  fromMap?: string;
  toMap?: string;
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
    .option('--from <n>', 'the number of shards now (required without maps)', integer)
    .option('--to <n>', 'the number of shards afterwards (required without maps)', integer)
    .option('--from-map <file>', `the map of nodes now: ${MAP}`, path)
    .option('--to-map <file>', 'the map afterwards, with the same number of shards', path);
  withRowOptions(withRoutingOptions(command)).option('--json', 'write total, moved, ideal and all flows as JSON');
  withReadOptions(withMissingKey(command))
    .outOption()
    .examples(
      'shardbits plan keys.txt --from 10 --to 11',
      'shardbits plan keys.txt --from 10 --to 11 --strategy modulo --json',
      'shardbits plan users.csv --csv --key email --from 10 --to 11',
      'shardbits plan keys.txt --as kafka --from 12 --to 24',
      'shardbits plan keys.txt --from-map map.json --to-map map-2.json',
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
  try {
    await runJob(input, { out: options.out, rowsToStdout: false }, async ({ print, progress }) => {
      const { threads = allThreads(), encoding } = options;
      const job = {
        keys: lineKeysOf(options),
        records,
        encoding,
        missingKey: missingKeyOf(options),
        threads,
        onProgress: progress.update,
      };
      const plan = maps
        ? planOfNodes(planNodes(...maps, await countShards(input, { ...job, router: from })))
        : planOfShards(await countMoves(input, from, to, job));
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

function planOfShards({ flows, ...plan }: Awaited<ReturnType<typeof countMoves>>): Plan {
  return { ...plan, each: (take) => flows.each(take), list: () => flows.list() };
}

/** Reads the maps, if there are any, and checks them against the other options. */
async function mapsOf(options: PlanOptions, files: readonly string[]): Promise<[ShardMap, ShardMap] | undefined> {
  const { fromMap, toMap } = options;
  if (fromMap === undefined && toMap === undefined) return undefined;
  if (fromMap === undefined) throw new UsageError('--to-map requires --from-map');
  if (toMap === undefined) throw new UsageError('--from-map requires --to-map');
  refuse(options, ['from', 'to', 'as'], 'cannot be combined with --from-map and --to-map');
  const keys = files.length === 0 || files.includes('-') ? '-' : '';
  checkOneStdin({ FILE: keys, '--from-map': fromMap, '--to-map': toMap });
  const [from, to] = [await readMap(fromMap), await readMap(toMap)];
  if (from.shards === to.shards) return [from, to];
  throw new UsageError(`--to-map: expected a map of ${from.shards} shards, as in --from-map, got one of ${to.shards}`);
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
