import { GREGORIAN } from '../../dates.js';
import { formatId, getBackend, type TextFormat } from '../../index.js';
import { bigint, type Kernels, wasm } from '../../kernels/index.js';
import { shortcodeId } from '../../tokens/find.js';
import { type BitsFormat, isWideKind, READ_FORMATS, type ReadFormat } from '../../tokens/formats.js';
import { CELLS, FORMAT_CHARACTERS, formatOf, IS_GROUPED, IS_SLACK, withoutUrn } from '../../tokens/patterns.js';
import { timesOf, type WideIdKind, wideIdKindOf } from '../../wide-ids/index.js';
import { bytesLike, type Cells, pickCells, textIn } from './cells.js';
import { indexOfBest } from './guess.js';
import { isId, Problem } from './problems.js';
import { isMilestone, progress } from './progress.js';

const SAMPLE_ROWS = 1000;
const MAX_SAMPLE_BYTES = 64;

/** Shortcodes of posts from 2011 to 2015, and from 2016 to 2028. Base62 up to 2^63 begins with a digit or A. */
const POST = /^(?:(?=[\w-]*\d)(?=[\w-]*[a-z])(?=[\w-]*[A-Z])[\w-]{10}|[B-E][\w-]{10})$/;

/** What is in front of a row, as far as it says in which format the row is. */
const before = (data: Uint8Array, start: number) => textIn(data, Math.max(0, start - FORMAT_CHARACTERS), start);

/** Whether texts are shortcodes: most of them by their links, or all by how they begin. */
function areShortcodes(texts: readonly string[], linked: number): boolean {
  if (linked * 2 > texts.length) return true;
  return texts.every((text) => POST.test(text)) && [/\d/, /[a-z]-?_?[A-Z]/].every((sign) => sign.test(texts.join('')));
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
    if (formatOf(text, before(data, start)) === 'shortcode') linked++;
  }
  if (areShortcodes(texts, linked)) return 'shortcode';
  const formats = READ_FORMATS.filter((format) => format !== 'shortcode'); // most words of 11 letters could be one
  const counts = formats.map((format) => {
    const count = texts.filter((text) => CELLS[format].test(text)).length;
    return format === 'dec' || format === 'hex' || count * 2 > texts.length ? count : 0;
  });
  const best = formats[indexOfBest(counts)];
  // Decimal ids may have records of AT Protocol among them, but not the other way round.
  const isMixed = best === 'sortable32' && texts.some((text) => CELLS.dec.test(text));
  return isMixed ? 'dec' : best;
}

// Decimals as programs write them, not as digits alone: PostgreSQL and Java print ids as signed; 5n, 1_541_815. Few columns
// have any, so that these are read as text, at 400 ns each.

/** Longer texts are not numbers that anybody wrote: 20 digits with separators, and a fraction. */
const MAX_WRITTEN_BYTES = 48;
/** Signs are below digits, letters above. */
const NINE = 0x39;

const NUMBER = /^[-+]?(?:\d+|\d{1,3}(?:_\d{3})+)(?:n|u?l{1,2}|[iu]64)?$/i;
/** Negative numbers above it are not the bits of an id: groups of Telegram begin with -100, and small ones are differences. */
const LEAST_SIGNED = -(10n ** 15n);
const FLOAT = /^[-+]?(?:\d+[.,]0*|\d+(?:[.,]\d+)?e\+?\d+)$/i;

/**
 * The id of `data[start..end)`, below 0 if it is written as a signed number; or the problem with it.
 * A float above 2^53 is a number whose last digits were lost.
 */
