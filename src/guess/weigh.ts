import type { Period } from '../dates.js';
import { kernels } from '../kernels/active.js';
import type { TextFormat } from '../kernels/types.js';
import { HASH, NUMBER_KINDS, type NumberKind } from './numbers.js';
import { even, SERVICES, type Service } from './services.js';

// How likely single ids are of a service or a kind of numbers, as log2.

export interface Clues {
  /** The current time in Unix milliseconds: ids from the future are unlikely. */
  readonly now: number;
  /** Texts around the ids, the nearest first, such as the name of their column. The first one that names a service counts. */
  readonly words?: readonly string[] | undefined;
  /** A text that names services, but perhaps of other ids: it counts less, and only if no word tells. */
  readonly around?: string | undefined;
  /** Columns of dates beside the first ids. */
  readonly dates?: readonly DatesBeside[] | undefined;
  readonly last?: string | undefined;
  /** Whether they are a list, and not a column of a table, which is of one service more often. */
  readonly isList?: boolean;
  /** How the ids are written: some services write theirs in letters. */
  readonly format?: TextFormat | undefined;
}

/** The time that the date of each row covers (it may be a whole day); undefined without a date. */
export type DatesBeside = readonly (Period | undefined)[];

/**
 * How many times as likely a clue makes a service, as a log2. A clue outweighs fields with unlikely values, but not dates
 * that do not fit.
 */
const CLUE = { words: 60, around: 12, dates: 80, last: 3, format: 12 };

/** Added for a single id if only a column of them says something about a service. */
export const ALONE = -20;

/** How far dates may be in the future, because of wrong clocks and time zones. */
export const AHEAD_MS = 2 * 86_400_000;

/** Added to the log2 of the probability if the service did not make ids at the date. */
const OUT_OF_USE = -24;

/** Dates that differ by less than this count as the same. */
const SAME_MS = 90_000;

/** The share of ids whose fields follow no distribution, such as those of Discord's webhooks. */
const STRAY_ROW = 0.02;

/**
 * How much likelier a rounded number is than others, where a hundredth of ids are rounded to 15 or 16 digits.
 * @param high the upper half of an id
 */
function roundedShare(high: number, low: number): number {
  const end = ((high % 10_000) * 7296 + (low % 10_000)) % 10_000; // 2^32 is 7296 modulo 10,000
  if (high < 2 ** 21 || end % 1000 !== 0) return 0;
  return 0.01 * (end === 0 ? 10_000 : 1000);
}

/**
 * How likely each id is, of all that a service makes, and their times; those that do not fit the layout are very unlikely.
 * `odd` counts the ids with a field whose value is less likely than by chance.
 */
export function weigh({ layout, since, until, growsFrom = 0.1, eras }: Service, ids: BigUint64Array, now: number) {
  const { time, places, bits } = layout;
  const columns = places.map((place) => ({ ...place, values: new Float64Array(ids.length) })); // at most 53 bits each
  kernels().unpack(ids, columns);
  const timed = columns.find(({ name }) => name === time?.name);
  const ms = time && timed?.values.map((unit) => unit * time.unitMs + time.epoch);
  const others = columns.filter((column) => column !== timed);
  // A column at a time, which is several times as fast as a row at a time.
  const each = new Float64Array(ids.length);
  const started = eras.map(([from]) => from);
  const last = eras.length - 1;
  const isOdd = new Uint8Array(ids.length);
  for (const { name, bits, values } of others) {
    const known = eras.map(([, fields]) => fields[name] ?? even);
    let era = 0;
    for (let row = 0; row < values.length; row++) {
      const at = ms ? ms[row] : now;
      while (era < last && started[era + 1] <= at) era++;
      while (era > 0 && started[era] > at) era--;
      const likely = known[era](values[row], bits);
      each[row] += likely;
      if (likely < -bits) isOdd[row] = 1;
    }
  }
  const random = 2 ** -others.reduce((sum, column) => sum + column.bits, 0);
  const span = (until ?? now + AHEAD_MS) - since;
  const halves = new Uint32Array(ids.buffer, ids.byteOffset, 2 * ids.length);
  for (let row = 0; row < each.length; row++) {
    const high = halves[2 * row + 1];
    const strays = (STRAY_ROW + roundedShare(high, halves[2 * row])) * random;
    let likely = (1 - STRAY_ROW) * 2 ** each[row] + strays;
    if (time && ms) {
      const share = (ms[row] - since) / span;
      const density = (2 * (growsFrom + (1 - growsFrom) * share)) / (1 + growsFrom); // services grow steadily
      likely *= share >= 0 && share <= 1 ? (density * time.unitMs) / span : 2 ** (OUT_OF_USE - (timed?.bits ?? 0));
    }
    each[row] = high < 2 ** (bits - 32) ? Math.log2(likely) : OUT_OF_USE - bits;
  }
  for (const { min, values } of columns) {
    if (min > 0) for (let row = 0; row < each.length; row++) if (values[row] < min) each[row] = OUT_OF_USE - bits;
  }
  return { each, ms, odd: isOdd.reduce((sum, odd) => sum + odd, 0) };
}

