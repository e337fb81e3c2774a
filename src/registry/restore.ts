import { checkBoolean, checkInteger, checkOptions, checkRecord, MAX_TIMER_MS, wrongValue } from '../arguments.js';
import { checkedClock, EPOCH, YEARS_139_MS } from './calls.js';
import { checkIsNoTarget, RESTORE, readState, setState, usable } from './identity.js';
import { checkStore, numbersAPrefix, roomOf, type Skippable, type StoreSummary } from './maintenance.js';
import { changeNumber, checkBy, type JournalAction, type JournalOptions, record } from './settings.js';
import { FLOOR_SETTING, MAX_AHEAD_MS, MAX_TYPE, refused, type Store, skippedSetting, TOKENS_SETTING } from './store.js';

export interface SkipOptions extends JournalOptions {
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
}

export interface RestoreOptions extends SkipOptions {
  /**
   * Takes back a store that was moved away, because the second store is lost; false by default. What was given there is
   * lost with it, as what was given after a backup. If the second store comes to light again, every move refuses it, but
   * do not start processes with it: both stores would give ids.
   */
  isTargetLost?: boolean | undefined;
}

/** What {@link skipAhead} or {@link restoreStore} did, and what the store holds. */
export interface SkipOutcome extends StoreSummary {
  /** `taken back`: it was restored after the store to which it had been moved was lost. */
  readonly outcome: 'skipped' | 'restored' | 'taken back';
  /** When minting resumes, by the store's clock. */
  readonly resumes: Date;
  /** The new name of the file that `restoreSqlite` replaced; absent if there was none. */
  readonly replaced?: string | undefined;
}

const OPTIONS = ['strings', 'types', 'tokens', 'leadMs', 'by'] as const;
const TYPES = 64; // skipped by default

function checkSkipping({ strings, types, tokens, leadMs = MAX_AHEAD_MS, by }: SkipOptions) {
  if (strings !== undefined) checkInteger('strings', strings, 0, Number.MAX_SAFE_INTEGER);
  if (types !== undefined) checkInteger('types', types, 0, MAX_TYPE);
  if (tokens !== undefined) checkInteger('tokens', tokens, 0, Number.MAX_SAFE_INTEGER);
  checkInteger('leadMs', leadMs, 0, MAX_TIMER_MS);
  return { strings, types, tokens, leadMs, by: checkBy(by) };
}

/**
 * Skips numbers of strings, types and lease tokens, so that a store that has lost its last numbers does not give them
 * again, and lets nobody mint before the store's clock plus `leadMs`, so that no id is minted again. Call it after a
 * failover to a standby that had not caught up, before anybody else uses the store, when all leases that were held have
 * run out. Strings and types that were lost get new ids; the old ids stay unknown. For a restored backup use
 * {@link restoreStore}.
 *
 * It checks the store first (see `checkStore`), which is slow, and changes nothing if the store is damaged, if no numbers
 * would be left, or if the store's clock is wrong.
 * @returns when minting resumes, and what is left
 * @throws StoreCorruptError if the store is damaged
 * @throws StoreConflictError with a `reason`, if there is no store, it was moved away, or no numbers would be left
 * @throws RangeError for the argument `clock`, if the store's clock is not between 2025 and 2164, or differs from this
 *   machine's by more than an hour
 * @throws TypeError or RangeError for options of the wrong kind or value; what the store throws
 */
export async function skipAhead(store: Store, options?: SkipOptions): Promise<SkipOutcome> {
  checkRecord('store', store);
  const skipping = checkSkipping(checkOptions(options, OPTIONS));
  if ((await readState(store)) === undefined) throw refused('absent', 'there is no store');
  await checkedClock(store);
  const skip = await planned(store, skipping);
  const done = await skip('skip-ahead');
  return { outcome: 'skipped', ...done, room: (await roomOf(store, done.prefixBits)).room };
}

/**
 * Makes a restored backup fit to be used: checks the store, begins a new generation, which everybody notices who had
 * opened the store before, and skips ahead as {@link skipAhead} does. Nobody can use the store until this is complete;
 * if it was interrupted, call it again.
 *
 * With `isTargetLost` it takes back a store that was moved away, in the same way and at the same price.
 * @returns when minting resumes, and what is left
 * @throws StoreCorruptError if the store is damaged; nothing has been changed then
 * @throws StoreConflictError with a `reason`, if there is no store; if it was moved away, without `isTargetLost`; if it was
 *   not, with it; if it is the second store of a move that is not complete; or if no numbers would be left. Nothing has
 *   been changed then
 * @throws RangeError for the argument `clock`, as {@link skipAhead}
 * @throws TypeError or RangeError for options of the wrong kind or value; what the store throws
 */
