import { SERVICES } from '../../../guess/index.js';
import { bytesLike, type Cells, cellText, textIn } from '../../read/cells.js';
import { isId } from '../../read/problems.js';
import { isMilestone, progress } from '../../read/progress.js';
import { type Context, contextIn, textBefore } from './before-id.js';

// What lines, headings, lists, records and other columns say of the ids in them.

const CLUES = SERVICES.flatMap((service) =>
  service.clue ? { service, names: new RegExp(`^${service.title}$|${service.clue.source}`, 'i') } : [],
);

/** The services that a text names, by their titles or clues. */
const servicesIn = (text: string) => CLUES.flatMap(({ service, names }) => (names.test(text) ? service : []));

/** Longer cells are not the name of a service. */
const MAX_NAME = 24;

const serviceNamed = (text: string) => (text.length > MAX_NAME ? undefined : servicesIn(text)[0]);

/** The place of the column whose texts name several services, in most rows, or one in all; -1 if there is none. */
export function columnOfServices(columns: readonly (readonly string[])[]): number {
  const named = columns.map((texts) => texts.flatMap((text) => serviceNamed(text) ?? []));
  const several = named.findIndex((some, i) => some.length * 2 > columns[i].length && new Set(some).size > 1);
  return several >= 0 ? several : named.findIndex((some, i) => some.length > 1 && some.length === columns[i].length);
}

