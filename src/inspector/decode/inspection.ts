import { detailsOf } from '../../errors.js';
import { datesIn, ROUNDING, roundedIn, SERVICES } from '../../guess/index.js';
import { getBackend, Router } from '../../index.js';
import type { ColumnArray } from '../../kernels/index.js';
import { type Cells, textIn } from '../read/cells.js';
import { type IdColumn, parseCells, type WideIds } from '../read/id-column.js';
import type { InputText } from '../read/open.js';
import { FORMAT_NAMES, isId, reasonOf } from '../read/problems.js';
import { columnOfServices, servicesOfRows } from '../read/row-services.js';
import { Inputs, type ReadText, undrawn, unreadableIn } from '../read/shape.js';
import { isoText, microsOf, offsetMs, unitMicros } from './dates.js';
import { type ExportFormat, exportRows, sourceCellsOf } from './export.js';
import { select, sortSelected } from './filter.js';
import { isSameChoice, type LayoutChoice, layoutOf, NO_LAYOUT } from './layout-choice.js';
import { allRows, goodRows, numbersOf, rangeOf, sortRows, type WideOrder, wideOrder } from './order.js';
import { guessOf, timesByService } from './readings.js';
import { FORMATS, type Settings } from './settings.js';
import { duplicatesIn, histogram, numberWidth, statisticsOf, timeWidth } from './statistics.js';
import { columnsOf, decode, headOf, rowTexts, type TableColumn } from './table.js';

/** Lets a step remember its last result, which is given again until one of the inputs is another. */
export function memo<I extends readonly unknown[], R>(step: (...inputs: I) => R): (...inputs: I) => R {
  let last: { readonly inputs: I; readonly result: R } | undefined;
  return (...inputs) => {
    if (last?.inputs.every((input, i) => input === inputs[i])) return last.result;
    last = undefined; // so that the old columns can go before there are new ones
    const result = step(...inputs);
    last = { inputs, result };
    return result;
  };
}

// Steps of the golden ratio spread evenly and meet no period that ids may have: every thousandth row of shards that
// take turns would be of a few shards.
const GOLDEN = 0.6180339887498949;

/**
 * At most so many ids from all over a column, with the smallest and the largest of all. Rows with a problem are left out.
 */
function sampleOf({ ids, problems }: IdColumn, most: number): BigUint64Array {
  const good = goodRows(problems);
  // Ids that make the same number differ by less than matters for a guess.
  const numbers = numbersOf(good, ids);
  const range = rangeOf(numbers);
  if (range === undefined) return new BigUint64Array(0);
  const spread = Array.from({ length: Math.min(most, good.length) }, (_, i) =>
    good.length <= most ? i : Math.floor(((i * GOLDEN) % 1) * good.length),
  );
  return BigUint64Array.from([numbers.indexOf(range.min), numbers.indexOf(range.max), ...spread], (i) => ids[good[i]]);
}

/**
 * What wide ids are. Those that are guessed by their length and their characters may be something else; a UUID says what
 * it is.
 */
function wideName(
  { kind, versions }: WideIds,
  rows: number,
  isGuess: boolean,
  named: readonly { readonly title: string; readonly rows: number }[],
): string {
  if (kind === undefined) return `from ${named.map(({ title, rows }) => `${title} (${rows})`).join(', ')}`;
  const name = FORMAT_NAMES[kind];
  if (kind === 'uuid') {
    const list = new Intl.ListFormat('en').format(versions.map(String));
    const of = list && ` of version${versions.length > 1 ? 's' : ''} ${list}`;
    return rows > 1 ? `${name}s${of}` : `a ${name}${of}`;
  }
  const a = kind === 'xid' ? 'an' : 'a';
  return isGuess ? `if ${rows > 1 ? 'each' : 'it'} is ${a} ${name}` : `read as ${a} ${name}`;
}

/** The first rows are looked at, which lie within so many bytes. */
const ROWS = 50;
const BYTES = 256 * 1024;

/**
 * Ids at the start of a table, and the dates that its other columns have for them. They tell which service made the ids:
 * one whose dates are the same. Rows that are not ids are left out. A column may also name the service of each row.
 */
