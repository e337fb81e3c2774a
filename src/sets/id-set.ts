import { checkU64, typeName, wrongKind } from '../arguments.js';
import { type Bytes, checkBytes } from '../columns/keys.js';
import { checkU64Column } from '../columns/u64-column.js';
import {
  addTo,
  type Bitmap,
  bitmapOf,
  bitmapOfOne,
  checkLoaded,
  combine,
  copyOf,
  deleteFrom,
  type Operation,
} from './bitmaps.js';
import { groupsOf, wordsOf, writeGroup } from './columns.js';
import { deserializeBitmaps, serializeBitmaps } from './portable64.js';

// For those who compile with older types.
declare global {
  interface SymbolConstructor {
    readonly dispose: unique symbol;
  }
}

/** Ids that an iteration takes out of a bitmap at once. */
const BATCH = 4096;

const highOf = (id: bigint): number => Number(id >> 32n);
const lowOf = (id: bigint): number => Number(BigInt.asUintN(32, id));

/**
 * A set of u64 ids, compressed: one 32-bit Roaring bitmap for each high word (upper 32 bits) that occurs. Good for
 * ids that share high words, as those that are counted up or begin with a shard or a time do. Hashes, each of which
 * has a high word of its own, take 250 bytes and some µs each.
 *
 * The bitmaps lie in the WebAssembly memory of roaring-wasm, 2 GB for all sets together: where there may be no
 * room, whatever needs more throws a RangeError, before anything is changed. A set that is no longer reachable
 * gives its memory back when it is collected, but a garbage collector does not see how much that is: call
 * {@link IdSet.free}, or declare with `using`, where sets are large or many.
 * @example
 * using active = IdSet.from(activeIds);
 * using invited = IdSet.from(invitedIds);
 * using both = active.and(invited);
 * both.toColumn(); // BigUint64Array, ascending
 */
export class IdSet implements Iterable<bigint> {
  #bitmaps: Map<number, Bitmap> | undefined = new Map(); // none of them empty
  #size = 0;
  #highs: Uint32Array | undefined; // of #bitmaps, ascending; undefined: to be sorted anew

  /**
   * An empty set.
   * @throws Error if roaring-wasm is not compiled yet: see {@link loadSets}
   */
  constructor() {
    checkLoaded();
  }

  /**
   * The set of the ids of a column, in whatever order and however often they occur. 12 to 40 ns an id if they
   * ascend and share high words, 70 ns more if they have to be sorted.
   * @param ids is not changed; a BigInt64Array is read as the same bits
   * @returns a new set
   * @throws TypeError if `ids` is no such array
   * @throws RangeError if there is no room
   * @throws Error if roaring-wasm is not compiled yet: see {@link loadSets}
   * @example
   * IdSet.from(BigUint64Array.of(7n, 2n ** 64n - 1n, 7n)).size; // 2
   */
  static from(ids: BigUint64Array | BigInt64Array): IdSet {
    const column = checkU64Column('ids', ids);
    const set = new IdSet();
    for (const [high, lows] of groupsOf(column)) {
      set.#put(high, lows.length === 1 ? bitmapOfOne(lows[0] as number) : bitmapOf(lows));
    }
    return set;
  }

  /**
   * The set that {@link IdSet.serialize} wrote, or another library in the same format. Everything is checked, so
   * that bytes give what was written or an error.
   * @param bytes those it views, from the first to the last
   * @returns a new set
   * @throws TypeError if `bytes` are none
   * @throws RangeError if they are not in the format, are cut off or go on behind it, if high words, containers or
   *   values do not ascend, or counts are wrong (the message says at which byte); or if a bitmap has more than
   *   2^28 - 1 bytes, or there is no room
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
   * How many ids there are; a JavaScript number holds it exactly.
   * @throws TypeError once the set has been freed
   */
  get size(): number {
    this.#open();
    return this.#size;
  }

  /**
   * Whether an id is in the set.
   * @param id 0 to 2^64 - 1
   * @throws TypeError if `id` is no bigint, or the set has been freed
   * @throws RangeError if `id` is out of range
   * @example
   * IdSet.from(BigUint64Array.of(7n)).has(7n); // true
   */
  has(id: bigint): boolean {
    checkU64('id', id);
    return this.#open().get(highOf(id))?.has(lowOf(id)) ?? false;
  }

