import {
  type Clues,
  type Guess,
  guess,
  type NumberReading,
  type Service,
  type ServiceGuess,
} from '../../guess/index.js';
import type { Layout, LayoutTime } from '../../index.js';
import { DAY, isoText, type Span, UNITS, unitMicros } from './dates.js';
import { exactMicrosIn, fieldValue, type LayoutChoice, layoutOf } from './layout-choice.js';

/** When an id was made, in ISO 8601 in a zone, if it is one of a layout; undefined if the layout has no time, or the id is not one of it. */
export function instantOf(choice: LayoutChoice, id: bigint, zone: string): string | undefined {
  const layout = layoutOf(choice);
  const micros = exactMicrosIn(layout, id);
  if (!layout.time || micros === undefined || id > layout.mask) return undefined;
  return isoText(layout.time, micros, zone);
}

/** What people read of `2022-06-28T16:07:40.105Z`, with the day of the week as in `Tue 28 Jun 2022`. */
function partsOf(iso: string) {
  const [, date = '', clock = '', offset = ''] = /^(.+)T([\d:.]+)(.+)$/.exec(iso) ?? [];
  const [, weekday = '', day = ''] = /(?<!\w)(\w+), 0?(\d+ \w+ \S+)/.exec(new Date(date).toUTCString()) ?? [];
  return { weekday, day, clock, utc: ` UTC${offset.replace('Z', '')}` };
}

/** `Tue 28 Jun 2022, 16:07:40.105 UTC`, or `18:07:40.105 UTC+02:00`. */
export function longDate(iso: string): string {
  const { weekday, day, clock, utc } = partsOf(iso);
  return `${weekday} ${day}, ${clock}${utc}`;
}

export const shortDate = (iso: string): string => partsOf(iso).day;

const MILLISECONDS: LayoutTime = { name: '', epoch: 0, unit: 'ms', unitMs: 1 };

/** `28 Jun 2022, 16:00 to 17:00 UTC`, from one instant to another; whole days without times of day, the last one included. */
export function spanText(time: LayoutTime, from: bigint, to: bigint, zone: string): string {
  const at = (micros: bigint) => partsOf(isoText(time, micros, zone) ?? '');
  const [start, end, last] = [at(from), at(to), at(to - 1n)];
  const clocks = `${start.clock} ${end.clock}`;
  if (/^00:00:00\.0+ 00:00:00\.0+$/.test(clocks)) {
    return `${start.day}${last.day === start.day ? '' : ` to ${last.day}`}${last.utc}`;
  }
  const length = /^[^ ]*:00\.0+ [^ ]*:00\.0+$/.test(clocks) ? 5 : /^[^ ]*\.0+ [^ ]*\.0+$/.test(clocks) ? 8 : undefined;
  const first = `${start.day}, ${start.clock.slice(0, length)}${end.utc === start.utc ? '' : start.utc}`;
  return `${first} to ${end.day === start.day ? '' : `${end.day}, `}${end.clock.slice(0, length)}${end.utc}`;
}

/** `1 Mar 2024 (UTC, whole day)`; `1 Mar 2024, 10:30 to 10:31 UTC`; an instant as {@link longDate}. */
export function periodText({ from, to }: Span, zone: string): string {
  const iso = isoText(MILLISECONDS, from, zone) ?? '';
  if (to - from <= 1000n) return longDate(iso);
  const text = spanText(MILLISECONDS, from, to, zone);
  const days = text.includes(' to ') ? 'days' : 'day';
  return text.includes(',') ? text : `${text.replace(/ UTC.*/, '')} (${zone}, whole ${days})`;
}

/** What a bit of an id stands for: `Bit 41, in timestamp: 8 minutes, 44.288 seconds.` */
export function bitText({ places, time }: Layout, bit: number): string {
  const place = places.find(({ shift, bits }) => bit >= shift && bit < shift + bits);
  if (!place) return `Bit ${bit} is above the layout.`;
  const value = 1n << BigInt(bit - place.shift);
  return `Bit ${bit}, in ${place.name}: ${time?.name === place.name ? durationText(value * unitMicros(time)) : value}.`;
}

