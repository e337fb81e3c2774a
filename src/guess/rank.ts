import { type Period, parsePeriod } from '../dates.js';
import { kernels } from '../kernels/active.js';
import type { TextFormat } from '../kernels/types.js';
import type { Layout } from '../layout/layout.js';
import { NUMBER_KINDS, type NumberKind, namedNumber } from './numbers.js';
import { roundedIn, roundingOf } from './rounded.js';
import { even, SERVICES, type Service } from './services.js';

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

export interface Clues {
  /** The current time in Unix milliseconds: ids from the future are unlikely. */
  readonly now: number;
  /** Texts around the ids, the nearest first, such as the name of their column. The first one that names a service counts. */
  readonly words?: readonly string[] | undefined;
  /** Columns of dates beside the first ids. */
  readonly dates?: readonly DatesBeside[] | undefined;
  readonly last?: string | undefined;
  /** How the ids are written: some services write theirs in letters. */
  readonly format?: TextFormat | undefined;
}

/** The time that the date of each row covers (it may be a whole day); undefined without a date. */
export type DatesBeside = readonly (Period | undefined)[];

/**
 * How many times as likely a clue makes a service, as a log2. A clue outweighs fields with unlikely values, but not dates
 * that do not fit.
 */
const CLUE = { words: 60, dates: 80, last: 3, format: 12 };

const LIKELIER = 0.5;
const SURE = 0.97;

/** A service is not sure if ids of the column, each looked at alone, are less likely of it than this. */
const PLAUSIBLE = 0.001;
/** At most so many are looked at. */
const MAX_ALONE = 20;

/** Added for a single id if only a column of them says something about a service. */
const ALONE = -20;

/** More rows than this add no evidence, because rows of one table are alike. */
const MAX_COUNTED = 4;

/** How far dates may be in the future, because of wrong clocks and time zones. */
const AHEAD_MS = 2 * 86_400_000;

/** Added to the log2 of the probability if the service did not make ids at the date. */
const OUT_OF_USE = -24;

/** The share of the ids of a column that may not fit a layout: some tables mix ids of several kinds. */
const MISFITS = 1 / 6;

/** Dates that differ by less than this count as the same. */
const SAME_MS = 90_000;

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
  const isExact = rounded === undefined && (counted > 1 || roundingOf(ids[0]) === undefined);
  const [{ service, probability }] = services;
  const named = counted === 1 ? namedNumber(ids[0]) : undefined;
  return {
    services,
    numbers,
    perhaps: numbers.filter(
      ({ probability, dates }) => probability >= PERHAPS && !(dates && dates.first > clues.now + AHEAD_MS),
    ),
    /** Whether it is likelier that they are ids of a known service than that they are something else. */
    isKnown: known >= LIKELIER && named === undefined,
    /** What a single id is that is a limit of programs, such as 2^53: it is more likely this than an id. */
    named,
    /** Whether the first service can be named as a fact: it is much likelier than all others, and the ids are not rounded. */
    isSure: probability >= SURE && isExact && named === undefined && (counted === 1 || !isMixture(ids, service, clues)),
    rounded,
  };
}

/** Whether times end in zeros as their clock counts, or a date in digits has no parts of a second. */
function isInTicks({ ms, common }: NumberKind, ids: BigUint64Array): boolean {
  return common === undefined ? ms !== undefined : common(ids)[0] > 0;
}

/** Whether more ids of a column than may be misfits are, alone, clearly not of a service. */
function isMixture(ids: BigUint64Array, { name, isOfColumns }: Service, clues: Clues): boolean {
  if (isOfColumns) return false;
  const step = Math.ceil(ids.length / MAX_ALONE);
  const rows = Array.from({ length: Math.ceil(ids.length / step) }, (_, i) => i * step);
  const others = rows.filter((row) => {
    const dates = clues.dates?.map((column) => column.slice(row, row + 1));
    const { services } = rank(ids.subarray(row, row + 1), { ...clues, dates });
    return services.some(({ service, probability }) => service.name === name && probability < PLAUSIBLE);
  });
  return others.length > rows.length * MISFITS;
}