function besideIds(text: ReadText, { ids, problems }: IdColumn) {
  const { cells } = text;
  const count = cells.ends.subarray(0, ROWS).filter((end) => end <= BYTES).length;
  const [starts, lines] = [cells.starts.subarray(0, count), cells.lines.subarray(0, count)];
  const first = { ...cells, data: cells.data.subarray(0, BYTES), starts, lines };
  const { names, of } = sourceCellsOf([{ ...text, cells: first }]);
  const rows = [...goodRows(problems.subarray(0, count))];
  const texts = rows.map(of);
  const columns = names.map((_, column) => texts.map((row) => row[column]));
  return {
    ids: BigUint64Array.from(rows, (row) => ids[row]),
    dates: datesIn(columns),
    services: names[columnOfServices(columns, CLUES)],
  };
}

/** What names a service in a row: its title, or a clue. */
const CLUES = SERVICES.map(({ title, clue }) => clue && new RegExp(`^${title}$|${clue.source}`, 'i'));

const SAMPLE = 200;
const WORDS_BYTES = 4096;
const TIME_BINS = 160;
const SHARD_BINS = 256;
/** So many rows a view has. The page asks for as many at a time. */
export const FIRST_ROWS = 64;

export type StatisticsView = ReturnType<Inspection['statistics']>;

export type View = ReturnType<Inspection['view']>;

/** Ids and everything that is made of them, in steps: read, parse, decode, select, sort. */
export class Inspection {
  readonly #inputs: Inputs;
  #made!: ReturnType<Inspection['make']>;

  /** @param last the service whose layout was chosen last */
  constructor(
    input: Uint8Array | readonly InputText[],
    private readonly now: number,
    private readonly last?: string,
  ) {
    const texts = input instanceof Uint8Array ? [{ name: '', bytes: input.length, data: input }] : input;
    this.#inputs = new Inputs(texts.map((text) => ({ ...text, data: undrawn(text.data) })));
  }

