import {
  checkBoolean,
  checkFunction,
  checkInteger,
  checkOptions,
  checkRecord,
  checkU64,
  wrongValue,
} from '../arguments.js';
import { checkU64Column } from '../columns/u64-column.js';
import { InternExhaustedError } from '../errors.js';
import { type CallOptions, callOf } from './call.js';
import { answered, letOthersRun } from './event-loop.js';
import { notify, type OnEvent } from './events.js';
import { IdCache } from './id-cache.js';
import { checkKey, distinctKeys } from './keys.js';
import { retrying } from './retrying.js';
import { rememberSetting } from './settings.js';
import { type Block, DEFAULT_PREFIX_BITS, PREFIX_BITS_SETTING, type Store } from './store.js';

export interface InternerOptions {
  store: Store;
  /**
   * The number of bits of the random prefix at the top of ids, 1 to 32; 14 by default. A store keeps the number that it
   * was first used with, and a read-only interner uses that one by default.
   */
  prefixBits?: number | undefined;
  /** How many strings to keep in memory with their ids, which never change; 0 to 2^24, 0 by default. */
  cache?: number | undefined;
  /** Gives no ids and writes nothing: for replicas, and for users who may only read. */
  readOnly?: boolean | undefined;
  /** Called with retries, commits and full prefixes. */
  onEvent?: OnEvent | undefined;
}

const OPTIONS = ['store', 'prefixBits', 'cache', 'readOnly', 'onEvent'] as const;
const MAX_CACHE = 2 ** 24; // the most entries of a Map

// Every try takes another random prefix: five full ones in a row are likely only when nearly all are full.
const PREFIXES_TRIED = 5;

/**
 * Turns strings into integers and back, without collisions: equal strings always have the same id, and different
 * strings never do, however many processes ask at once. An id is a random prefix followed by the next number of that
 * prefix's counter. It is never 0.
 * @example
 * const interner = new Interner({ store: await sqliteStore('./ids.db') });
 * const ids = await interner.internMany(['at://alice', 'at://bob']);
 * await interner.resolve(ids[0]); // 'at://alice'
 */
export class Interner implements AsyncDisposable {
  readonly #store: Store;
  readonly #readOnly: boolean;
  readonly #givenPrefixBits: number | undefined;
  readonly #cache: IdCache;
  readonly #onEvent: OnEvent | undefined;
  #prefixBits: number;
  #isSettled = false;

  /** @throws TypeError or RangeError for options of the wrong kind or value */
  constructor(options: InternerOptions) {
    checkRecord('options', options);
    const { store, prefixBits, cache = 0, readOnly = false, onEvent } = checkOptions(options, OPTIONS);
    checkRecord('store', store);
    if (onEvent !== undefined) checkFunction('onEvent', onEvent);
    this.#store = store;
    this.#readOnly = checkBoolean('readOnly', readOnly);
    this.#givenPrefixBits = prefixBits;
    this.#prefixBits = checkInteger('prefixBits', prefixBits === undefined ? DEFAULT_PREFIX_BITS : prefixBits, 1, 32);
    this.#cache = new IdCache(checkInteger('cache', cache, 0, MAX_CACHE));
    this.#onEvent = onEvent;
  }

  /** Bits of the random prefix at the top of ids. */
  get prefixBits(): number {
    return this.#prefixBits;
  }

  /** The id of a string, as {@link Interner.internMany} gives it. */
  async intern(key: string, options?: CallOptions): Promise<bigint> {
    return (await this.internMany([checkKey('key', key)], options))[0] as bigint;
  }

