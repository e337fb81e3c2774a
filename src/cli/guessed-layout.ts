import type { Reading } from '../guess/index.js';
import type { Layout } from '../index.js';
import type { SampledIds } from './sampled-ids.js';

/** Services whose layouts the library does not have. `decode` takes their names, too. */
export const SERVICE_LAYOUTS: readonly string[] = ['tiktok'];

const MOST_OTHERS = 2;

/** A layout, its name for --layout, and the names of the next likeliest ones. */
export interface GuessedLayout {
  readonly name: string;
  readonly layout: Layout;
  readonly others: readonly string[];
}

/**
 * The likeliest layout of some ids, and other possible ones.
 * @param ids one or more
 * @param words texts around the ids; the first one that points to a service counts
 * @param columns the texts beside the first ids; dates that agree with those of the ids point to a service, too
 */
export async function guessLayout(
  ids: BigUint64Array,
  words: readonly string[],
  columns: SampledIds['columns'],
): Promise<GuessedLayout> {
  const { datesIn, rankServices } = await import('../guess/index.js');
  const [first, ...rest] = rankServices(ids, { now: Date.now(), words, dates: datesIn(columns) });
  const possible = rest.filter(({ misfit, isInUse }) => misfit === undefined && isInUse);
  const others = possible.slice(0, MOST_OTHERS).map(({ service }) => service.name);
  const { name, layout } = (first as Reading).service;
  return { name, layout, others };
}

/** The layouts of {@link SERVICE_LAYOUTS}. They are loaded only when needed. */
export async function serviceLayouts(): Promise<ReadonlyMap<string, Layout>> {
  const { SERVICES } = await import('../guess/index.js');
  const services = SERVICES.filter(({ name }) => SERVICE_LAYOUTS.includes(name));
  return new Map(services.map(({ name, layout }) => [name, layout]));
}
