import { GREGORIAN } from '../../dates.js';
import { AHEAD_MS, type DatesBeside, type Service } from '../../guess/index.js';
import { guessRows, type RowsGuess, SHORT, sampleOf } from '../../guess/rows.js';
import type { Layout } from '../../index.js';
import type { ColumnArray } from '../../kernels/index.js';
import { FORMAT_NAMES, isWideKind, READ_FORMATS, type ReadFormat } from '../../tokens/formats.js';
import { areUlidsInUuids } from '../../tokens/wide-fields.js';
import { type Cells, pickCells } from '../read/cells.js';
import {
  activeKernels,
  countBad,
  type IdColumn,
  parseCells,
  parseUlidsInUuids,
  timesSince,
  wideTextOf,
} from '../read/id-column.js';
import { isId, Problem } from '../read/problems.js';
import type { Contexts } from './context/contexts.js';
import { msOf } from './dates.js';
import { exactMicrosIn, type LayoutChoice, layoutOf, NO_LAYOUT } from './layout-choice.js';
import { allRows, filterRows, goodRows } from './order.js';
import { type Guessed, guessOf, NOTHING_GUESSED, viewOfGuess } from './readings.js';
import { FORMATS } from './settings.js';

/** Rows of one kind: ids of a service, or wider ids, that a text calls by one name. */
export interface Group {
  /** What it is called: no two have the same. */
  readonly title: string;
  readonly rows: Uint32Array;
  readonly format: ReadFormat;
  /** The service that the text names; undefined: it is guessed. */
  readonly service: Service | undefined;
  /** Whether a link, or the way in which the ids are written, says what they are. */
  readonly isFact: boolean;
  /** Whether the text calls them something else, such as a hash or a key. */
  readonly isOther: boolean;
  /** Whether they are ULIDs that are kept as UUIDs. */
  readonly areUlids: boolean;
  /** Whether wider ids have dates that few ids have, or may as well be hashes. */
  readonly isOdd?: boolean;
  /** Whether the service that the text names has given none of these numbers with its layout. */
  readonly isUndated?: boolean;
  readonly guess: Guessed;
}

const SAMPLE = 200;
/** Fewer wider ids without a date may as well be hashes. */
const FEW = 5;

export interface GroupClues {
  readonly now: number;
  readonly column: string;
  /** The start of the text. */
  readonly start: string;
  /** The dates beside the first ids. */
  readonly dates: readonly DatesBeside[];
  readonly last: string | undefined;
  readonly isList: boolean;
}

const UUID = READ_FORMATS.indexOf('uuid');

/** Formats that say something of the ids besides their bits have groups of their own. */
const SAYING: readonly ReadFormat[] = ['sortable32', 'shortcode', 'crockford32'];

/**
 * The groups of the rows that are ids, in the order of their first rows.
 * @param isOne whether all ids of 64 bits are to be one group
 */
