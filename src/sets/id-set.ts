import { checkU64, typeName, wordsOf, wrongKind } from '../arguments.js';
import { type Bytes, checkBytes, checkU64Column } from '../columns/keys.js';
import {
  addTo,
  type Bitmap,
  bitmapOf,
  bitmapOfOne,
  checkLoaded,
  combine,
  copyOf,
  deleteFrom,
  groupsOf,
  type SetOperation,
  writeGroup,
} from './bitmaps.js';
import { deserializeBitmaps, serializeBitmaps } from './portable.js';

/** How many ids an iteration reads from a bitmap at once. */
const BATCH = 4096;

const highOf = (id: bigint): number => Number(id >> 32n);
const lowOf = (id: bigint): number => Number(BigInt.asUintN(32, id));

/**
 * A compressed set of u64 ids: one 32-bit Roaring bitmap for each high word (upper 32 bits) that occurs. Use it for
 * ids that share high words: counters, or ids that begin with a shard or a time. Hashes, each of which has its own
 * high word, take about 300 bytes of memory and some µs each, and 22 bytes when they are serialized.
 *
 * The bitmaps lie in the WebAssembly memory of roaring-wasm, 2 GB for all sets together. A call that may need more
 * than is left throws a RangeError and changes nothing. A set that is no longer reachable gives its memory back when
 * it is collected, but the garbage collector does not see how much that is: if sets are large or many, call
 * {@link IdSet.free} or declare them with `using`.
 * @example
 * using active = IdSet.from(activeIds);
 * using invited = IdSet.from(invitedIds);
 * using both = active.and(invited);
 * both.toColumn(); // BigUint64Array, ascending
 */
export class IdSet implements Iterable<bigint> {
  #bitmaps: Map<number, Bitmap> | undefined = new Map(); // none of them empty
  #size = 0;

  /**
   * An empty set.
   * @throws Error if roaring-wasm is not compiled yet: see {@link loadSets}
   */
  constructor() {
    checkLoaded();
  }

  /**
   * A new set of the ids of a column, in any order and with repetitions. It takes 12 to 40 ns an id if they ascend and
   * share high words, and 70 ns more if they have to be sorted.
   * @param ids a BigUint64Array, which stays as it is; a BigInt64Array is read as the same bits
   * @throws TypeError if `ids` is of another kind
   * @throws RangeError if there is no room
   * @throws Error if roaring-wasm is not compiled yet: see {@link loadSets}
   * @example
   * IdSet.from(BigUint64Array.of(7n, 2n ** 64n - 1n, 7n)).size; // 2
   */
  static from(ids: BigUint64Array | BigInt64Array): IdSet {
    const column = checkU64Column('ids', ids);
    const set = new IdSet();
    for (const [high, lows] of groupsOf(column)) {
      set.#put(high, lows.length === 1 ? bitmapOfOne(lows[0]) : bitmapOf(lows));
    }
    return set;
  }

  /**
   * Reads a set that {@link IdSet.serialize} or another library has written in the same format. All bytes are checked:
   * bytes that break the format are an error. Damage that leaves valid bytes gives another set, without an error: the format
   * has no checksum.
   * @param bytes a whole set; of a view, the bytes it covers
   * @returns a new set
   * @throws TypeError if `bytes` is of another kind
   * @throws RangeError if the bytes are not in the format, are cut short or too many, if high words, containers or
   *   values do not ascend, or counts are wrong (the message says at which byte, or the right length); or if a bitmap
   *   has more than 2^28 - 1 bytes, or there is no room
   * @throws Error if roaring-wasm is not compiled yet: see {@link loadSets}
   * @example
   * const set = IdSet.deserialize(readFileSync('active.roaring'));
   */
  static deserialize(bytes: Bytes): IdSet {
    const checked = checkBytes('bytes', bytes, 'bytes');
    const set = new IdSet();
    for (const [high, bitmap] of deserializeBitmaps(checked)) set.#put(high, bitmap);
    return set;
  }

  /**
   * The number of ids, which is always below 2^53.
   * @throws TypeError if the set has been freed
   */
  get size(): number {
    this.#open();
    return this.#size;
  }

