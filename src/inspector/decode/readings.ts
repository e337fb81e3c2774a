import { type Clues, guess, type NumberReading, type Reading, type Service } from '../../guess/index.js';
import { type Layout, type LayoutTime, parseId, type TextFormat } from '../../index.js';
import { DAY, isoText, UNITS } from './dates.js';
import { exactMicrosIn, fieldValue, type LayoutChoice, layoutOf, microsIn } from './layout-choice.js';
import { FORMATS } from './settings.js';

/** When an id was made, in ISO 8601 in a zone, if it is one of a layout; undefined if the layout has no time, or the id is not one of it. */
export function instantOf(choice: LayoutChoice, id: bigint, zone: string): string | undefined {
  const layout = layoutOf(choice);
  const micros = exactMicrosIn(layout, id);
  if (layout.time === undefined || micros === undefined || id > layout.mask) return undefined;
  return isoText(layout.time, micros, zone);
}

/** What people read of `2022-06-28T16:07:40.105Z`, with the day of the week as in `Tue 28 Jun 2022`. */
function partsOf(iso: string) {
  const [, date = '', clock = '', offset = ''] = /^(.+)T([\d:.]+)(.+)$/.exec(iso) ?? [];
  const [, weekday = '', day = ''] = /(\w+), 0?(\d+ \w+ \S+)/.exec(new Date(date).toUTCString()) ?? [];
  return { weekday, day, clock, utc: ` UTC${offset.replace('Z', '')}` };
}

/** `Tue 28 Jun 2022, 16:07:40.105 UTC`, or `18:07:40.105 UTC+02:00`. */
export function longDate(iso: string): string {
  const { weekday, day, clock, utc } = partsOf(iso);
  return `${weekday} ${day}, ${clock}${utc}`;
}

/** `28 Jun 2022` */
export function shortDate(iso: string): string {
  return partsOf(iso).day;
}

/** `28 Jun 2022, 16:00 to 17:00 UTC`, from one instant to another; whole days without times of day, the last one included. */
export function spanText(time: LayoutTime, from: bigint, to: bigint, zone: string): string {
  const at = (micros: bigint) => partsOf(isoText(time, micros, zone) ?? '');
  const [start, end, last] = [at(from), at(to), at(to - 1n)];
  const clocks = `${start.clock} ${end.clock}`;
  if (/^00:00:00\.0+ 00:00:00\.0+$/.test(clocks)) {
    return `${start.day}${last.day === start.day ? '' : ` to ${last.day}`}${last.utc}`;
  }
  const length = /:00\.0+ .*:00\.0+$/.test(clocks) ? 5 : /\.0+ .*\.0+$/.test(clocks) ? 8 : undefined;
  const first = `${start.day}, ${start.clock.slice(0, length)}${end.utc === start.utc ? '' : start.utc}`;
  return `${first} to ${end.day === start.day ? '' : `${end.day}, `}${end.clock.slice(0, length)}${end.utc}`;
}

/** How two ids of a layout differ. */
export function comparisonOf(layout: Layout, first: bigint, second: bigint) {
  const [from, to] = [microsIn(layout, first), microsIn(layout, second)];
  return {
    /** From the first to the second, in microseconds, below 0 if the second is earlier; undefined without a time. */
    micros: from === undefined || to === undefined ? undefined : to - from,
    /** When the second was made, in Unix microseconds. */
    at: to,
    /** The fields that differ, besides the time. */
    fields: layout.places
      .map((place) => ({ name: place.name, first: fieldValue(place, first), second: fieldValue(place, second) }))
      .filter((field) => field.first !== field.second && field.name !== layout.time?.name),
  };
}

/** How another id differs, as a sentence. */
export function differenceText(layout: Layout, id: bigint, other: bigint, zone: string): string {
  const { micros, at, fields } = comparisonOf(layout, id, other);
  const date = layout.time && at !== undefined && isoText(layout.time, at, zone);
  const words = fields.map(({ name, first, second }) => `${name} ${second} instead of ${first}`);
  if (micros === 0n) words.unshift('at the same time');
  else if (micros !== undefined) words.unshift(`${durationText(micros)} ${micros > 0n ? 'later' : 'earlier'}`);
  if (words.length === 0) return 'The fields are the same.';
  return `The other id${date ? `, of ${date}` : ''}: ${words.join('; ')}.`;
}

