import { detailsOf } from '../../errors.js';
import { AHEAD_MS, ROUNDING, roundedIn } from '../../guess/index.js';
import { getBackend } from '../../index.js';
import type { ColumnArray } from '../../kernels/index.js';
import { FORMAT_NAMES, type ReadFormat } from '../../tokens/formats.js';
import { type Cells, cellText, textIn } from '../read/cells.js';
import { type IdColumn, parseCells, type WideIds } from '../read/id-column.js';
import type { InputText } from '../read/open.js';
import { isId, reasonOf } from '../read/problems.js';
import { Inputs, undrawn, unreadableIn } from '../read/shape.js';
import { besideIds, categoryOf, layoutBeside, ownTimes, sourceCellsOf, type Texts } from './beside.js';
import { contextsOf } from './context/contexts.js';
import { isoText, microsOf, timesIn, unitMicros } from './dates.js';
import { type ExportFormat, exportRows } from './export.js';
import { select, sortSelected } from './filter.js';
import {
  alone,
  certaintyOf,
  choiceOf,
  dateOfOne,
  decode,
  type Group,
  groupsOf,
  mixed,
  shownGroup,
  withUnreadable,
} from './groups.js';
import { isSameChoice, type LayoutChoice, layoutOf } from './layout-choice.js';
import { allRows, idRows, numbersOf, rangeOf, sortRows, textOrder, type WideOrder } from './order.js';
import { LIST, NOTHING_GUESSED } from './readings.js';
import { BARS, type Settings } from './settings.js';
import {
  duplicatesIn,
  farthestOf,
  type Histogram,
  histogram,
  numberWidth,
  statisticsOf,
  timeWidth,
} from './statistics.js';
import { columnsOf, type DecodedTable, headOf, rowTexts, type TableColumn } from './table.js';

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

/** A word for dates that hardly any maker of ids has. */
function oddDate(span: { readonly first: string; readonly last: string } | undefined, now: number): string {
  if (!span) return '';
  if (Date.parse(span.first) < 0) return ', with a date before 1970';
  return Date.parse(span.last) > now + AHEAD_MS ? ', with a date in the future' : '';
}

/**
 * What wide ids are. Those that are guessed by their length and their characters may be something else; a UUID says what
 * it is.
 */
function wideName(
  { kind = 'uuid', versions }: WideIds,
  format: ReadFormat,
  rows: number,
  isGuess: boolean,
  isDoubtful: boolean,
): string {
  const several = rows > 1;
  const one = `${kind === 'xid' ? 'an' : 'a'} ${FORMAT_NAMES[kind]}`;
  const what = several ? `${FORMAT_NAMES[kind]}s` : one;
  if (kind !== format) return `${what}, kept as ${several ? 'UUIDs' : 'a UUID'}`;
  if (kind !== 'uuid') return `${isGuess ? `if ${several ? 'each' : 'it'} is` : 'read as'} ${one}`;
  const list = LIST.format(versions.map(String));
  return `${isGuess && isDoubtful ? 'perhaps ' : ''}${what}${list && ` of version${versions.length > 1 ? 's' : ''} ${list}`}`;
}

const WORDS_BYTES = 4096;
const TIME_BINS = 160;
const VALUE_BINS = 256;
/** More bars over time than these are not drawn, whatever width is chosen. */
const MOST_BARS = 1000;
/** So many rows a view has. The page asks for as many at a time. */
export const FIRST_ROWS = 64;

export type StatisticsView = ReturnType<Inspection['statistics']>;

export type View = ReturnType<Inspection['view']>;

type Base = ReturnType<Inspection['parse']>;

