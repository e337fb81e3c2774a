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
    const [likelihood, why] = judge(reading, clues.now);
    const fits = reading.isInUse && reading.dates !== undefined;
    return { name, title, what, choice, fits, likelihood, reason: `${likelihood}${why && `: ${why}`}` };
  });
}

function judge(
  { misfit, probability, service, dates, isInUse }: Reading,
  now: number,
): [likelihood: ReadingView['likelihood'], why: string] {
  const { since, until = now, layout } = service;
  if (misfit !== undefined) {
    const why =
      misfit.kind === 'bits'
        ? `the id has ${misfit.bits} bits, the layout has ${layout.bits}`
        : `${misfit.field} is ${misfit.value}, but starts at ${misfit.min}`;
    return ['impossible', why];
  }
  if (dates !== undefined && !isInUse) {
    const { first, last } = dates;
    if (first < since)
      return ['unlikely', `the date is in ${yearOf(first)}, but the service began in ${yearOf(since)}`];
    if (last > now) return ['unlikely', `the date is in the future (${yearOf(last)})`];
    return ['unlikely', `no such ids have been made since ${yearOf(until)}`];
  }
  if (probability >= LIKELY) return ['likely', ''];
  return probability >= POSSIBLE ? ['possible', ''] : ['unlikely', 'its other fields rarely have such values'];
}

const MOST_DATE_MS = 8.64e15;

function yearOf(ms: number): string {
  return ms > MOST_DATE_MS ? 'a year beyond the calendar' : String(new Date(ms).getUTCFullYear());
}
