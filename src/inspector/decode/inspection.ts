import { type DatesBeside, datesIn } from '../../guess/index.js';
import { getBackend, type Layout, Router } from '../../index.js';
import type { ColumnArray } from '../../kernels/index.js';
import { GivenTexts, type ReadTexts } from '../read/given.js';
import { parseCells } from '../read/id-column.js';
import type { GivenText } from '../read/open.js';
import { FORMAT_NAMES, isId, Problem, type ProblemContext, type ReadFormat, reasonOf } from '../read/problems.js';
import type { ReadText, ShapeKind } from '../read/shape.js';
import type { WideIds } from '../read/wide-ids.js';
import { isoText, microsOf, offsetMs, unitMicros } from './dates.js';
import { type Decoded, decode, filterRows, GOOD } from './decoded.js';
import { type CsvPieces, exportCsv, sourceCellsOf } from './export.js';
import { type LayoutChoice, layoutOf } from './layout-choice.js';
import { allRows, halvesOf, WideOrder } from './order.js';
import { type ReadingView, readingsOf } from './readings.js';
import type { Settings } from './settings.js';
import {
  type Histogram,
  histogram,
  type NumberRange,
  numbersOf,
  numberWidth,
  rangeOf,
  type Statistics,
  statisticsOf,
  timeWidth,
} from './statistics.js';
import {
  type ColumnHead,
  columnsOf,
  rowTexts,
  type Selected,
  select,
  sortSelected,
  type Table,
  type TableColumn,
  type TableRow,
} from './table.js';

// Steps of the golden ratio spread evenly and meet no period that ids may have: every thousandth row of shards that
// take turns would be of a few shards.
const GOLDEN = 0.6180339887498949;

/** At most so many ids from all over a column, with the smallest and the largest of all. Rows with a problem are left out. */
export function sampleOf(ids: BigUint64Array, problems: Uint8Array, most: number): BigUint64Array {
  const halves = halvesOf(ids);
  const rows: number[] = [];
  let [least, largest] = [Number.POSITIVE_INFINITY, -1];
  for (let row = 0; row < ids.length; row++) {
    if (problems[row] !== 0) continue;
    // Ids that make the same number differ by less than matters for a guess.
    const id = halves[2 * row + 1] * 2 ** 32 + halves[2 * row];
    if (id < least) {
      least = id;
      rows[0] = row;
    }
    if (id > largest) {
      largest = id;
      rows[1] = row;
    }
  }
  for (let i = 0; i < Math.min(most, ids.length); i++) {
    const row = ids.length <= most ? i : Math.floor(((i * GOLDEN) % 1) * ids.length);
    if (problems[row] === 0) rows.push(row);
  }
  return BigUint64Array.from(rows, (row) => ids[row]);
}

/** A result that is kept until what it depends on is something else. */
export class Kept<R> {
  #last: { readonly key: readonly unknown[]; readonly result: R } | undefined;

  of(key: readonly unknown[], compute: () => R): R {
    const last = this.#last;
    if (last?.key.every((part, i) => part === key[i])) return last.result;
    this.#last = undefined; // so that the old columns can go before there are new ones
    const result = compute();
    this.#last = { key, result };
    return result;
  }
}

/**
 * What wide ids are. Those that are guessed by their length and their characters may be something else; a UUID says what
 * it is.
 */
export function wideName({ kind, versions }: WideIds, rows: number, isGuess: boolean): string {
  const name = FORMAT_NAMES[kind];
  if (kind === 'uuid') {
    const list = new Intl.ListFormat('en').format(versions.map(String));
    const of = list && ` of version${versions.length > 1 ? 's' : ''} ${list}`;
    return rows > 1 ? `${name}s${of}` : `a ${name}${of}`;
  }
  const a = kind === 'xid' ? 'an' : 'a';
  return isGuess ? `if ${rows > 1 ? 'each' : 'it'} is ${a} ${name}` : `read as ${a} ${name}`;
}

/** The rows at the start that are looked at, which are within so many bytes. */
const ROWS = 50;
const BYTES = 256 * 1024;