  /**
   * Gives the ids of strings, in their order. A string without an id gets one, which is durable when this resolves.
   * @param keys strings of any length, including empty ones; a lone surrogate is rejected, because it has no UTF-8
   * @throws TypeError or RangeError that names the row, if a key is not such a string; no ids have been given then
   * @throws RangeError if the store has another number of prefix bits
   * @throws RangeError that names the row, if the interner is read-only and a string has no id
   * @throws InternExhaustedError if five prefixes have no numbers left
   * @throws StoreUnavailableError, StoreConflictError, StoreCorruptError from the store
   */
  async internMany(keys: readonly string[], options?: CallOptions): Promise<BigUint64Array> {
    return this.#cached(keys, options, async (unknown, asked) => {
      const ids = await this.#idsOf(unknown);
      if (this.#readOnly) checkAllFound(asked, unknown, ids);
      return ids;
    });
  }

  /** Like {@link Interner.internMany}, but gives no new ids, and 0 for a string that has none. */
  async lookupMany(keys: readonly string[], options?: CallOptions): Promise<BigUint64Array> {
    return this.#cached(keys, options, (unknown) => this.#known(unknown));
  }

  /**
   * The string of an id; undefined if the store does not have the id.
   * @throws TypeError or RangeError if `id` is not a u64
   */
  async resolve(id: bigint, options?: CallOptions): Promise<string | undefined> {
    return (await this.resolveMany([id], options))[0];
  }

  /** The strings of ids, in their order; see {@link Interner.resolve}. */
  async resolveMany(ids: BigUint64Array | readonly bigint[], options?: CallOptions): Promise<(string | undefined)[]> {
    const call = callOf(options);
    const checked = Array.isArray(ids)
      ? BigUint64Array.from(ids, (id, row) => checkU64('ids', id, row))
      : checkU64Column('ids', ids as BigUint64Array).slice();
    return this.#retrying(async () => {
      await this.#settle();
      return this.#store.resolve('strings', checked);
    }, call);
  }

  /** How many strings have an id. */
  async count(options?: CallOptions): Promise<number> {
    return this.#retrying(() => this.#store.count('strings'), callOf(options));
  }

  /**
   * All strings that have an id when the iteration begins, with their ids, in the store's own order. Strings that get
   * one during the iteration may be among them. It never holds all of them in memory.
   */
  async *entries(): AsyncIterableIterator<[string, bigint]> {
    for await (const { keys, ids } of this.#store.entries('strings')) {
      for (const [row, key] of keys.entries()) yield [key, ids[row] as bigint];
    }
  }

  /** Closes the store. */
  close(): Promise<void> {
    return this.#store.close();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  /** The ids of keys, as they are now. It asks once for each key that is not cached. */
  async #cached(
    keys: readonly string[],
    options: CallOptions | undefined,
    idsOf: (unknown: readonly string[], asked: readonly string[]) => Promise<BigUint64Array>,
  ): Promise<BigUint64Array> {
    const call = callOf(options);
    const known = this.#cache.all(keys);
    if (known !== undefined) return answered(known);
    const distinct = distinctKeys(keys);
    const asked = keys.slice(); // the caller may change its array while this waits
    const unknown = this.#cache.fill(distinct);
    if (unknown.length > 0) {
      const ids = await this.#retrying(() => idsOf(unknown, asked), call);
      for (const [row, key] of unknown.entries()) distinct.set(key, ids[row] as bigint);
      this.#cache.keep(unknown, ids);
    }
    return BigUint64Array.from(asked, (key) => distinct.get(key) as bigint);
  }

  async #idsOf(keys: readonly string[]): Promise<BigUint64Array> {
    const ids = await this.#known(keys);
    if (this.#readOnly) return ids;
    const missing = keys.filter((_, row) => ids[row] === 0n);
    if (missing.length === 0) return ids;
    await this.#settleForGood();
    const assigned = await this.#assign(missing);
    let next = 0;
    for (let row = 0; row < ids.length; row++) if (ids[row] === 0n) ids[row] = assigned[next++] as bigint;
    return ids;
  }

  async #known(keys: readonly string[]): Promise<BigUint64Array> {
    await this.#settle();
    return this.#store.lookup('strings', keys);
  }

  async #assign(keys: readonly string[]): Promise<BigUint64Array> {
    for (let tried = 0; tried < PREFIXES_TRIED; tried++) {
      const block = this.#randomBlock();
      const began = performance.now();
      const ids = await this.#store.assign('strings', block, keys);
      if (ids === undefined) {
        notify(this.#onEvent, { type: 'full', prefix: block.prefix });
        continue;
      }
      const last = ids.reduce((most, id) => (id > most ? id : most), 0n) - block.base;
      const room = last > 0n && last <= block.max ? block.max - last : block.max;
      notify(this.#onEvent, { type: 'commit', ms: performance.now() - began, keys: keys.length, room });
      return ids;
    }
    throw new InternExhaustedError(`${PREFIXES_TRIED} random prefixes have no room for ${keys.length} more strings`);
  }

  #randomBlock(): Block {
    const prefix = (crypto.getRandomValues(new Uint32Array(1))[0] as number) >>> (32 - this.#prefixBits);
    const numberBits = BigInt(64 - this.#prefixBits);
    return { prefix, base: BigInt(prefix) << numberBits, max: (1n << numberBits) - 1n };
  }

  /** Checks the number of prefix bits against the one in the store, if there is one. */
  async #settle(): Promise<void> {
    if (this.#isSettled) return;
    const kept = await this.#store.setting(PREFIX_BITS_SETTING);
    if (kept !== undefined) this.#agree(kept);
  }

  /** Like {@link #settle}, but stores the number if the store has none. */
  async #settleForGood(): Promise<void> {
    if (this.#isSettled) return;
    this.#agree(await rememberSetting(this.#store, PREFIX_BITS_SETTING, String(this.#prefixBits)));
  }

  #agree(kept: string): void {
    if (this.#readOnly && this.#givenPrefixBits === undefined) this.#prefixBits = Number(kept);
    if (kept !== String(this.#prefixBits)) throw wrongValue('prefixBits', `the store's ${kept}`, this.#prefixBits);
    this.#isSettled = true;
  }

  async #retrying<T>(work: () => Promise<T>, { signal }: CallOptions): Promise<T> {
    await letOthersRun();
    return retrying(this.#store, work, { signal, onEvent: this.#onEvent });
  }
}

/** @throws RangeError for the first key whose id was not found */
function checkAllFound(keys: readonly string[], found: readonly string[], ids: BigUint64Array): void {
  const first = found[ids.indexOf(0n)];
  if (first !== undefined) {
    throw wrongValue('keys', 'strings that have ids, because the interner is read-only', first, keys.indexOf(first));
  }
}
