import { type BytesColumn, xxh64Many } from '../../../index.js';
import { partitioner } from '../../../partitioners/index.js';
import { textIn } from '../../read/cells.js';
import { parsed } from './routing.js';

/** Keys, as the library takes a column of them. */
export interface KeyList {
  readonly count: number;
  readonly column: readonly string[] | BytesColumn;
  text(row: number): string;
}

export function keyListOf(keys: readonly string[]): KeyList {
  return { count: keys.length, column: keys, text: (row) => keys[row] };
}

/** Collects keys as bytes, so that a million of them are no objects. */
export class KeyWriter {
  #bytes: Uint8Array;
  #offsets = new Uint32Array(1024);
  #count = 0;

  /** @param capacity about as many bytes as the keys have */
  constructor(capacity: number) {
    this.#bytes = new Uint8Array(Math.max(1024, capacity));
  }

  push(key: Uint8Array): void {
    const at = this.#offsets[this.#count];
    const end = at + key.length;
    if (end > this.#bytes.length) this.#bytes = grown(this.#bytes, new Uint8Array(2 * end));
    if (this.#count + 1 === this.#offsets.length)
      this.#offsets = grown(this.#offsets, new Uint32Array(2 * this.#count + 2));
    this.#bytes.set(key, at);
    this.#offsets[++this.#count] = end;
  }

  finish(): KeyList {
    const offsets = this.#offsets.slice(0, this.#count + 1);
    const data = this.#bytes.subarray(0, offsets[this.#count]);
    return {
      count: this.#count,
      column: { data, offsets },
      text: (row) => textIn(data, offsets[row], offsets[row + 1]),
    };
  }
}

function grown<T extends Uint8Array | Uint32Array>(from: T, to: T): T {
  to.set(from);
  return to;
}

/** Keys as ids, which are decimal integers. @throws RangeError for one that is not */
export function idsIn(keys: KeyList): BigInt64Array {
  const ids = new BigInt64Array(keys.count);
  const checking = partitioner('discord', { shards: 1 });
  for (let row = 0; row < ids.length; row++) {
    const id = parsed(keys.text(row), /^-?\d{1,19}$/, BigInt);
    checking.route(id);
    ids[row] = id;
  }
  return ids;
}

/**
 * How many keys another key before them equals, and the most frequent key with its number of rows; undefined if no key is
 * there twice. Different keys have different hashes of 64 bits, as good as surely.
 */
export function repeatedIn({ column, text }: KeyList) {
  const hashes = xxh64Many(column);
  const sorted = hashes.slice().sort();
  let [duplicates, run, end, count] = [0, 1, 0, 1];
  for (let i = 1; i < sorted.length; i++) {
    run = sorted[i] === sorted[i - 1] ? run + 1 : 1;
    if (run > 1) duplicates++;
    if (run > count) [end, count] = [i, run];
  }
  if (duplicates === 0) return undefined;
  return { duplicates, key: shortened(text(hashes.indexOf(sorted[end]))), count };
}

const MAX_CHARACTERS = 200;

/** A key as the page shows it. */
export function shortened(key: string): string {
  return key.length > MAX_CHARACTERS ? `${key.slice(0, MAX_CHARACTERS)}…` : key;
}
