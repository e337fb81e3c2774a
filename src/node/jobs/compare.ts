import type { Writable } from 'node:stream';
import { checkGiven, checkOptions, checkString, wrongValue } from '../../arguments.js';
import { isInteger } from '../../columns/keys.js';
import type { Kernels } from '../../kernels/types.js';
import { PairCounts } from '../../routing/pair-counts.js';
import { leastMoved, type ReshardPlan } from '../../routing/plan.js';
import {
  abilitiesOf,
  checkPlacement,
  checkRouting,
  type LabelNumbers,
  labelAt,
  labelNumbers,
  NamedPlacement,
  type Placement,
  type Routing,
} from '../../routing/routing.js';
import {
  type CheckedFormat,
  checkLineFormat,
  checkLineKeys,
  checkRecordFormat,
  formatFor,
  isEncoded,
  type LineKeys,
} from '../../rows/format.js';
import { COMPARE, type CompareOptions, type Misplaced } from '../../rows/operations/compare.js';
import { filesOfShards, rowsWritten } from '../files/files-of-shards.js';
import type { Inputs } from '../files/input.js';
import { type OutputOptions, openOutput } from '../files/output.js';
import type { AddedColumn, MadeColumns, ParquetTable } from '../parquet/table.js';
import {
  checkJob,
  checkMissingKey,
  drain,
  isParquet,
  JOB_OPTIONS,
  type Job,
  type LineJobOptions,
  type MissingKeyOptions,
  withTable,
} from './job.js';
import { checkPlacementIn, checkPlacing, PLACING_OPTIONS, type PlacingOptions } from './route.js';
import { runOperation } from './run.js';

