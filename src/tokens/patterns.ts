import type { WideIdKind } from '../wide-ids/index.js';
import { type ReadFormat, WIDE_ID_KINDS } from './formats.js';

// How ids are written, for all who look for them: inside lines, in cells, and in whole columns.

/** What is looked for: whatever is surely an id, also short numbers between the slashes of a URL, or ids in a format. */
export type SearchKind = 'any' | 'segments' | ReadFormat;

const HEX = '[\\da-fA-F]';
const CROCKFORD32 = '[\\da-hjkmnp-tv-zA-HJKMNP-TV-Z]';
const HAS_DIGIT = '(?=[a-zA-Z]*\\d)';
const HAS_BOTH_CASES = '(?=[\\dA-Z]*[a-z])(?=[\\da-z]*[A-Z])';
/** Neither a word nor a number. */
const IS_MIXED = `${HAS_DIGIT}(?=\\d*[a-zA-Z])`;

/** 1.37E+18, 1,37E+18 and 1541815603606036500.0: ids whose last digits were lost. */
const ROUNDED = '-?(?:\\d[.,]\\d+[eE]\\+?1[5-9]|\\d{16,}[.,]0+)';
/** What JavaScript, Java, C and Rust write behind long integers. */
const SUFFIX = '(?:n|[uU]?[lL]{1,2}|[iu]64)?';
/** 1_541_815_603: fewer groups are more often names, such as report_2024_001. */
const GROUPED = `\\d{1,3}(?:_\\d{3}){3,}${SUFFIX}`;
/** Ids of a few months and more. Fewer digits are more often times, sizes and counters. */
const LONG = `\\d{15,20}${SUFFIX}`;
/** What follows is not the fraction of a number, or a part of a version. */
const IS_WHOLE = '(?<!\\d\\.)';
const SIGN = '(?:-(?<=(?:^|[\\s"\'`([{<=:,;/>|])-))?';
const PREFIXED_HEX = `0[xX]${HEX}{1,16}`;
/** Shorter ones with 0x are more often addresses in memory, which have 12. */
const LONG_HEX = `0[xX]${HEX}{13,16}`;
/**
 * 1,306,705,919: three groups at least, so that it is not a list. With spaces four and a short one at the start, and with
 * points no address such as 10.120.130.140.
 */
const THOUSANDS = "-?(?!\\d+(?:\\.[12]\\d\\d){3}$|\\d+ \\d+ \\d+$|\\d{3} )\\d{1,3}([,.' ])\\d{3}(?:\\1\\d{3})+";
/** A record of AT Protocol, such as a post on Bluesky, of the years 2022 to 2035: 13 characters of sortable base 32. */
export const TID = '3[j-n][2-7a-z]{11}';
const NUMBERS = `${SIGN}(?:${ROUNDED}|${IS_WHOLE}(?:${LONG}|${GROUPED}))|${LONG_HEX}|${TID}`;
const MIXED_HEX = `${IS_MIXED}${HEX}{16}`;
const HEX_ID = `${PREFIXED_HEX}|${HEX}{16}`;
const NAMED_NUMBERS = `${SIGN}${IS_WHOLE}\\d{1,20}${SUFFIX}|${HEX_ID}`;

/** UUIDs of versions 1, 6 and 7, which have a time. */
const TIMED_UUID = `${HEX}{8}-${HEX}{4}-[167]${HEX}{3}-[89abAB]${HEX}{3}-${HEX}{12}`;
/** A UUID without hyphens. Those of no version are left out, because 32 digits are as often hashes and trace ids. */
const plainUuid = (version: string) => `${HEX}{12}[${version}]${HEX}{3}[89abAB]${HEX}{15}`;
const HYPHENED_UUID = `${HEX}{8}(?:-${HEX}{4}){3}-${HEX}{12}`;
const UUID = `${HYPHENED_UUID}|${plainUuid('1-8')}`;
const OBJECT_ID = `${IS_MIXED}${HEX}{24}`;
const ULID = `${IS_MIXED}[0-7]${CROCKFORD32}{25}`;
/** SHA-1 in base64 is as long, and ends with an equals sign. */
const KSUID = `${IS_MIXED}[^\\W_]{27}(?!=)`;
const XID = `(?=\\d*[a-v])(?=[\\da-f]*[g-v])[\\da-v]{19}[0g]`;
const WIDE: Readonly<Record<WideIdKind, string>> = {
  uuid: UUID,
  ulid: ULID,
  objectid: OBJECT_ID,
  ksuid: KSUID,
  xid: XID,
};
const LIKELY_WIDE = `${plainUuid('167')}|${ULID}|${KSUID}|${XID}`;
/**
 * Those that other words hardly look like, because of their times: UUIDs without hyphens of version 1 from 1997 to 2055 and
 * 7 from 2015 to 2036, ULIDs from 2004 to 2039, ObjectIds from 2004 to 2038, KSUIDs to 2051, and xids from 2008 to 2029.
 */
