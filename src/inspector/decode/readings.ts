import { type Clues, type Reading, rankServices } from '../../guess/index.js';
import { isPreset, type LayoutChoice, withFields } from './layout-choice.js';
import type { Settings } from './settings.js';

/** A service that ids may come from, as the page shows it. */
export interface ReadingView {
  readonly name: string;
  readonly title: string;
  /** What an id stands for: `a tweet`. */
  readonly what: string;
  readonly choice: LayoutChoice;
  /** 0 to 1, among all services. */
  readonly probability: number;
  readonly likelihood: (typeof LIKELIHOODS)[number];
  /** The same in a few words, with the reason. */
  readonly reason: string;
  /** Whether it has dates, and all of them are of the time in which the service made ids. */
  readonly fits: boolean;
}

/** The likeliest, besides a guess that is shown already. One that was chosen is among them, so that it stays in its place. */
export function readingsBeside(
  { readings }: { readonly readings: readonly ReadingView[] },
  { layout }: Pick<Settings, 'layout'>,
  most: number,
): readonly ReadingView[] {
  return readings.slice(layout === undefined ? 1 : 0, most + 1);
}

export const LIKELIHOODS = ['impossible', 'unlikely', 'possible', 'likely'] as const;

const LIKELY = 0.5;
const POSSIBLE = 0.001;

/** The services that ids may come from, the likeliest first. */
export function readingsOf(ids: BigUint64Array, clues: Clues): ReadingView[] {
  return rankServices(ids, clues).map((reading) => {
    const { name, title, what, layout } = reading.service;
    const choice = isPreset(name) ? { spec: name } : withFields(layout, layout.places);
    const fits = reading.isInUse && reading.dates !== undefined;
    return { name, title, what, choice, fits, probability: reading.probability, ...judge(reading, clues.now) };
  });
}

function judge(reading: Reading, now: number): Pick<ReadingView, 'likelihood' | 'reason'> {
  const { misfit, probability, service, dates } = reading;
  if (misfit?.kind === 'bits') {
    const reason = `impossible: the id has ${misfit.bits} bits, the layout has ${service.layout.bits}`;
    return { likelihood: 'impossible', reason };
  }
  if (misfit?.kind === 'min') {
    const reason = `impossible: ${misfit.field} is ${misfit.value}, but starts at ${misfit.min}`;
    return { likelihood: 'impossible', reason };
  }
  if (dates !== undefined && !reading.isInUse) {
    const { since, until } = service;
    const unlikely = (reason: string) => ({ likelihood: 'unlikely', reason: `unlikely: ${reason}` }) as const;
    if (dates.first < since)
      return unlikely(`the date is in ${yearOf(dates.first)}, but the service began in ${yearOf(since)}`);
    if (dates.last > now) return unlikely(`the date is in the future (${yearOf(dates.last)})`);
    return unlikely(`no such ids have been made since ${yearOf(until ?? now)}`);
  }
  if (probability >= LIKELY) return { likelihood: 'likely', reason: 'likely' };
  return probability >= POSSIBLE
    ? { likelihood: 'possible', reason: 'possible' }
    : { likelihood: 'unlikely', reason: 'unlikely: its other fields rarely have such values' };
}

const MOST_DATE_MS = 8.64e15;

function yearOf(ms: number): string {
  return ms > MOST_DATE_MS ? 'a year beyond the calendar' : String(new Date(ms).getUTCFullYear());
}
