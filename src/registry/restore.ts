import { checkInteger, checkOptions, checkRecord, MAX_TIMER_MS } from '../arguments.js';
import { StoreConflictError } from '../errors.js';
import { readState, setState } from './identity.js';
import { checkBy, record } from './journal.js';
import { checkStore } from './maintenance.js';
import { changeNumber } from './settings.js';
import {
  DEFAULT_PREFIX_BITS,
  FLOOR_SETTING,
  MAX_AHEAD_MS,
  type Store,
  skippedSetting,
  TOKENS_SETTING,
} from './store.js';

export interface SkipOptions {
  /**
   * How many numbers every prefix skips: a 1,024th of its numbers or more by default. How many more depends on the store's
   * clock, so that no two restores skip to the same numbers: every prefix goes on at the part of its numbers that the time
   * since 2025 is of 139 years, or up to a 64th further on if it is there already. A fixed number must reach beyond all
   * numbers that were given since the backup, also after earlier restores; otherwise numbers are given twice.
   */
  strings?: number | undefined;
  /**
   * How many of the 65,535 numbers of types to skip; 64 by default. If you have restored a backup before, skip so many that
   * the next number is larger than that of every type that was ever interned.
   */
  types?: number | undefined;
  /**
   * How many lease tokens to skip. By default new tokens begin at the number of milliseconds since 2025, or further on if
   * the last one is larger. A fixed number must reach beyond all that were given, as with `strings`.
   */
  tokens?: number | undefined;
  /**
   * How far the clock of a lost holder may have been ahead of the store's, in milliseconds, 0 to 2147483647; an hour by
   * default. A store refuses holders that are more than an hour ahead. A clock that jumps while its lease lasts, or a
   * generator that borrows time, can add up to the `ttlMs` of that lease and ten seconds.
   */
  leadMs?: number | undefined;
  /** Who does it, for the journal; `shardbits` by default. */
  by?: string | undefined;
}

interface Skipping {
  readonly strings: number | undefined;
  readonly types: number;
  readonly tokens: number | undefined;
  readonly leadMs: number;
  readonly by: string;
}

function checkSkipping(options: SkipOptions | undefined): Skipping {
  const known = checkOptions(options, ['strings', 'types', 'tokens', 'leadMs', 'by']);
  const { strings, types = 64, tokens, leadMs = MAX_AHEAD_MS } = known;
  if (strings !== undefined) checkInteger('strings', strings, 0, Number.MAX_SAFE_INTEGER);
  checkInteger('types', types, 0, 65_535);
  if (tokens !== undefined) checkInteger('tokens', tokens, 0, Number.MAX_SAFE_INTEGER);
  checkInteger('leadMs', leadMs, 0, MAX_TIMER_MS);
  return { strings, types, tokens, leadMs, by: checkBy(known.by) };
}

/**
 * Skips numbers of strings, types and lease tokens, so that a store that has lost its last numbers does not give them
 * again, and lets nobody mint before the store's clock plus `leadMs`, so that no id is minted again. Call it after a
 * failover to a standby that had not caught up, before anybody else uses the store, when all leases that were held have
 * run out. Strings and types that were lost get new ids; the old ids stay unknown. For a restored backup use
 * {@link restoreStore}.
 *
 * It checks the store first (see `checkStore`), which is slow, and changes nothing if the store is damaged.
 * @returns when minting resumes
 * @throws StoreCorruptError if the store is damaged
 * @throws TypeError or RangeError for options of the wrong kind or value; what the store throws
 */
export async function skipAhead(store: Store, options?: SkipOptions): Promise<Date> {
  checkRecord('store', store);
  const skipping = checkSkipping(options);
  const { prefixBits } = await checkStore(store);
  const resumes = await skip(store, skipping, prefixBits);
  await record(store, 'skip-ahead', skipping.by, `minting resumes at ${resumes.toISOString()}`);
  return resumes;
}

