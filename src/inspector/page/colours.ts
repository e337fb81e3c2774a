import type { Layout } from '../../index.js';

/** As many as the style sheet has; more fields begin anew. */
const COLOURS = 7;

/** The class that colours a field: times are blue in every layout, the others as they come. */
export function colourOf({ places, time }: Layout, field: string): string {
  if (field === time?.name) return 'c0';
  const others = places.filter(({ name }) => name !== time?.name);
  return `c${1 + (others.findIndex(({ name }) => name === field) % (COLOURS - 1))}`;
}