/** A line or a cell that is the heading of the ids below it: a few words, such as `## Discord users` and `twitter:`. */
const HEADING = /^[^\p{L}\d]*\p{L}+(?:[ _-]\p{L}+){0,3}[^\p{L}\d]*$/u;
const MAX_HEADING = 40;
/** A line of a record that may name the service of its ids, such as `- platform: tiktok`. */
const NAMED_VALUE = /^[\s-]*["']?[\w.-]{2,20}["']?\s*[:=]\s*["']?(\p{L}[\p{L} ._-]*)["']?[,;]?$/u;
/** Between the ids of a list. */
const IN_LIST = bytesLike(/[ \t"'`,;|]/);
const MAX_BETWEEN = 6;
/** What stands in a line before its only id, and behind it, such as `1. ` and ` is the tweet`: no other number, no link. */
const NOTE = /^(?:\d{1,3}[.)])?(?:[^\d\n/@]|\/(?!\/))*/;
const MAX_NOTE = 60;
/** What Slack calls the times of messages, which it writes as seconds with microseconds. */
const SLACK_NAME = /^(?:.*_)?ts$/i;
const SLACK_BYTES = 17;
const DOT = 0x2e;
const SLACK = SERVICES.find(({ name }) => name === 'slack');

/** More texts are not remembered. */
const MAX_KNOWN = 5000;

/** Remembers what is found of a text: most texts are before many ids. */
function remembering<T>(find: (text: string) => T): (text: string) => T {
  const known = new Map<string, T>();
  return (text) => {
    const found = known.get(text) ?? find(text);
    if (known.size < MAX_KNOWN) known.set(text, found);
    return found;
  };
}

/** Words that are before fewer rows than this are not what the ids are called. */
const MIN_ROWS = 3;
const MIN_SHARE = 0.05;
/** More are not told apart. */
const MAX_CONTEXTS = 1000;
/** More names tell nothing apart. */
const MAX_ROLES = 60;

/** What the text says of each row: the place in `all`, whose first says nothing but what the name of the column says. */
export type Contexts = ReturnType<typeof contextsOf>;

/**
 * @param column the name of the column of the ids
 * @param names the cells of another column, which name a service
 */
export function contextsOf(cells: Cells, column: string, names?: Cells) {
  const { data, starts, ends, lines, columns, problems } = cells;
  const all: Context[] = [];
  const places = new Map<string, number>();
  const placeOf = (context: Context) => {
    const key = `${context.service?.name} ${context.isFact} ${context.isWord} ${context.role}`;
    const place = places.get(key) ?? (all.length > MAX_CONTEXTS ? 0 : all.push(context) - 1);
    places.set(key, place);
    return place;
  };
  const [ofColumn] = servicesIn(column);
  const placeOfService = (service = ofColumn) => placeOf({ service, role: '', isFact: false });
  const nothing = placeOfService();
  const none = placeOf({ role: '', isFact: false });
  const before = remembering((text) => placeOf(contextIn(text, (name) => servicesIn(name)[0])));
  const named = remembering((text) => placeOfService(serviceNamed(text)));
  /** Nothing, where two services are named. */
  const inWords = remembering((text) => {
    const [service, other] = servicesIn(text);
    return placeOfService(other ? undefined : service);
  });

  /** What is said above an id, whether names are behind the ids of a line, and of a record, and where a record begins. */
  let [heading, areBehind, hasIds, recordFrom] = [nothing, false, false, 0];
  let areRecordsNamedBehind: boolean | undefined;

  const isFirst = (row: number) => lines[row - 1] !== lines[row];
  const isLast = (row: number) => lines[row + 1] !== lines[row];
  const wordsIn = (from: number, to: number) => (to - from > MAX_NOTE ? '' : textIn(data, from, to));
  const wordsBefore = (from: number, to: number) => {
    const text = wordsIn(from, to);
    return NOTE.exec(text)?.[0] === text ? text : '';
  };
  const wordsBehind = (row: number) =>
    NOTE.exec(wordsIn(ends[row], isLast(row) ? ends[row] + MAX_NOTE : starts[row + 1]))?.[0] ?? '';

  /**
   * What the words in a line say of the id beside them: those before it, and those behind it if they are at the end, or
   * if none are before the first one.
   */
  const noteOn = (row: number) => {
    const start = starts[row];
    if (columns[row] === 0) return heading;
    const from = isFirst(row) ? start - columns[row] + 1 : ends[row - 1];
    const words = wordsBefore(from, start);
    if (isFirst(row)) areBehind = words.length >= start - from && !/\p{L}/u.test(words);
    const note = inWords(`${areBehind ? '' : words}\n${isLast(row) || areBehind ? wordsBehind(row) : ''}`);
    return note || (isFirst(row) ? heading : nothing);
  };

  /** Whether nothing but commas and the like is between an id and the one before it in the line. */
  const isListed = (row: number) => {
    let at = columns[row] === 0 || isFirst(row) ? starts[row] : ends[row - 1];
    if (at === starts[row] || starts[row] - at > MAX_BETWEEN) return false;
    while (at < starts[row] && IN_LIST[data[at]] === 1) at++;
    return at === starts[row];
  };

  const ofId = (row: number) => {
    if (isListed(row) && !all[of[row - 1]].isFact && !areBehind) {
      return (isLast(row) && inWords(`\n${wordsBehind(row)}`)) || of[row - 1];
    }
    const beside = names?.starts.length === starts.length ? named(cellText(names, row, MAX_NAME)) : noteOn(row);
    const text = textBefore(cells, row);
    const place = text === '' ? none : before(text);
    const { service, role, isFact, isOther } = all[place];
    const isSlack = data[starts[row] + 10] === DOT && ends[row] - starts[row] === SLACK_BYTES;
    if (isSlack && SLACK_NAME.test(role || column)) return placeOf({ service: SLACK, role, isFact });
    return service || isOther || (role !== '' && beside === nothing) ? place : beside;
  };

  /** What is not an id may be a heading, or name the service of a record, before its ids or behind them. */
  const readHeading = (row: number) => {
    const text = ends[row] - starts[row] > MAX_HEADING ? '' : textIn(data, starts[row], ends[row]);
    const service = serviceNamed(NAMED_VALUE.exec(text)?.[1] ?? '');
    const isRecord = areRecordsNamedBehind !== undefined;
    if (!service) {
      const place = HEADING.test(text) ? inWords(text) : nothing;
      // Rulers say nothing.
      if (/[\p{L}\d]/u.test(text) && (!isRecord || all[place].service)) heading = place;
      return;
    }
    areRecordsNamedBehind ??= hasIds;
    const place = placeOfService(service);
    if (!areRecordsNamedBehind) heading = place;
    else for (let at = recordFrom; at < row; at++) if (!all[of[at]].service && isId(problems[at])) of[at] = place;
    recordFrom = row;
  };

  const of = new Uint16Array(starts.length);
  for (let row = 0; row < starts.length; row++) {
    if (isMilestone(row)) progress('group', row, starts.length);
    if (areRecordsNamedBehind !== undefined && lines[row] > lines[row - 1] + 1) [heading, recordFrom] = [nothing, row];
    if (isId(problems[row])) {
      of[row] = ofId(row);
      hasIds = true;
    } else readHeading(row);
  }

  const counts = new Uint32Array(all.length);
  for (const place of of) counts[place]++;
  const least = Math.max(MIN_ROWS, of.length * MIN_SHARE);
  const isRare = ({ service, isWord, isOther }: Context, place: number) =>
    !service && !isOther && (place > MAX_ROLES || (isWord && counts[place] < least));
  const kept = all.map((context, place) => (isRare(context, place) ? nothing : place));
  return { all, of: of.map((place) => kept[place]) };
}
