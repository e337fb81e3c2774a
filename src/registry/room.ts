import { retrying } from './calls.js';
import { numberIn } from './settings.js';
import { DEFAULT_PREFIX_BITS, MAX_TYPE, type Space, type Store, skippedSetting, TOKENS_SETTING } from './store.js';

/** How many numbers a store can still give. */
export interface Room {
  /** Ids of new strings, in all prefixes together. */
  readonly strings: bigint;
  /** How many ids of strings there are in all. */
  readonly ofStrings: bigint;
  /** Numbers of new types, of 65,535. */
  readonly types: number;
  /** Tokens of leases. */
  readonly tokens: bigint;
}

/** Numbers that can be skipped. */
export interface Skippable {
  /** What was skipped until now; of tokens, the last one that may have been given. */
  readonly last: bigint;
  /** How many can be skipped so that one is left. */
  readonly most: bigint;
}

const MAX_TOKEN = 2n ** 63n - 1n; // of a signed integer in databases

/** How many numbers every prefix of strings has. */
export function numbersAPrefix(prefixBits = DEFAULT_PREFIX_BITS): bigint {
  return 2n ** BigInt(64 - prefixBits);
}

/** What a store can still give, and what can be skipped. */
export async function roomOf(
  store: Store,
  prefixBits = DEFAULT_PREFIX_BITS,
): Promise<{ room: Room; skippable: { readonly [what in 'strings' | 'types' | 'tokens']: Skippable } }> {
  const strings = await usedOf(store, 'strings');
  const types = await usedOf(store, 'types');
  const prefixes = 2 ** prefixBits;
  const max = numbersAPrefix(prefixBits) - 1n;
  const most = positive(max - strings.skipped);
  const given = [...strings.counters.values()];
  const lowest = given.length < prefixes ? 0n : given.reduce((least, last) => (last < least ? last : least));
  const used = given.reduce((sum, last) => sum + (last < most ? last : most), 0n);
  const typesLeft = positive(BigInt(MAX_TYPE) - types.skipped - (types.counters.get(0) ?? 0n));
  const token = await lastToken(store);
  return {
    room: {
      strings: most * BigInt(prefixes) - used,
      ofStrings: max * BigInt(prefixes),
      types: Number(typesLeft),
      tokens: positive(MAX_TOKEN - token),
    },
    skippable: {
      strings: { last: strings.skipped, most: positive(most - lowest - 1n) },
      types: { last: types.skipped, most: positive(typesLeft - 1n) },
      tokens: { last: token, most: positive(MAX_TOKEN - token - 1n) },
    },
  };
}

async function usedOf(store: Store, space: Space) {
  const counters = await retrying(store, () => store.counters(space));
  return { counters, skipped: await numberIn(store, skippedSetting(space)) };
}

async function lastToken(store: Store): Promise<bigint> {
  const skipped = await numberIn(store, TOKENS_SETTING);
  const records = await retrying(store, () => store.shards());
  return records.reduce((last, { token }) => (token > last ? token : last), skipped);
}

function positive(value: bigint): bigint {
  return value > 0n ? value : 0n;
}