export async function restoreStore(store: Store, options?: RestoreOptions): Promise<SkipOutcome> {
  checkRecord('store', store);
  const { isTargetLost = false, ...others } = checkOptions(options, [...OPTIONS, 'isTargetLost']);
  const skipping = checkSkipping(others);
  checkBoolean('isTargetLost', isTargetLost);
  const found = await readState(store);
  if (found === undefined) throw refused('absent', 'there is no store to restore');
  const { text, state } = found;
  const { movedTo, next, incomplete, lost = [] } = state;
  const isInterrupted = incomplete === RESTORE;
  checkIsNoTarget(state);
  if (movedTo !== undefined && !isTargetLost) {
    throw refused('moved', `the store was moved to ${movedTo}, and cannot be used again unless that store is lost`);
  }
  if (movedTo === undefined && isTargetLost) {
    throw refused('not moved', 'the store was not moved away, so no other store can be lost');
  }
  await checkedClock(store);
  const generation = isInterrupted ? state.generation : crypto.randomUUID();
  const isNew = next !== undefined && !lost.includes(next);
  const restoring = { ...state, place: undefined, generation, lost: isNew ? [...lost, next] : state.lost };
  // First, because the check can take minutes, in which a process that was not stopped would give the same numbers again.
  const owned = await setState(store, text, { ...restoring, incomplete: RESTORE, worker: crypto.randomUUID() });
  const skip = await planned(store, skipping).catch(async (error) => {
    if (!isInterrupted) await setState(store, owned, state);
    throw error;
  });
  const done = await skip('restore', movedTo === undefined ? '' : `taken back, because ${movedTo} is lost; `);
  await setState(store, owned, usable(restoring));
  const { room } = await roomOf(store, done.prefixBits);
  return { outcome: movedTo === undefined ? 'restored' : 'taken back', ...done, room, generation, movedTo: undefined };
}

// A backup does not know what was skipped to when it, or another one, was restored before. If each restore skipped a fixed
// count, a second one would skip to the numbers that were given after the first. So the place depends on the time, and no
// prefix can catch up with it, unless it gives all its numbers within 139 years.

/**
 * How many numbers to skip at a time of the store's clock.
 * @param least as many as must be skipped in any case
 * @param numbers how many there are in all
 */
function skipTo(now: number, least: bigint, numbers: bigint): bigint {
  const place = (BigInt(Math.floor(now) - EPOCH) * numbers) / YEARS_139_MS;
  // Two restores at different times are apart in either case; in the second one as long as they are within two years.
  return place > least ? place : least + (place % (numbers >> 6n));
}

/**
 * Checks the store, and that numbers are left after a skip, before anything is changed.
 * @returns what skips them, writes to the journal, and returns what the store holds and when minting resumes
 */
async function planned(store: Store, skipping: ReturnType<typeof checkSkipping>) {
  const summary = await checkStore(store);
  const { prefixBits } = summary;
  const now = await checkedClock(store);
  const { strings, types, tokens } = (await roomOf(store, prefixBits)).skippable;
  const numbers = numbersAPrefix(prefixBits);
  const place = skipTo(now, strings.last + (numbers >> 10n), numbers);
  const skips = [
    [skippedSetting('strings'), nextOf('strings', strings, skipping.strings, place)],
    [skippedSetting('types'), nextOf('types', types, skipping.types, types.last + BigInt(TYPES))],
    [TOKENS_SETTING, nextOf('tokens', tokens, skipping.tokens, skipTo(now, tokens.last + 1n, YEARS_139_MS))],
  ] as const;
  return async (action: JournalAction, why = '') => {
    for (const [name, next] of skips) await changeNumber(store, name, (kept) => (next > kept ? next : kept));
    // Last, and by the clock of that time. Holders of earlier leases may mint while numbers are skipped.
    const floor = await changeNumber(store, FLOOR_SETTING, async (kept) => {
      const next = BigInt(Math.ceil((await checkedClock(store)) + skipping.leadMs));
      return next > kept ? next : kept;
    });
    const resumes = new Date(Number(floor));
    await record(store, action, skipping.by, `${why}minting resumes at ${resumes.toISOString()}`);
    return { ...summary, resumes };
  };
}

/** @throws RangeError or StoreConflictError if no number would be left */
function nextOf(what: string, { last, most }: Skippable, asked: number | undefined, byDefault: bigint): bigint {
  const next = asked === undefined ? byDefault : last + BigInt(asked);
  if (asked === 0 || next - last <= most) return next;
  if (asked !== undefined) throw wrongValue(what, `an integer from 0 to ${most}, so that a number is left`, asked);
  const problem = `skipping ${next - last} numbers of ${what} would leave none: at most ${most} can be skipped`;
  const advice = `Say with "${what}" how many to skip: the next one must not have been given yet`;
  throw refused('exhausted', `${problem}. ${advice}`);
}
