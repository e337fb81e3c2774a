import { namesIn } from '../../arguments.js';
import { formatId, getBackend, parseId, type TextFormat } from '../../index.js';
import { bigint, type Kernels, wasm } from '../../kernels/index.js';
import { timesOf, type WideIdKind, wideIdKindOf } from '../../wide-ids/index.js';
import { bytesLike, type Cells, textIn } from './cells.js';
import { indexOfBest } from './guess.js';
import { CELLS, IS_GROUPED, TID, withoutUrn } from './patterns.js';
import { type BitsFormat, isId, isWideKind, Problem, type ReadFormat } from './problems.js';

const SAMPLE_ROWS = 1000;
const MAX_SAMPLE_BYTES = 64;

/** The end of a link of Instagram or Threads before the code of a post. */
const BEFORE_SHORTCODE = /\/(?:p|reels?|tv|post)\/$/;
const BEFORE_BYTES = '/reels/'.length;
/** Shortcodes of posts from 2016 to 2028. Videos of YouTube have codes that begin with all characters. */
const POST = /^[B-E][\w-]{10}$/;
const MIN_POSTS = 3;

export function isLinkedShortcode(data: Uint8Array, start: number, text: string): boolean {
  return CELLS.shortcode.test(text) && BEFORE_SHORTCODE.test(textIn(data, Math.max(0, start - BEFORE_BYTES), start));
}

/** Whether texts are shortcodes: most of them by their links, or several, all of which begin as posts do. */
function areShortcodes(texts: readonly string[], linked: number): boolean {
  if (linked * 2 > texts.length) return true;
  const arePosts = texts.length >= MIN_POSTS && texts.every((text) => POST.test(text));
  return arePosts && [/\d/, /[a-z][A-Z]/].every((sign) => sign.test(texts.join('')));
}

/**
 * The format that most rows are in, in a sample from all of them; the first of those with as many. Formats other than
 * decimal and hexadecimal must be those of most rows.
 */
function guessFormat({ data, starts, ends, problems }: Cells): ReadFormat {
  const isGood = (_: number, row: number) => problems[row] === Problem.none;
  const goodStarts = starts.filter(isGood);
  const goodEnds = ends.filter(isGood);
  const texts: string[] = [];
  let linked = 0;
  for (let i = 0; i < goodStarts.length; i += Math.ceil(goodStarts.length / SAMPLE_ROWS)) {
    const start = goodStarts[i];
    const text = withoutUrn(textIn(data, start, Math.min(goodEnds[i], start + MAX_SAMPLE_BYTES)));
    texts.push(text);
    if (isLinkedShortcode(data, start, text)) linked++;
  }
  if (areShortcodes(texts, linked)) return 'shortcode';
  const formats = namesIn(CELLS).filter((format) => format !== 'shortcode'); // most words of 11 letters could be one
  const counts = formats.map((format) => {
    const count = texts.filter((text) => CELLS[format].test(text)).length;
    return format === 'dec' || format === 'hex' || count * 2 > texts.length ? count : 0;
  });
  const best = formats[indexOfBest(counts)];
  // Decimal ids may have records of AT Protocol among them, but not the other way round.
  const isMixed = best === 'sortable32' && texts.some((text) => CELLS.dec.test(text));
  return isMixed ? 'dec' : best;
}

// Decimals as programs write them, not as digits alone: -5 (PostgreSQL and Java print ids as signed), 5n, 1_541_815
// and, among decimals, 0xff. Few columns have any, so that these are read as text, at 400 ns each.

/** Longer texts are not numbers that anybody wrote: 20 digits with separators, and a fraction. */
const MAX_WRITTEN_BYTES = 48;
/** Signs are below digits, letters above. */
const NINE = 0x39;

const NUMBER = /^(?:[-+]?(?:\d+|\d{1,3}(?:_\d{3})+)|0x[\da-f]+)n?$/i;
const IS_TID = new RegExp(`^${TID}$`);
const FLOAT = /^[-+]?(?:\d+[.,]0*|\d+(?:[.,]\d+)?e\+?\d+)$/i;

/**
 * The id of `data[start..end)`, below 0 if it is written as a signed number; or the problem with it.
 * A float above 2^53 is a number whose last digits were lost.
 */