/** Ids at the start of a table, and the dates that its other columns have for them. */
export interface DatedIds {
  readonly ids: BigUint64Array;
  readonly dates: readonly DatesBeside[];
}

/**
 * Dates in other columns tell which service made the ids: one whose dates are the same.
 * @param ids of all rows
 */
export function datesBeside(text: ReadText, ids: BigUint64Array): DatedIds {
  const { cells } = text;
  const count = cells.ends.subarray(0, ROWS).filter((end) => end <= BYTES).length;
  const [starts, lines] = [cells.starts.subarray(0, count), cells.lines.subarray(0, count)];
  const first = { ...cells, data: cells.data.subarray(0, BYTES), starts, lines };
  const { names, of } = sourceCellsOf([{ ...text, cells: first }]);
  const rows = [...filterRows(allRows(starts), cells.problems, GOOD)];
  const texts = rows.map(of);
  return {
    ids: BigUint64Array.from(rows, (row) => ids[row]),
    dates: datesIn(names.map((_, column) => texts.map((row) => row[column]))),
  };
}

/** What the page shows of the ids that were given. */
export interface View {
  readonly backend: 'wasm' | 'bigint';
  readonly bytes: number;
  readonly files: number;
  /** undefined: files of several kinds. */
  readonly kind: ShapeKind | undefined;
  /** Names of the columns to choose from; one or none: nothing to choose. */
  readonly sourceColumns: readonly string[];
  readonly sourceColumn: number;
  readonly header: boolean;
  readonly blankLines: number;
  readonly read: ReadFormat;
  /** What the ids are, if they are wider than 64 bits: all that is shown of them is their text and their time. */
  readonly wide: string | undefined;
  readonly rows: number;
  /** Rows that are not ids, and ids that the layout rejects. */
  readonly bad: number;
  /** Ids written as negative numbers: the same 64 bits. */
  readonly negative: number;
  readonly misfits: number;
  readonly reasons: readonly { readonly reason: string; readonly count: number }[];
  readonly readings: readonly ReadingView[];
  readonly layout: LayoutChoice;
  /** Why the layout that was asked for is none; then `layout` is another. */
  readonly layoutError: string | undefined;
  readonly columns: readonly ColumnHead[];
  readonly shown: number;
  readonly filterError: string | undefined;
  readonly firstRows: readonly TableRow[];
  /** The first row that is an id. */
  readonly firstGood: TableRow | undefined;
  /** The row that was chosen before, as it is now. */
  readonly chosen: TableRow | undefined;
  readonly overTime: Histogram | undefined;
  /** The first and the last date of the rows shown, in ISO 8601. */
  readonly span: { readonly first: string; readonly last: string } | undefined;
  /** Whether `overTime` counts by date; by the ids' value otherwise. */
  readonly byDate: boolean;
  readonly perShard: Histogram | undefined;
  readonly per: string;
  readonly decodeMs: number;
}

/** All that a view is made of, which later answers need. */
interface Made {
  readonly read: ReadTexts;
  readonly order: WideOrder | undefined;
  readonly table: Table;
  /** As they are sorted and filtered. */
  readonly rows: Uint32Array;
  /** Rows that have values. */
  readonly good: Uint32Array;
  /** The field that is counted by, or the shards that ids are routed to; undefined: wide ids have neither. */
  readonly by: ColumnArray | undefined;
  readonly filterError: string | undefined;
}

const SAMPLE = 200;
const WORDS_BYTES = 4096;
const TIME_BINS = 160;
const SHARD_BINS = 256;
const FIRST_ROWS = 64;

/** Ids and all that is made of them. Each step is kept until what it depends on changes. */
export class Inspection {
  readonly #read = new Kept<ReturnType<Inspection['ids']>>();
  readonly #decoded = new Kept<Decoded>();
  readonly #routed = new Kept<Uint32Array>();
  readonly #selected = new Kept<Selected>();
  readonly #sorted = new Kept<Uint32Array>();
  readonly #given: GivenTexts;
  #shown!: Made;

