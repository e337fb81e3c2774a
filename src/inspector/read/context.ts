import { bytesLike, type Cells, cellText, QUOTE, textIn } from './cells.js';
import { isId } from './problems.js';
import { isMilestone, progress } from './progress.js';

/** What the text says of a row: the number of the service that made it, from 1, or 0; and what it is there. */
interface Context {
  readonly service: number;
  /** `channel`, `user_id`; '' where nothing says it. */
  readonly role: string;
  /** Whether a link, or the way it is written, says the service. */
  readonly isFact: boolean;
  /** Whether the role is a word that may be there by chance. */
  readonly isWord?: boolean;
  /** Whether the role says that it is something else, such as `sha1` and `api_key`. */
  readonly isOther?: boolean;
}

const NONE: Context = { service: 0, role: '', isFact: false };

/** Longer links have their host elsewhere. */
const MAX_BYTES = 300;
const MAX_KNOWN = 5000;
/** Between an id and what is said of it: a name, a link, or a part of one. In a cell it is a part of the cell. */
const IN_CELL = bytesLike(/[<@#!&=:/_-]/);
const SAYS = bytesLike(/[ \t"'`\\<>@#!&=:/_([{-]/);
const IN_LETTER = bytesLike(/[a-z\d]/i);
const IN_WORD = bytesLike(/[^\0- "'`<>,;|(){}[\]]/);
const LESS_THAN = 0x3c;

const LINK = /(?:[\w+.-]+:\/\/|(?<![\w.@/:-])(?:[\w-]+\.)+[a-z]{2,}(?::\d+)?\/)[^\s"'<>,;|()]*$/i;
const NAME = /(?=[\d.-]*[\p{L}_])([\p{L}\w.:-]*[\p{L}\w])["'`\\\]]*\s{0,2}[=:]\s{0,2}["'`\\([{<@#!&]{0,3}$/iu;
const TAG = /<([\w.:-]*[a-z_][\w.:-]*)>$/i;
const WORD = /(?<![^\s"'(<[{,;|])([a-z_][\w-]{0,23})[ _][<@#!&"'([]{0,3}$/i;

/** What Discord calls the ids in its mentions and links, by what stands before them. */
const MENTIONED: readonly (readonly [RegExp, string])[] = [
  [/<@!?$/, 'user'],
  [/<@&$/, 'role'],
  [/<#$/, 'channel'],
  [/<a?:\w+:$/, 'emoji'],
  [/<\/[\w-]+:$/, 'command'],
];
const LINKED: typeof MENTIONED = [
  [/\/(?:channels\/(?:@me|#)\/#|messages)\/$/, 'message'],
  [/\/(?:channels\/(?:@me|#)|api(?:\/#)?\/channels|attachments)\/$/, 'channel'],
  [/\/webhooks\/$/, 'webhook'],
  [/\/(?:channels|icons|splashes|guilds|servers)\/$/, 'server'],
  [/\/attachments\/#\/$/, 'attachment'],
  [/\/(?:users|members|avatars|banners)\/$/, 'user'],
  [/\/emojis\/$/, 'emoji'],
];

type ColumnClues = readonly (RegExp | undefined)[];

/** The number of the first clue that matches, from 1; 0: none does. */
function numberIn(clues: ColumnClues, text: string): number {
  return clues.findIndex((clue) => clue?.test(text)) + 1;
}

/** Longer cells are not the name of a service. */
const MAX_NAME = 24;

function numberNamed(clues: ColumnClues, text: string): number {
  return text.length > MAX_NAME ? 0 : numberIn(clues, text);
}

/** The place of the column whose texts name several services, in most rows, or one in all; -1 if there is none. */
export function columnOfServices(columns: readonly (readonly string[])[], clues: ColumnClues): number {
  const named = columns.map((texts) => texts.map((text) => numberNamed(clues, text)));
  const isMost = (numbers: readonly number[]) => numbers.filter((number) => number > 0).length * 2 > numbers.length;
  const several = named.findIndex((numbers) => isMost(numbers) && new Set(numbers.filter(Boolean)).size > 1);
  return several >= 0 ? several : named.findIndex((numbers) => numbers.length > 1 && !numbers.includes(0));
}

/** Between an id and the link that it is in: `/archives/C02ABCDEF/p1700000000482919`, `urn%3Ali%3Aactivity%3A7169889986937368576`. */
const IN_LINK = /\/p$|%[\dA-F]{2}$/i;
/** A parameter of a link, and those that may have an id of its service: others are of campaigns, sessions and pages. */
const PARAMETER = /[?&;]([\w.-]+)=$/;
const OWN_PARAMETER = /^(?!utm|ad_)(?:.*(?:id|ids|status|urn|reply(?:_to)?)|[pq])?$/i;
/** A line or a cell that is the heading of the ids below it: a few words, such as `## Discord users` and `twitter:`. */
const HEADING = /^[^\p{L}\d]*\p{L}+(?:[ _-]\p{L}+){0,3}[^\p{L}\d]*$/u;
const MAX_HEADING = 40;
/** A line of a record that may name the service of its ids, such as `- platform: tiktok`. */
const NAMED_VALUE = /^[\s-]*["']?[\w.-]{2,20}["']?\s*[:=]\s*["']?(\p{L}[\p{L} ._-]*)["']?[,;]?$/u;
/** Between the ids of a list. */
const IN_LIST = bytesLike(/[ \t"'`,;|]/);
const MAX_BETWEEN = 6;
/** What Slack calls the times of messages, which it writes as seconds with microseconds. */
const SLACK_NAME = /^(?:.*_)?ts$/i;
const SLACK_BYTES = 17;
const DOT = 0x2e;
/** What stands in a line before its only id, and behind it, such as `1. ` and ` is the tweet`: no other number, no link. */
const NOTE = /^(?:\d{1,3}[.)])?(?:[^\d\n/@]|\/(?!\/))*/;
const MAX_NOTE = 60;

/** What a text says by what stands before an id, in which ids are `#`. */
function contextIn(before: string, serviceOf: (name: string) => number, other: RegExp): Context {
  const isIn = (of: typeof LINKED) => of.find(([pattern]) => pattern.test(before))?.[1] ?? '';
  const [link] = LINK.exec(before) ?? [];
  const discord = serviceOf('discord');
  if (link !== undefined) {
    const [, parameter = ''] = PARAMETER.exec(link) ?? [];
    const service = OWN_PARAMETER.test(parameter) ? serviceOf(/^(?:[\w+.-]*:?\/\/)?[^/]*/.exec(link)?.[0] ?? '') : 0;
    return { service, role: service === discord ? isIn(LINKED) : '', isFact: service > 0 && parameter !== 'id' };
  }
  const mentioned = isIn(MENTIONED);
  if (mentioned !== '') return { service: discord, role: mentioned, isFact: true };
  const [, name] = NAME.exec(before) ?? TAG.exec(before) ?? [];
  const [, role = ''] = name === undefined ? (WORD.exec(before) ?? []) : ['', name];
  const isWord = name === undefined;
  if (other.test(role)) return { ...NONE, role, isWord, isOther: true };
  const service = serviceOf(role);
  return { service, role, isFact: service > 0 && /^urn:/.test(role), isWord };
}

/** Words that are before fewer rows than this are not what the ids are called. */
const MIN_ROWS = 3;
const MIN_SHARE = 0.05;
/** More are not told apart. */
const MAX_CONTEXTS = 1000;
/** More names tell nothing apart. */
const MAX_ROLES = 60;

/** What the text says of each row: the place in `all`, whose first says nothing. */
export type Contexts = ReturnType<typeof contextsOf>;

/**
 * @param column the name of the column of the ids
 * @param other names of what is no id of a service
 * @param names the cells of another column, which name a service
 */
export function contextsOf(
  { data, starts, ends, lines, columns, problems }: Cells,
  column: string,
  clues: ColumnClues,
  other: RegExp,
  names?: Cells,
) {
  const all: Context[] = [];
  const places = new Map<string, number>();
  const placeOf = (context: Context) => {
    const key = `${context.service} ${context.isFact} ${context.isWord} ${context.role}`;
    const place = places.get(key) ?? (all.length > MAX_CONTEXTS ? 0 : all.push(context) - 1);
    places.set(key, place);
    return place;
  };
  const known = new Map<string, number>();
  const remembered = (text: string, find: (text: string) => Context) => {
    const place = known.get(text) ?? placeOf(find(text));
    if (known.size < MAX_KNOWN) known.set(text, place);
    return place;
  };
  const services = new Map<string, number>();
  const serviceOf = (name: string) => {
    const number = services.get(name) ?? numberIn(clues, name);
    if (services.size < MAX_KNOWN) services.set(name, number);
    return number;
  };
  const named = numberIn(clues, column);
  const nothing = placeOf({ ...NONE, service: named });
  const isBeside = names?.starts.length === starts.length;
  const serviceIn = (text: string): Context => {
    const service = numberIn(clues, text);
    const isOne = !clues.some((clue, other) => other + 1 !== service && clue?.test(text));
    return { ...NONE, service: (isOne && service) || named };
  };
  /**
   * What the words in a line say of the id beside them: those before it, and those behind it if they are at the end, or
   * if none are before the first one. Nothing, where they name two services.
   */
  const noteOn = (row: number) => {
    const [start, end, column] = [starts[row], ends[row], columns[row]];
    if (column === 0) return heading;
    const isFirst = lines[row - 1] !== lines[row];
    const isLast = lines[row + 1] !== lines[row];
    const from = isFirst ? start - column + 1 : ends[row - 1];
    const before = wordsIn(from, start);
    if (isFirst) areBehind = before.length >= start - from && !/\p{L}/u.test(before);
    const after = isLast || areBehind ? wordsIn(end, isLast ? end + MAX_NOTE : starts[row + 1], true) : '';
    const note = remembered(`${areBehind ? '' : before}\n${after}`, serviceIn);
    return note || (isFirst ? heading : nothing);
  };
  const wordsIn = (from: number, to: number, isBehind = false) => {
    const text = to - from > MAX_NOTE ? '' : textIn(data, from, to);
    const [note = ''] = NOTE.exec(text) ?? [];
    return isBehind || note === text ? note : '';
  };
  const isListed = (row: number) => {
    const start = starts[row];
    let at = columns[row] > 0 && lines[row - 1] === lines[row] ? ends[row - 1] : start;
    if (at === start || start - at > MAX_BETWEEN) return false;
    while (at < start && IN_LIST[data[at]] === 1) at++;
    return at === start;
  };
  const [none, slack] = [placeOf(NONE), serviceOf('slack.com')];
  /** What stands right before an id. */
  const beforeOf = (row: number): number => {
    const start = starts[row];
    const isInLink = IN_LETTER[data[start - 1]] === 1 && IN_LINK.test(textIn(data, start - 3, start));
    const isNext = isInLink || (columns[row] > 0 ? SAYS : IN_CELL)[data[start - 1]] === 1;
    // Most rows are whole lines, cells or values of JSON, of which nothing is said.
    if (!isNext || (columns[row] === 0 && data[start - 2] === QUOTE)) return none;
    const least = Math.max(0, start - MAX_BYTES);
    let from = start;
    const back = (over: Uint8Array) => {
      while (from > least && over[data[from - 1]] === 1) from--;
    };
    if (!isInLink) back(SAYS);
    back(IN_WORD);
    if (data[from - 1] === LESS_THAN) from--;
    const before = textIn(data, from, start).replace(/(?<=\/)[^/]*\d[^/]*(?=\/)|\d{15,20}/g, '#');
    return remembered(before, (text) => contextIn(text, serviceOf, other));
  };
  /** Lines that name the service of a record are before its ids, or behind them. */
  let [firstId, firstName, isRecord, recordFrom] = [-1, -1, false, 0];
  const nameRecord = (row: number, text: string): boolean => {
    const named = numberNamed(clues, NAMED_VALUE.exec(text)?.[1] ?? '');
    if (named === 0) return false;
    if (firstName < 0) firstName = row;
    const place = placeOf({ ...NONE, service: named });
    if (firstId < 0 || firstName < firstId) heading = place;
    else for (let at = recordFrom; at < row; at++) if (all[of[at]].service === 0 && isId(problems[at])) of[at] = place;
    recordFrom = row;
    return true;
  };
  let [heading, areBehind] = [nothing, false];
  const of = new Uint16Array(starts.length);
  for (let row = 0; row < starts.length; row++) {
    if (isMilestone(row)) progress('group', row, starts.length);
    if (isRecord && lines[row] > lines[row - 1] + 1) {
      [heading, recordFrom] = [nothing, row];
    }
    if (!isId(problems[row])) {
      const text = ends[row] - starts[row] > MAX_HEADING ? '' : textIn(data, starts[row], ends[row]);
      const isNamed = nameRecord(row, text);
      const other = HEADING.test(text) ? remembered(text, serviceIn) : nothing;
      const isRuler = !/[\p{L}\d]/u.test(text);
      if (!isNamed && !isRuler && (!isRecord || all[other].service > 0)) heading = other;
      isRecord ||= isNamed;
      of[row] = nothing;
      continue;
    }
    if (firstId < 0) firstId = row;
    if (isListed(row) && !all[of[row - 1]].isFact && !areBehind) {
      const last =
        lines[row + 1] === lines[row]
          ? nothing
          : remembered(`\n${wordsIn(ends[row], ends[row] + MAX_NOTE, true)}`, serviceIn);
      of[row] = last || of[row - 1];
      continue;
    }
    const beside = isBeside
      ? remembered(`${cellText(names, row, MAX_NAME)}`, (text) => ({
          ...NONE,
          service: numberNamed(clues, text) || named,
        }))
      : noteOn(row);
    const place = beforeOf(row);
    const found = all[place];
    const isSlack = data[starts[row] + 10] === DOT && ends[row] - starts[row] === SLACK_BYTES;
    if (isSlack && SLACK_NAME.test(found.role || column)) of[row] = placeOf({ ...found, service: slack });
    else if (found.service > 0 || found.isOther || (found.role !== '' && beside === nothing)) of[row] = place;
    else of[row] = beside;
  }
  const counts = new Uint32Array(all.length);
  for (const place of of) counts[place]++;
  const isRare = ({ service, isWord, isOther }: Context, place: number) =>
    service === 0 &&
    !isOther &&
    (place > MAX_ROLES || (isWord === true && counts[place] < Math.max(MIN_ROWS, of.length * MIN_SHARE)));
  const kept = all.map((context, place) => (isRare(context, place) ? nothing : place));
  return { all, of: of.map((place) => kept[place]) };
}
