import { type Period, parsePeriod } from '../dates.js';
import type { Layout } from '../layout/layout.js';
import { HASH, NUMBER_KINDS, type NumberKind, namedNumber } from './numbers.js';
import { roundedIn, roundingOf } from './rounded.js';
import { SERVICES, type Service } from './services.js';
import {
  AHEAD_MS,
  ALONE,
  type Clues,
  clueScore,
  type DatesBeside,
  dateScore,
  isInUse,
  KINDS,
  numberLikelihood,
  scoresAlone,
  toldBy,
  weigh,
} from './weigh.js';

export interface ServiceGuess {
  readonly service: Service;
  /** The probability among all services and kinds of numbers, 0 to 1. It is 0 if more than a few ids do not fit the layout. */
  readonly probability: number;
  /** Why the first such id does not fit the layout; undefined if at most a few do not. */
  readonly misfit: Misfit | undefined;
  /** The earliest and the latest date, in Unix milliseconds; undefined without a time field. */
  readonly dates: { readonly first: number; readonly last: number } | undefined;
  /** Whether all dates lie in the time in which the service made ids. */
  readonly isInUse: boolean;
  /** Whether most ids of a column have a value that the service hardly ever gives, and no dates beside them are theirs. */
  readonly isOdd: boolean;
}

export type NumberReading = Pick<ServiceGuess, 'probability' | 'dates'> & { readonly kind: NumberKind };

/** Kinds of numbers that are less likely than this are not worth naming. */
const PERHAPS = 0.1;

/** What ids may be, each list with the likeliest first. */
export type Guess = ReturnType<typeof guess>;

/** Why an id does not fit a layout: it has too many bits, or a field is below its `min`. */
export type Misfit =
  | { readonly kind: 'bits'; readonly bits: number }
  | { readonly kind: 'min'; readonly field: string; readonly value: number; readonly min: number };

const LIKELIER = 0.5;
const SURE = 0.97;

/** A column is a mixture if some of its ids, each looked at alone, are less likely of the first service than this. */
const PLAUSIBLE = 0.001;
/** More rows than this add no evidence, because rows of one table are alike. */
const MAX_COUNTED = 4;

/** The share of the ids of a column that may not fit a layout: some tables mix ids of several kinds. */
export const MISFITS = 1 / 6;

/**
 * Ranks the services that ids may come from, the likeliest first, and what else they may be. The rank depends on how often
 * people have ids of a service, and how probable the dates and the other fields are. Layouts and kinds of numbers are
 * comparable, because each one gives the probability of the same thing: that one of all 64-bit numbers is this id.
 * @param ids a sample of a column, or a single id
 */
export function guess(ids: BigUint64Array, clues: Clues) {
  const { services, numbers, counted } = rank(ids, clues);
  const known = services.reduce((total, { probability }) => total + probability, 0);
  const rounded = known < LIKELIER && isInTicks(numbers[0].kind, ids) ? undefined : roundedIn(ids);
  // Ids of dates, which people search from, have no other bits.
  const isExact = !rounded && (counted > 1 || (roundingOf(ids[0]) === undefined && (ids[0] & 0xffffn) > 0n));
  const [{ service, probability, dates, isOdd }] = services;
  const alike = services.reduce((sum, other) => sum + (other.dates?.first === dates?.first ? other.probability : 0), 0);
  const named = counted === 1 ? namedNumber(ids[0]) : undefined;
  const isKnown = alike >= LIKELIER && named === undefined;
  const isMixed = isKnown && counted > 1 && isMixture(ids, service, clues);
  return {
    services,
    numbers,
    perhaps: numbers.filter(
      ({ kind, probability, dates }) =>
        probability >= PERHAPS && !(dates && dates.first > clues.now + AHEAD_MS) && !(kind === HASH && areAlike(ids)),
    ),
    /** Whether one service, or several with the same dates, is likelier than all else. */
    isKnown,
    /** What a single id is that is a limit of programs, such as 2^53: it is more likely this than an id. */
    named,
    /** Whether the first service can be named as a fact: it is much likelier than all others, and the ids are not rounded. */
    isSure:
      isKnown &&
      probability >= SURE &&
      isExact &&
      !isMixed &&
      !isOdd &&
      ((counted > 1 && hasFields(service)) || !isRare(service, clues)),
    /** Whether some ids are clearly not of the first service: probabilities, which are those of one service, say nothing. */
    isMixed,
    rounded,
  };
}

/** Whether the highest bits of ids are the same, which those of random numbers are not. */
const areAlike = (ids: BigUint64Array) => ids.length > 2 && new Set(ids.map((id) => id >> 56n)).size === 1;

/** Whether ids have something besides their times that random numbers do not have. */
const hasFields = ({ eras }: Service) => eras.some(([, fields]) => Object.keys(fields).length > 0);

/** Whether one number alone does not make sure of a service: few people have its ids, and no word names it. */
function isRare(service: Service, { words = [], format = 'dec' }: Clues): boolean {
  const { prior, clue } = service;
  return prior <= RARE && format !== service.format && !words.some((text) => clue?.test(text));
}

const RARE = -5;

/** Whether times end in zeros as their clock counts, or a date in digits has no parts of a second. */
const isInTicks = ({ ms, common }: NumberKind, ids: BigUint64Array): boolean =>
  common ? common(ids)[0] > 0 : ms !== undefined;