/** All services and kinds of numbers, each with the likeliest first, and how many ids count as evidence. */
function rank(ids: BigUint64Array, clues: Clues) {
  const told = clues.words?.find((text) => [...SERVICES, ...NUMBER_KINDS].some(({ clue }) => clue?.test(text)));
  const counted = Math.min(new Set(ids).size, MAX_COUNTED); // a sample may repeat an id
  const judged = SERVICES.map((service) => {
    const misfits = Array.from(ids, (id) => misfitOf(service.layout, id));
    const found = misfits.filter((misfit) => misfit !== undefined);
    if (found.length > ids.length * MISFITS) {
      return { service, misfit: found[0], dates: undefined, isInUse: false, score: -Infinity };
    }
    const seen = likelihoodOf(service, ids, misfits, clues.now);
    const alone = service.isOfColumns && counted === 1 ? ALONE : 0;
    const score = service.prior + alone + seen.mean * counted + clueScore(service, seen.ms, told, clues);
    return { service, misfit: undefined, dates: seen.dates, isInUse: seen.isInUse, score };
  });
  const kinds = NUMBER_KINDS.map((kind) => {
    const mean = ids.reduce((sum, id) => sum + numberLikelihood(kind, id, clues.now), 0) / ids.length;
    const hint = told !== undefined && kind.clue?.test(told) ? CLUE.words : 0;
    const [each, share] = kind.common?.(ids) ?? [0, 0];
    return { kind, score: kind.prior + (mean + each) * counted + share + hint };
  });
  const scores = [...judged, ...kinds].map(({ score }) => score);
  const best = Math.max(...scores);
  const sum = scores.reduce((total, score) => total + 2 ** (score - best), 0);
  const probabilityOf = (score: number) => 2 ** (score - best) / sum;
  const services = judged.map(
    ({ score, ...reading }): ServiceGuess => ({ ...reading, probability: probabilityOf(score) }),
  );
  const numbers = kinds.map(
    ({ kind, score }): NumberReading => ({ kind, probability: probabilityOf(score), dates: datesOf(kind, ids) }),
  );
  return {
    services: services.sort(compare),
    numbers: numbers.sort((a, b) => b.probability - a.probability),
    counted,
  };
}

function numberLikelihood({ likelihood, ms }: NumberKind, id: bigint, now: number): number {
  return likelihood(id, now) + (ms !== undefined && ms(id) > now + AHEAD_MS ? OUT_OF_USE : 0);
}

function datesOf({ ms }: NumberKind, ids: BigUint64Array): ServiceGuess['dates'] {
  if (ms === undefined) return undefined;
  const times = Array.from(ids, ms);
  return { first: Math.min(...times), last: Math.max(...times) };
}

/** The share of ids whose fields follow no distribution, such as those of Discord's webhooks. */
const STRAY_ROW = 0.02;

/** How much likelier a rounded number is than others, where a hundredth of ids are rounded to 15 or 16 digits. */
function roundedShare(id: bigint): number {
  if (id <= Number.MAX_SAFE_INTEGER || id % 1000n !== 0n) return 0;
  return 0.01 * (id % 10_000n === 0n ? 10_000 : 1000);
}

/** Services below this probability are ranked by whether their dates fit and by how many people use them. */
const NEGLIGIBLE = 1e-7;

function compare(a: ServiceGuess, b: ServiceGuess): number {
  const isEither = Math.max(a.probability, b.probability) >= NEGLIGIBLE;
  if (isEither) return b.probability - a.probability;
  return fitOf(b) - fitOf(a) || b.service.prior - a.service.prior;
}

function fitOf({ misfit, isInUse, dates }: ServiceGuess): number {
  if (misfit !== undefined) return 0;
  return isInUse && dates !== undefined ? 2 : 1;
}

function misfitOf({ mask, places }: Layout, id: bigint): Misfit | undefined {
  if (id > mask) return { kind: 'bits', bits: id.toString(2).length };
  for (const { name, shift, mask: fieldMask, min } of places) {
    if (min === 0) continue;
    const value = Number((id >> BigInt(shift)) & fieldMask);
    if (value < min) return { kind: 'min', field: name, value, min };
  }
  return undefined;
}