function readWritten(data: Uint8Array, start: number, end: number): bigint | Problem {
  if (end - start > MAX_WRITTEN_BYTES || data[start] > NINE) return Problem.notInFormat;
  const text = String.fromCharCode(...data.subarray(start, end));
  if (NUMBER.test(text) || IS_GROUPED.test(text) || IS_SLACK.test(text)) {
    const id = BigInt(text.replace(/[iu]64$|[_nul+,.' ]/gi, ''));
    if (id < 0n && id > LEAST_SIGNED) return Problem.negative;
    return id < -(2n ** 63n) || id >= 2n ** 64n ? Problem.tooLarge : id;
  }
  const isRounded = FLOAT.test(text) && Math.abs(Number(text.replace(',', '.'))) > Number.MAX_SAFE_INTEGER;
  return isRounded ? Problem.precisionLost : Problem.notInFormat;
}

/** The ids of all rows. A row that is not an id has a problem, and 0 in `ids`. */
export interface IdColumn {
  /** That of most rows. */
  readonly format: ReadFormat;
  /** That of each row, as its place in `READ_FORMATS`, if they are not all the same. */
  readonly formats?: Uint8Array | undefined;
  readonly ids: BigUint64Array;
  readonly problems: Uint8Array;
  readonly bad: number;
  /** Set for ids that are wider than 64 bits: `ids` are their times then. */
  readonly wide?: WideIds;
}

/** The column functions of the backend in use, also where the library's own would refuse a whole column for a row. */
export const activeKernels = (): Kernels => (getBackend() === 'wasm' ? wasm : bigint);

export function parseCells(cells: Cells, read: ReadFormat | 'guess'): IdColumn {
  const decimal = read === 'guess' || read === 'dec' ? parseAll(cells) : undefined;
  if (decimal) return { format: 'dec', ids: decimal, problems: cells.problems, bad: 0 };
  const format = read === 'guess' ? guessFormat(cells) : read;
  const parsed = parseAs(cells, format);
  const formats = read === 'guess' ? formatsOf(cells, format, parsed.problems) : undefined;
  if (formats) readOthers(cells, formats, format, parsed);
  return { format, formats, ...parsed, bad: countBad(parsed.problems) };
}

export const countBad = (problems: Uint8Array): number => problems.reduce((bad, each) => bad + Number(!isId(each)), 0);

const parseAs = (cells: Cells, format: ReadFormat) =>
  isWideKind(format) ? parseWideIds(cells, format) : parseBits(cells, format);

const MAX_TOKEN_BYTES = 60;

/** The formats of all rows, where those that are not in the format of most are surely in another one. */
function formatsOf(cells: Cells, most: ReadFormat, problems: Uint8Array): Uint8Array | undefined {
  const { data, starts, ends } = cells;
  let formats: Uint8Array | undefined;
  for (let row = 0; row < starts.length; row++) {
    if (isMilestone(row)) progress('parse', row, starts.length);
    const isOther = problems[row] === Problem.notInFormat || problems[row] === Problem.tooLarge;
    if (!isOther || ends[row] - starts[row] > MAX_TOKEN_BYTES) continue;
    const text = withoutUrn(textIn(data, starts[row], ends[row]));
    const format = formatOf(text, before(data, starts[row]));
    if (format === undefined || format === most) continue;
    formats ??= new Uint8Array(starts.length).fill(READ_FORMATS.indexOf(most));
    formats[row] = READ_FORMATS.indexOf(format);
  }
  return formats;
}

/** Reads the rows that are in other formats than most. Of wider ids the times are read when they are alone. */
function readOthers(
  cells: Cells,
  formats: Uint8Array,
  most: ReadFormat,
  { ids, problems }: Pick<IdColumn, 'ids' | 'problems'>,
) {
  for (const format of new Set(formats)) {
    if (READ_FORMATS[format] === most) continue;
    const rows = Uint32Array.from(formats.keys()).filter((row) => formats[row] === format);
    const some = parseAs(pickCells(cells, rows), READ_FORMATS[format]);
    rows.forEach((row, i) => {
      ids[row] = some.ids[i];
      problems[row] = some.problems[i];
    });
  }
}

const parseBits = (cells: Cells, format: BitsFormat) =>
  format === 'shortcode' ? parseShortcodes(cells) : parseSome(cells, format);

function parseShortcodes(cells: Cells) {
  const problems = cells.problems.slice();
  const ids = BigUint64Array.from(cells.starts, (start, row) => {
    const text = problems[row] === Problem.none ? textIn(cells.data, start, Math.min(cells.ends[row], start + 12)) : '';
    if (CELLS.shortcode.test(text)) return shortcodeId(text);
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
  let plain = 0;
  for (let row = 0; row < starts.length; row++) {
    if (isMilestone(row)) progress('parse', row, starts.length);
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
  return { ids, problems };
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

/** As many bits as the times of a kind can have, so that a column has the width of its dates. */
const BITS = { s: 33, ms: 48, us: 59 };

export const timesSince = (epoch: number, unit: keyof typeof BITS) => ({
  spec: `timestamp:${BITS[unit]}`,
  epoch,
  unit,
});

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
/** UUIDs of version 1 that are numbered by hand: those of Bluetooth and of HomeKit. */
const IS_NUMBERED = /-?0000-?1000-?8000-?(?:00805f9b34fb|0026bb765291)$/i;

/** RFC 9562, sections 5.9 and 5.10. */
function otherVariant(uuid: string): Problem {
  if (/^[0-]+$/.test(uuid)) return Problem.nil;
  return /^[f-]+$/i.test(uuid) ? Problem.max : Problem.otherVariant;
}

/** ULIDs that are kept as UUIDs: their first 48 bits are the time. */
export function parseUlidsInUuids(cells: Cells): IdColumn {
  const ids = BigUint64Array.from(cells.starts, (_, row) =>
    BigInt(`0x${wideTextOf(cells, row).replace('-', '').slice(0, 12) || 0}`),
  );
  const wide = { kind: 'ulid' as const, layout: timesSince(0, 'ms'), versions: [], width: MAX_LENGTH };
  return { format: 'uuid', ids, problems: cells.problems, bad: countBad(cells.problems), wide };
}

function parseWideIds(cells: Cells, kind: WideIdKind) {
  const problems = cells.problems.slice();
  const versions = new Set<number>();
  const texts: string[] = [];
  const timed: number[] = [];
  let width = 0;
  for (let row = 0; row < problems.length; row++) {
    if (isMilestone(row)) progress('parse', row, problems.length);
    const text = problems[row] === Problem.none ? wideTextOf(cells, row) : '';
    if (wideIdKindOf(text) !== kind) {
      problems[row] ||= Problem.notInFormat;
      continue;
    }
    width = Math.max(width, cells.ends[row] - cells.starts[row]);
    const version = kind === 'uuid' ? versionOf(text) : undefined;
    if (version === 1 && IS_NUMBERED.test(text)) {
      problems[row] = Problem.undated;
      continue;
    }
    if (version !== undefined && !Number.isNaN(version)) versions.add(version);
    if (version === undefined || TIMED_VERSIONS.includes(version)) {
      texts.push(text);
      timed.push(row);
    } else problems[row] = Number.isNaN(version) ? otherVariant(text) : Problem.timeless + version;
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
    layout: timesSince(epoch, unit),
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