export function groupsOf(
  cells: Cells,
  parsed: IdColumn,
  contexts: Contexts,
  clues: GroupClues,
  isOne: boolean,
): Group[] {
  const { ids, problems, format, formats } = parsed;
  const rowsOf = new Map<number, number[]>();
  const most = READ_FORMATS.indexOf(format);
  const isApart = READ_FORMATS.map((each) => isWideKind(each) || SAYING.includes(each));
  for (let row = 0; row < problems.length; row++) {
    if (!isId(problems[row])) continue;
    const each = formats?.[row] ?? most;
    const apart = isApart[each] ? each + 1 : 0;
    const { isOther, isWord } = contexts.all[contexts.of[row]];
    // A UUID is one, whatever a word before it says.
    const context = isOther && isWord && each === UUID ? 0 : contexts.of[row];
    const key = isOne && apart === 0 ? 0 : apart * contexts.all.length + context;
    const rows = rowsOf.get(key);
    if (!rows) rowsOf.set(key, [row]);
    else rows.push(row);
  }
  const groups = new Map<string, Group>();
  const add = (rows: Uint32Array, role: string, group: Omit<Group, 'title' | 'rows'>) => {
    if (rows.length === 0) return;
    const { format, areUlids, isUndated, service, guess } = group;
    const title = titleOf(areUlids ? 'ulid' : format, service, guess, role) + (isUndated ? UNDATED : '');
    const before = groups.get(title);
    const all = before ? joinedRows(before.rows, rows) : rows;
    groups.set(title, { ...group, title, rows: all, isFact: group.isFact && (before?.isFact ?? true) });
  };
  const isAlone = rowsOf.size === 1;
  for (const [key, some] of rowsOf) {
    const rows = Uint32Array.from(some);
    const { service: said, role, isFact, isOther = false } = contexts.all[key % contexts.all.length];
    const format = READ_FORMATS[formats?.[rows[0]] ?? most];
    const named = isOne ? undefined : said;
    const service = format === 'sortable32' && named?.format !== format ? undefined : named;
    const group = { format, service, isFact, isOther, areUlids: false, guess: NOTHING_GUESSED };
    if (isWideKind(format)) {
      const texts = [...rows.subarray(0, SAMPLE)].map((row) => wideTextOf(cells, row));
      const wide = { ...group, areUlids: format === 'uuid' && areUlidsInUuids(texts, clues.now) };
      const isFact = format === 'uuid' && !wide.areUlids && texts.every((text) => text.includes('-'));
      const some = { ...wide, title: '', rows: rows.subarray(0, SAMPLE) };
      add(rows, role, { ...wide, isFact, isOdd: hasOddDates(timesOf(cells, parsed, some), clues.now, rows.length) });
      continue;
    }
    // What begins a text says nothing of one of several kinds in it.
    const start = isAlone ? clues.start : '';
    const words = [service?.title ?? '', role, clues.column, clues.column === '' ? start : ''];
    if (format === 'shortcode') words.push('instagram');
    const written = FORMATS.find((each) => each === format);
    const about = {
      now: clues.now,
      words,
      around: start, // of a table, it says more of the other columns
      dates: isAlone ? clues.dates : undefined,
      last: clues.last,
      isList: clues.isList,
      format: written,
    };
    const own = rows.length === ids.length ? ids : BigUint64Array.from(rows, (row) => ids[row]);
    if (service || isOne) {
      const undated = service && undatedIn(own, service, clues.now);
      const dated = undated && undated.size < own.length ? own.filter((_, i) => !undated.has(i)) : own;
      const guess = guessOf(sampleOf(dated, about), about);
      const named = { ...group, guess: withService(guess, service) };
      const isUndated = service !== undefined && !guess.isKnown;
      const others = undated ? rows.filter((_, i) => undated.has(i)) : new Uint32Array();
      add(undated ? rows.filter((_, i) => !undated.has(i)) : rows, role, { ...named, isUndated });
      add(others, role, { ...named, isUndated: true });
      continue;
    }
    const sample = sampleOf(own, about);
    const first = guessRows(sample, about);
    if (!isSplit(first, about.dates)) {
      const guess = viewOfGuess(first.guess, sample, about);
      const isLikely = isAlone || guess.readings[0]?.isOfColumns !== true;
      add(rows, role, { ...group, guess: isLikely ? guess : { ...guess, isKnown: false } });
      continue;
    }
    const found = sample === own ? first : guessRows(own, about);
    for (let part = 0; part <= found.services.length; part++) {
      const partRows = rows.filter((_, i) => found.of[i] === part);
      const partIds = own.filter((_, i) => found.of[i] === part);
      const undated = { ...about, dates: undefined };
      const guess = guessOf(sampleOf(partIds, undated), undated);
      const named = part === 0 ? { ...guess, isSure: false } : withService(guess, found.services[part - 1]);
      add(partRows, role, {
        ...group,
        guess: { ...named, isSure: part > 0 && found.sure[part - 1] && partRows.length > SHORT },
      });
    }
  }
  return [...groups.values()].map((group) => {
    const title = group.title.replace(UNDATED, '');
    return groups.has(title) ? group : { ...group, title };
  });
}

/** Behind the title of ids of a service that cannot be of its time, beside others that can. */
const UNDATED = ', undated';

/** Whether rows are surely of several services, or are so few that each is what it most likely is; and no dates speak for one. */
function isSplit({ services, of, sure, guess }: RowsGuess, dates: readonly DatesBeside[] = []): boolean {
  const others = of.filter((service) => service === 0).length;
  const isSeveral = services.length > 1 || (services.length === 1 && others > of.length * (1 - MOST)); // a few are misfits
  const isDated = dates.length > 0 && guess.isKnown && guess.services[0].probability > DATED;
  return isSeveral && !isDated && (of.length <= SHORT || sure.every(Boolean));
}

const DATED = 0.97;

/** Ids of the first seconds of an epoch are older ones that have no time, such as those of accounts. */
const FIRST_MS = 10_000;

/** The places of the ids that a service cannot have given at the dates in them; undefined if there are none. */
function undatedIn(ids: BigUint64Array, { layout, since }: Service, now: number): Set<number> | undefined {
  const place = layout.places.find(({ name }) => name === layout.time?.name);
  if (!layout.time || !place) return undefined;
  const { epoch, unitMs } = layout.time;
  const units = new Float64Array(ids.length);
  activeKernels().unpack(ids, [{ ...place, values: units }]);
  const least = epoch === 0 ? 0 : (Math.max(since, epoch + FIRST_MS) - epoch) / unitMs;
  const most = (now + AHEAD_MS - epoch) / unitMs;
  const found = new Set<number>();
  for (let i = 0; i < units.length; i++) if (units[i] < least || units[i] > most) found.add(i);
  return found.size > 0 ? found : undefined;
}

