import { formatId, type Layout, type TextFormat } from '../../index.js';
import type { View } from '../decode/inspection.js';

const FORMAT = new Intl.NumberFormat('en');

/** `1,000,000`. */
export function count(value: number): string {
  return FORMAT.format(value);
}

/** `1 row`, `2 rows`. */
export function plural(value: number, noun: string): string {
  return `${count(value)} ${noun}${value === 1 ? '' : 's'}`;
}

export function byteSize(bytes: number): string {
  if (bytes < 1000) return `${bytes} bytes`;
  return bytes < 1e6 ? `${(bytes / 1e3).toFixed(1)} KB` : `${(bytes / 1e6).toFixed(1)} MB`;
}

export function milliseconds(ms: number): string {
  return ms < 10 ? ms.toFixed(1) : ms.toFixed(0);
}

/** Without zeros in front in decimal. */
export function shownId(id: bigint, format: TextFormat): string {
  return format === 'dec' ? String(id) : formatId(id, format);
}

/** What panels show, once ids have been read. */
export interface Shown {
  readonly view: View;
  readonly layout: Layout;
}

/** As many as the style sheet has; more fields begin anew. */
const COLOURS = 7;

/** The class that colours a field: times are blue in every layout, the others as they come. */
export function colourOf({ places, time }: Layout, field: string): string {
  if (field === time?.name) return 'c0';
  const others = places.filter(({ name }) => name !== time?.name);
  return `c${1 + (others.findIndex(({ name }) => name === field) % (COLOURS - 1))}`;
}
