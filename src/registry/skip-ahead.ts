import { checkInteger, checkOptions, checkRecord } from '../arguments.js';
import { StoreConflictError } from '../errors.js';
import { retrying } from './retrying.js';
import { DEFAULT_PREFIX_BITS, PREFIX_BITS_SETTING, type Store, skippedSetting, TOKENS_SETTING } from './store.js';

export interface SkipOptions {
  /** How many numbers every prefix skips; a 1,024th of its numbers by default. */
  strings?: number | undefined;
  /** How many of the 65,535 numbers of types to skip; 64 by default. */
  types?: number | undefined;
  /** How many lease tokens to skip; 1,000,000 by default. */
  tokens?: number | undefined;
}

/**
 * Skips numbers of strings, types and lease tokens, so that a restored backup does not give the same numbers again that
 * were given after the backup. Call it on the restored store, before anybody else uses it. Strings and types that were
 * interned after the backup get new ids; the old ids stay unknown.
 *
 * Minted ids need no skipping, because they contain the time. Let all leases that were held run out first.
 * @throws TypeError or RangeError for options of the wrong kind or value; what the store throws
 */
export async function skipAhead(store: Store, options?: SkipOptions): Promise<void> {
  checkRecord('store', store);
  const known = checkOptions(options, ['strings', 'types', 'tokens']);
  const bits = Number((await retrying(store, () => store.setting(PREFIX_BITS_SETTING))) ?? DEFAULT_PREFIX_BITS);
  const { strings = 2 ** Math.min(64 - bits - 10, 52), types = 64, tokens = 1_000_000 } = known;
  checkInteger('strings', strings, 0, Number.MAX_SAFE_INTEGER);
  checkInteger('types', types, 0, 65_535);
  checkInteger('tokens', tokens, 0, Number.MAX_SAFE_INTEGER);
  await add(store, skippedSetting('strings'), BigInt(strings), async () => 0n);
  await add(store, skippedSetting('types'), BigInt(types), async () => 0n);
  await add(store, TOKENS_SETTING, BigInt(tokens), async () => {
    const records = await store.shards();
    return records.reduce((most, { token }) => (token > most ? token : most), 0n);
  });
}

/** Adds to a setting that is a number. A smaller number counts as `atLeast`. */
async function add(store: Store, name: string, count: bigint, atLeast: () => Promise<bigint>): Promise<void> {
  await retrying(store, async () => {
    const [kept, least] = [await store.setting(name), await atLeast()];
    const last = BigInt(kept ?? 0);
    const next = (last > least ? last : least) + count;
    if (!(await store.replaceSetting(name, kept, String(next)))) {
      throw new StoreConflictError(`another process has set ${name}`);
    }
  });
}