/** `mean` is the average log2 of the probability of an id. */
function likelihoodOf(service: Service, ids: BigUint64Array, misfits: readonly (Misfit | undefined)[], now: number) {
  const { layout, since, until = now + AHEAD_MS, growsFrom = 0.1 } = service;
  const { time, places } = layout;
  const columns = places.map((place) => ({ ...place, values: new BigUint64Array(ids.length) }));
  kernels().unpack(ids, columns);
  const timed = columns.find(({ name }) => name === time?.name);
  const ms = time && Float64Array.from(timed?.values ?? [], (unit) => Number(unit) * time.unitMs + time.epoch);
  const others = columns.filter((column) => column !== timed);
  let total = 0;
  let isInUse = true;
  let [first, last] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (let row = 0; row < ids.length; row++) {
    if (misfits[row] !== undefined) {
      total += OUT_OF_USE - layout.bits;
      continue;
    }
    const at = ms === undefined ? now : ms[row];
    first = Math.min(first, at);
    last = Math.max(last, at);
    if (time !== undefined && at >= since && at <= until) {
      const share = (at - since) / (until - since);
      const density = (2 * (growsFrom + (1 - growsFrom) * share)) / (1 + growsFrom); // services grow steadily
      total += Math.log2(density * (time.unitMs / (until - since)));
    } else if (time !== undefined) {
      total += OUT_OF_USE - (timed?.bits ?? 0);
      isInUse = false;
    }
    const [, fields] = service.eras.findLast(([from]) => from <= at) ?? service.eras[0];
    let [known, random] = [0, 0];
    for (const { name, bits, values } of others) {
      known += (fields[name] ?? even)(Number(values[row]), bits);
      random -= bits;
    }
    total += Math.log2((1 - STRAY_ROW) * 2 ** known + (STRAY_ROW + roundedShare(ids[row])) * 2 ** random);
  }
  return { mean: total / ids.length, ms, dates: ms && { first, last }, isInUse };
}

function clueScore(
  service: Service,
  ms: Float64Array | undefined,
  words: string | undefined,
  { dates, last, format }: Clues,
) {
  let score = 0;
  if (words !== undefined && service.clue?.test(words)) score += CLUE.words;
  if (last === service.name) score += CLUE.last;
  if (format !== undefined && format === service.format) score += CLUE.format;
  if (dates !== undefined && ms !== undefined) {
    score += CLUE.dates * Math.max(0, ...dates.map((column) => agreement(ms, column)));
  }
  return score;
}

function agreement(ms: Float64Array, dates: DatesBeside): number {
  const known = dates.filter((date) => date !== undefined);
  const same = dates.filter((date, row) => date && ms[row] >= date.from - SAME_MS && ms[row] < date.to + SAME_MS);
  return known.length === 0 ? 0 : same.length / known.length;
}

/** The dates in columns beside ids, for {@link Clues.dates}. Columns without dates are left out. */
export function datesIn(columns: readonly (readonly string[])[]): DatesBeside[] {
  return columns.map((texts) => texts.map(periodOf)).filter((dates) => dates.some((date) => date !== undefined));
}

/** The time that a date covers: ISO 8601, Unix seconds or milliseconds, or the date formats of JavaScript and mail. */
function periodOf(text: string): Period | undefined {
  const iso = parsePeriod(text);
  if (iso !== undefined && text.length > 4) return iso; // four digits alone may be any number
  const trimmed = text.trim();
  if (/^1\d{9}$/.test(trimmed)) return { from: Number(trimmed) * 1000, to: Number(trimmed) * 1000 + 1000 };
  if (/^1\d{12}$/.test(trimmed)) return { from: Number(trimmed), to: Number(trimmed) + 1 };
  if (!/^[A-Z][a-z]{2}\b.*\d{4}/.test(trimmed)) return undefined;
  const ms = Date.parse(trimmed);
  return Number.isNaN(ms) ? undefined : { from: ms, to: ms + 1000 };
}