const SURELY_WIDE = `(?=[\\w-]{20})(?:${[
  HYPHENED_UUID,
  `(?:01[4-9a-eA-E]${HEX}{9}7${HEX}{3}|${HEX}{12}11[d-fD-F]${HEX})[89abAB]${HEX}{15}`,
  `${IS_MIXED}01${CROCKFORD32}{24}`,
  `${IS_MIXED}[4-7]${HEX}{23}(?<!\\d-${HEX}{8}-${HEX}{24})`, // not of a trace of AWS
  `(?=[\\da-z]*[A-Z])(?=[\\dA-Z]*[a-z])[0-5][^\\W_]{26}(?!=)`,
  `(?=[9a-d])${XID}`,
].join('|')})`;

const LONG_BASE62 = `${HAS_DIGIT}${HAS_BOTH_CASES}[^\\W_]{10,11}`;
const LONG_CROCKFORD32 = `${IS_MIXED}${HEX}${CROCKFORD32}{12}`;
const LONG_SORTABLE32 = `${IS_MIXED}[2-7a-j][2-7a-z]{12}`;

/** Trace ids look like these, too. */
const NAMED_UUID = `(?<!(?:[Tt]race|[Ss]pan|[Pp]arent)[ _-]?[Ii][Dd]["']?[=:]["' ]{0,2})${plainUuid('4')}`;

/** A slash, also in a link that is part of another one. */
const SLASH = '(?:/|%2[fF])';
/** In links of posts, also on Threads. The first ones had ten characters; those of private posts have 28 more. */
const LINKED_SHORTCODE =
  `(?=[\\w-]{10})(?<=instagram\\.com${SLASH}(?:(?!share${SLASH})[\\w.]+${SLASH})?(?:p|reels?|tv)${SLASH}|\\binstagr\\.am/p/|\\bthreads\\.(?:net|com)/(?:@[\\w.]+/post|t)/)` +
  '(?:[A-P][\\w-]{10}(?=(?:[\\w-]{28})?(?![\\w-]))|[\\w-]{10}(?![\\w-]))';

/** The time of a message of Slack: seconds with microseconds. */
const SLACK = '1\\d{9}\\.\\d{6}';

const whole = (...patterns: string[]) => new RegExp(`^(?:${patterns.join('|')})$`);

/** A shortcode as most are. */
const CODE = '(?=[\\w-]*[a-z])(?=[\\w-]*[A-Z])[B-E][\\w-]{10}';
const BEFORE_CODE = `\\b(?:short_?)?code["']?[=: ]["' ]{0,2}`;
/** What says that a word of digits and letters of both cases is a post: Instagram in the same line, or the path of a link. */
const BY_POST = `(?<=(?:[Ii]nsta|[Tt]hreads|[Rr]eels?)[^\\n?/]{0,60})|(?<=(?:^|[\\s"'(])/?(?:p|reels?|tv)/)|(?=[\\w-]{11}[^\\n/]{0,30}[Ii]nstagram)`;
const BEFORE_TSID = `\\btsid["']?[=: ]["' ]{0,2}`;
/** Behind their names: posts of Instagram, and TSIDs. The lookaheads are there because looking behind each word is slow. */
const NAMED_CODES = [
  `(?=[B-E][\\w-]{10}(?![\\w-]))(?<=${BEFORE_CODE})${CODE}`,
  `(?=[B-E][\\w-]{10}(?![\\w-]))(?=[\\w-]*\\d)(?:${BY_POST})${CODE}`,
  `(?=[0-2]${CROCKFORD32}{12})(?<=${BEFORE_TSID})[0-2]${CROCKFORD32}{12}`,
  `(?=${SLACK})(?<=thread_ts["']?[=: ][ "']{0,2}|\\bts["']?[=:] ?["']|[?&]ts=|[Ss]lack(?: ts)?[=: ] ?)${SLACK}`,
].join('|');