  /**
   * Whether an id is in the set.
   * @param id 0 to 2^64 - 1
   * @throws TypeError if `id` is not a bigint, or the set has been freed
   * @throws RangeError if `id` is out of range
   * @example
   * IdSet.from(BigUint64Array.of(7n)).has(7n); // true
   */
  has(id: bigint): boolean {
    checkU64('id', id);
    return this.#open().get(highOf(id))?.has(lowOf(id)) ?? false;
  }

  /**
   * Adds an id, if the set does not have it yet.
   * @param id 0 to 2^64 - 1
   * @returns this set
   * @throws TypeError if `id` is not a bigint, or the set has been freed
   * @throws RangeError if `id` is out of range, or there is no room
   * @example
   * new IdSet().add(7n).add(8n).size; // 2
   */
  add(id: bigint): this {
    const high = highOf(checkU64('id', id));
    const bitmap = this.#open().get(high);
    if (bitmap === undefined) this.#put(high, bitmapOfOne(lowOf(id)));
    else if (addTo(bitmap, lowOf(id))) this.#size++;
    return this;
  }

  /**
   * Deletes an id.
   * @param id 0 to 2^64 - 1
   * @returns whether the set had it
   * @throws TypeError if `id` is not a bigint, or the set has been freed
   * @throws RangeError if `id` is out of range, or there is no room
   * @example
   * new IdSet().add(7n).delete(7n); // true
   */
  delete(id: bigint): boolean {
    const high = highOf(checkU64('id', id));
    const bitmaps = this.#open();
    const bitmap = bitmaps.get(high);
    if (bitmap === undefined || !deleteFrom(bitmap, lowOf(id))) return false;
    this.#size--;
    if (bitmap.isEmpty) {
      bitmap.dispose();
      bitmaps.delete(high);
    }
    return true;
  }

  /**
   * A new set of the ids that are in both sets.
   * @throws TypeError if `other` is no set, or either has been freed
   * @throws RangeError if there is no room
   * @example
   * const both = active.and(invited);
   */
  and(other: IdSet): IdSet {
    return this.#combine('and', other);
  }

  /**
   * A new set of the ids that are in either set or both.
   * @throws TypeError or RangeError as {@link IdSet.and}
   * @example
   * const all = active.or(invited);
   */
  or(other: IdSet): IdSet {
    return this.#combine('or', other);
  }

  /**
   * A new set of the ids that are in this set and not in the other.
   * @throws TypeError or RangeError as {@link IdSet.and}
   * @example
   * const uninvited = active.andNot(invited);
   */
  andNot(other: IdSet): IdSet {
    return this.#combine('andNot', other);
  }

  /**
   * A new set of the ids that are in one set and not in both.
   * @throws TypeError or RangeError as {@link IdSet.and}
   * @example
   * const changed = yesterday.xor(today);
   */
  xor(other: IdSet): IdSet {
    return this.#combine('xor', other);
  }

  /**
   * Whether two sets have the same ids.
   * @throws TypeError if `other` is no set, or either has been freed
   * @example
   * IdSet.deserialize(set.serialize()).equals(set); // true
   */
  equals(other: IdSet): boolean {
    const ours = this.#open();
    const { size, bitmaps } = IdSet.#theirs(other);
    return this.#size === size && [...ours].every(([high, bitmap]) => bitmaps.get(high)?.isEqual(bitmap));
  }

  /**
   * The ids, ascending. The set may change during the iteration: later ids that are added or deleted may be seen or not.
   * @throws TypeError if the set has been freed
   * @example
   * for (const id of set) console.log(id);
   */
  *[Symbol.iterator](): Generator<bigint, void, undefined> {
    const lows = new Uint32Array(BATCH);
    const ids = new BigUint64Array(BATCH);
    for (const [high] of this.#ascending()) {
      for (let next = 0; next < 2 ** 32; ) {
        const bitmap = this.#open().get(high);
        const batch = bitmap?.rangeUint32Array(next, 2 ** 32, lows) ?? new Uint32Array(0);
        writeGroup(wordsOf(ids), 0, high, batch);
        yield* ids.subarray(0, batch.length);
        next = batch.length === BATCH ? batch[BATCH - 1] + 1 : 2 ** 32;
      }
    }
  }