/** All that numbers may be. */
export const KINDS: readonly (Service | NumberKind)[] = [...SERVICES, ...NUMBER_KINDS];

/** The first text that names a service or a kind of numbers, and how much it counts. */
export function toldBy({ words = [], around = '' }: Clues) {
  const text = words.find((each) => KINDS.some(({ clue }) => clue?.test(each)));
  return text === undefined ? { text: around, score: CLUE.around } : { text, score: CLUE.words };
}

/** Whether services or kinds of numbers have such a date. Words do not make up for one that does not fit. */
export function isInUse(of: Service | NumberKind, ms: number, now: number): boolean {
  if (!('layout' in of)) return ms <= now + AHEAD_MS;
  return ms >= of.since && ms <= (of.until ?? now + AHEAD_MS);
}

/** What clues add for all ids alike, except for those whose dates do not fit. */
export function clueScore(of: Service | NumberKind, told: ReturnType<typeof toldBy>, { last, format }: Clues): number {
  let score = of.clue?.test(told.text) ? told.score : 0;
  if ('name' in of && last === of.name) score += CLUE.last;
  if ('format' in of && format === of.format) score += CLUE.format;
  return score;
}

/** What dates beside ids add, for each row or for all. */
export function dateScore(ms: Float64Array | undefined, { dates }: Clues, row?: number): number {
  if (!ms || !dates) return 0;
  const shares = dates.map((column) => agreement(ms, row === undefined ? column : column.slice(row, row + 1), row));
  return CLUE.dates * Math.max(0, ...shares);
}

function agreement(ms: Float64Array, dates: DatesBeside, from = 0): number {
  const known = dates.filter((date) => date !== undefined);
  const same = dates.filter((date, i) => date && isWithin(ms[from + i], date));
  return known.length === 0 ? 0 : same.length / known.length;
}

const isWithin = (ms: number, { from, to }: Period) => ms >= from - SAME_MS && ms < to + SAME_MS;

export const numberLikelihood = ({ likelihood, ms }: NumberKind, id: bigint, now: number): number =>
  likelihood(id, now) + (ms && ms(id) > now + AHEAD_MS ? OUT_OF_USE : 0);

/** The scores of single ids, each alone: of a service or a kind of numbers, with what is known besides the ids. */
export function scoresAlone(of: Service | NumberKind, ids: BigUint64Array, clues: Clues, told = toldBy(clues)) {
  const clue = clueScore(of, told, clues);
  const alike = of.prior + clue;
  if ('layout' in of) {
    const { each, ms } = weigh(of, ids, clues.now);
    const ofColumn = of.isOfColumns ? ALONE : 0;
    for (let row = 0; row < each.length; row++) {
      each[row] += alike + ofColumn - (!ms || isInUse(of, ms[row], clues.now) ? 0 : clue);
    }
    if (clues.dates) for (let row = 0; row < each.length; row++) each[row] += dateScore(ms, clues, row);
    return each;
  }
  const scores = new Float64Array(ids.length);
  if (of === HASH) return scores.fill(alike + of.likelihood(0n, clues.now));
  for (let row = 0; row < ids.length; row++) {
    const [each, share] = of.common?.(ids.subarray(row, row + 1)) ?? NOTHING;
    scores[row] = alike + numberLikelihood(of, ids[row], clues.now) + each + share;
  }
  return scores;
}

const NOTHING = [0, 0] as const;
