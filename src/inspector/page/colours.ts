import type { Place } from '../decode/layout-choice.js';

/** As many as the style sheet has; more fields begin anew. */
const COLOURS = 7;

/** The class that colours a field: times are blue in every layout, the others as they come. */
export function colourOf(places: readonly Place[], index: number): string {
  if (places[index]?.epoch !== undefined) return 'c0';
  const before = places.slice(0, index).filter(({ epoch }) => epoch === undefined).length;
  return `c${1 + (before % (COLOURS - 1))}`;
}
