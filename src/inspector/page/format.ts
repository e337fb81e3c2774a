import { formatId, type Layout, type TextFormat } from '../../index.js';
import type { View } from '../decode/inspection.js';

/** What panels show, once ids have been read. */
export interface PanelProps {
  readonly view: View;
  readonly layout: Layout;
}

const FORMAT = new Intl.NumberFormat('en');

/** `1,000,000`. */
export function count(value: number): string {
  return FORMAT.format(value);
}

/** `1 row`, `2 rows`. */
export function plural(value: number, noun: string): string {
  return `${count(value)} ${noun}${value === 1 ? '' : 's'}`;
}

/** The parts that there are, as one text. */
export function joined(parts: readonly (string | false | undefined)[], between = ', '): string {
  return parts.filter(Boolean).join(between);
}

/** An id as text, in decimal without zeros in front. */
export function shownId(id: bigint, format: TextFormat): string {
  return format === 'dec' ? String(id) : formatId(id, format);
}

/** The style sheet has seven colours. More fields begin again with the second. */
const COLOURS = 7;

/** The class that colours a field: times are blue in every layout, the others as they come. */
export function colourOf({ places, time }: Layout, field: string): string {
  if (field === time?.name) return 'c0';
  const others = places.filter(({ name }) => name !== time?.name);
  return `c${1 + (others.findIndex(({ name }) => name === field) % (COLOURS - 1))}`;
}

/** What the page depends on besides what is done in it. It is drawn again when one of them changes. */
export const MEDIA = {
  dark: '(prefers-color-scheme: dark)',
  forcedColours: '(forced-colors: active)',
  /** A phone: the table comes before the layout, and has its date first. */
  narrow: '(max-width: 45rem)',
  /** Fingers need targets of 44 px. */
  touch: '(pointer: coarse)',
} as const;

export function matches(medium: keyof typeof MEDIA): boolean {
  return matchMedia(MEDIA[medium]).matches;
}