export interface PlanFilesOptions extends LineJobOptions, MissingKeyOptions {
  from: Placement<any>;
  to: Placement<any>;
  /**
   * A path or a stream that gets the keys that move: `KEY <TAB> FROM <TAB> TO`, or records with the columns `from` and `to`.
   * Not for Parquet.
   */
  outRows?: string | Writable | undefined;
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
export async function planFiles(input: Inputs, options: PlanFilesOptions): Promise<FilesPlan> {
  const given = checkGiven(options, [...JOB_OPTIONS, 'missingKey', 'from', 'to', 'outRows']);
  const [from, to] = [checkPlacement('from', given.from), checkPlacement('to', given.to)];
  const { total, counts, labels } = await countMoves(input, from, to, keysFor, given);
  return { total, moved: counts.moved, least: total * leastMoved(from, to), flows: flowsOf(counts, labels) };
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
  input: Inputs,
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
  input: Inputs,
  before: NamedPlacement<any>,
  after: NamedPlacement<any>,
  keysOf: typeof keysFor,
  options: LineJobOptions & MissingKeyOptions & Pick<PlanFilesOptions, 'outRows'>,
) {
  const { records, outRows } = options;
  const [from, to] = [before.routing, after.routing];
  const missing = checkMissingKey(options, records, Math.min(from.shards, to.shards));
  const labels = labelNumbers(before, after);
  const counts = new PairCounts(...labels.counts);
  const compareRows = async (table: ParquetTable | undefined) => {
    const [one, other] = table?.readFor([from, to]) ?? [
      { routing: from, keys: keysOf(from, to, options) },
      { routing: to, keys: keysOf(to, from, options) },
    ];
    const added = outRows === undefined ? [] : ['from', 'to'];
    const sides = { from: one.routing, to: other.routing, keys: [one.keys, other.keys] as const };
    const work = { ...sides, labels, missing, out: outRows };
    const add = ({ pairs }: Misplaced) => counts.add(pairs);
    if (table !== undefined) return compareTable(table, work, add);
    return compare(checkJob(input, options, added, { from, to }), work, options, add);
  };
  const total = await withTable(input, options, {}, compareRows, ['outRows']);
  return { total, counts, labels };
}

/** Compares rows of text, and writes those that are elsewhere. @returns how many rows there are */
async function compare(
  job: Job,
  { out, ...work }: Omit<CompareOptions, 'isWritten'> & { readonly out: string | Writable | undefined },
  options: OutputOptions & LineJobOptions,
  add: (found: Misplaced) => void,
): Promise<number> {
  const output = out === undefined ? undefined : openOutput(out, options);
  const { keys } = await drain(
    runOperation(job, COMPARE, { ...work, isWritten: out !== undefined }),
    output,
    async ({ value }) => {
      add(value);
      if (value.bytes.length > 0) await output?.write(value.bytes);
    },
    options.onProgress,
  );
  return keys;
}

function flowsOf(counts: PairCounts, labels: Parameters<typeof labelAt>[0]): LabelFlow[] {
  const labelOf = (number: number) => String(labelAt(labels, number));
  return Array.from(counts, ({ from, to, count }) => ({ from: labelOf(from), to: labelOf(to), count }));
}

/**
 * How keys are read. A Router takes the integers of a partitioner beside it as u64s, its UUIDs as texts, and its bytes as
 * they are written.
 */
function keysFor(routing: Routing<any>, other: Routing<any>, { keys, records }: LineJobOptions): LineKeys {
  const { routeRows, kinds } = abilitiesOf(other);
  if (abilitiesOf(routing).routeRows) {
    return checkLineKeys(routing, routeRows || isEncoded(keys) ? keys : undefined, records);
  }
  const usual = kinds?.length === 1 && isInteger(kinds[0]) ? 'u64' : undefined;
  return checkLineKeys(routing, keys ?? usual, records);
}

/** Options of jobs on rows that say where they are. */
export interface ShardColumnOptions {
  /**
   * The column of records that says their shard or its label, or its path. The default is `shard`, or `node` with labels.
   * Lines are `SHARD <TAB> KEY`.
   */
  shardColumn?: string | number | undefined;
}

/** @param added columns that are added to records */
export function shardColumnFormat(
  { records, lineEnd }: LineJobOptions,
  column: string | number,
  added: readonly string[] = [],
): CheckedFormat {
  return checkRecordFormat(records, added, column) ?? checkLineFormat('placed lines', lineEnd, records);
}

/** The column of Parquet that says the shards of rows. @param key the column of the keys */
export function checkShardColumn(key: unknown, column: string | number): string {
  if (key === column || (Array.isArray(key) && key.includes(column))) {
    throw wrongValue('records.shard', 'another column than the key', column);
  }
  return checkString('records.shard', column as string);
}

export interface AuditFilesOptions extends PlacingOptions, ShardColumnOptions, Pick<OutputOptions, 'compress'> {
  /** The path of a file that gets the misplaced rows: `KEY <TAB> IS <TAB> BELONGS`, or records with these two columns. */
  out?: string | Writable | undefined;
}

export interface FilesAudit {
  readonly rows: number;
  /** How many rows are where they belong. */
  readonly fit: number;
  readonly misplaced: number;
  /** How many rows fewer there are than `manifest.json` of directories says; negative: how many more. Left out for 0. */
  readonly missing?: number;
  /** Where misplaced rows are, and where they belong: labels, or numbers of shards as text. */
  readonly pairs: LabelFlow[];
  /** How many misplaced rows are in other pairs, because there are too many pairs. */
  readonly inOtherPairs: number;
}

/** So many pairs are told apart, if there are so many labels that most pairs have no rows: 32 MB. */
const MAX_PAIRS = 500_000;

/**
 * Counts the rows that are elsewhere than where they belong. Where they are, they say themselves; in directories, the names
 * of files say it, as {@link routeToDirectory} writes them, or those of directories such as `shard=3`, as Hive does.
 * @param input files, streams or directories
 * @throws as {@link routeFile}
 * @example
 * await auditFiles('rows.tsv', { placement: placementOf(new Router({ shards: 64 })), out: 'misplaced.tsv' });
 */
export async function auditFiles(input: Inputs, options: AuditFilesOptions): Promise<FilesAudit> {
  const given = checkGiven(options, [...PLACING_OPTIONS, 'shardColumn', 'out', 'compress']);
  const { records, out } = given;
  const placement = checkPlacementIn(given);
  const { named, names } = placement;
  const { shardColumn = named === undefined ? 'shard' : 'node' } = given;
  const placed = filesOfShards(input, { column: String(shardColumn), names });
  const files = placed?.map(({ path }) => path) ?? input;
  const places = placed?.map(({ label }) => label);
  const column = isParquet(given) && placed === undefined ? checkShardColumn(records?.key, shardColumn) : '';
  return withTable(files, given, given, async (table) => {
    const added = out === undefined ? [] : ['is', 'belongs'];
    const { job, how } = checkPlacing(files, placement, given, table, placed && added);
    const { routing: to, keys, missing: missingKey } = how;
    const labels = labelNumbers(placement, placement, named && places?.map(String));
    const { counts, numbers, add } = labelPairs(labels);
    const numberOf = (label: number | string) => (named === undefined ? label : numbers.get(String(label)));
    const ofInput = places && Uint32Array.from(places, (label) => Number(numberOf(label)));
    const work = { to, keys: [keys, keys], missing: missingKey, labels, ofInput, out } as const;
    let rows: number;
    if (table === undefined) {
      const ofRows = () => formatFor(shardColumnFormat(given, shardColumn, added), [to]);
      rows = await compare({ ...job, format: placed === undefined ? ofRows() : job.format }, work, given, add);
    } else {
      if (places !== undefined) table.readPlaces(places);
      const is = placed === undefined ? await table.readShard(column, named !== undefined) : undefined;
      const columns = out === undefined ? undefined : writtenLabels(named && labels.names, is);
      rows = await compareTable(table, { ...work, ofInput: undefined }, add, columns);
    }
    const { moved: misplaced, uncounted: inOtherPairs } = counts;
    const names = [...numbers.keys()];
    // Names besides the labels have numbers in the order in which they were found, which threads do not share.
    const ranks = new Map(
      names
        .slice(labels.names.length)
        .sort()
        .map((name, i) => [name, i + 1]),
    );
    const rankOf = ({ from }: LabelFlow) => ranks.get(from) ?? 0;
    const pairs = flowsOf(counts, { numbered: 0, names }).sort((one, other) => rankOf(one) - rankOf(other));
    const missing = ((placed && rowsWritten(input)) ?? rows) - rows;
    return { rows, fit: rows - misplaced, misplaced, ...(missing !== 0 && { missing }), pairs, inOtherPairs };
  });
}

/**
 * Compares rows of Parquet.
 * @param written the columns with which those that are elsewhere are written, if they are
 * @returns how many rows there are
 */
async function compareTable(
  table: ParquetTable,
  options: Omit<CompareOptions, 'isWritten'>,
  add: (found: Misplaced) => void,
  written?: readonly AddedColumn[],
): Promise<number> {
  const open = (kernels: Kernels) => COMPARE.open(kernels, { ...options, isWritten: false }, undefined);
  if (written === undefined) return (await table.run(open, add)).keys;
  /** The labels where rows are and where they belong, which are the same for rows that fit. */
  const columns = (found: Misplaced, count: number) => {
    add(found);
    const columns = [new Uint32Array(count), new Uint32Array(count)];
    for (const [i, label] of found.pairs.entries()) columns[i % 2][found.rows[i >>> 1]] = label;
    return columns;
  };
  const made: MadeColumns<Misplaced> = { open, types: ['UINTEGER', 'UINTEGER'], columns };
  return (await table.write(made, 'out', written, ([is, belongs]) => `${is} <> ${belongs}`)).keys;
}

/** @param is the column that says where rows are, which may say other names */
function writtenLabels(names: readonly string[] | undefined, is: string | undefined): readonly AddedColumn[] {
  const belongs: AddedColumn = { name: 'belongs', sql: ([, belongs]) => belongs, names };
  if (names === undefined || is === undefined) return [{ name: 'is', sql: ([is]) => is, names }, belongs];
  return [{ name: 'is', sql: () => `CAST(${is} AS VARCHAR)` }, belongs];
}

/**
 * Counts pairs of labels, of which some come up only in the rows.
 * @returns the counts, and the number of each name, in this order
 */
function labelPairs({ names, counts: [froms, tos] }: LabelNumbers) {
  const counts = new PairCounts(froms, tos, MAX_PAIRS);
  const numbers = new Map(names.map((name, number) => [name, number]));
  const numberOf = (name: string) => {
    const number = numbers.get(name) ?? numbers.size;
    numbers.set(name, number);
    return number;
  };
  const add = ({ pairs, others }: Misplaced) => {
    // Each thread gives numbers of its own to the other names that it finds.
    const ofOthers = others.map(numberOf);
    const renumbered = (label: number, i: number) =>
      i % 2 === 0 && label >= names.length ? ofOthers[label - names.length] : label;
    counts.add(others.length === 0 ? pairs : pairs.map(renumbered));
  };
  return { counts, numbers, add };
}