  readonly #parse = memo((format: Settings['read'], name: string | undefined) => {
    const inputs = this.#inputs.as(format);
    const read = inputs.read(name);
    const parsed = parseCells(read.cells, format);
    const order = parsed.wide && wideOrder(read.cells, parsed);
    const column = read.about.sourceColumns[read.about.sourceColumn];
    const beside = besideIds(read.parts[0], parsed);
    const names = beside.services === undefined ? undefined : inputs.read(beside.services).cells;
    const services = servicesOfRows(read.cells, column, CLUES, names);
    const named = countsOf(services)
      .map(([number, rows]) => ({ ...SERVICES[number - 1], rows }))
      .sort((a, b) => b.rows - a.rows);
    const sample = order ? new BigUint64Array(0) : BigUint64Array.of(...beside.ids, ...sampleOf(parsed, SAMPLE));
    const words = [column, textIn(read.parts[0].cells.data, 0, WORDS_BYTES)];
    if (parsed.format === 'shortcode') words.push('instagram');
    const written = FORMATS.find((each) => each === parsed.format);
    const guess = guessOf(sample, { now: this.now, words, dates: beside.dates, last: this.last, format: written });
    const rounded = guess.isKnown && parsed.format === 'dec' ? roundedIn(parsed.ids) : undefined;
    return { read, parsed, order, services, named, guess, rounded };
  });
  readonly #several = memo((parsed: IdColumn, services: Uint8Array) => {
    const others = parsed.ids.filter((_, row) => services[row] === 0 && isId(parsed.problems[row])).slice(0, SAMPLE);
    const guess = guessOf(others, { now: this.now });
    return timesByService(parsed, services, guess.isSure ? layoutOf(guess.readings[0].choice) : undefined);
  });
  readonly #layout = memo((spec: string, epoch: LayoutChoice['epoch'], unit: LayoutChoice['unit']) =>
    layoutOf({ spec, epoch, unit }),
  );
  readonly #decode = memo(decode);
  readonly #route = memo(({ ids, wide }: IdColumn, shards: number, strategy: Settings['strategy']) =>
    wide === undefined ? new Router({ shards, strategy }).routeMany(ids) : new Uint32Array(ids.length),
  );
  readonly #unreadable = memo((cells: Cells, parsed: IdColumn, column: string | undefined) =>
    parsed.bad < parsed.ids.length || parsed.bad === 0
      ? undefined
      : unreadableIn(this.#inputs, cells, parsed.format, column),
  );
  readonly #columns = memo(columnsOf);
  readonly #duplicates = memo(({ problems, ids }: IdColumn, order: WideOrder | undefined) => {
    const rows = allRows(problems).filter((row) => isId(problems[row]));
    return duplicatesIn(rows, order?.places ?? ids);
  });
  readonly #select = memo(select);
  readonly #sort = memo(sortSelected);

  /** All steps from the text to the rows as they are sorted and filtered. */
  private make({ read: format, column, layout: asked, shards, strategy, show, filter, sort, zone, as, per }: Settings) {
    const { services, ...base } = this.#parse(format, column);
    const isSeveral = asked === undefined && base.named.length > 1 && base.order === undefined;
    const { parsed, order } = isSeveral ? this.#several(base.parsed, services) : base;
    const { read, guess } = base;
    const { wide } = parsed;
    const guessed = guess.isKnown ? guess.readings[0].choice : NO_LAYOUT;
    const chosen = chooseLayout(wide?.layout ?? asked, guessed);
    const layout = this.#layout(chosen.choice.spec, chosen.choice.epoch, chosen.choice.unit);
    const decoded = this.#decode(parsed, layout);
    const routed = this.#route(parsed, shards, strategy);
    const columns = this.#columns(read.cells, parsed, order, decoded, routed, isSeveral ? services : undefined);
    const duplicates = () => this.#duplicates(parsed, order);
    const selected = this.#select(columns, decoded.problems, show, filter, zone, duplicates);
    const rows = this.#sort(selected, decoded.problems, columns, sort?.column, sort?.descending);
    const table = { cells: read.cells, parsed, layout, decoded, columns, as: wide ? undefined : as, zone };
    const perField = columns.find(
      ({ key, kind, time }) => key === (per ?? 'shard') && kind === 'field' && time === undefined,
    );
    /** What ids are counted by: a field, or the shards that they are routed to. Wide ids have neither. */
    const counted = wide ? undefined : (perField?.values ?? routed);
    return { ...base, ...chosen, ...selected, order, table, rows, perField, counted };
  }

  /** @param chosen the row that is taken apart */
  view(settings: Settings, chosen?: number) {
    this.#made = this.make(settings);
    const { read, named, guess, rounded, choice, layoutError } = this.#made;
    const { table, rows, good, filterError, perField, counted } = this.#made;
    const { cells, parsed, decoded, columns, layout } = table;
    const { ids, wide } = parsed;
    const row = (index: number) => rowTexts(table, Uint32Array.of(index))[0];
    const firstGood = (ids.length > 1 ? rows : allRows(ids)).find((index) => isId(decoded.problems[index]));
    const dated = overTime(good, columns, settings.zone);
    return {
      backend: getBackend(),
      ...read.about,
      read: parsed.format,
      /** What the ids are, if they are wider than 64 bits: only their text and their time are shown. */
      wide: wide && wideName(wide, ids.length, settings.read === 'guess', named),
      rows: ids.length,
      bad: parsed.bad,
      /** Set if nothing is an id: texts that are not, and what else they may be read as. */
      unreadable: this.#unreadable(cells, parsed, settings.column),
      /** How many ids are written as negative numbers: they are the same 64 bits. */
      negative: parsed.negative,
      /** Set if ids look as if their last digits were lost. */
      rounded: rounded && { rows: rounded.rows, why: ROUNDING[rounded.by] },
      /** How many ids the layout rejects. */
      misfits: decoded.misfits,
      reasons: countsOf(decoded.problems).map(([problem, count]) => ({
        reason: reasonOf(problem, parsed.format, layout),
        count,
      })),
      /** The services that rows say they are of, most rows first, if there are several. */
      services: named.length > 1 ? named.map(({ name, rows }) => ({ name, rows })) : [],
      ...guess,
      layout: choice,
      /** The reading that is shown; undefined for a layout of one's own. */
      current: guess.readings.find((reading) => isSameChoice(reading.choice, choice)),
      /** Whether a layout was guessed, but no service is known that has it. */
      isUnknown: wide === undefined && settings.layout === undefined && !guess.isKnown,
      /** Why the layout that was asked for is not one; then `layout` is another. */
      layoutError,
      columns: columns.map((column) => headOf(column, table, settings.shards)),
      shown: rows.length,
      /** How many of them are ids, be it some that the layout rejects. */
      shownIds: rows.reduce((sum, index) => sum + Number(isId(decoded.problems[index])), 0),
      filterError,
      firstRows: this.rows(0, FIRST_ROWS),
      firstGood: firstGood === undefined ? undefined : row(firstGood),
      /** The row that was chosen before, as it is now; undefined if it is not shown any more. */
      chosen: chosen === undefined || !rows.includes(chosen) ? undefined : row(chosen),
      overTime: dated?.histogram ?? byValue(good, ids, TIME_BINS),
      /** The first and the last date of the rows shown, in ISO 8601. */
      span: dated?.span,
      /** Whether `overTime` counts by date; by the value of ids otherwise. */
      byDate: dated !== undefined,
      /** Counts for all shards that ids are routed to, or for a field from its smallest value to its largest. */
      perShard:
        counted && byValue(good, counted, SHARD_BINS, perField ? undefined : { min: 0, max: settings.shards - 1 }),
      per: perField?.key ?? 'routed_to',
      decodeMs: decoded.ms,
    };
  }

  rows(from: number, to: number) {
    return rowTexts(this.#made.table, this.#made.rows.subarray(from, to));
  }

  /** What operators ask of the ids that are shown. Times are in Unix microseconds. */
  statistics() {
    const { order, table, rows, good, counted, perField } = this.#made;
    const { parsed, decoded, columns } = table;
    const all = rows.filter((row) => isId(decoded.problems[row]));
    const date = columns.find(({ kind }) => kind === 'date');
    const time = date?.time;
    const times = date && time && { values: date.values, unitMs: time.unitMs };
    const { gaps, peak, ...counts } = statisticsOf(good, order?.places ?? parsed.ids, times, counted, all);
    const dated = <S extends { from: bigint; to: bigint }>(span: S) =>
      time ? { ...span, from: microsOf(time, span.from), to: microsOf(time, span.to) } : span;
    return {
      ...counts,
      gaps: gaps.map(dated),
      peak: peak && dated(peak),
      time,
      per: perField?.key ?? 'routed_to',
    };
  }

  export(format: ExportFormat = 'csv') {
    const { read, table, rows, filterError } = this.#made;
    if (filterError !== undefined) throw new Error(`nothing is exported: ${filterError}`);
    return exportRows(table, read.parts, rows, format);
  }
}