  constructor(
    given: Uint8Array | readonly GivenText[],
    private readonly now: number,
    /** The service whose layout was chosen last. */
    private readonly last?: string,
  ) {
    this.#given = new GivenTexts(
      given instanceof Uint8Array ? [{ name: '', bytes: given.length, data: given }] : given,
    );
  }

  /** The ids of a column, in their order if they are wide, and what they may be. */
  private ids(settings: Settings) {
    const given = this.#given.as(settings.read);
    const read = given.read(settings.column);
    const ids = parseCells(read.cells, settings.read);
    if (ids.wide !== undefined) return { given, read, ids, order: new WideOrder(read.cells, ids), readings: [] };
    const dated = datesBeside(read.parts[0], ids.ids);
    const some = BigUint64Array.of(...dated.ids, ...sampleOf(ids.ids, ids.problems, SAMPLE));
    const column = given.columns[given.columnOf(settings.column)] ?? '';
    const words = [column, new TextDecoder().decode(this.#given.first.subarray(0, WORDS_BYTES))];
    const readings = readingsOf(some, { now: this.now, words, dates: dated.dates, last: this.last });
    return { given, read, ids, order: undefined, readings };
  }

  /** @param chosen the row that is taken apart, of those that were given */
  view(settings: Settings, chosen?: number): View {
    const { shards, strategy, show, filter, sort, zone } = settings;
    const { given, read, ids, order, readings } = this.#read.of([settings.read, settings.column], () =>
      this.ids(settings),
    );
    const { wide } = ids;
    const { choice, layout, layoutError } = chooseLayout(wide?.layout ?? settings.layout, readings);
    const decoded = this.#decoded.of([ids, choice.spec, choice.epoch, choice.unit], () => decode(ids, layout));
    const routed = this.#routed.of([ids, shards, strategy], () =>
      wide === undefined ? new Router({ shards, strategy }).routeMany(ids.ids) : new Uint32Array(ids.ids.length),
    );
    const columns = columnsOf(read.cells, ids, order, decoded, routed, settings);
    const context = contextOf(ids.format, layout);
    const as = wide === undefined ? settings.as : undefined;
    const table: Table = { cells: read.cells, ids: ids.ids, decoded, columns, as, zone, context };
    const selected = this.#selected.of([decoded, routed, show, filter, zone], () => select(decoded, settings, columns));
    const { good, filterError } = selected;
    const rows = this.#sorted.of([selected, sort?.column, sort?.descending], () =>
      sortSelected(selected, decoded, sort, columns),
    );
    const per = columns.find(
      ({ key, kind, time }) => key === (settings.per ?? 'shard') && kind === 'field' && time === undefined,
    );
    const by = wide === undefined ? (per?.values ?? routed) : undefined;
    this.#shown = { read, order, table, rows, good, by, filterError };
    const row = (index: number) => rowTexts(table, Uint32Array.of(index))[0];
    const firstGood = decoded.problems.findIndex(isId);
    const dated = overTime(good, columns, zone);
    return {
      backend: getBackend(),
      bytes: given.bytes,
      files: given.files,
      kind: given.kind,
      sourceColumns: given.columns,
      sourceColumn: given.columnOf(settings.column),
      header: given.hasHeader,
      blankLines: read.blankLines,
      read: ids.format,
      wide: wide && wideName(wide, ids.ids.length, settings.read === 'guess'),
      rows: ids.ids.length,
      bad: ids.bad,
      negative: ids.negative,
      misfits: decoded.misfits,
      reasons: reasonsOf(decoded.problems, context),
      readings,
      layout: choice,
      layoutError,
      columns: columns.map(({ key, label, kind, place, time, width }) => ({ key, label, kind, place, time, width })),
      shown: rows.length,
      filterError,
      firstRows: this.rows(0, FIRST_ROWS),
      firstGood: firstGood < 0 ? undefined : row(firstGood),
      chosen: chosen === undefined || chosen >= ids.ids.length ? undefined : row(chosen),
      overTime: dated?.histogram ?? byValue(good, ids.ids, TIME_BINS),
      span: dated && { first: dated.first, last: dated.last },
      byDate: dated !== undefined,
      // All shards that ids are routed to; of a field, from its smallest value to its largest.
      perShard: by && byValue(good, by, SHARD_BINS, per === undefined ? { min: 0, max: shards - 1 } : undefined),
      per: per?.key ?? 'routed',
      decodeMs: decoded.ms,
    };
  }

  /** Rows `from..to` as they are sorted and filtered. */
  rows(from: number, to: number): TableRow[] {
    return rowTexts(this.#shown.table, this.#shown.rows.subarray(from, to));
  }

  /** What operators ask of the ids that are shown. */
  statistics(): Statistics {
    const { order, table, rows, good, by } = this.#shown;
    const { ids, decoded, columns } = table;
    const all = rows.filter((row) => isId(decoded.problems[row]));
    const date = columns.find(({ kind }) => kind === 'date');
    const times = date?.time && { values: date.values, unitMs: date.time.unitMs };
    return statisticsOf(good, order?.places ?? ids, times, by, all);
  }

  /** The rows that are shown, in pieces of text. */
  csv(): CsvPieces {
    const { read, table, rows, filterError } = this.#shown;
    if (filterError !== undefined) throw new Error(`nothing is exported: ${filterError}`);
    return exportCsv(table, read.parts, rows);
  }
}

