import {
  checkBoolean,
  checkFunction,
  checkGiven,
  checkInteger,
  checkRecord,
  checkU64,
  wrongKind,
  wrongValue,
} from '../arguments.js';
import { checkU64Column } from '../columns/keys.js';
import { InternExhaustedError } from '../errors.js';
import { notify } from '../notify.js';
import { answered, type CallOptions, callOf, letOthersRun, type OnEvent, retrying } from './calls.js';
import { rememberSetting } from './settings.js';
import { type Block, DEFAULT_PREFIX_BITS, type LookupToken, PREFIX_BITS_SETTING, type Store } from './store.js';
import { prefixBitsIn } from './values.js';

const LONE_SURROGATE = /\p{Surrogate}/u;

/** Checks that a key is a string without lone surrogates, which would change in UTF-8. */
export function checkKey(argument: string, key: string, row?: number): string {
  if (typeof key !== 'string') throw wrongKind(argument, 'a string', key, row);
  if (LONE_SURROGATE.test(key))
    throw wrongValue(argument, 'a string of whole characters', key, row, 'a lone surrogate');
  return key;
}

/** The distinct keys, in their order, with room for their ids. */
function distinctKeys(keys: readonly string[]): Map<string, bigint> {
  if (!Array.isArray(keys)) throw wrongKind('keys', 'an array of strings', keys);
  const distinct = new Map<string, bigint>();
  for (let row = 0; row < keys.length; row++) distinct.set(checkKey('keys', keys[row], row), 0n);
  return distinct;
}

/** The strings that were requested most recently, with their ids, which never change. */
class IdCache {
  readonly #room: number;
  // A requested string is in `young`, or moves there from `old`. Strings are dropped from `old`, the oldest first. When
  // `old` is empty, the two maps change places. So a hit costs one look-up, and rarely a move.
  #young = new Map<string, bigint>();
  #old = new Map<string, bigint>();
  #oldest = this.#old.keys();

  constructor(room: number) {
    this.#room = room;
  }

  /** The ids of keys, in their order; undefined if it does not have all. */
  all(keys: readonly string[]): BigUint64Array | undefined {
    if (this.#room === 0 || !Array.isArray(keys)) return undefined;
    const ids = new BigUint64Array(keys.length);
    for (let row = 0; row < keys.length; row++) {
      const id = this.#get(keys[row]);
      if (id === undefined) return undefined;
      ids[row] = id;
    }
    return ids;
  }

  /** Fills in the ids that it has. @returns the other keys, in their order */
  fill(keys: Map<string, bigint>): string[] {
    if (this.#room === 0) return [...keys.keys()];
    const unknown: string[] = [];
    for (const key of keys.keys()) {
      const id = this.#get(key);
      if (id === undefined) unknown.push(key);
      else keys.set(key, id);
    }
    return unknown;
  }

  /** Keeps the ids of keys; an id of 0 means that the key has none. */
  keep(keys: readonly string[], ids: BigUint64Array): void {
    if (this.#room === 0) return;
    for (const [row, key] of keys.entries()) {
      if (ids[row] === 0n || this.#get(key) !== undefined) continue;
      if (this.#young.size + this.#old.size >= this.#room) this.#drop();
      this.#young.set(key, ids[row]);
    }
  }

  #get(key: string): bigint | undefined {
    const young = this.#young.get(key);
    if (young !== undefined) return young;
    const id = this.#old.get(key);
    if (id !== undefined) {
      this.#old.delete(key);
      this.#young.set(key, id);
    }
    return id;
  }

  #drop(): void {
    if (this.#old.size === 0) {
      [this.#old, this.#young] = [this.#young, this.#old];
      this.#oldest = this.#old.keys();
    }
    const { value } = this.#oldest.next();
    if (value !== undefined) this.#old.delete(value);
  }
}

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
  #hasPrefixBits = false;

  /**
   * Makes an interner over a store. Several may use the same store, in any processes.
   * @throws TypeError or RangeError for options of the wrong kind or value
   */
  constructor(options: InternerOptions) {
    const { store, prefixBits, cache = 0, readOnly = false, onEvent } = checkGiven(options, OPTIONS);
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
    return (await this.internMany([checkKey('key', key)], options))[0];
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
      const first = this.#readOnly ? unknown[ids.indexOf(0n)] : undefined;
      if (first === undefined) return ids;
      throw wrongValue('keys', 'strings that have ids, because the interner is read-only', first, asked.indexOf(first));
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
      await this.#agreeOnPrefixBits();
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
      for (const [row, key] of keys.entries()) yield [key, ids[row]];
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
      for (const [row, key] of unknown.entries()) distinct.set(key, ids[row]);
      this.#cache.keep(unknown, ids);
    }
    return BigUint64Array.from(asked, (key) => distinct.get(key) ?? 0n);
  }

  async #idsOf(keys: readonly string[]): Promise<BigUint64Array> {
    const token = {};
    const ids = await this.#known(keys, token);
    if (this.#readOnly) return ids;
    const missing = keys.filter((_, row) => ids[row] === 0n);
    if (missing.length === 0) return ids;
    await this.#agreeOnPrefixBits(true);
    const assigned = await this.#assign(missing, token);
    let next = 0;
    return ids.map((id) => id || assigned[next++]);
  }

  async #known(keys: readonly string[], token?: LookupToken): Promise<BigUint64Array> {
    await this.#agreeOnPrefixBits();
    return this.#store.lookup('strings', keys, token);
  }

  async #assign(keys: readonly string[], token: LookupToken): Promise<BigUint64Array> {
    for (let tried = 0; tried < PREFIXES_TRIED; tried++) {
      const block = this.#randomBlock();
      const began = performance.now();
      const ids = await this.#store.assign('strings', block, keys, token);
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
    const prefix = crypto.getRandomValues(new Uint32Array(1))[0] >>> (32 - this.#prefixBits);
    const numberBits = BigInt(64 - this.#prefixBits);
    return { prefix, base: BigInt(prefix) << numberBits, max: (1n << numberBits) - 1n };
  }

  /** Checks the number of prefix bits against the one in the store. @param isFirst stores it if the store has none */
  async #agreeOnPrefixBits(isFirst = false): Promise<void> {
    if (this.#hasPrefixBits) return;
    const kept = isFirst
      ? await rememberSetting(this.#store, PREFIX_BITS_SETTING, String(this.#prefixBits))
      : await this.#store.setting(PREFIX_BITS_SETTING);
    if (kept === undefined) return;
    const bits = prefixBitsIn(kept);
    if (this.#readOnly && this.#givenPrefixBits === undefined) this.#prefixBits = bits;
    if (bits !== this.#prefixBits) throw wrongValue('prefixBits', `the store's ${kept}`, this.#prefixBits);
    this.#hasPrefixBits = true;
  }

  async #retrying<T>(work: () => Promise<T>, { signal }: CallOptions): Promise<T> {
    await letOthersRun();
    return retrying(this.#store, work, { signal, onEvent: this.#onEvent });
  }
}