export const IS_GROUPED = whole(THOUSANDS);
export const IS_SLACK = whole(SLACK);

/** What is weakly, likely and surely an id. A UUID without a time is hardly what anybody looks for. */
export const STRENGTHS: readonly RegExp[] = [
  whole(`-?\\d{1,14}${SUFFIX}`, UUID, SLACK),
  whole(LIKELY_WIDE, LONG_CROCKFORD32, LONG_BASE62),
  whole(NUMBERS, HEX_ID, TIMED_UUID, OBJECT_ID),
];

/**
 * Cells in a format. Words must not be taken for ids: without a digit a text is in no format, in base62 it has letters
 * of both cases, too, and in hexadecimal 8 digits: shorter ones are as often words, such as added and e2e.
 */
export const CELLS: Readonly<Record<ReadFormat, RegExp>> = {
  dec: whole(`[-+]?\\d[\\d_]{0,26}${SUFFIX}`, THOUSANDS),
  hex: whole(PREFIXED_HEX, `${HAS_DIGIT}${HEX}{16}`, `${IS_MIXED}${HEX}{8,15}`),
  crockford32: whole(`(?!${TID}$)${LONG_CROCKFORD32}`),
  base62: whole(LONG_BASE62),
  shortcode: whole('[A-P][\\w-]{10}', '[\\w-]{10}'),
  sortable32: whole(LONG_SORTABLE32),
  ...(Object.fromEntries(WIDE_ID_KINDS.map((kind) => [kind, whole(WIDE[kind])])) as Record<WideIdKind, RegExp>),
};

/** A word in whatever format: most words without a digit are such as null. */
const NAMED_WORD = `${HAS_DIGIT}[^\\W_]{1,16}`;

/** Words in a line that are ids, and those that are if a name says so. All the others are more often something else. */
const WORDS: Readonly<Record<SearchKind, string | readonly [alone: string, named: string]>> = {
  any: [
    `${LINKED_SHORTCODE}|${NAMED_CODES}|${NUMBERS}|${SURELY_WIDE}`,
    `${LIKELY_WIDE}|${NAMED_UUID}|${NAMED_NUMBERS}`,
  ],
  segments: [`${NUMBERS}|(?<=://\\S{0,200}/)\\d+(?![^\\s/?#"'<>).,;])`, NAMED_NUMBERS],
  dec: [NUMBERS, NAMED_NUMBERS],
  hex: [`${LONG_HEX}|${HEX}{16}|${IS_MIXED}${HEX}{13,15}`, `${PREFIXED_HEX}|${NAMED_WORD}`],
  shortcode: LINKED_SHORTCODE,
  base62: [LONG_BASE62, `${NAMED_WORD}|${HAS_BOTH_CASES}[^\\W_]{10,11}`],
  crockford32: [LONG_CROCKFORD32, NAMED_WORD],
  sortable32: [LONG_SORTABLE32, NAMED_WORD],
  ...WIDE,
};

/** Between a name and its value: `user_id=`, `"user_id": "`, `user <@`, `status/`, `msg_`. */
const BETWEEN = '[ \\t"\'`\\\\<@!#&([{=:>/_-]';
/** Before ids: `id=`, `"userId": `. It is taken with them, because looking behind each word takes twice as long. */
const NAMED = `(?:(?<![^\\W_])(?:[ug]u)?ids?|I[dD]s?|[Ss]nowflake)${BETWEEN}{0,7}?[=:]${BETWEEN}{0,7}?`;

/** Right behind other letters: messages of Slack in links to them, and bytes as databases print them. */
const BEHIND = [
  '(?<=/archives/[A-Z\\d]{7,12}/p)\\d{16}',
  '(?<=%[23][\\da-fA-F])\\d{15,20}',
  `(?<=/thread/[A-Z\\d]{7,12}-|[?&]thread_ts=)${SLACK}`,
  `(?<=\\\\x|\\b0[xX]|[a-z]{2}_)${plainUuid('1-8')}`,
  `(?=${plainUuid('1-8')})(?<=notion\\.\\w+/\\S{0,200}[/-]|sentry\\.io/\\S{0,200}/)${HEX}{32}`,
].join('|');

