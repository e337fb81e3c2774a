import { SURROUNDINGS } from './cells.js';
import { wideStrength } from './wide-kinds.js';

const SURROUNDING = `[\\s${SURROUNDINGS.replace(/[\]\\]/g, '\\$&')}]+`;
const AROUND = new RegExp(`^${SURROUNDING}|${SURROUNDING}$`, 'g');
export const BETWEEN = new RegExp(SURROUNDING);

/** Ids of a few months and more have 15 digits; fewer are more often counters and times. */
const LONG = /^(?:-?(?:\d{15,20}|\d{1,3}(?:_\d{3}){4,})n?|0x[0-9a-f]{1,16}|[0-9a-f]{16})$/i;
const SHORT = /^-?\d{1,14}n?$/;
/** An id that lost its last digits: 1.37E+18, 1541815603606036500.0 */
const ROUNDED = /^-?(?:\d(?:[.,]\d+)?e\+?1[5-9]|\d{16,20}[.,]0+)$/i;
const CROCKFORD32 = /^[0-9A-HJKMNP-TV-Z]{13}$/i;
const BASE62 = /^[0-9A-Za-z]{10,11}$/;

/** How much a text looks like an id, 0 to 3. Without digits it is a word; in base62 it has letters of both cases, too. */
export function strength(text: string): number {
  const bare = text.replace(AROUND, '');
  if (LONG.test(bare) || ROUNDED.test(bare)) return 3;
  if (SHORT.test(bare)) return 1;
  const wide = wideStrength(bare);
  if (wide > 0 || !/\d/.test(bare)) return wide;
  if (CROCKFORD32.test(bare)) return 2;
  return BASE62.test(bare) && /[a-z]/.test(bare) && /[A-Z]/.test(bare) ? 2 : 0;
}

export function isIdLike(text: string): boolean {
  return strength(text) > 0;
}

export function sumOfStrengths(texts: readonly string[]): number {
  return texts.reduce((sum, text) => sum + strength(text), 0);
}

/** What the name of a column adds to the {@link strength} of its texts. */
export function nameBonus(path: string): number {
  const name = path.slice(path.lastIndexOf('.') + 1);
  const depth = path.split('.').length - 1;
  if (/^_?id$/i.test(name)) return 1 - depth * 0.1;
  if (/snowflake/i.test(name)) return 0.9;
  return /([_-]id|Id|ID|^id[_A-Z].*)$/.test(name) ? 0.5 - depth * 0.1 : 0;
}

/** Where the largest of some scores is, the first of equal ones. */
export function indexOfBest(scores: readonly number[]): number {
  return Math.max(0, scores.indexOf(Math.max(...scores)));
}
