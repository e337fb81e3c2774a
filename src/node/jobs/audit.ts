import type { Writable } from 'node:stream';
import { checkOptions, checkRecord, checkString, wrongValue } from '../../arguments.js';
import { PairCounts } from '../../routing/pair-counts.js';
import { type LabelNumbers, labelNumbers } from '../../routing/routing.js';
import { type CheckedFormat, checkRecordFormat, PLACED_LINES, type RecordFormat } from '../../rows/format.js';
import { COMPARE, type Misplaced } from '../../rows/operations/compare.js';
import type { Output } from '../files/compressed.js';
import { filesOfShards } from '../files/files-of-shards.js';
import type { GivenInput } from '../files/input.js';
import { type OutputOptions, openOutput } from '../files/output.js';
import { checkParquetOutput, drain, isParquet, JOB_OPTIONS } from './job.js';
import type { LabelFlow } from './plan.js';
import { checkPlacementIn, checkPlacing, type PlacingOptions, parquetPlacing } from './route.js';
import { runOperation } from './run.js';

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
  records: RecordFormat | undefined,
  column: string | number,
  added: readonly string[] = [],
): CheckedFormat {
  return checkRecordFormat(records, added, false, column) ?? PLACED_LINES;
}

/** The column of Parquet that says the shards of rows. @param key the column of the keys */
export function checkShardColumn(key: unknown, column: string | number): string {
  if (key === column || (Array.isArray(key) && key.includes(column))) {
    throw wrongValue('records.shard', 'another column than the key', column);
  }
  return checkString('records.shard', column as string);
}

export interface AuditFilesOptions
  extends Omit<PlacingOptions, 'missingKey'>,
    ShardColumnOptions,
    Pick<OutputOptions, 'compress'> {
  /** The path of a file that gets the misplaced rows: `KEY <TAB> IS <TAB> BELONGS`, or records with these two columns. */
  out?: string | Writable | undefined;
}

export interface FilesAudit {
  readonly rows: number;
  /** How many rows are where they belong. */
  readonly fit: number;
  readonly misplaced: number;
  /** Where misplaced rows are, and where they belong: labels, or numbers of shards as text. */
  readonly pairs: LabelFlow[];
  /** How many misplaced rows are in other pairs, because there are too many pairs. */
  readonly inOtherPairs: number;
}

/** So many pairs are told apart, if there are so many labels that most pairs have no rows: 32 MB. */
const MAX_PAIRS = 500_000;

/** The columns that misplaced records get. */
const ADDED = ['is', 'belongs'];

/**
 * Counts the rows that are elsewhere than where they belong. Where they are, they say themselves; in directories, the names
 * of files say it, as {@link routeToDirectory} writes them, or those of directories such as `shard=3`, as Hive does.
 * @param input files, streams or directories
 * @throws as {@link routeFile}
 * @example
 * await auditFiles('rows.tsv', { placement: placementOf(new Router({ shards: 64 })), out: 'misplaced.tsv' });
 */
export async function auditFiles(
  input: GivenInput | readonly GivenInput[],
  options: AuditFilesOptions,
): Promise<FilesAudit> {
  checkRecord('options', options);
  const given = checkOptions(options, [...JOB_OPTIONS, 'router', 'placement', 'shardColumn', 'out', 'compress']);
  const { records, out, onProgress } = given;
  const placement = checkPlacementIn(given);
  const { named, names } = placement;
  const { shardColumn = named === undefined ? 'shard' : 'node' } = given;
  const placed = filesOfShards(input, { column: String(shardColumn), names });
  if (isParquet(given)) {
    const column = placed === undefined ? checkShardColumn(records?.key, shardColumn) : '';
    const output = out === undefined ? undefined : checkParquetOutput({ ...given, out });
    const { jobs, table, placing } = await parquetPlacing(placed?.map(({ path }) => path) ?? input, placement, given);
    return jobs.auditParquet(
      table,
      placing,
      column,
      placed?.map(({ label }) => label),
      output,
    );
  }
  const added = out === undefined ? [] : ADDED;
  const files = placed?.map(({ path }) => path) ?? input;
  const { job, how, threads } = checkPlacing(files, placement, given, placed && added);
  const format = placed === undefined ? shardColumnFormat(records, shardColumn, added) : job.format;
  const { routing, keys } = how;
  const labels = labelNumbers(placement, placement, named && placed?.map(({ label }) => String(label)));
  const numbers = new Map(labels.names.map((name, i) => [name, i]));
  const ofInput = placed?.map(({ label }) => (named === undefined ? Number(label) : numbers.get(String(label))));
  const pairs = new LabelPairs(labels);
  const output = out === undefined ? NO_OUTPUT : openOutput(out, given);
  const work = {
    to: routing,
    keys: [keys, keys],
    labels,
    ofInput: ofInput && Uint32Array.from(ofInput as number[]),
    isWritten: out !== undefined,
  } as const;
  const results = runOperation({ ...job, format }, COMPARE, work, { threads });
  const { keys: rows } = await drain(
    results,
    output,
    async ({ value }) => {
      pairs.add(value);
      if (value.bytes.length > 0) await output.write(value.bytes);
    },
    onProgress,
  );
  const { moved: misplaced, uncounted: inOtherPairs } = pairs.counts;
  return { rows, fit: rows - misplaced, misplaced, pairs: pairs.list(), inOtherPairs };
}

const NO_OUTPUT: Output = { write: async () => {}, finish: async () => {}, discard() {} };

/** Counts pairs of labels, of which some come up only in the rows. */
class LabelPairs {
  readonly counts: PairCounts;
  readonly #names: string[];
  readonly #numbers: Map<string, number>;
  /** How many names the threads know from the start. */
  readonly #known: number;

  constructor({ names, counts: [froms, tos] }: LabelNumbers) {
    this.counts = new PairCounts(froms, tos, MAX_PAIRS);
    this.#names = [...names];
    this.#numbers = new Map(names.map((name, number) => [name, number]));
    this.#known = names.length;
  }

  add({ pairs, others }: Misplaced): void {
    this.counts.add(others.length === 0 ? pairs : this.#renumbered(pairs, others));
  }

  /** Each thread gives numbers of its own to the other names that it finds. */
  #renumbered(pairs: Uint32Array, others: readonly string[]): Uint32Array {
    const numbers = others.map((name) => {
      const known = this.#numbers.get(name);
      if (known !== undefined) return known;
      const number = this.#names.push(name) - 1;
      this.#numbers.set(name, number);
      return number;
    });
    return pairs.map((label, i) => (i % 2 === 0 && label >= this.#known ? numbers[label - this.#known] : label));
  }

  list(): LabelFlow[] {
    const labelOf = (number: number) => this.#names[number] ?? String(number);
    return Array.from(this.counts, ({ from, to, count }) => ({ from: labelOf(from), to: labelOf(to), count }));
  }
}