/** Ids and everything that is made of them, in steps: read, parse, group, decode, select, sort. */
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

  private readonly parse = memo((format: Settings['read'], name: string | undefined, isOne: boolean) => {
    const inputs = this.#inputs.as(format);
    const read = inputs.read(name);
    const parsed = parseCells(read.cells, format);
    const { sourceColumns, sourceColumn, kind } = read.about;
    const column = kind === 'text' ? '' : (sourceColumns[sourceColumn] ?? '');
    const beside = besideIds(read.parts[0], parsed);
    const names = beside.services === undefined ? undefined : inputs.read(beside.services).cells;
    const contexts = contextsOf({ ...read.cells, problems: parsed.problems }, column, names);
    const start = textIn(read.parts[0].cells.data, 0, WORDS_BYTES);
    const isList = kind === 'lines' || kind === 'list';
    const clues = { ...beside, column, start, now: this.now, last: this.last, isList };
    const isLink = kind === 'text' && /^\s*\S{9,2000}\s*$/.test(start);
    return { inputs, read, parsed, isLink, beside, groups: groupsOf(read.cells, parsed, contexts, clues, isOne) };
  });
  /**
   * The rows of one group as a text of their own, or of all groups, which have nothing in common but times.
   * @param isChosen whether others than those of the group are not asked for, not even unreadable rows
   */
  readonly #group = memo((base: Base, group: Group | undefined, isChosen: boolean) => {
    const { read, parsed: all, groups } = base;
    const several = !group && groups.length > 0 ? mixed(read.cells, all, groups) : undefined;
    const isOnly = groups.length === 1;
    const rows = group && !isChosen && !isOnly ? withUnreadable(all, group.rows) : group?.rows;
    const one = group && rows && alone(read.cells, all, { ...group, rows }, isOnly);
    const { cells, parsed, picked } = one ?? { cells: read.cells, parsed: several?.parsed ?? all, picked: undefined };
    const order = parsed.wide && textOrder(cells, parsed);
    const mix = several?.mix;
    const beside = sourceCellsOf(read.parts, picked);
    const lineTime = ownTimes(beside, base.beside.dated);
    const sources = beside.names.flatMap((name, source) => {
      const texts = memo(() => categoryOf(beside, name, cells.starts.length));
      const isOfIds = beside.sample.every((row, i) => row[source].trim() === cellText(cells, i));
      return isOfIds ? [] : [{ name, source, width: beside.widths[source], texts }];
    });
    const found = memo(() => layoutBeside(beside, parsed, layoutOf(choiceOf(group))));
    return { cells, parsed, beside, mix, order, found, around: { order, mix, lineTime, sources } };
  });
  readonly #layout = memo((spec: string, epoch: LayoutChoice['epoch'], unit: LayoutChoice['unit']) =>
    layoutOf({ spec, epoch, unit }),
  );
  readonly #decode = memo(decode);
  readonly #unreadable = memo((cells: Cells, parsed: IdColumn, column: string | undefined) =>
    parsed.bad < parsed.ids.length || parsed.bad === 0 ? undefined : unreadableIn(this.#inputs, cells, parsed, column),
  );
  readonly #columns = memo(columnsOf);
  readonly #duplicates = memo(({ problems, ids }: IdColumn, order: WideOrder | undefined) =>
    duplicatesIn(idRows(problems), order?.places ?? ids),
  );
  readonly #select = memo(select);
  readonly #sort = memo(sortSelected);

  /** All steps from the text to the rows as they are sorted and filtered. */
  private make({ read: format, column, group: wanted, layout: asked, show, filter, sort, zone, as, per }: Settings) {
    const base = this.parse(format, column, asked !== undefined);
    const { read, parsed: all, groups } = base;
    const group = shownGroup(groups, all, wanted, base.isLink, asked !== undefined);
    const of = this.#group(base, group, wanted !== undefined || base.isLink);
    const { cells, parsed, beside, mix, order, around } = of;
    const guess = group?.guess ?? NOTHING_GUESSED;
    const { wide } = parsed;
    const found = wide || mix || asked ? undefined : of.found();
    // Dates beside the ids say more than a guess, and less than a link or a name.
    const isTaken = found !== undefined && !group?.isFact && !group?.service;
    const chosen = chooseLayout(wide?.layout ?? asked ?? (isTaken ? found.choice : undefined), choiceOf(group));
    const layout = this.#layout(chosen.choice.spec, chosen.choice.epoch, chosen.choice.unit);
    const decoded = this.#decode(parsed, layout);
    const columns = this.#columns(cells, parsed, decoded, around);
    const duplicates = () => this.#duplicates(parsed, order);
    const selected = this.#select(columns, decoded.problems, show, filter, zone, duplicates);
    const rows = this.#sort(selected, decoded.problems, columns, sort?.column, sort?.descending);
    const table: DecodedTable = {
      cells,
      parsed,
      layout,
      decoded,
      columns,
      beside,
      mix,
      as: wide ? 'written' : as,
      zone,
    };
    const counted = countable(columns);
    const by =
      counted.find(({ key }) => key === (per ?? 'shard')) ??
      counted.find(({ kind, key }) => kind !== 'source' || key === base.beside.repeated);
    return {
      read,
      all,
      isLink: base.isLink,
      groups,
      group,
      guess,
      found: found && { ...found, isTaken },
      ...chosen,
      ...selected,
      order,
      table,
      rows,
      by,
    };
  }

  /** @param chosen the row that is taken apart */
  view(settings: Settings, chosen?: number) {
    this.#made = this.make(settings);
    const { read, all, isLink, groups, group, guess, found, choice, layoutError } = this.#made;
    const { table, rows, good, filterError, by } = this.#made;
    const { cells, parsed, decoded, columns, layout, mix } = table;
    const { ids, wide } = parsed;
    const row = (index: number) => rowTexts(table, Uint32Array.of(index))[0];
    const firstGood = (ids.length > 1 ? rows : allRows(ids)).find((index) => isId(decoded.problems[index]));
    const texts = by?.texts && commonest(good, by.texts());
    const dated = overTime(good, columns, settings, texts?.laneOf);
    const rounded = parsed.format === 'dec' && !mix ? roundedIn(ids) : undefined;
    return {
      backend: getBackend(),
      ...read.about,
      read: parsed.format,
      /** What the ids are, if they are wider than 64 bits: only their text and their time are shown. */
      wide:
        wide && !mix
          ? wideName(
              wide,
              parsed.format,
              ids.length,
              settings.read === 'guess',
              group !== undefined && certaintyOf(group) === 'perhaps',
            ) + oddDate(dated?.span, this.now)
          : undefined,
      rows: ids.length,
      bad: parsed.bad,
      /** Set if nothing is an id: texts that are not, and what else they may be read as. */
      unreadable: this.#unreadable(cells, parsed, settings.column),
      /** Set if ids look as if their last digits were lost. */
      rounded: rounded && { rows: rounded.rows, why: ROUNDING[rounded.by] },
      /** How many ids the layout rejects. */
      misfits: decoded.misfits,
      reasons: countsOf(rows, decoded.problems).map(([problem, count]) => ({
        reason: reasonOf(problem, parsed.format, layout),
        count,
      })),
      /** The kinds of ids in the text, each with its number of rows. */
      groups: groups.map((each) => ({
        title: each.title,
        rows: each.rows.length,
        certainty: certaintyOf(each),
        /** The id, in a link. */
        id: isLink ? cellText(read.cells, each.rows[0]) : undefined,
        date: groups.length > 12 ? undefined : dateOfOne(read.cells, all, each),
      })),
      /** The one that is shown; undefined: all of them, or there are none. */
      group: group?.title,
      /** Whether ids of several kinds are shown, of which each row has its own. */
      isMixed: mix !== undefined,
      /** Whether the text says which service the ids are of. */
      isFact: group?.isFact === true,
      ...guess,
      layout: choice,
      /** The reading that is shown; undefined for a layout of one's own. */
      current: guess.readings.find((reading) => isSameChoice(reading.choice, choice)),
      /** Whether a layout was guessed, but no service is known that has it. */
      isUnknown: !wide && !settings.layout && !found?.isTaken && !guess.isKnown && !group?.service,
      /** The layout that a column of dates gives; undefined if one was chosen, or the guess has these dates. */
      found,
      /** Why the layout that was asked for is not one; then `layout` is another. */
      layoutError,
      columns: columns.map((column) => headOf(column, table)),
      shown: rows.length,
      /** How many of them are ids, be it some that the layout rejects. */
      shownIds: idRows(decoded.problems, rows).length,
      filterError,
      firstRows: this.rows(0, FIRST_ROWS),
      firstGood: firstGood === undefined ? undefined : row(firstGood),
      /** The row that was chosen before, as it is now; undefined if it is not shown any more. */
      chosen: chosen === undefined || !rows.includes(chosen) ? undefined : row(chosen),
      overTime: dated?.histogram ?? (mix ? undefined : byValue(good, ids, TIME_BINS)),
      /** The first and the last date of the rows shown, in ISO 8601. */
      span: dated?.span,
      /** The same for the texts that most ids have, if they are counted by texts, and for all others. */
      lanes: texts && dated?.lanes.map((counts, lane) => ({ name: texts.lanes.at(lane), counts })),
      /** How many ids have each value, from the smallest to the largest; or each text, the commonest first. */
      perValue: texts?.histogram ?? (by && !by.texts ? byValue(good, by.values, VALUE_BINS) : undefined),
      per: by?.key,
      /** The texts of the bars; undefined if they are numbers. */
      names: texts?.names,
      /** How many texts there are, also those that have no bar. */
      texts: texts?.size,
      decodeMs: decoded.ms,
    };
  }

  rows(from: number, to: number) {
    return rowTexts(this.#made.table, this.#made.rows.subarray(from, to));
  }

  /** What operators ask of the ids that are shown. Times are in Unix microseconds. */
  statistics() {
    const { order, table, rows, good, by } = this.#made;
    const { cells, parsed, decoded, columns, mix } = table;
    const all = idRows(decoded.problems, rows);
    const date = columns.find(({ kind }) => kind === 'date');
    const time = date?.time;
    const times = date && time && { values: date.values, unitMs: time.unitMs };
    const { gaps, peak, top, ...counts } = statisticsOf(
      good,
      order?.places ?? parsed.ids,
      times,
      by?.texts?.().values ?? by?.values,
      all,
    );
    const apart = columns.find(({ kind }) => kind === 'apart');
    // Reading the times of so many lines takes a second, in which nothing else is answered.
    const farthest = apart && good.length < 300_000 ? farthestOf(good, apart.values, mix?.of) : [];
    const dated = <S extends { from: bigint; to: bigint }>(span: S) =>
      time ? { ...span, from: microsOf(time, span.from), to: microsOf(time, span.to) } : span;
    return {
      ...counts,
      top: top.map(({ value, count }) => ({ value: by?.texts?.().nameOf(Number(value)) ?? value, count })),
      gaps: gaps.map(dated),
      peak: peak && dated(peak),
      /** The id that is farthest from the time of its own line. */
      farthest: farthest.map((row) => ({ line: cells.lines[row], seconds: Number(apart?.textAt?.(row)) })),
      time,
      per: by?.key,
    };
  }

  export(format: ExportFormat = 'csv') {
    const { table, rows, filterError } = this.#made;
    if (filterError !== undefined) throw new Error(`nothing is exported: ${filterError}`);
    return exportRows(table, rows, format);
  }
}

