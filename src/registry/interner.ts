import {
  checkBoolean,
  checkFunction,
  checkInteger,
  checkOptions,
  checkRecord,
  checkU64,
  outOfRange,
  wrongKind,
  wrongValue,
} from '../arguments.js';
import { InternExhaustedError } from '../errors.js';
import { type CallOptions, callOf } from './call.js';
import type { OnEvent } from './events.js';
import { IdCache } from './id-cache.js';
import { checkKey, distinctKeys } from './keys.js';
import { retrying } from './retrying.js';
import { rememberSetting } from './settings.js';
import type { Block, Store } from './store.js';

export interface InternerOptions {
  store: Store;
  /**
   * Bits of the random prefix at the top of ids, 1 to 32; 14 by default. A store keeps to the number that it was first
   * used with; a read-only interner takes that one by default.
   */
  prefixBits?: number | undefined;
  /** How many strings to keep in memory with their ids, which never change; 0 to 2^24, 0 by default. */
  cache?: number | undefined;
  /** Gives no ids and writes nothing: for replicas, and for users who may only read. */
  readOnly?: boolean | undefined;
  /** Is told of retries, commits, and prefixes that are full. */
  onEvent?: OnEvent | undefined;
}

const OPTIONS = ['store', 'prefixBits', 'cache', 'readOnly', 'onEvent'] as const;
const PREFIX_BITS = 'prefixBits'; // the setting
const DEFAULT_PREFIX_BITS = 14;
const MAX_CACHE = 2 ** 24; // the most entries of a Map

// Each time another prefix: a full one is met by chance only when nearly all are full.
const PREFIXES_TRIED = 5;

/**
 * Strings to integers and back, without collisions: equal strings have equal ids for ever, different ones have
 * different ids, whoever asks, from however many places at once. An id is a random prefix with the next number of its
 * counter below it, and never 0.
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
   * The ids of strings, in their order; strings that have none get one, which is durable when this resolves.
   * @param keys of any length, also empty; a lone surrogate is refused, because it could not be given back
   * @throws TypeError or RangeError, with the row, for what is not such a string; no ids have been given then
   * @throws RangeError if the store has another number of prefix bits
   * @throws RangeError with the row if the interner is read-only and a string has no id
   * @throws InternExhaustedError if five prefixes have no numbers left
   * @throws StoreUnavailableError, StoreConflictError, StoreCorruptError from the store
   */
  async internMany(keys: readonly string[], options?: CallOptions): Promise<BigUint64Array> {
    return this.#cached(keys, options, async (unknown) => {
      const ids = await this.#idsOf(unknown);
      if (this.#readOnly) checkAllFound(keys, unknown, ids);
      return ids;
    });
  }

  /** The ids of strings that have one, 0 for the others; gives none. Otherwise as {@link Interner.internMany}. */
  async lookupMany(keys: readonly string[], options?: CallOptions): Promise<BigUint64Array> {
    return this.#cached(keys, options, (unknown) => this.#known(unknown));
  }

  /**
   * The string of an id, if it is one of this store.
   * @throws TypeError or RangeError if `id` is not a u64
   */
  async resolve(id: bigint, options?: CallOptions): Promise<string | undefined> {
    return (await this.resolveMany([id], options))[0];
  }

  /** The strings of ids, in their order; as {@link Interner.resolve}. */
  async resolveMany(ids: BigUint64Array | readonly bigint[], options?: CallOptions): Promise<(string | undefined)[]> {
    const call = callOf(options);
    if (!Array.isArray(ids) && !(ids instanceof BigUint64Array)) throw wrongKind('ids', 'bigints', ids);
    const checked = BigUint64Array.from(ids as readonly bigint[], (id) => checkU64('ids', id));
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
   * All strings that have an id when the iteration begins, with their ids, in an order of the store's; strings that get
   * one meanwhile may be among them. Never holds all of them in memory.
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

  /** The ids of keys, each asked for once, and only those that are not in memory. */
  async #cached(
    keys: readonly string[],
    options: CallOptions | undefined,
    idsOf: (unknown: readonly string[]) => Promise<BigUint64Array>,
  ): Promise<BigUint64Array> {
    const call = callOf(options);
    const known = this.#cache.all(keys);
    if (known !== undefined) return known;
    const distinct = distinctKeys(keys);
    const unknown = this.#cache.fill(distinct);
    if (unknown.length > 0) {
      const ids = await this.#retrying(() => idsOf(unknown), call);
      for (const [row, key] of unknown.entries()) distinct.set(key, ids[row] as bigint);
      this.#cache.keep(unknown, ids);
    }
    return BigUint64Array.from(keys, (key) => distinct.get(key) as bigint);
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
        this.#onEvent?.({ type: 'full', prefix: block.prefix });
        continue;
      }
      const last = ids.reduce((most, id) => (id > most ? id : most), 0n) - block.base;
      const room = last > 0n && last <= block.max ? block.max - last : block.max;
      this.#onEvent?.({ type: 'commit', ms: performance.now() - began, keys: keys.length, room });
      return ids;
    }
    throw new InternExhaustedError(`${PREFIXES_TRIED} random prefixes have no room for ${keys.length} more strings`);
  }

  #randomBlock(): Block {
    const prefix = (crypto.getRandomValues(new Uint32Array(1))[0] as number) >>> (32 - this.#prefixBits);
    const numberBits = BigInt(64 - this.#prefixBits);
    return { prefix, base: BigInt(prefix) << numberBits, max: (1n << numberBits) - 1n };
  }

  /** Compares the prefix bits with those of the store, if it has any yet. */
  async #settle(): Promise<void> {
    if (this.#isSettled) return;
    const kept = await this.#store.setting(PREFIX_BITS);
    if (kept !== undefined) this.#agree(kept);
  }

  /** As {@link #settle}, and makes them the store's if it has none. */
  async #settleForGood(): Promise<void> {
    if (!this.#isSettled) this.#agree(await rememberSetting(this.#store, PREFIX_BITS, String(this.#prefixBits)));
  }

  #agree(kept: string): void {
    if (this.#readOnly && this.#givenPrefixBits === undefined) this.#prefixBits = Number(kept);
    if (kept !== String(this.#prefixBits)) throw outOfRange('prefixBits', `the store's ${kept}`, this.#prefixBits);
    this.#isSettled = true;
  }

  #retrying<T>(work: () => Promise<T>, { signal }: CallOptions): Promise<T> {
    return retrying(work, { signal, onEvent: this.#onEvent });
  }
}

/** @throws RangeError for the first key whose id was not found */
function checkAllFound(keys: readonly string[], found: readonly string[], ids: BigUint64Array): void {
  const first = found[ids.indexOf(0n)];
  if (first !== undefined) {
    throw wrongValue('keys', 'strings that have ids, because the interner is read-only', first, keys.indexOf(first));
  }
}