const SECOND = 1_000_000n;

/** `3 days, 1 hour, 2.005 seconds` */
export function durationText(micros: bigint): string {
  let rest = micros < 0n ? -micros : micros;
  const parts: string[] = [];
  const add = (count: number | bigint, unit: string) => parts.push(`${count} ${unit}${Number(count) === 1 ? '' : 's'}`);
  for (const [unit, seconds] of UNITS.slice(DAY)) {
    const size = BigInt(seconds) * SECOND;
    if (rest >= size) add(rest / size, unit);
    rest %= size;
  }
  if (rest > 0n || parts.length === 0) add(Number(rest) / 1e6, 'second');
  return parts.join(', ');
}

export type ReadingView = ReturnType<typeof viewOf>;

/** The likeliest, besides a guess that is shown already. One that was chosen is among them, so that it stays in its place. */
export const readingsBeside = (
  { readings, isKnown }: Pick<Guessed, 'readings' | 'isKnown'>,
  layout: LayoutChoice | undefined,
  most: number,
) => readings.slice(!layout && isKnown ? 1 : 0, most + 1);

export const LIKELIHOODS = ['impossible', 'unlikely', 'possible', 'likely'] as const;

export const isPossible = ({ likelihood }: ReadingView): boolean =>
  likelihood === 'likely' || likelihood === 'possible';

/** What is said first of ids that no known service is likely to have made. */
export function unknownText({ named, readings }: Guessed, rows: number): string {
  if (named !== undefined) return named;
  if (readings.some(isPossible)) return 'No known service is likely';
  return rows > 1 ? 'Not ids of a known service' : 'Not an id of a known service';
}

const LIKELY = 0.5;
const POSSIBLE = 0.001;

export type Guessed = ReturnType<typeof viewOfGuess>;

/** Where there is nothing of 64 bits. */
export const NOTHING_GUESSED: Guessed = { named: undefined, isKnown: false, isSure: false, readings: [], perhaps: [] };

/** What ids may be, the likeliest first; nothing if there are none. */
export const guessOf = (ids: BigUint64Array, clues: Clues): Guessed =>
  ids.length === 0 ? NOTHING_GUESSED : viewOfGuess(guess(ids, clues), ids, clues);

/** @param ids some of those that were guessed */
export function viewOfGuess(
  { services, perhaps, isKnown, isSure, isMixed, named }: Guess,
  ids: BigUint64Array,
  clues: Clues,
) {
  // Ids of no known service, and of layouts that only columns tell, are not weighed as a mixture.
  const isOfOne = new Set(ids).size === 1 || (isKnown && !isMixed && !services[0].service.isOfColumns);
  return {
    /** What a single number is that programs have as a limit. */
    named,
    isKnown,
    isSure,
    readings: services.map((reading) => viewOf(reading, ids, clues, isOfOne, named)),
    /** What else they may be, such as `a time in Unix milliseconds, 9 Mar 2024`. */
    perhaps: perhaps.map(perhapsOf),
  };
}

function perhapsOf({ kind: { what }, dates }: NumberReading): string {
  if (!dates) return what;
  const [first, last] = [dates.first, dates.last].map((ms) => shortDate(new Date(ms).toISOString()));
  return `${what}, ${first}${last === first ? '' : ` to ${last}`}`;
}

function viewOf(reading: ServiceGuess, ids: BigUint64Array, clues: Clues, isOfOne: boolean, named?: string) {
  const { name, title, what, layout, isOfColumns } = reading.service;
  const [likelihood, why] = judge(reading, ids, clues.now, named);
  return {
    name,
    title,
    /** What an id stands for: `a tweet`. */
    what,
    choice: { spec: name },
    /** Whether it takes a column to tell it. */
    isOfColumns: isOfColumns === true,
    /** Whether it is no service, but how anybody may make ids: nothing tells who did. */
    isGeneral: isOfColumns === true && !layout.time,
    /** Whether it has dates, and all of them are of the time in which the service made ids. */
    fits: reading.isInUse && reading.dates !== undefined,
    likelihood,
    /** The likelihood in a few words, with the reason. */
    reason: `${likelihood}${why && `: ${why}`}`,
    /** What speaks for it and against it, in sentences. */
    evidence: evidenceOf(reading, ids, clues, isOfOne),
  };
}