  /**
   * The ids as a new column, ascending. It takes 6 to 20 ns an id if they share high words.
   * @throws TypeError if the set has been freed
   * @throws RangeError if there is no room
   * @example
   * layouts.snowflake.unpackMany(set.toColumn());
   */
  toColumn(): BigUint64Array {
    const column = new BigUint64Array(this.size);
    const words = wordsOf(column);
    let row = 0;
    for (const [high, bitmap] of this.#ascending()) {
      const lows = bitmap.toUint32Array();
      writeGroup(words, row, high, lows);
      row += lows.length;
    }
    return column;
  }

  /**
   * The set in the portable 64-bit Roaring format, which CRoaring's Roaring64Map, Java's Roaring64NavigableMap (in
   * its portable mode) and Go's roaring64 read: RoaringFormatSpec, "Extention for 64-bit implementations". Sets
   * with the same ids have the same bytes, however they were made.
   * @returns a new array
   * @throws TypeError if the set has been freed
   * @throws RangeError if there is no room
   * @example
   * writeFileSync('active.roaring', set.serialize());
   */
  serialize(): Uint8Array {
    return serializeBitmaps([...this.#ascending()]);
  }

  /** Gives the memory back. Afterwards the set can only be freed again, which does nothing. */
  free(): void {
    for (const bitmap of this.#bitmaps?.values() ?? []) bitmap.dispose();
    this.#bitmaps = undefined;
  }

  /** The same as `free`, for `using`. */
  [Symbol.dispose](): void {
    this.free();
  }

  /** Lets other copies of this package recognise a set. */
  get [Symbol.toStringTag](): string {
    return 'IdSet';
  }

  /** The bitmaps. @throws TypeError if they have been freed */
  #open(argument = 'this'): Map<number, Bitmap> {
    if (this.#bitmaps === undefined) throw wrongKind(argument, 'a set', this, undefined, 'a set that has been freed');
    return this.#bitmaps;
  }

  *#ascending(): Generator<readonly [high: number, bitmap: Bitmap]> {
    const bitmaps = this.#open();
    for (const high of Uint32Array.from(bitmaps.keys()).sort()) {
      const bitmap = bitmaps.get(high);
      if (bitmap !== undefined) yield [high, bitmap];
    }
  }

  /** Adds the bitmap of a new high word, or frees it if it is empty. */
  #put(high: number, bitmap: Bitmap): void {
    if (bitmap.isEmpty) {
      bitmap.dispose();
      return;
    }
    this.#open().set(high, bitmap);
    this.#size += bitmap.size;
  }

  #combine(operation: SetOperation, other: IdSet): IdSet {
    const ours = this.#open();
    const theirs = IdSet.#theirs(other).bitmaps;
    // The bitmaps that stay if only one side has them.
    const [left, right] = { and: [], or: [ours, theirs], andNot: [ours], xor: [ours, theirs] }[operation];
    const set = new IdSet();
    for (const high of (theirs.size < ours.size ? theirs : ours).keys()) {
      const [a, b] = [ours.get(high), theirs.get(high)];
      if (a !== undefined && b !== undefined) set.#put(high, combine(a, operation, b));
    }
    for (const [high, bitmap] of left ?? []) if (!theirs.has(high)) set.#put(high, copyOf(bitmap));
    for (const [high, bitmap] of right ?? []) if (!ours.has(high)) set.#put(high, copyOf(bitmap));
    return set;
  }

  /** The bitmaps of an argument. A set of another copy of this package is copied, because only its methods are known. */
  static #theirs(other: Pick<IdSet, 'serialize'>): { size: number; bitmaps: Map<number, Bitmap> } {
    if (typeName(other) !== 'IdSet') throw wrongKind('other', 'an IdSet', other);
    const set = #bitmaps in other ? other : IdSet.deserialize(other.serialize());
    return { size: set.#size, bitmaps: set.#open('other') };
  }
}
