import { wrongValue } from '../arguments.js';
import { retrying } from './calls.js';
import { MAX_AHEAD_MS, type Store } from './store.js';

// What a restore skips to, and until when nobody may mint, follow from the store's clock. A machine without a battery begins
// at 1970 after every power cut, and two restores would skip to the same numbers.

/** The start of the time from which numbers are made, and its length. */
export const EPOCH = Date.UTC(2025, 0);
export const YEARS_139_MS = 2n ** 42n;

/**
 * The store's clock, for something that cannot be undone.
 * @throws RangeError if it is wrong: outside of the years in which numbers are made of it, or, as far as a server has a
 *   clock of its own, more than an hour away from this machine's
 */
export async function checkedClock(store: Store): Promise<number> {
  const now = await retrying(store, () => store.now());
  const here = Date.now();
  const isInRange = now >= EPOCH && now < EPOCH + Number(YEARS_139_MS);
  if (isInRange && Math.abs(now - here) <= MAX_AHEAD_MS) return now;
  const expected = isInRange ? `at most an hour from this machine's clock (${iso(here)})` : 'a time from 2025 to 2164';
  throw wrongValue('clock', `the store's clock to be ${expected}`, iso(now), undefined, iso(now));
}

function iso(ms: number): string {
  const date = new Date(ms);
  return Number.isNaN(date.getTime()) ? `${ms} ms` : date.toISOString();
}
