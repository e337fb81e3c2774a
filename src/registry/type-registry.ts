import { checkInteger, checkOptions, checkRecord } from '../arguments.js';
import { InternExhaustedError } from '../errors.js';
import { checkKey } from './keys.js';
import { retrying } from './retrying.js';
import type { Store } from './store.js';

const MAX_TYPE = 65535;
const BLOCK = { prefix: 0, base: 0n, max: BigInt(MAX_TYPE) };

/**
 * Names of types to numbers from 1 to 65535 and back: made on first use, once for all who share the store, and
 * never changed.
 * @example
 * const types = new TypeRegistry({ store });
 * await types.idOf('User'); // 1
 */
export class TypeRegistry {
  readonly #store: Store;
  readonly #ids = new Map<string, number>();
  readonly #names = new Map<number, string>();

  /** @throws TypeError if there is no store */
  constructor(options: { store: Store }) {
    checkRecord('options', options);
    const { store } = checkOptions(options, ['store']);
    checkRecord('store', store);
    this.#store = store;
  }

  /**
   * The number of a name, given now if it has none.
   * @throws TypeError if `name` is not a string
   * @throws InternExhaustedError if all 65,535 numbers have been given
   */
  async idOf(name: string): Promise<number> {
    checkKey('name', name);
    const known = this.#ids.get(name);
    if (known !== undefined) return known;
    const [found] = await retrying(() => this.#store.lookup('types', [name]));
    if (found) return this.#keep(name, Number(found));
    const ids = await retrying(() => this.#store.assign('types', BLOCK, [name]));
    if (ids === undefined) throw new InternExhaustedError(`all ${MAX_TYPE} numbers of types have been given`);
    return this.#keep(name, Number(ids[0]));
  }

  /**
   * The name of a number, if it has been given to one.
   * @throws TypeError or RangeError if `id` is not an integer from 1 to 65535
   */
  async nameOf(id: number): Promise<string | undefined> {
    checkInteger('id', id, 1, MAX_TYPE);
    const known = this.#names.get(id);
    if (known !== undefined) return known;
    const [name] = await retrying(() => this.#store.resolve('types', BigUint64Array.of(BigInt(id))));
    if (name !== undefined) this.#keep(name, id);
    return name;
  }

  /** All names with their numbers, ascending by number. */
  async all(): Promise<Map<string, number>> {
    const last = Number(await retrying(() => this.#store.counter('types', BLOCK.prefix)));
    const ids = BigUint64Array.from({ length: last }, (_, i) => BigInt(i + 1));
    const names = await retrying(() => this.#store.resolve('types', ids));
    return new Map(names.flatMap((name, i) => (name === undefined ? [] : [[name, i + 1] as const])));
  }

  #keep(name: string, id: number): number {
    this.#ids.set(name, id);
    this.#names.set(id, name);
    return id;
  }
}