function chooseLayout(asked: LayoutChoice | undefined, guessed: LayoutChoice) {
  try {
    layoutOf(asked ?? guessed);
    return { choice: asked ?? guessed };
  } catch (error) {
    return { choice: guessed, layoutError: detailsOf(error).message };
  }
}

/** How many rows have each problem, or each service; 0 is none. */
function countsOf(numbers: Uint8Array): [number: number, count: number][] {
  const counts = new Uint32Array(32);
  for (const number of numbers) counts[number]++;
  return [...counts.entries()].filter(([number, count]) => number > 0 && count > 0);
}

/**
 * How many ids there are over time, and their first and last date in ISO 8601; undefined if there are no dates, or some
 * are beyond the calendar.
 */
function overTime(good: Uint32Array, columns: readonly TableColumn[], zone: string) {
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
  return { histogram: { from: (from - ahead) / 1000, width: width / 1000, counts }, span: { first, last } };
}

/** @param all from the smallest value to the largest by default */
function byValue(good: Uint32Array, values: ColumnArray, bins: number, all?: { min: number; max: number }) {
  const widthOf = (span: number) => numberWidth(span, bins);
  const numbers = numbersOf(good, values);
  const range = rangeOf(numbers);
  if (range === undefined || range.max <= Number.MAX_SAFE_INTEGER) {
    return range && histogram(numbers, all ?? range, widthOf);
  }
  // Numbers would be the same for values that differ. Bins begin at multiples of their width, as those of numbers do.
  const alike = good.filter((_, i) => numbers[i] === range.min);
  const least = BigInt(values[sortRows(alike, values)[0]]);
  const width = widthOf((rangeOf(numbersOf(good, values, least))?.max ?? 0) + 1);
  const base = least - (least % BigInt(width));
  const above = numbersOf(good, values, base);
  return { ...histogram(above, { min: 0, max: rangeOf(above)?.max ?? 0 }, () => width), base };
}