/** What ids can be counted by: their kind, a field, or another column. Lines are all different. */
export const countable = <C extends Pick<TableColumn, 'key' | 'kind' | 'time'>>(columns: readonly C[]): C[] =>
  columns.filter(
    ({ key, kind, time }) => /kind|field|source/.test(kind) && !time && (kind !== 'source' || key !== 'text'),
  );

function chooseLayout(asked: LayoutChoice | undefined, guessed: LayoutChoice) {
  try {
    layoutOf(asked ?? guessed);
    return { choice: asked ?? guessed };
  } catch (error) {
    return { choice: guessed, layoutError: detailsOf(error).message };
  }
}

/** How many of some rows have each problem; 0 is none. */
function countsOf(rows: Uint32Array, problems: Uint8Array): [problem: number, count: number][] {
  const counts = new Uint32Array(64);
  for (const row of rows) counts[problems[row]]++;
  return [...counts.entries()].filter(([problem, count]) => problem > 0 && count > 0);
}

/**
 * How many ids there are over time, and their first and last date in ISO 8601; undefined if there are no dates, or some
 * are beyond the calendar.
 */
function overTime(good: Uint32Array, columns: readonly TableColumn[], { zone, bars }: Settings, laneOf?: Uint8Array) {
  const column = columns.find(({ kind }) => kind === 'date');
  if (!column?.time) return undefined;
  const { time } = column;
  const units = numbersOf(good, column.values);
  const range = rangeOf(units);
  if (!range) return undefined;
  const ends = [range.min, range.max].map((value) => microsOf(time, BigInt(value)));
  const [first, last] = ends.map((micros) => isoText(time, micros, zone));
  if (first === undefined || last === undefined) return undefined;
  const span = (range.max - range.min + 1) * time.unitMs;
  const width = span <= MOST_BARS * BARS[bars] ? BARS[bars] : timeWidth(span, TIME_BINS, time.unitMs);
  const step = Math.round(width * 1000);
  const edges = timesIn(zone, Number(ends[0]), Number(ends[1]), step);
  // Units are whole, so that no time falls into the bin beside its own.
  const unit = Number(unitMicros(time));
  const inUnits = edges.map((micros) => Math.ceil((micros - time.epoch * 1000) / unit));
  const { counts, lanes = [] } = histogram(units, range, step / unit, laneOf, inUnits);
  return { histogram: { from: edges[0] / 1000, width: step / 1000, counts, edges }, lanes, span: { first, last } };
}