function readWritten(data: Uint8Array, start: number, end: number): bigint | Problem {
  if (end - start > MAX_WRITTEN_BYTES || data[start] > NINE) return Problem.notInFormat;
  const text = String.fromCharCode(...data.subarray(start, end));
  if (NUMBER.test(text) || IS_GROUPED.test(text)) {
    const id = BigInt(text.replace(/[_n+,.' ]/g, ''));
    return id < -(2n ** 63n) || id >= 2n ** 64n ? Problem.tooLarge : id;
  }
  if (IS_TID.test(text)) return parseId(text, 'sortable32');
  const isRounded = FLOAT.test(text) && Math.abs(Number(text.replace(',', '.'))) > Number.MAX_SAFE_INTEGER;
  return isRounded ? Problem.precisionLost : Problem.notInFormat;
}

/** The ids of all rows. A row that is not an id has a problem, and 0 in `ids`. */
export interface IdColumn {
  readonly format: ReadFormat;
  readonly ids: BigUint64Array;
  readonly problems: Uint8Array;
  readonly bad: number;
  /** How many ids are written as negative numbers: they are the same 64 bits, modulo 2^64. */
  readonly negative: number;
  /** Set for ids that are wider than 64 bits: `ids` are their times then. */
  readonly wide?: WideIds;
}

/** The column functions of the backend in use, also where the library's own would refuse a whole column for a row. */
export function activeKernels(): Kernels {
  return getBackend() === 'wasm' ? wasm : bigint;
}

export function parseCells(cells: Cells, read: ReadFormat | 'guess'): IdColumn {
  const decimal = read === 'guess' || read === 'dec' ? parseAll(cells) : undefined;
  if (decimal !== undefined) return { format: 'dec', ids: decimal, problems: cells.problems, bad: 0, negative: 0 };
  const format = read === 'guess' ? guessFormat(cells) : read;
  const parsed = isWideKind(format) ? parseWideIds(cells, format) : parseBits(cells, format);
  return { format, negative: 0, ...parsed, bad: parsed.problems.filter((problem) => !isId(problem)).length };
}

const parseBits = (cells: Cells, format: BitsFormat) =>
  format === 'shortcode' ? parseShortcodes(cells) : parseSome(cells, format);

const BASE64 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';

function parseShortcodes(cells: Cells) {
  const problems = cells.problems.slice();
  const ids = BigUint64Array.from(cells.starts, (start, row) => {
    const text = problems[row] === Problem.none ? textIn(cells.data, start, Math.min(cells.ends[row], start + 12)) : '';
    if (CELLS.shortcode.test(text))
      return [...text].reduce((id, digit) => id * 64n + BigInt(BASE64.indexOf(digit)), 0n);
    problems[row] ||= Problem.notInFormat;
    return 0n;
  });
  return { ids, problems };
}

/** Most columns have decimal ids only: reading them at once takes a fifth of looking at every row. */
function parseAll(cells: Cells): BigUint64Array | undefined {
  if (cells.problems.some((problem) => problem !== Problem.none)) return undefined;
  const ids = new BigUint64Array(cells.starts.length);
  return activeKernels().parseSpans(cells, 'dec', ids) < 0 ? ids : undefined;
}

export const DIGITS: Record<BitsFormat, RegExp> = {
  shortcode: /[\w-]/,
  dec: /\d/,
  hex: /[\da-f]/i,
  base62: /[\da-z]/i,
  crockford32: /[\da-tv-z]/i,
  sortable32: /[2-7a-z]/i,
};
const ZERO = 0x30;

/** Tells the rows apart: the kernels read those that are nothing but digits. */
function parseSome(cells: Cells, format: TextFormat) {
  const { data, ends } = cells;
  const problems = cells.problems.slice();
  const starts = cells.starts.slice();
  const ids = new BigUint64Array(starts.length);
  const isDigit = bytesLike(DIGITS[format]);
  const largest = formatId(2n ** 64n - 1n, format);
  const rows = new Uint32Array(starts.length);
  let [plain, negative] = [0, 0];
  for (let row = 0; row < starts.length; row++) {
    let start = starts[row];
    const end = ends[row];
    let problem = problems[row];
    if (problem === Problem.none) {
      if (format === 'hex' && data[start] === ZERO && (data[start + 1] | 0x20) === 0x78) start += 2;
      starts[row] = start;
      let areDigits = start < end ? 1 : 0;
      for (let at = start; at < end; at++) areDigits &= isDigit[data[at]];
      if (areDigits === 0) {
        const read = format === 'dec' ? readWritten(data, start, end) : Problem.notInFormat;
        if (typeof read === 'bigint') {
          ids[row] = read; // modulo 2^64
          if (read < 0n) negative++;
        } else problem = read;
      } else if (isTooLarge(data, start, end, format, largest)) problem = Problem.tooLarge;
      else rows[plain++] = row;
    }
    problems[row] = problem;
  }
  const parsed = new BigUint64Array(plain);
  const picked = rows.subarray(0, plain);
  const pick = (from: Uint32Array) => picked.map((row) => from[row]);
  activeKernels().parseSpans({ data, starts: pick(starts), ends: pick(ends) }, format, parsed);
  for (let i = 0; i < plain; i++) ids[picked[i]] = parsed[i];
  return { ids, problems, negative };
}

function isTooLarge(data: Uint8Array, from: number, end: number, format: TextFormat, largest: string): boolean {
  if (end - from < largest.length) return false;
  let start = from;
  while (start < end - 1 && data[start] === ZERO) start++;
  const more = end - start - largest.length;
  if (more !== 0 || data[start] < largest.charCodeAt(0)) return more > 0;
  const text = String.fromCharCode(...data.subarray(start, end));
  // What I, L and O stand for (1, 1, 0) is not above F.
  return format === 'crockford32' ? /^[^\dA-FILO]/i.test(text) : text > largest;
}

/** Ids of more than 64 bits: their times take the place of ids, in a layout that has nothing else. */
export type WideIds = ReturnType<typeof parseWideIds>['wide'];

/** 1582-10-15, from which UUIDs count time. */
const GREGORIAN = -12219292800000;

/** As many bits as the times of a kind can have, so that a column has the width of its dates. */
const BITS = { s: 33, ms: 48, us: 59 };

/** The lengths of wide ids, from an xid to a UUID with `urn:uuid:` in front. */
const MIN_LENGTH = 20;
const MAX_LENGTH = 45;

/** The text of a cell as a wide id, or '' if it is too short or too long for one. */
export function wideTextOf({ data, starts, ends }: Cells, row: number): string {
  const [start, end] = [starts[row], ends[row]];
  if (end - start < MIN_LENGTH || end - start > MAX_LENGTH) return '';
  return withoutUrn(textIn(data, start, end));
}

/** The version of a UUID; NaN: it is of another variant than that of RFC 9562. */
function versionOf(uuid: string): number {
  const hyphens = uuid.length > 32 ? 1 : 0;
  const variant = Number.parseInt(uuid.charAt(16 + 3 * hyphens), 16);
  return variant >> 2 === 2 ? Number.parseInt(uuid.charAt(12 + 2 * hyphens), 16) : Number.NaN;
}

const TIMED_VERSIONS = [1, 6, 7];

function parseWideIds(cells: Cells, kind: WideIdKind) {
  const problems = cells.problems.slice();
  const versions = new Set<number>();
  const texts: string[] = [];
  const timed: number[] = [];
  let width = 0;
  for (let row = 0; row < problems.length; row++) {
    const text = problems[row] === Problem.none ? wideTextOf(cells, row) : '';
    if (wideIdKindOf(text) !== kind) {
      problems[row] ||= Problem.notInFormat;
      continue;
    }
    width = Math.max(width, cells.ends[row] - cells.starts[row]);
    const version = kind === 'uuid' ? versionOf(text) : undefined;
    if (version !== undefined && !Number.isNaN(version)) versions.add(version);
    if (version === undefined || TIMED_VERSIONS.includes(version)) {
      texts.push(text);
      timed.push(row);
    } else problems[row] = Number.isNaN(version) ? Problem.otherVariant : Problem.timeless + version;
  }
  const times = timesOf(texts, kind);
  const unit = unitOf(kind, versions);
  const epoch = times.some((ms) => ms < 0) ? GREGORIAN : 0;
  const ids = new BigUint64Array(problems.length);
  timed.forEach((row, i) => {
    ids[row] = unitsOf(times[i], unit, epoch);
  });
  const wide = {
    /** undefined: ids of several services, of which only the times are shown, too. */
    kind: kind as WideIdKind | undefined,
    layout: { spec: `timestamp:${BITS[unit]}`, epoch, unit },
    versions: [...versions].sort((a, b) => a - b),
    width,
  };
  return { ids, problems, wide };
}

/** Microseconds only where ids have them: a date without them is shorter. */
function unitOf(kind: WideIdKind, versions: ReadonlySet<number>): keyof typeof BITS {
  if (kind === 'uuid') return versions.has(1) || versions.has(6) ? 'us' : 'ms';
  return kind === 'ulid' ? 'ms' : 's';
}

function unitsOf(ms: number, unit: keyof typeof BITS, epoch: number): bigint {
  if (unit !== 'us') return BigInt(unit === 's' ? ms / 1000 : ms);
  const whole = Math.floor(ms);
  return BigInt(whole - epoch) * 1000n + BigInt(Math.round((ms - whole) * 1000));
}