export function patternOf(search: SearchKind): RegExp {
  const [alone, named = alone] = [WORDS[search]].flat();
  // Most words of texts are shorter than all that is an id and begins with a letter.
  const [guard, behind] = search === 'any' ? ['(?=[\\d-]|[\\w-]{10})', `|${BEHIND}`] : ['', ''];
  return new RegExp(`(?:${NAMED}(${alone}|${named})|(?<![^\\W_])${guard}(?:${alone})${behind})(?![^\\W_])`, 'gm');
}

export const idIn = ({ 0: all, 1: id = all, index = 0 }: RegExpMatchArray) => ({
  id,
  at: index + all.length - id.length,
});

const ANY = patternOf('any');

/** What is surely an id in a text. */
export function idsInText(text: string) {
  const ids: ReturnType<typeof idIn>[] = [];
  ANY.lastIndex = 0; // `matchAll` makes a new expression each time, which takes longer than to search a link
  for (let match = ANY.exec(text); match !== null; match = ANY.exec(text)) ids.push(idIn(match));
  return ids;
}

const IS_STEP = whole(NUMBERS, SURELY_WIDE, MIXED_HEX);

/** Of the ids in a text that is a link the most specific one: the last step of the path that is an id. */
function idInLink(link: string) {
  if (!/^[\w+.-]+:\/\/\S+$/.test(link)) return undefined;
  const id = /instagr|threads/.test(link) ? undefined : link.split(/[/?#]/).findLast((step) => IS_STEP.test(step));
  return id === undefined ? idsInText(link).at(-1) : { id, at: link.lastIndexOf(id) };
}

/** Behind a prefix (`user_`, `urn:li:activity:`), in a call (`ObjectId(`), or as PostgreSQL prints bytes. */
const WRAPPED = new RegExp(
  `^(?:\\\\x|[A-Za-z][\\w.]*\\(["']?|(?:[A-Za-z][A-Za-z\\d]*[_:-])+)(${NUMBERS}|${UUID}|${LIKELY_WIDE}|${OBJECT_ID}|${HEX}{16})["')]*$`,
);

/** The id in a cell that has something else around it; of a link the most specific one. */
export function idInCell(text: string): { readonly id: string; readonly at: number } | undefined {
  const [, id] = WRAPPED.exec(text) ?? [];
  return id === undefined ? idInLink(text) : { id, at: text.lastIndexOf(id) };
}

const SURE: readonly (readonly [ReadFormat, RegExp])[] = [
  ['sortable32', whole(TID)],
  ['hex', whole(PREFIXED_HEX, MIXED_HEX)],
  ['dec', whole(`-?(?:${LONG}|${GROUPED})`, THOUSANDS, SLACK)],
  ...WIDE_ID_KINDS.map((kind) => [kind, CELLS[kind]] as const),
  ['shortcode', whole(`(?=[\\w-]*\\d)${CODE}`)],
];

const IS_BEFORE_CODE = new RegExp(`(?:/(?:p|reels?|tv|post|t)/|%2[fF](?:p|reels?|tv)%2[fF]|${BEFORE_CODE})$`);
const IS_BEFORE_TSID = new RegExp(`${BEFORE_TSID}$`);
/** So many characters before an id say in which format it is. */
export const FORMAT_CHARACTERS = 16;

/**
 * The format of a text that is surely an id, or very likely.
 * @param before what is in front of it
 */
export function formatOf(text: string, before = ''): ReadFormat | undefined {
  if (CELLS.shortcode.test(text) && IS_BEFORE_CODE.test(before)) return 'shortcode';
  if (CELLS.crockford32.test(text) && IS_BEFORE_TSID.test(before)) return 'crockford32';
  return SURE.find(([, pattern]) => pattern.test(text))?.[0];
}

/** The text without what RFC 9562 has in front of a UUID that is a URN. */
export const withoutUrn = (text: string): string => text.replace(/^urn:uuid:/i, '');