  /**
   * Adds an id, if it is not there yet.
   * @param id 0 to 2^64 - 1
   * @returns this set
   * @throws TypeError if `id` is no bigint, or the set has been freed
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
   * Takes an id out.
   * @param id 0 to 2^64 - 1
   * @returns whether it was there
   * @throws TypeError if `id` is no bigint, or the set has been freed
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
      this.#highs = undefined;
    }
    return true;
  }

  /**
   * The ids that are in both sets.
   * @returns a new set
   * @throws TypeError if `other` is no set, or either has been freed
   * @throws RangeError if there is no room
   * @example
   * const both = active.and(invited);
   */
  and(other: IdSet): IdSet {
    return this.#combine('and', other);
  }

  /**
   * The ids that are in either set or both.
   * @returns a new set
   * @throws TypeError if `other` is no set, or either has been freed
   * @throws RangeError if there is no room
   * @example
   * const all = active.or(invited);
   */
  or(other: IdSet): IdSet {
    return this.#combine('or', other);
  }

  /**
   * The ids that are in this set and not in the other.
   * @returns a new set
   * @throws TypeError if `other` is no set, or either has been freed
   * @throws RangeError if there is no room
   * @example
   * const uninvited = active.andNot(invited);
   */
  andNot(other: IdSet): IdSet {
    return this.#combine('andNot', other);
  }

  /**
   * The ids that are in one set and not in both.
   * @returns a new set
   * @throws TypeError if `other` is no set, or either has been freed
   * @throws RangeError if there is no room
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
   * The ids, ascending. The set may be changed meanwhile: ids that come or go ahead may be seen or not.
   * @throws TypeError once the set has been freed
   * @example
   * for (const id of set) console.log(id);
   */
  *[Symbol.iterator](): Generator<bigint, void, undefined> {
    const lows = new Uint32Array(BATCH);
    const ids = new BigUint64Array(BATCH);
    this.#open();
    for (const high of this.#ascendingHighs()) {
      for (let next = 0; next < 2 ** 32; ) {
        const batch =
          this.#open()
            .get(high)
            ?.rangeUint32Array(next, 2 ** 32, lows) ?? new Uint32Array(0);
        writeGroup(wordsOf(ids), 0, high, batch);
        yield* ids.subarray(0, batch.length);
        next = batch.length === BATCH ? (batch[BATCH - 1] as number) + 1 : 2 ** 32;
      }
    }
  }

  /**
   * The ids as a column. 6 to 20 ns an id, if they share high words.
   * @returns a new array, ascending
   * @throws TypeError once the set has been freed
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
   * with the same ids have the same bytes, however they came about.
   * @returns a new array
   * @throws TypeError once the set has been freed
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

  /** So that a set of another copy of this package is known for one. */
  get [Symbol.toStringTag](): string {
    return 'IdSet';
  }

  /** The bitmaps, if they are there still. */
  #open(argument = 'this'): Map<number, Bitmap> {
    if (this.#bitmaps === undefined) {
      throw wrongKind(argument, 'a set with its memory', this, undefined, 'one that has been freed');
    }
    return this.#bitmaps;
  }

  *#ascending(): Generator<readonly [high: number, bitmap: Bitmap]> {
    const bitmaps = this.#open();
    for (const high of this.#ascendingHighs()) yield [high, bitmaps.get(high) as Bitmap];
  }

  #ascendingHighs(): Uint32Array {
    this.#highs ??= Uint32Array.from(this.#open().keys()).sort();
    return this.#highs;
  }

  /** Takes in a bitmap of a new high word; an empty one is let go. */
  #put(high: number, bitmap: Bitmap): void {
    if (bitmap.isEmpty) {
      bitmap.dispose();
      return;
    }
    this.#open().set(high, bitmap);
    this.#size += bitmap.size;
    this.#highs = undefined;
  }

  #combine(operation: Operation, other: IdSet): IdSet {
    const ours = this.#open();
    const theirs = IdSet.#theirs(other).bitmaps;
    // What is on one side only and stays.
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

  /** What an argument is made of; if it is a set of another copy of this package, of which only methods are known, a copy. */
  static #theirs(other: IdSet): { size: number; bitmaps: Map<number, Bitmap> } {
    if (typeName(other) !== 'IdSet') throw wrongKind('other', 'an IdSet', other);
    const set = #bitmaps in other ? other : IdSet.deserialize((other as IdSet).serialize());
    return { size: set.#size, bitmaps: set.#open('other') };
  }
}