/** An id as it is typed: in the format that the others are read in, or else in the first one that reads it. */
export function idFrom(text: string, format: TextFormat): bigint | undefined {
  for (const candidate of [format, ...FORMATS]) {
    try {
      return parseId(text.trim(), candidate);
    } catch {} // The next one may read it.
  }
  return undefined;
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

/** A service that ids may come from, as the page shows it. */
export type ReadingView = ReturnType<typeof viewOf>;

/** The likeliest, besides a guess that is shown already. One that was chosen is among them, so that it stays in its place. */
export function readingsBeside(
  { readings, isKnown }: { readonly readings: readonly ReadingView[]; readonly isKnown: boolean },
  layout: LayoutChoice | undefined,
  most: number,
): readonly ReadingView[] {
  return readings.slice(layout === undefined && isKnown ? 1 : 0, most + 1);
}

export const LIKELIHOODS = ['impossible', 'unlikely', 'possible', 'likely'] as const;

const LIKELY = 0.5;
const POSSIBLE = 0.001;

/** What ids may be, the likeliest first. */
export function guessOf(ids: BigUint64Array, clues: Clues) {
  const { services, perhaps, isKnown, isSure } = guess(ids, clues);
  return {
    isKnown,
    isSure,
    readings: services.map((reading) => viewOf(reading, ids, clues.now)),
    /** What else they may be, such as `a time in Unix milliseconds, 9 Mar 2024`. */
    perhaps: perhaps.map(perhapsOf),
  };
}

function perhapsOf({ kind: { what }, dates }: NumberReading): string {
  if (dates === undefined) return what;
  const [first, last] = [dates.first, dates.last].map((ms) => shortDate(new Date(ms).toISOString()));
  return `${what}, ${first}${last === first ? '' : ` to ${last}`}`;
}

function viewOf(reading: Reading, ids: BigUint64Array, now: number) {
  const { name, title, what, layout, isOfColumns } = reading.service;
  const [likelihood, why] = judge(reading, ids, now);
  return {
    name,
    title,
    /** What an id stands for: `a tweet`. */
    what,
    choice: { spec: name },
    /** Whether it is no service, but how anybody may make ids: nothing tells who did. */
    isGeneral: isOfColumns === true && layout.time === undefined,
    /** Whether it has dates, and all of them are of the time in which the service made ids. */
    fits: reading.isInUse && reading.dates !== undefined,
    likelihood,
    /** The likelihood in a few words, with the reason. */
    reason: `${likelihood}${why && `: ${why}`}`,
  };
}

function judge(
  { misfit, probability, service, dates, isInUse }: Reading,
  ids: BigUint64Array,
  now: number,
): [likelihood: (typeof LIKELIHOODS)[number], why: string] {
  const { since, until = now, layout } = service;
  if (misfit?.kind === 'bits') {
    return ['impossible', `the id has ${misfit.bits} bits, the layout has ${layout.bits}`];
  }
  if (misfit !== undefined) {
    return ['impossible', `${misfit.field} is ${misfit.value}, but starts at ${misfit.min}`];
  }
  if (dates !== undefined && !isInUse) {
    const { first, last } = dates;
    if (first < since)
      return ['unlikely', `the date is in ${yearOf(first)}, but the service began in ${yearOf(since)}`];
    if (last > now) return ['unlikely', `the date is in the future (${yearOf(last)})`];
    return ['unlikely', `no such ids have been made since ${yearOf(until)}`];
  }
  if (probability >= LIKELY) return ['likely', ''];
  return probability >= POSSIBLE ? ['possible', ''] : ['unlikely', unusualIn(service, ids, dates?.first ?? now)];
}

/** The fields whose values are less likely in ids of a service than in random numbers: `worker 5 and process 13 are unusual`. */
function unusualIn({ eras, layout, title }: Service, ids: BigUint64Array, at: number): string {
  const [, fields] = eras.findLast(([from]) => from <= at) ?? eras[0];
  const unusual = layout.places.filter((place) => {
    const isStray = (id: bigint) =>
      (fields[place.name]?.(Number(fieldValue(place, id)), place.bits) ?? 0) < -place.bits;
    return ids.every(isStray);
  });
  if (unusual.length === 0) return 'other services are likelier';
  // The values of one id are those of all, if it is the only one.
  const isOne = ids.every((id) => id === ids[0]);
  const names = unusual.map((place) => (isOne ? `${place.name} ${fieldValue(place, ids[0])}` : place.name));
  return `${new Intl.ListFormat('en').format(names)} ${names.length > 1 ? 'are' : 'is'} unusual for ${title}`;
}

function yearOf(ms: number): string {
  const year = new Date(ms).getUTCFullYear();
  return Number.isNaN(year) ? 'a year beyond the calendar' : String(year);
}