/** Wider ids are rarely older. */
const FIRST_WIDE_MS = Date.UTC(2000, 0);

/** Whether more than a few of some dates are older or in the future, or there are none and the ids are few. */
function hasOddDates({ problems, microsAt }: ReturnType<typeof timesOf>, now: number, rows: number): boolean {
  const dates = Array.from(problems.keys(), microsAt).flatMap((micros) => (micros === undefined ? [] : msOf(micros)));
  const odd = dates.filter((ms) => ms < FIRST_WIDE_MS || ms > now + AHEAD_MS);
  return odd.length > dates.length * (1 - MOST) || (dates.length === 0 && rows < FEW);
}

/** A guess with the reading first that the text names. */
function withService(guess: Guessed, service: Service | undefined): Guessed {
  const named = guess.readings.find(({ name }) => name === service?.name);
  if (!named) return guess;
  return { ...guess, isKnown: true, readings: [named, ...guess.readings.filter((each) => each !== named)] };
}

function joinedRows(a: Uint32Array, b: Uint32Array): Uint32Array {
  const all = new Uint32Array(a.length + b.length);
  all.set(a);
  all.set(b, a.length);
  return all.sort();
}

function titleOf(format: ReadFormat, service: Service | undefined, guess: Guessed, role: string): string {
  const known = guess.isKnown ? guess.readings[0]?.title : undefined;
  const other = guess.named ?? guess.perhaps[0];
  const what = isWideKind(format) ? FORMAT_NAMES[format] : (service?.title ?? known ?? other?.split(',')[0]);
  return role === '' || role.toLowerCase() === what?.toLowerCase()
    ? (what ?? 'unknown')
    : `${what ?? ''} ${role}`.trim();
}

export type Decoded = ReturnType<typeof decode>;

/**
 * The columns of a layout's fields. Rows that are not ids, or not ids of the layout, have a problem, and their values
 * mean nothing.
 */
export function decode(parsed: IdColumn, { places, time, mask: largest }: Layout) {
  const { ids } = parsed;
  const kernels = activeKernels();
  const start = performance.now();
  const fields = places.map((place) => {
    const isTime = place.name === time?.name;
    const values: ColumnArray = new (isTime ? BigUint64Array : arrayFor(place.bits))(ids.length);
    return { place, shift: place.shift, mask: place.mask, time: isTime ? time : undefined, values };
  });
  kernels.unpack(ids, fields);
  const ms = performance.now() - start;
  const problems = parsed.problems.slice();
  const reject = (values: ColumnArray, min: bigint, max: bigint, problem: Problem) => {
    const rejected = filterRows(goodRows(problems), values, { min, max, outside: true });
    for (const row of rejected) problems[row] = problem;
  };
  if (kernels.firstOutside(ids, 0n, largest) >= 0) reject(ids, 0n, largest, Problem.aboveLayout);
  for (const { place, mask, values } of fields) {
    if (place.min > 0) reject(values, BigInt(place.min), mask, Problem.belowMin);
  }
  const misfits = problems.filter((problem) => problem !== Problem.none && isId(problem)).length;
  return { fields, problems, misfits, ms };
}

function arrayFor(bits: number): new (length: number) => ColumnArray {
  if (bits <= 8) return Uint8Array;
  if (bits <= 16) return Uint16Array;
  return bits <= 32 ? Uint32Array : bits <= 53 ? Float64Array : BigUint64Array;
}

/** Tables mix ids of several kinds: one has to have so much of them to be shown alone. */
const MOST = 5 / 6;

/** The group to show: the one that was chosen, or that has most of the ids; undefined: all of them. */
export function shownGroup(
  groups: readonly Group[],
  { ids, bad }: IdColumn,
  wanted: string | undefined,
  isLink: boolean,
  isOne: boolean,
): Group | undefined {
  const [first] = groups;
  if (groups.length <= 1) return first;
  const chosen = groups.find(({ title }) => title === wanted);
  if (chosen || wanted !== undefined) return chosen;
  if (isOne) return groups.find(({ format }) => !isWideKind(format)); // in the layout that was chosen
  if (isLink) return groups.find(({ rows }) => rows.includes(ids.length - 1)); // the most specific one
  const known = groups.filter(({ format, service, guess }) => isWideKind(format) || service || guess.isKnown);
  const [only] = known;
  if (known.length === 1 && only.rows.length * 2 >= ids.length - bad) return only;
  return groups.find(({ rows }) => rows.length >= MOST * (ids.length - bad) && rows.length > 2);
}

