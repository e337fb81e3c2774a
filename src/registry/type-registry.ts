import { checkFunction, checkGiven, checkInteger, checkRecord } from '../arguments.js';
import { InternExhaustedError } from '../errors.js';
import { notify } from '../notify.js';
import { abortable, answered, type CallOptions, callOf, letOthersRun, type OnEvent, retrying } from './calls.js';
import { checkKey } from './interner.js';
import { MAX_TYPE, type Store } from './store.js';

const BLOCK = { prefix: 0, base: 0n, max: BigInt(MAX_TYPE) };

/** Names that get their numbers in one call of the store. */
interface NameBatch {
  readonly names: Set<string>;
  readonly given: Promise<ReadonlyMap<string, number | Error>>;
}

export interface TypeRegistryOptions {
  store: Store;
  /** Called with retries and commits. */
  onEvent?: OnEvent | undefined;
}

/**
 * Turns names of types into numbers from 1 to 65,535 and back. A name gets its number on first use. The number is the
 * same for all who share the store, and never changes.
 * @example
 * const types = new TypeRegistry({ store });
 * await types.idOf('User'); // 1
 */
export class TypeRegistry {
  readonly #store: Store;
  readonly #onEvent: OnEvent | undefined;
  readonly #ids = new Map<string, number>();
  readonly #names = new Map<number, string>();
  /** The batch that has not begun. */
  #next: NameBatch | undefined;
  #last: Promise<unknown> = Promise.resolve();

  /**
   * Makes a registry over a store.
   * @throws TypeError or RangeError for options of the wrong kind or value
   */
  constructor(options: TypeRegistryOptions) {
    const { store, onEvent } = checkGiven(options, ['store', 'onEvent']);
    checkRecord('store', store);
    if (onEvent !== undefined) checkFunction('onEvent', onEvent);
    this.#store = store;
    this.#onEvent = onEvent;
  }

  /**
   * The number of a name. A name without a number gets one.
   * @throws TypeError if `name` is not a string; RangeError if it has a lone surrogate
   * @throws InternExhaustedError if all 65,535 numbers have been given
   * @throws StoreUnavailableError, StoreConflictError, StoreCorruptError from the store
   */
  async idOf(name: string, options?: CallOptions): Promise<number> {
    const call = callOf(options);
    checkKey('name', name);
    const known = this.#ids.get(name);
    if (known !== undefined) return answered(known);
    const [found] = await this.#retrying(() => this.#store.lookup('types', [name]), call);
    return this.#keep(name, found ? Number(found) : await this.#assign(name, call));
  }

  /**
   * The name of a number; undefined if no name has it.
   * @throws TypeError or RangeError if `id` is not an integer from 1 to 65535
   */
  async nameOf(id: number, options?: CallOptions): Promise<string | undefined> {
    const call = callOf(options);
    checkInteger('id', id, 1, MAX_TYPE);
    const known = this.#names.get(id);
    if (known !== undefined) return answered(known);
    const [name] = await this.#retrying(() => this.#store.resolve('types', BigUint64Array.of(BigInt(id))), call);
    if (name !== undefined) this.#keep(name, id);
    return name;
  }

  /** All names with their numbers, ascending by number. */
  async all(options?: CallOptions): Promise<Map<string, number>> {
    const call = callOf(options);
    const last = Number(await this.#retrying(() => this.#store.counter('types', BLOCK.prefix), call));
    const ids = BigUint64Array.from({ length: last }, (_, i) => BigInt(i + 1));
    const names = await this.#retrying(() => this.#store.resolve('types', ids), call);
    return new Map(names.flatMap((name, i) => (name === undefined ? [] : [[name, i + 1] as const])));
  }

  /** How many names have a number. */
  async count(options?: CallOptions): Promise<number> {
    return this.#retrying(() => this.#store.count('types'), callOf(options));
  }

  /** All names with their numbers, in the store's own order. */
  async *entries(): AsyncIterableIterator<[string, number]> {
    for await (const { keys, ids } of this.#store.entries('types')) {
      for (const [row, key] of keys.entries()) yield [key, Number(ids[row])];
    }
  }

  async #assign(name: string, { signal }: CallOptions): Promise<number> {
    this.#next ??= this.#nextBatch();
    this.#next.names.add(name);
    const given = (await abortable(this.#next.given, signal)).get(name);
    if (typeof given !== 'number') throw given;
    return given;
  }

  // All processes take numbers from one counter. If every name were a call of its own, a hundred at once in each of some
  // processes would outrun each other for minutes. So the names that come during a call are the next one.
  #nextBatch(): NameBatch {
    const names = new Set<string>();
    const given = this.#last.then(() => {
      this.#next = undefined;
      return this.#assignAll([...names]);
    });
    this.#last = given.catch(() => {});
    return { names, given };
  }

  /** Numbers for names, or why one has none. If they cannot all have one, each is tried by itself. */
  async #assignAll(names: readonly string[]): Promise<Map<string, number | Error>> {
    const began = performance.now();
    try {
      const ids = await this.#retrying(() => this.#store.assign('types', BLOCK, names), {});
      if (ids === undefined) throw new InternExhaustedError(`all ${MAX_TYPE} numbers of types have been given`);
      const room = BLOCK.max - ids.reduce((most, id) => (id > most ? id : most));
      notify(this.#onEvent, { type: 'commit', ms: performance.now() - began, keys: names.length, room });
      return new Map(names.map((name, row) => [name, Number(ids[row])]));
    } catch (error) {
      if (!(error instanceof InternExhaustedError || error instanceof RangeError)) throw error;
      if (names.length === 1) return new Map([[names[0], error]]);
      const all = new Map<string, number | Error>();
      for (const name of names) for (const [of, given] of await this.#assignAll([name])) all.set(of, given);
      return all;
    }
  }

  #keep(name: string, id: number): number {
    this.#ids.set(name, id);
    this.#names.set(id, name);
    return id;
  }

  async #retrying<T>(work: () => Promise<T>, { signal }: CallOptions): Promise<T> {
    await letOthersRun();
    return retrying(this.#store, work, { signal, onEvent: this.#onEvent });
  }
}
