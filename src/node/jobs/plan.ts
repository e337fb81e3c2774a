import { checkOptions, checkRecord } from '../../arguments.js';
import { PairCounts } from '../../routing/pair-counts.js';
import { leastMoved, type ReshardPlan } from '../../routing/plan.js';
import {
  abilitiesOf,
  checkPlacement,
  checkRouting,
  labelAt,
  labelNumbers,
  NamedPlacement,
  type Placement,
  type Routing,
} from '../../routing/routing.js';
import { checkLineKeys, type LineKeys } from '../../rows/format.js';
import { COMPARE } from '../../rows/operations/compare.js';
import type { GivenInput } from '../files/input.js';
import { openOutput } from '../files/output.js';
import {
  checkJob,
  checkMissingKey,
  drain,
  isParquet,
  JOB_OPTIONS,
  type LineJobOptions,
  type MissingKeyOptions,
  parquetJob,
} from './job.js';
import { checkThreads, runOperation } from './run.js';

export interface PlanFilesOptions extends LineJobOptions, MissingKeyOptions {
  from: Placement<any>;
  to: Placement<any>;
  /**
   * The path of a file that gets the keys that move: `KEY <TAB> FROM <TAB> TO`, or records with the columns `from` and `to`.
   * Not for Parquet.
   */
  outRows?: string | undefined;
}

/** Keys of one label that go to another: names of nodes or servers, or numbers of shards as text. */
export interface LabelFlow {
  readonly from: string;
  readonly to: string;
  readonly count: number;
}

export interface FilesPlan {
  /** How many keys there are. */
  readonly total: number;
  /** How many keys move. */
  readonly moved: number;
  /** The smallest number of keys that any mapping has to move, if keys are spread evenly. Not rounded. */
  readonly least: number;
  /** By the shards before and after, or their labels, ascending. */
  readonly flows: LabelFlow[];
}

/**
 * Counts the keys that move between shards, or between the nodes or servers that they are called by. Keys of a Router in
 * integers, beside a partitioner for integers, are its u64s.
 * @throws as {@link routeFile}
 * @example
 * const [from, to] = [10, 11].map((shards) => placementOf(new Router({ shards })));
 * await planFiles('keys.txt', { from, to });
 */
export async function planFiles(
  input: GivenInput | readonly GivenInput[],
  options: PlanFilesOptions,
): Promise<FilesPlan> {
  checkRecord('options', options);
  const given = checkOptions(options, [...JOB_OPTIONS, 'missingKey', 'from', 'to', 'outRows']);
  const [from, to] = [checkPlacement('from', given.from), checkPlacement('to', given.to)];
  const { total, counts, labels } = await countMoves(input, from, to, keysFor, given);
  const flows: LabelFlow[] = [];
  const labelOf = (number: number) => String(labelAt(labels, number));
  for (const { from, to, count } of counts) flows.push({ from: labelOf(from), to: labelOf(to), count });
  return { total, moved: counts.moved, least: total * leastMoved(from, to), flows };
}

/**
 * Counts the keys that move when the routing changes, for the lines of inputs: like `planReshard`, without the rows.
 * Memory grows with the number of pairs of shards between which keys move.
 * @param from a Router, a partitioner or another Routing; so is `to`
 * @throws TypeError or RangeError for arguments of the wrong kind or value; RangeError, with file and line, for bad data;
 *   Node's own errors. All as rejections
 * @example
 * const router = new Router({ shards: 10 });
 * await planLines('keys.txt', router, router.with({ shards: 11 }));
 */
export async function planLines(
  input: GivenInput | readonly GivenInput[],
  from: Routing<any>,
  to: Routing<any>,
  options: LineJobOptions & MissingKeyOptions = {},
): Promise<Omit<ReshardPlan, 'rows'>> {
  checkRouting('from', from);
  checkRouting('to', to);
  const given = checkOptions(options, [...JOB_OPTIONS, 'missingKey']);
  const sides = [new NamedPlacement(from, undefined), new NamedPlacement(to, undefined)] as const;
  const keysOf = (one: Routing<any>) => checkLineKeys(one, given.keys, given.records);
  const { total, counts } = await countMoves(input, ...sides, keysOf, given);
  return { total, moved: counts.moved, ideal: total * leastMoved(...sides), flows: [...counts] };
}

async function countMoves(
  input: GivenInput | readonly GivenInput[],
  before: NamedPlacement<any>,
  after: NamedPlacement<any>,
  keysOf: typeof keysFor,
  options: LineJobOptions & MissingKeyOptions & { readonly outRows?: string | undefined },
) {
  const { records, outRows, signal, onProgress } = options;
  const [from, to] = [before.routing, after.routing];
  const missing = checkMissingKey(options, records, Math.min(from.shards, to.shards));
  const labels = labelNumbers(before, after);
  const counts = new PairCounts(...labels.counts);
  if (isParquet(options)) {
    const { jobs, table } = await parquetJob(input, options, ['outRows']);
    const { keys: total } = await jobs.planParquet(table, [from, to], { missing, labels, counts });
    return { total, counts, labels };
  }
  const keys = [keysOf(from, to, options), keysOf(to, from, options)] as const;
  const threads = checkThreads(options.threads, { from, to });
  const added = outRows === undefined ? [] : ['from', 'to'];
  const job = checkJob(input, options, added, missing !== undefined);
  const output = outRows === undefined ? undefined : openOutput(outRows, { signal });
  const work = { from, to, keys, labels, isWritten: output !== undefined };
  const { keys: total } = await drain(
    runOperation(job, COMPARE, work, { threads }),
    output ?? { finish: async () => {}, discard() {} },
    async ({ value }) => {
      counts.add(value.pairs);
      if (value.bytes.length > 0) await output?.write(value.bytes);
    },
    onProgress,
  );
  return { total, counts, labels };
}

/** How keys are read. A Router takes the integers of a partitioner beside it as u64s, and its UUIDs as texts. */
function keysFor(routing: Routing<any>, other: Routing<any>, { keys, records }: LineJobOptions): LineKeys {
  const { routeText, keys: kind } = abilitiesOf(other);
  if (abilitiesOf(routing).routeText) return checkLineKeys(routing, routeText && keys, records);
  const usual = routeText && kind?.startsWith('int') ? 'u64' : undefined;
  return checkLineKeys(routing, keys ?? usual, records);
}