/** How sure it is what the ids of a group are: the text says it, it is much likelier than anything else, or only likely. */
export function certaintyOf({
  format,
  service,
  isFact,
  isOther,
  isOdd,
  guess,
}: Group): 'fact' | 'sure' | 'perhaps' | 'unknown' {
  if (isFact) return 'fact';
  if (isWideKind(format)) return isOdd || isOther ? 'perhaps' : 'sure';
  if (!guess.isKnown && !service) return 'unknown';
  return guess.isSure && !isOther && format !== 'shortcode' ? 'sure' : 'perhaps';
}

export function choiceOf(group: Group | undefined): LayoutChoice {
  if (group?.isUndated) return NO_LAYOUT;
  if (group?.service) return { spec: group.service.name };
  return group?.guess.isKnown ? group.guess.readings[0].choice : NO_LAYOUT;
}

/**
 * The cells and the ids of a group, and its rows among all.
 * @param isOnly whether there is no other one: then rows that are not ids stay among them
 */
export function alone(all: Cells, column: IdColumn, group: Group, isOnly: boolean) {
  const cells = isOnly ? all : pickCells(all, group.rows);
  return { cells, parsed: parsedAlone(cells, column, group, isOnly), picked: isOnly ? undefined : group.rows };
}

function parsedAlone(cells: Cells, column: IdColumn, group: Group, isOnly: boolean): IdColumn {
  const { rows, format, areUlids } = group;
  if (areUlids) return parseUlidsInUuids(cells);
  if (isWideKind(format) && !(isOnly && column.format === format)) return parseCells(cells, format);
  if (isOnly) return column;
  const problems = Uint8Array.from(rows, (row) => column.problems[row]);
  const ids = BigUint64Array.from(rows, (row) => column.ids[row]);
  const formats = column.formats && Uint8Array.from(rows, (row) => column.formats?.[row] ?? 0);
  return { format, formats, ids, problems, bad: countBad(problems) };
}

/** The rows of a group, and those that are not ids. */
export function withUnreadable({ problems }: IdColumn, rows: Uint32Array): Uint32Array {
  const others = allRows(problems).filter((row) => !isId(problems[row]));
  return joinedRows(rows, others);
}

/** What a group is read by, and the Unix microseconds of its rows, each undefined if there is a problem or no date. */
function timesOf(all: Cells, column: IdColumn, group: Group) {
  const { parsed } = alone(all, column, group, false);
  const choice = parsed.wide?.layout ?? choiceOf(group);
  const layout = layoutOf(choice);
  const { problems } = decode(parsed, layout);
  const microsAt = (i: number) => (problems[i] === Problem.none ? exactMicrosIn(layout, parsed.ids[i]) : undefined);
  return { choice, time: layout.time, problems, microsAt };
}

/** The Unix milliseconds of a group that has only one id. */
export function dateOfOne(all: Cells, column: IdColumn, group: Group): number | undefined {
  const micros = group.rows.length > 1 ? undefined : timesOf(all, column, group).microsAt(0);
  return micros === undefined ? undefined : msOf(micros);
}

/** Ids of several kinds in one text: of each row its group, from 1, and its bits. */
export type Mix = ReturnType<typeof mixed>['mix'];

/** What all times fit in: those of UUIDs reach farthest. */
const TIMES = timesSince(GREGORIAN, 'us');
const BEFORE_ALL = -(2n ** 63n);
const MAX_TEXT = 36;

/** The times of all rows, each by the layout of its own group: no layout fits them all. */
export function mixed(all: Cells, column: IdColumn, groups: readonly Group[]) {
  const times = new BigUint64Array(all.starts.length);
  const problems = column.problems.slice();
  const of = new Uint16Array(times.length);
  const choices = groups.map((group, at) => {
    const { choice, time, problems: own, microsAt } = timesOf(all, column, group);
    group.rows.forEach((row, i) => {
      of[row] = at + 1;
      const units = (microsAt(i) ?? BEFORE_ALL) - BigInt(GREGORIAN) * 1000n;
      if (units >= 0n) times[row] = units;
      else problems[row] = own[i] || (choice === NO_LAYOUT ? Problem.unknown : Problem.undated);
    });
    return { choice, time };
  });
  const wide = { kind: undefined, layout: TIMES, versions: [], width: MAX_TEXT };
  const parsed: IdColumn = { ...column, ids: times, problems, bad: countBad(problems), wide };
  return { parsed, mix: { of, choices, titles: groups.map(({ title }) => title), ids: column.ids } };
}
