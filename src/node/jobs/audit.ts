import type { Routing } from '../../routing/routing.js';
import type { Batch } from '../../rows/batch.js';
import { type CheckedFormat, checkRecordFormat, PLACED_LINES, type RecordFormat } from '../../rows/format.js';
import { checkLineKeys, type LineKeys } from '../../rows/keys.js';
import { AUDIT, type Misplaced } from '../../rows/operations/audit.js';
import { nameReader, shardReader } from '../../rows/shard-column.js';
import type { ShardNames } from '../../rows/sinks/rows.js';
import type { Input } from '../files/input.js';
import { checkJob, type LineJobOptions, overLines, type Progress } from './lines.js';
import { MoveCounts, type PlacedFlow } from './moves.js';
import { doWork } from './work.js';

/** Options of jobs on rows that are in some place already: a shard, or a named one such as a node. */
export interface PlacedJobOptions extends Omit<LineJobOptions, 'keys' | 'threads'> {
  /** The column of records that says the place, or its path. Without records it is in front of the key, with a tab. */
  readonly column?: string | number | undefined;
}

/** @param added columns that are added to records */
function placedFormat(
  records: RecordFormat | undefined,
  column: string | number | undefined,
  added: readonly string[] = [],
): CheckedFormat {
  return checkRecordFormat(records, added, false, column) ?? PLACED_LINES;
}

/** Rows that are in some shard. Both are valid until the next ones are requested. */
export interface PlacedRows {
  readonly lines: Batch;
  readonly shards: Uint32Array;
  readonly file: string;
  readonly progress: Progress;
}

/**
 * The rows of inputs that say their shards.
 * @param options.names names of all places, if rows say names
 * @throws as `hashLines`
 */
export async function* placedLines(
  inputs: readonly Input[],
  options: PlacedJobOptions & { names?: readonly string[] | undefined },
): AsyncGenerator<PlacedRows> {
  const { column, records, names, ...rest } = options;
  const job = { ...checkJob(inputs, rest), records: placedFormat(records, column) };
  const results = overLines(job, (kernels) => {
    const read = names === undefined ? shardReader(kernels) : nameReader(names, job.records);
    return (lines) => ({ lines, shards: read(lines) });
  });
  for await (const result of results) {
    if (result.kind === 'value') yield { ...result.value, file: result.file, progress: result.progress };
  }
}

export interface AuditJobOptions extends PlacedJobOptions {
  readonly routing: Routing<any>;
  readonly keys?: LineKeys | undefined;
  readonly threads: number;
  /** The names of places. */
  readonly names?: ShardNames | undefined;
  /** The place of all rows of each input, as number or name; undefined: the rows say it themselves. */
  readonly places?: readonly (number | string)[] | undefined;
  /** Gets the rows that are misplaced, each with where it is and where it belongs. */
  readonly write?: ((bytes: Uint8Array) => Promise<void>) | undefined;
}

export interface Audit {
  readonly rows: number;
  readonly misplaced: number;
  /** From where rows are to where they belong. */
  readonly pairs: Iterable<PlacedFlow>;
  /** How many misplaced rows are in none of these pairs, because there are too many pairs. */
  readonly uncounted: number;
}

/** How many pairs are told apart in each of two tables, if there are so many places that most pairs have no rows: 24 MB. */
const MAX_PAIRS = 500_000;

/** The columns that misplaced records get. */
const ADDED = ['is', 'belongs'];

/** Counts the rows that are elsewhere than where a routing puts them. @throws as `routeFile` */
export async function auditLines(inputs: readonly Input[], options: AuditJobOptions): Promise<Audit> {
  const { routing, names, places, column, records, threads, write, onProgress, ...rest } = options;
  const keys = checkLineKeys(routing, options.keys, records);
  const added = write === undefined ? [] : ADDED;
  const format = places === undefined ? placedFormat(records, column, added) : checkRecordFormat(records, added);
  const all = names && withMore(names, places);
  const work = {
    kind: AUDIT,
    name: 'audit',
    options: {
      routing,
      keys,
      names: all,
      places: places && Uint32Array.from(places, (place) => numberIn(all, place)),
      isWritten: write !== undefined,
    },
  };
  const pairs = new PairCounts(all?.texts, names?.texts.length ?? routing.shards);
  let rows = 0;
  const job = { ...checkJob(inputs, rest), records: format };
  for await (const { value, progress } of doWork(job, work, { threads })) {
    pairs.add(value);
    rows = progress.keys;
    if (value.bytes.length > 0) await write?.(value.bytes);
    onProgress?.(progress);
  }
  return { rows, misplaced: pairs.misplaced, pairs, uncounted: pairs.uncounted };
}

/** Names with those of places that no shard is in. */
function withMore(names: ShardNames, places: AuditJobOptions['places'] = []): ShardNames {
  return { ...names, texts: [...new Set([...names.texts, ...places.map(String)])] };
}

function numberIn(names: ShardNames | undefined, place: number | string): number {
  return names === undefined ? Number(place) : names.texts.indexOf(String(place));
}

/** Counts rows by where they are and where they belong. */
class PairCounts implements Iterable<PlacedFlow> {
  /** Rows that are in one of the mapping's shards, or on one of the map's nodes. */
  readonly #counts: MoveCounts;
  /** Rows that are somewhere else. */
  readonly #beyond: MoveCounts;
  readonly #names: string[] | undefined;
  readonly #numbers: Map<string, number>;
  /** How many names the threads know from the start. */
  readonly #known: number;

  /** @param shards how many places there are for rows to belong to */
  constructor(
    names: readonly string[] | undefined,
    private readonly shards: number,
  ) {
    this.#counts = new MoveCounts({ shards }, { shards }, MAX_PAIRS);
    this.#beyond = new MoveCounts({ shards: Number.POSITIVE_INFINITY }, { shards }, MAX_PAIRS);
    this.#names = names && [...names];
    this.#numbers = new Map(names?.map((name, number) => [name, number]));
    this.#known = names?.length ?? 0;
  }

  get misplaced(): number {
    return this.#counts.moved + this.#beyond.moved;
  }

  get uncounted(): number {
    return this.#counts.uncounted + this.#beyond.uncounted;
  }

  add({ pairs, others }: Misplaced): void {
    const isBeyond = (_: number, i: number) => pairs[i - (i % 2)] >= this.shards;
    if (!pairs.some(isBeyond)) {
      this.#counts.add(pairs);
      return;
    }
    this.#counts.add(pairs.filter((place, i) => !isBeyond(place, i)));
    const beyond = pairs.filter(isBeyond);
    this.#beyond.add(others.length === 0 ? beyond : this.#renumbered(beyond, others));
  }

  /** Each thread gives numbers of its own to the other names that it finds. */
  #renumbered(pairs: Uint32Array, others: readonly string[]): Uint32Array {
    const names = this.#names as string[];
    const numbers = others.map((name) => {
      const known = this.#numbers.get(name);
      if (known !== undefined) return known;
      const number = names.push(name) - 1;
      this.#numbers.set(name, number);
      return number;
    });
    return pairs.map((place, i) => (i % 2 === 0 && place >= this.#known ? numbers[place - this.#known] : place));
  }

  *[Symbol.iterator](): Generator<PlacedFlow> {
    const names = this.#names;
    for (const counts of [this.#counts, this.#beyond]) {
      if (names === undefined) yield* counts;
      else for (const { from, to, count } of counts) yield { from: names[from], to: names[to], count };
    }
  }
}
