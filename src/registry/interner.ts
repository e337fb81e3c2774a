import { checkInteger, checkOptions, checkRecord, checkU64, outOfRange, wrongKind } from '../arguments.js';
import { InternExhaustedError } from '../errors.js';
import { checkKey, distinctKeys } from './keys.js';
import { retrying } from './retrying.js';
import type { Block, Store } from './store.js';

export interface InternerOptions {
  store: Store;
  /**
   * Bits of the random prefix at the top of ids, 1 to 32; 14 unless given. A store keeps to the number it
   * was first used with.
   */
  prefixBits?: number | undefined;
}

// Each time another prefix: one that has no numbers left is met by chance only when nearly all are full.
const PREFIXES_TRIED = 5;

/**
 * Strings to integers and back, without collisions: equal strings have equal ids for ever, different ones
 * different ids, whoever asks, at however many places at once. An id is a random prefix with the next number
 * of its counter below it, and never 0.
 * @example
 * const interner = new Interner({ store: await lmdbStore('./ids.lmdb') });
 * const ids = await interner.internMany(['at://alice', 'at://bob']);
 * await interner.resolve(ids[0]); // 'at://alice'
 */
export class Interner {
  readonly prefixBits: number;
  readonly #store: Store;
  #settled: Promise<void> | undefined;

  /** @throws TypeError or RangeError for options of the wrong kind or value */
  constructor(options: InternerOptions) {
    checkRecord('options', options);
    const { store, prefixBits = 14 } = checkOptions(options, ['store', 'prefixBits']);
    checkRecord('store', store);
    this.#store = store;
    this.prefixBits = checkInteger('prefixBits', prefixBits, 1, 32);
  }

  /** The id of a string, as {@link Interner.internMany} gives it. */
  async intern(key: string): Promise<bigint> {
    return (await this.internMany([checkKey('key', key)]))[0] as bigint;
  }

  /**
   * The ids of strings, in their order; those that have none get one, durable when this resolves.
   * @param keys of any length, also empty; not with a lone surrogate, which could not be given back
   * @throws TypeError or RangeError, with the row, for what is no such string; nothing has been given an id then
   * @throws RangeError if the store has another number of prefix bits
   * @throws InternExhaustedError if five prefixes have no numbers left
   */
  async internMany(keys: readonly string[]): Promise<BigUint64Array> {
    const distinct = distinctKeys(keys);
    await this.#settle();
    const known = await retrying(() => this.#idsOf([...distinct.keys()]));
    let next = 0;
    for (const key of distinct.keys()) distinct.set(key, known[next++] as bigint);
    return BigUint64Array.from(keys, (key) => distinct.get(key) as bigint);
  }

  /** The ids of strings that have one, 0 for the others; gives none. Otherwise as {@link Interner.internMany}. */
  async lookupMany(keys: readonly string[]): Promise<BigUint64Array> {
    distinctKeys(keys);
    await this.#settle();
    return retrying(() => this.#store.lookup('strings', keys));
  }

  /**
   * The string of an id, if it is one of this store.
   * @throws TypeError or RangeError if `id` is not a u64
   */
  async resolve(id: bigint): Promise<string | undefined> {
    return (await this.resolveMany([id]))[0];
  }

  /** The strings of ids, in their order; as {@link Interner.resolve}. */
  async resolveMany(ids: BigUint64Array | readonly bigint[]): Promise<(string | undefined)[]> {
    if (!Array.isArray(ids) && !(ids instanceof BigUint64Array)) throw wrongKind('ids', 'bigints', ids);
    const checked = BigUint64Array.from(ids as readonly bigint[], (id) => checkU64('ids', id));
    await this.#settle();
    return retrying(() => this.#store.resolve('strings', checked));
  }

  /** Closes the store. */
  close(): Promise<void> {
    return this.#store.close();
  }

  async #idsOf(keys: readonly string[]): Promise<BigUint64Array> {
    const ids = await this.#store.lookup('strings', keys);
    const missing = keys.filter((_, i) => ids[i] === 0n);
    if (missing.length === 0) return ids;
    const assigned = (await this.#assign(missing)).values();
    return ids.map((id) => (id === 0n ? (assigned.next().value as bigint) : id));
  }

  async #assign(keys: readonly string[]): Promise<BigUint64Array> {
    for (let tried = 0; tried < PREFIXES_TRIED; tried++) {
      const ids = await this.#store.assign('strings', this.#randomBlock(), keys);
      if (ids !== undefined) return ids;
    }
    throw new InternExhaustedError(`${PREFIXES_TRIED} random prefixes have no room for ${keys.length} more strings`);
  }

  #randomBlock(): Block {
    const prefix = (crypto.getRandomValues(new Uint32Array(1))[0] as number) >>> (32 - this.prefixBits);
    const numberBits = BigInt(64 - this.prefixBits);
    return { prefix, base: BigInt(prefix) << numberBits, max: (1n << numberBits) - 1n };
  }

  #settle(): Promise<void> {
    this.#settled ??= this.#checkPrefixBits().catch((error) => {
      this.#settled = undefined; // to be tried again
      throw error;
    });
    return this.#settled;
  }

  async #checkPrefixBits(): Promise<void> {
    const kept = await retrying(() => this.#store.remember('prefixBits', String(this.prefixBits)));
    if (kept !== String(this.prefixBits)) throw outOfRange('prefixBits', `the store's ${kept}`, this.prefixBits);
  }
}
