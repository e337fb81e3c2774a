import type { Layout } from '../index.js';
import { parseDate, timeFieldOf } from './options.js';
import { shown } from './usage.js';

/** The value of a field that a text is: a whole number, or for a timestamp also a date; or nothing. */
export function parseValue(layout: Layout, name: string, text: string): bigint | Date | undefined {
  if (/^[0-9]+$/.test(text)) return BigInt(text);
  return name === timeFieldOf(layout) ? parseDate(text) : undefined;
}

/** What to say of a text that is no value of a field. */
export function notAValue(layout: Layout, name: string, text: string): string {
  const orDate = name === timeFieldOf(layout) ? ' or a date that exists, such as 2024-03-01T10:30:15.500Z' : '';
  return `${name}: expected a whole number${orDate}, got ${shown(text)}`;
}
