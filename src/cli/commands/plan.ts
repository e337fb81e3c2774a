import { planNodes } from '../../map/plan.js';
import type { PlacedFlow } from '../../node/jobs/moves.js';
import { countMoves } from '../../node/jobs/route.js';
import { allThreads } from '../../node/jobs/work.js';
import { flowLines, inJson, type MoveCounter, type Plan, type PlanTarget, percentOf } from '../io/flows.js';
import { inLines } from '../io/messages.js';
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
import { type Side, type Sides, type SidesOptions, sidesOf } from '../options/sides.js';
import { inOwnWords, integer, isRefusal, path, UsageError } from '../options/usage.js';
import { planParquet } from '../parquet/plan.js';
import { parquetIn } from '../parquet/table.js';

interface PlanOptions extends ReadOptions, MissingKeyOptions, SidesOptions, RowOptions {
  json?: boolean;
  out?: string;
}

export function addPlan(program: CliCommand): void {
  const command = program
    .command('plan')
    .summary('count the keys that move when the number of shards or the map of nodes changes')
    .description(
      'Count the keys that move when the number of shards changes, or between nodes when the shard map changes. A key is a line, or a value of a record or of a row in Parquet. Without FILE, or for -, it reads standard input.',
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
  const parquet = parquetIn(files);
  const { fromMap, toMap, servers, toServers } = options;
  const others = [fromMap, toMap, servers, toServers].filter((file) => file !== undefined);
  const report: PlanReport = (sides, counter, target) => reportPlan(sides, counter, target, options.json);
  try {
    await (parquet === undefined
      ? planLines(files, others, options, report)
      : planParquet(parquet, { ...options, others }, report));
  } catch (error) {
    throw isRefusal(error) ? new UsageError(inOwnWords(error)) : error;
  }
}

async function planLines(
  files: readonly string[],
  others: readonly string[],
  options: PlanOptions,
  report: PlanReport,
): Promise<void> {
  const sides = await sidesOf(options, files);
  const { from, to } = sides;
  const records = recordFormatOf(options);
  const input = inputsOf(files);
  checkOutputs(options, [...input, ...others.flatMap((file) => inputsOf([file]))]);
  await runJob(input, { out: options.out, rowsToStdout: false }, async ({ print, progress }) => {
    const { threads = allThreads(), encoding } = options;
    const job = { records, encoding, missingKey: missingKeyOf(options), threads, onProgress: progress.update };
    const keys = [from.keys, to.keys] as const;
    const counter: MoveCounter = {
      shards: () => countShards(input, { ...job, keys: from.keys, router: from.routing }),
      moves: (places) => countMoves(input, from.routing, to.routing, job, { keys, places }),
    };
    await report(sides, counter, { print, progress });
  });
}

type PlanReport = (sides: Sides, counter: MoveCounter, target: PlanTarget) => Promise<void>;

/** Counts and reports what moves. */
async function reportPlan(
  { maps, from, to }: Sides,
  counter: MoveCounter,
  { print, progress }: PlanTarget,
  isJson = false,
): Promise<void> {
  const plan = maps ? planNodes(...maps, await counter.shards()) : await planOfSides(from, to, counter);
  progress.stop();
  const { total, moved, ideal, flows } = plan;
  for (const piece of isJson ? inJson({ total, moved, ideal }, 'flows', flows) : [inWords(plan)]) await print(piece);
}

/** A place is the same on both sides if it has the same name. If only one side has names, no place is. */
async function planOfSides(from: Side, to: Side, counter: MoveCounter): Promise<Plan> {
  if (from.named === undefined && to.named === undefined) return counter.moves();
  const [ofFrom, ofTo] = [labelsOf(from, '--from'), labelsOf(to, '--to-router')];
  const labels = [...new Set([...ofFrom, ...ofTo])].sort(byNumberOrName);
  const [before, after] = [placesOf(from, ofFrom, labels), placesOf(to, ofTo, labels)];
  const { flows, total, moved } = await counter.moves([before.ofShard, after.ofShard]);
  const gained = after.shares.map((share, place) => Math.max(0, share - before.shares[place]));
  function* labelled(): Generator<PlacedFlow> {
    for (const { from, to, count } of flows) yield { from: labels[Number(from)], to: labels[Number(to)], count };
  }
  const ideal = total * gained.reduce((sum, share) => sum + share, 0);
  return { total, moved, ideal, flows: { [Symbol.iterator]: labelled } };
}

type Label = PlacedFlow['from'];

const MAX_NUMBERED = 1_000_000; // 100 MB

/** The names of places, or their numbers. @param flag the option that gives their number */
function labelsOf({ routing, named }: Side, flag: string): readonly Label[] {
  if (named === undefined && routing.shards > MAX_NUMBERED) {
    throw new UsageError(
      `${flag}: expected at most ${MAX_NUMBERED}, as the other side has names, got ${routing.shards}`,
    );
  }
  return named?.names.texts ?? Array.from({ length: routing.shards }, (_, shard) => shard);
}

/** Numbers first. */
function byNumberOrName(a: Label, b: Label): number {
  if (typeof a === 'number' && typeof b === 'number') return a - b;
  return typeof a === typeof b ? (a < b ? -1 : 1) : typeof a === 'number' ? -1 : 1;
}

/**
 * The place of each shard, as its number among all labels, and the share of the keys that each place has.
 * @param own the labels of this side
 */
function placesOf({ named, routing }: Side, own: readonly Label[], labels: readonly Label[]) {
  const numbers = new Map(labels.map((label, number) => [label, number]));
  const places = own.map((label) => numbers.get(label) as number);
  const shares = new Array<number>(labels.length).fill(0);
  for (const [i, place] of places.entries()) shares[place] = named?.shares[i] ?? 1 / routing.shards;
  const ofShard =
    named === undefined ? Uint32Array.from(places) : Uint32Array.from(named.names.ofShard, (i) => places[i]);
  return { ofShard, shares };
}

function inWords({ total, moved, ideal, flows }: Plan): string {
  const percent = percentOf(total);
  return inLines([
    `keys   ${number(total)}`,
    `moved  ${number(moved)} (${percent(moved)})`,
    `ideal  ${number(ideal)} (${percent(ideal)})`,
    ...flowLines(flows, 'flows'),
  ]);
}