/** At most so many texts have a lane over time; if there are more, the last one is for all others. */
const MOST_LANES = 8;

/** The texts that most rows have, and in which lane each row is. */
function commonest(rows: Uint32Array, { values, size, nameOf }: Texts) {
  const counts = new Uint32Array(size + 1);
  for (const row of rows) counts[values[row]]++;
  const none = Math.sign(counts[0]);
  counts[0] = 0;
  const order = sortRows(allRows(counts), counts, true).filter((number) => counts[number] > 0);
  const shown = order.subarray(0, VALUE_BINS);
  const names = Array.from(shown, nameOf);
  const own = order.length + none > MOST_LANES ? MOST_LANES - 1 : order.length;
  const laneOfText = new Uint8Array(size + 1).fill(own);
  for (const [lane, number] of order.subarray(0, own).entries()) laneOfText[number] = lane;
  const laneOf = new Uint8Array(rows.length);
  for (let i = 0; i < rows.length; i++) laneOf[i] = laneOfText[values[rows[i]]];
  return {
    histogram: order.length === 0 ? undefined : { from: 1, width: 1, counts: shown.map((number) => counts[number]) },
    names,
    size: order.length,
    lanes: names.slice(0, own),
    laneOf,
  };
}

function byValue(good: Uint32Array, values: ColumnArray, bins: number): Histogram | undefined {
  const widthOf = (span: number) => numberWidth(span, bins);
  const numbers = numbersOf(good, values);
  const range = rangeOf(numbers);
  if (!range || range.max <= Number.MAX_SAFE_INTEGER) {
    return range && histogram(numbers, range, widthOf(range.max - range.min + 1));
  }
  // Numbers would be the same for values that differ. Bins begin at multiples of their width, as those of numbers do.
  const alike = good.filter((_, i) => numbers[i] === range.min);
  const least = BigInt(values[sortRows(alike, values)[0]]);
  const width = widthOf((rangeOf(numbersOf(good, values, least))?.max ?? 0) + 1);
  const base = least - (least % BigInt(width));
  const above = numbersOf(good, values, base);
  return { ...histogram(above, { min: 0, max: rangeOf(above)?.max ?? 0 }, width), base };
}