/** Whether more ids of a column than may be misfits are, alone, of a service with less than a probability. */
export function isMixture(ids: BigUint64Array, service: Service, clues: Clues, least = PLAUSIBLE): boolean {
  if (service.isOfColumns) return false;
  const told = toldBy(clues);
  const scores = KINDS.map((of) => scoresAlone(of, ids, clues, told));
  const own = scores[SERVICES.indexOf(service)];
  const others = own.filter((score, row) => {
    const sum = scores.reduce((total, column) => total + 2 ** (column[row] - score), 0);
    return 1 / sum < least;
  });
  return others.length > ids.length * MISFITS;
}

/** All services and kinds of numbers, each with the likeliest first, and how many ids count as evidence. */
function rank(ids: BigUint64Array, clues: Clues) {
  const told = toldBy(clues);
  const counted = Math.min(new Set(ids).size, MAX_COUNTED); // a sample may repeat an id
  const meanOf = (each: Float64Array) => each.reduce((sum, score) => sum + score, 0) / ids.length;
  const judged = SERVICES.map((service) => {
    const misfits = Array.from(ids, (id) => misfitOf(service.layout, id));
    const found = misfits.filter((misfit) => misfit !== undefined);
    if (found.length > ids.length * MISFITS) {
      return { service, misfit: found[0], dates: undefined, isInUse: false, isOdd: true, score: -Infinity };
    }
    const { each, ms, odd } = weigh(service, ids, clues.now);
    const times = ms?.filter((_, row) => !misfits[row]);
    const dates = times && spanOf(times);
    const others = times?.filter((at) => !isInUse(service, at, clues.now)) ?? [];
    const clue = others.length > ids.length / 2 ? 0 : clueScore(service, told, clues);
    const alone = service.isOfColumns && counted === 1 ? ALONE : 0;
    const dated = dateScore(ms, clues);
    const isOdd = counted > 1 && odd > ids.length / 2 && dated === 0;
    const score = service.prior + alone + meanOf(each) * counted + clue + dated;
    return { service, misfit: undefined, dates, isInUse: others.length === 0, isOdd, score };
  });
  const kinds = NUMBER_KINDS.map((kind) => {
    const mean = meanOf(Float64Array.from(ids, (id) => numberLikelihood(kind, id, clues.now)));
    const [each, share] = kind.common?.(ids) ?? [0, 0];
    return { kind, score: kind.prior + (mean + each) * counted + share + clueScore(kind, told, clues) };
  });
  const scores = [...judged, ...kinds].map(({ score }) => score);
  const best = Math.max(...scores);
  const sum = scores.reduce((total, score) => total + 2 ** (score - best), 0);
  const probabilityOf = (score: number) => 2 ** (score - best) / sum;
  const services = judged.map(
    ({ score, ...reading }): ServiceGuess => ({ ...reading, probability: probabilityOf(score) }),
  );
  const numbers = kinds.map(
    ({ kind, score }): NumberReading => ({
      kind,
      probability: probabilityOf(score),
      dates: kind.ms && spanOf(Array.from(ids, kind.ms)),
    }),
  );
  return { services: services.sort(compare), numbers: numbers.sort((a, b) => b.probability - a.probability), counted };
}

const spanOf = (times: Iterable<number>) => ({ first: Math.min(...times), last: Math.max(...times) });

/** Services below this probability are ranked by whether their dates fit and by how many people use them. */
const NEGLIGIBLE = 1e-7;

function compare(a: ServiceGuess, b: ServiceGuess): number {
  const isEither = Math.max(a.probability, b.probability) >= NEGLIGIBLE;
  if (isEither) return b.probability - a.probability;
  return fitOf(b) - fitOf(a) || b.service.prior - a.service.prior;
}

function fitOf({ misfit, isInUse, dates }: ServiceGuess): number {
  if (misfit) return 0;
  return isInUse && dates ? 2 : 1;
}

export function misfitOf({ mask, places }: Layout, id: bigint): Misfit | undefined {
  if (id > mask) return { kind: 'bits', bits: id.toString(2).length };
  for (const { name, shift, mask: fieldMask, min } of places) {
    if (min === 0) continue;
    const value = Number((id >> BigInt(shift)) & fieldMask);
    if (value < min) return { kind: 'min', field: name, value, min };
  }
  return undefined;
}

/** The dates in columns beside ids, for {@link Clues.dates}. Columns without dates are left out. */
export const datesIn = (columns: readonly (readonly string[])[]): DatesBeside[] =>
  columns.map((texts) => texts.map(periodOf)).filter((dates) => dates.some((date) => date !== undefined));

/** The time that a date covers: ISO 8601, Unix seconds or milliseconds, or the date formats of JavaScript and mail. */
export function periodOf(text: string): Period | undefined {
  const iso = parsePeriod(text);
  if (iso && text.length > 4) return iso; // four digits alone may be any number
  const trimmed = text.trim();
  if (/^1\d{9}$/.test(trimmed)) return { from: Number(trimmed) * 1000, to: Number(trimmed) * 1000 + 1000 };
  if (/^1\d{12}$/.test(trimmed)) return { from: Number(trimmed), to: Number(trimmed) + 1 };
  if (!/^[A-Z][a-z]{2}\b.*\d{4}/.test(trimmed)) return undefined;
  const ms = Date.parse(trimmed);
  return Number.isNaN(ms) ? undefined : { from: ms, to: ms + 1000 };
}