/**
 * Makes a restored backup fit to be used: checks the store, begins a new generation, which everybody notices who had
 * opened the store before, and skips ahead as {@link skipAhead} does. Nobody can use the store until this is complete;
 * if it was interrupted, call it again.
 * @returns when minting resumes
 * @throws StoreCorruptError if the store is damaged; nothing has been changed then
 * @throws StoreConflictError if the store has been moved away, or is the second store of a move that is not complete
 * @throws TypeError or RangeError for options of the wrong kind or value; what the store throws
 */
export async function restoreStore(store: Store, options?: SkipOptions): Promise<Date> {
  checkRecord('store', store);
  const skipping = checkSkipping(options);
  const found = await readState(store);
  if (found === undefined) throw refused('there is no store to restore');
  const { text, state } = found;
  if (state.movedTo !== undefined) throw refused(`the store was moved to ${state.movedTo}, and cannot be used again`);
  const isInterrupted = state.incomplete === RESTORE;
  if (state.incomplete !== undefined && !isInterrupted) throw refused(`${state.incomplete} is not complete`);
  const { identity } = state;
  const generation = isInterrupted ? state.generation : crypto.randomUUID();
  const restoring = { identity, generation, incomplete: RESTORE, worker: crypto.randomUUID() };
  // First, because the check can take minutes, in which a process that was not stopped would give the same numbers again.
  const owned = await setState(store, text, restoring);
  const { prefixBits } = await checkStore(store).catch(async (error) => {
    if (!isInterrupted) await setState(store, owned, state);
    throw error;
  });
  const resumes = await skip(store, skipping, prefixBits);
  await record(store, 'restore', skipping.by, `minting resumes at ${resumes.toISOString()}`);
  await setState(store, owned, { identity, generation });
  return resumes;
}

const RESTORE = 'a restore';

function refused(message: string): StoreConflictError {
  return new StoreConflictError(message, { isTransient: false });
}

// A backup does not know what was skipped to when it, or another one, was restored before. If each restore skipped a fixed
// count, a second one would skip to the numbers that were given after the first. So the place depends on the time, and no
// prefix can catch up with it, unless it gives all its numbers within 139 years.

const EPOCH = Date.UTC(2025, 0);
const YEARS_139 = 2n ** 42n; // in milliseconds

/**
 * How many numbers to skip at a time of the store's clock.
 * @param least as many as must be skipped in any case
 * @param numbers how many there are in all
 */
function skipTo(now: number, least: bigint, numbers: bigint): bigint {
  const place = (BigInt(Math.max(0, Math.floor(now) - EPOCH)) * numbers) / YEARS_139;
  // Two restores at different times are apart in either case; in the second one as long as they are within two years.
  return place > least ? place : least + (place % (numbers >> 6n));
}

async function skip(store: Store, skipping: Skipping, prefixBits = DEFAULT_PREFIX_BITS): Promise<Date> {
  const { types, leadMs } = skipping;
  const [strings, tokens] = [skipping.strings, skipping.tokens].map((n) => (n === undefined ? n : BigInt(n)));
  const numbers = 2n ** BigInt(64 - prefixBits);
  await changeNumber(store, skippedSetting('strings'), async (last) =>
    strings === undefined ? skipTo(await store.now(), last + (numbers >> 10n), numbers) : last + strings,
  );
  await changeNumber(store, skippedSetting('types'), (last) => last + BigInt(types));
  await changeNumber(store, TOKENS_SETTING, async (last) => {
    const given = largest(last, ...(await store.shards()).map(({ token }) => token));
    return tokens === undefined ? skipTo(await store.now(), given + 1n, YEARS_139) : given + tokens;
  });
  const floor = await changeNumber(store, FLOOR_SETTING, async (last) =>
    largest(last, BigInt(Math.ceil((await store.now()) + leadMs))),
  );
  return new Date(Number(floor));
}

function largest(...values: [bigint, ...bigint[]]): bigint {
  return values.reduce((most, value) => (value > most ? value : most));
}