function judge(
  { misfit, probability, service, dates, isInUse }: ServiceGuess,
  ids: BigUint64Array,
  now: number,
  named: string | undefined,
): [likelihood: (typeof LIKELIHOODS)[number], why: string] {
  const { since, until = now, layout } = service;
  if (misfit?.kind === 'bits') return ['impossible', `the id has ${misfit.bits} bits, the layout has ${layout.bits}`];
  if (misfit) return ['impossible', `${misfit.field} is ${misfit.value}, but starts at ${misfit.min}`];
  if (dates && !isInUse) {
    const { first, last } = dates;
    const date = first === last ? 'the date' : 'a date';
    if (first < since) return ['unlikely', `${date} is in ${yearOf(first)}, but the service began in ${yearOf(since)}`];
    if (last > now) return ['unlikely', `${date} is in the future (${yearOf(last)})`];
    return ['unlikely', `no such ids have been made since ${yearOf(until)}`];
  }
  if (named !== undefined) return ['unlikely', 'only if it is an id at all'];
  if (probability >= LIKELY) return ['likely', ''];
  if (probability >= POSSIBLE) return ['possible', ''];
  return ['unlikely', fieldsThatAre('unusual', service, ids, dates?.first ?? now) ?? 'other readings are likelier'];
}

export const LIST = new Intl.ListFormat('en');

/** Bits: four times as likely as in random numbers. */
const USUAL = 2;

/**
 * `worker 5 and process 13 are unusual for Discord`: the fields whose values are less likely in ids of a service than in
 * random numbers (or, of `usual`, more likely by so many bits), with those values if all ids have the same.
 */
function fieldsThatAre(how: 'usual' | 'unusual', { eras, layout, title }: Service, ids: BigUint64Array, at: number) {
  const [, fields] = eras.findLast(([from]) => from <= at) ?? eras[0];
  const found = layout.places.filter((place) => {
    const distribution = fields[place.name];
    if (!distribution) return false;
    return ids.every((id) => {
      const above = distribution(Number(fieldValue(place, id)), place.bits) + place.bits;
      return how === 'usual' ? above >= USUAL : above < 0;
    });
  });
  const names = found.map((place) => {
    const value = fieldValue(place, ids[0]);
    return ids.every((id) => fieldValue(place, id) === value) ? `${place.name} ${value}` : place.name;
  });
  if (names.length === 0) return undefined;
  return `${LIST.format(names)} ${names.length > 1 ? 'are' : 'is'} ${how} for ${title}`;
}

function evidenceOf(reading: ServiceGuess, ids: BigUint64Array, clues: Clues, isOfOne: boolean): string[] {
  const { now, words = [], last } = clues;
  const { probability, service, misfit, dates, isInUse } = reading;
  if (misfit) return [];
  const { title, clue, since } = service;
  const isOne = new Set(ids).size === 1;
  const fields = (['usual', 'unusual'] as const).map((how) => fieldsThatAre(how, service, ids, dates?.first ?? now));
  const percent = Math.round(100 * probability);
  return [
    // Probabilities are those of one service for all ids.
    isOfOne &&
      `Among all that ${isOne ? 'this number' : 'these numbers'} may be, the probability of ${title} is ${
        percent === 100 ? 'over 99 %' : percent === 0 ? 'under 1 %' : `${percent} %`
      }.`,
    dates !== undefined &&
      isInUse &&
      `The date${isOne ? ' is' : 's are'} in the time in which such ids have been made: since ${yearOf(since)}.`,
    words.some((text) => clue?.test(text)) && `The text around ${isOne ? 'the id' : 'the ids'} names ${title}.`,
    ...fields.map((names) => names !== undefined && `${names}.`),
    last === service.name && `You chose ${title} last.`,
  ].filter((sentence) => sentence !== false);
}

function yearOf(ms: number): string {
  const year = new Date(ms).getUTCFullYear();
  return Number.isNaN(year) ? 'a year beyond the calendar' : String(year);
}
