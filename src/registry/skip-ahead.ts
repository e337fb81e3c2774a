import { checkInteger, checkOptions, checkRecord, LONGEST_TIMER_MS } from '../arguments.js';
import { checkStore } from './check-store.js';
import { changeNumber } from './settings.js';
import { MOST_AHEAD_MS } from './shard-records.js';
import { DEFAULT_PREFIX_BITS, FLOOR_SETTING, type Store, skippedSetting, TOKENS_SETTING } from './store.js';

export interface SkipOptions {
  /** How many numbers every prefix skips; a 1,024th of its numbers by default. */
  strings?: number | undefined;
  /** How many of the 65,535 numbers of types to skip; 64 by default. */
  types?: number | undefined;
  /** How many lease tokens to skip; 1,000,000 by default. */
  tokens?: number | undefined;
  /**
   * How far the clock of a lost holder may have been ahead of the store's, in milliseconds, 0 to 2147483647; an hour by
   * default. A store refuses holders that are more than an hour ahead. A clock that jumps while its lease lasts can add up
   * to the `ttlMs` of that lease.
   */
  leadMs?: number | undefined;
}

/**
 * Skips numbers of strings, types and lease tokens, so that a restored backup does not give the same numbers again that
 * were given after the backup, and lets nobody mint before the store's clock plus `leadMs`, so that no id is minted again.
 * Call it on the restored store, before anybody else uses it, when all leases that were held have run out. Strings and
 * types that were interned after the backup get new ids; the old ids stay unknown.
 *
 * It checks the store first (see `checkStore`), which is slow, and changes nothing if the store is damaged.
 * @returns when minting resumes
 * @throws StoreCorruptError if the store is damaged
 * @throws TypeError or RangeError for options of the wrong kind or value; what the store throws
 */
export async function skipAhead(store: Store, options?: SkipOptions): Promise<Date> {
  checkRecord('store', store);
  const known = checkOptions(options, ['strings', 'types', 'tokens', 'leadMs']);
  const { types = 64, tokens = 1_000_000, leadMs = MOST_AHEAD_MS } = known;
  if (known.strings !== undefined) checkInteger('strings', known.strings, 0, Number.MAX_SAFE_INTEGER);
  checkInteger('types', types, 0, 65_535);
  checkInteger('tokens', tokens, 0, Number.MAX_SAFE_INTEGER);
  checkInteger('leadMs', leadMs, 0, LONGEST_TIMER_MS);
  const { prefixBits = DEFAULT_PREFIX_BITS } = await checkStore(store);
  const strings = known.strings ?? 2 ** Math.min(64 - prefixBits - 10, 52);
  await changeNumber(store, skippedSetting('strings'), (last) => last + BigInt(strings));
  await changeNumber(store, skippedSetting('types'), (last) => last + BigInt(types));
  await changeNumber(store, TOKENS_SETTING, async (last) => {
    const given = (await store.shards()).map(({ token }) => token);
    return largest(last, ...given) + BigInt(tokens);
  });
  const floor = await changeNumber(store, FLOOR_SETTING, async (last) =>
    largest(last, BigInt(Math.ceil((await store.now()) + leadMs))),
  );
  return new Date(Number(floor));
}

function largest(...values: [bigint, ...bigint[]]): bigint {
  return values.reduce((most, value) => (value > most ? value : most));
}
