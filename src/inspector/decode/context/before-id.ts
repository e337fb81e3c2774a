import { OTHER, SERVICES, type Service } from '../../../guess/index.js';
import { bytesLike, type Cells, QUOTE, textIn } from '../../read/cells.js';

// What stands right before an id: a name, a link, or a mention.

/** What the text says of a row: the service that made it, and what it is there. */
export interface Context {
  readonly service?: Service | undefined;
  /** `channel`, `user_id`; '' where nothing says it. */
  readonly role: string;
  /** Whether a link, or the way it is written, says the service. */
  readonly isFact: boolean;
  /** Whether the role is a word that may be there by chance. */
  readonly isWord?: boolean;
  /** Whether the role says that it is something else, such as `sha1` and `api_key`. */
  readonly isOther?: boolean;
}

/** In a cell it is a part of the cell. */
const IN_CELL = bytesLike(/[<@#!&=:/_-]/);
const SAYS = bytesLike(/[ \t"'`\\<>@#!&=:/_([{-]/);
const IN_LETTER = bytesLike(/[a-z\d]/i);
const IN_WORD = bytesLike(/[^\0- "'`<>,;|(){}[\]]/);
const LESS_THAN = 0x3c;
/** Between an id and the link that it is in: `/archives/C02ABCDEF/p1700000000482919`, `urn%3Ali%3Aactivity%3A7169889986937368576`. */
const IN_LINK = /\/p$|%[\dA-F]{2}$/i;
/** Longer links have their host elsewhere. */
const MAX_BYTES = 300;

/** The text right before an id, in which other ids are `#`; '' where nothing is said of it. */
export function textBefore({ data, starts, columns }: Cells, row: number): string {
  const start = starts[row];
  const isInLink = IN_LETTER[data[start - 1]] === 1 && IN_LINK.test(textIn(data, start - 3, start));
  const isNext = isInLink || (columns[row] > 0 ? SAYS : IN_CELL)[data[start - 1]] === 1;
  // Most rows are whole lines, cells or values of JSON, of which nothing is said.
  if (!isNext || (columns[row] === 0 && data[start - 2] === QUOTE)) return '';
  const least = Math.max(0, start - MAX_BYTES);
  let from = start;
  if (!isInLink) while (from > least && SAYS[data[from - 1]] === 1) from--;
  while (from > least && IN_WORD[data[from - 1]] === 1) from--;
  if (data[from - 1] === LESS_THAN) from--;
  return textIn(data, from, start).replace(/(?<=\/)[^/]*\d[^/]*(?=\/)|\d{15,20}/g, '#');
}

const LINK = /(?:[\w+.-]+:\/\/|(?<![\w.@/:-])(?:[\w-]+\.)+[a-z]{2,}(?::\d+)?\/)[^\s"'<>,;|()]*$/i;
const HOST = /^(?:[\w+.-]*:?\/\/)?[^/]*/;
/** A parameter of a link, and those that may have an id of its service: others are of campaigns, sessions and pages. */
const PARAMETER = /[?&;]([\w.-]+)=$/;
const OWN_PARAMETER = /^(?!utm|ad_)(?:.*(?:id|ids|status|urn|reply(?:_to)?)|[pq])?$/i;
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
const DISCORD = SERVICES.find(({ name }) => name === 'discord');

/** What a {@link textBefore} says of its id. */
export function contextIn(before: string, serviceOf: (name: string) => Service | undefined): Context {
  const roleIn = (of: typeof LINKED) => of.find(([pattern]) => pattern.test(before))?.[1] ?? '';
  const [link] = LINK.exec(before) ?? [];
  if (link !== undefined) {
    const [, parameter = ''] = PARAMETER.exec(link) ?? [];
    const service = OWN_PARAMETER.test(parameter) ? serviceOf(HOST.exec(link)?.[0] ?? '') : undefined;
    return { service, role: service === DISCORD ? roleIn(LINKED) : '', isFact: !!service && parameter !== 'id' };
  }
  const mentioned = roleIn(MENTIONED);
  if (mentioned !== '') return { service: DISCORD, role: mentioned, isFact: true };
  const [, name] = NAME.exec(before) ?? TAG.exec(before) ?? [];
  const role = name ?? WORD.exec(before)?.[1] ?? '';
  const isWord = name === undefined;
  if (OTHER.test(role)) return { role, isFact: false, isWord, isOther: true };
  const service = serviceOf(role);
  return { service, role, isFact: service !== undefined && /^urn:/.test(role), isWord };
}