function chooseLayout(
  asked: LayoutChoice | undefined,
  readings: readonly ReadingView[],
): { choice: LayoutChoice; layout: Layout; layoutError: string | undefined } {
  const guessed = readings[0]?.choice ?? { spec: 'snowflake' };
  const choice = asked ?? guessed;
  try {
    return { choice, layout: layoutOf(choice), layoutError: undefined };
  } catch (error) {
    return { choice: guessed, layout: layoutOf(guessed), layoutError: (error as Error).message };
  }
}

function contextOf(format: ReadFormat, { bits, places }: Layout): ProblemContext {
  const minima = places.filter(({ min }) => min > 0).map(({ name, min }) => `${name} starts at ${min}`);
  return { format, layoutBits: bits, minima: minima.join(', ') };
}

function reasonsOf(problems: Uint8Array, context: ProblemContext): { reason: string; count: number }[] {
  const counts = new Uint32Array(32);
  for (const problem of problems) counts[problem]++;
  return [...counts].flatMap((count, problem) =>
    problem === Problem.none || count === 0 ? [] : [{ reason: reasonOf(problem, context), count }],
  );
}

/** Histogram and span by date; undefined where there is none, or one that is beyond the calendar. */
function overTime(
  good: Uint32Array,
  columns: readonly TableColumn[],
  zone: string,
): { histogram: Histogram; first: string; last: string } | undefined {
  const column = columns.find(({ kind }) => kind === 'date');
  if (column?.time === undefined) return undefined;
  const { time } = column;
  const units = numbersOf(good, column.values);
  const range = rangeOf(units);
  if (range === undefined) return undefined;
  const [first, last] = [range.min, range.max].map((value) => isoText(time, microsOf(time, BigInt(value)), zone));
  if (first === undefined || last === undefined) return undefined;
  const ahead = offsetMs(zone, Date.parse(first)) * 1000; // so that bars of days begin at midnight
  // In microseconds all numbers are whole, so that no time falls into the bin beside its own.
  const scale = { factor: Number(unitMicros(time)), offset: time.epoch * 1000 + ahead };
  const widthOf = (span: number) => Math.round(timeWidth(span / 1000, TIME_BINS, time.unitMs) * 1000);
  const { from, width, counts } = histogram(units, range, widthOf, scale);
  return { histogram: { from: (from - ahead) / 1000, width: width / 1000, counts }, first, last };
}

/** @param all from the smallest value to the largest by default */
function byValue(good: Uint32Array, values: ColumnArray, bins: number, all?: NumberRange): Histogram | undefined {
  const numbers = numbersOf(good, values);
  const range = rangeOf(numbers);
  return range && histogram(numbers, all ?? range, (span) => numberWidth(span, bins));
}
