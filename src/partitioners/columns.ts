import { wrongValue } from '../arguments.js';
import type { KeyColumn } from '../columns/keys.js';
import type { HashColumn } from '../kernels/types.js';
import { concat, type Hashers, type HashName, hashByteRows, type KeyHasher } from './hash.js';

// Keys of several columns, and NULL, for the systems that have a rule for them.

/** A column of keys, and how its kind is hashed. */
export type HashedKeys = { readonly hasher: KeyHasher; readonly column: KeyColumn };

/** The same of a kind that is hashed by its bytes. */
export type HashedBytes = HashedKeys & { readonly hasher: Required<Pick<KeyHasher, 'spans'>> };

export interface Hashes {
  [row: number]: number | bigint;
}

/** How a system hashes several columns. Some also hash NULL. */
export interface Combination {
  /** How many columns a key may have. */
  readonly most: number;
  readonly takesNull: boolean;
  /** Whether it is needed for keys of one column, too. */
  readonly isAlways?: boolean;
  /** How each kind of a column is hashed, if not as in all columns. @throws RangeError for columns that it does not have */
  hashersOf?(column: number, columns: number): Hashers;
  /** Hashes rows from..to, at most a piece of them. */
  hash(columns: readonly HashedKeys[], from: number, to: number, hashes: HashColumn): void;
}

export const MAX_COLUMNS = 255;

interface Folding {
  /** Joins the hash of a column with that of those before it. */
  step(before: number | bigint, hash: number | bigint): number | bigint;
  /** What the first hash is put into; undefined: the first hash itself. */
  readonly start?: number | bigint;
  /** The hash of NULL; `skipped`: it changes nothing, and there is a `start`; undefined: it is refused. */
  readonly ofNull?: number | bigint | 'skipped';
  readonly most?: number;
}

/** The hashes of columns become one, from the first to the last. */
export function folded({ step, start, ofNull, most = MAX_COLUMNS }: Folding): Combination {
  return {
    most,
    takesNull: ofNull !== undefined,
    hash(columns, from, to, hashes) {
      const ofColumn = hashes.slice();
      const folds: Hashes = hashes;
      if (start !== undefined) for (let row = 0; row < hashes.length; row++) folds[row] = start;
      for (const [i, { hasher, column }] of columns.entries()) {
        hasher.column(column, from, to, ofColumn);
        for (let row = 0; row < ofColumn.length; row++) {
          const isNull = column.nulls?.[from + row] === 1;
          // Without a rule for NULL, callers have refused it, or leave out what comes of it.
          const hash = isNull && ofNull !== undefined ? ofNull : ofColumn[row];
          if (hash === 'skipped') continue;
          folds[row] = i === 0 && start === undefined ? hash : step(folds[row], hash);
        }
      }
    },
  };
}

/** One column, whose NULL has a hash. */
export const nullAs = (ofNull: number | bigint): Combination => folded({ step: (_, hash) => hash, ofNull, most: 1 });

/** The hash of a column is the seed of the next one. NULL leaves it as it is. */
export function chained(
  seed: number,
  hashOf: (data: Uint8Array, start: number, end: number, seed: number) => number,
): Combination {
  return {
    most: MAX_COLUMNS,
    takesNull: true,
    hash(columns: readonly HashedBytes[], from, to, hashes: Uint32Array) {
      hashes.fill(seed);
      for (const { hasher, column } of columns) {
        const { data, starts, ends } = hasher.spans(column, from, to);
        for (let row = 0; row < hashes.length; row++) {
          if (column.nulls?.[from + row] !== 1) hashes[row] = hashOf(data, starts[row], ends[row], hashes[row]);
        }
      }
    },
  };
}

/** The bytes of columns are hashed together. @param join the bytes of a row, whose number is for an error */
export function joined(
  hash: HashName,
  join: (values: readonly Uint8Array[], row: number) => Uint8Array,
  takesNull = false,
): Combination {
  return {
    most: MAX_COLUMNS,
    takesNull,
    hash(columns: readonly HashedBytes[], from, to, hashes) {
      // Copies, because the spans of encoded keys are valid until the next ones.
      const parts = columns.map(({ hasher, column }) => {
        const { data, starts, ends } = hasher.spans(column, from, to);
        return Array.from(starts, (start, row) => data.slice(start, column.nulls?.[from + row] ? start : ends[row]));
      });
      const ofRow = (row: number) => parts.map((part) => part[row]);
      const rows = parts[0].map((_, row) => join(ofRow(row), from + row));
      hashByteRows(hash, rows, hashes);
    },
  };
}

const MAX_BYTES = 65_535;

/** Each value after its length in two bytes, and before a zero. One value is as it is. */
export function withLengths(values: readonly Uint8Array[], row: number): Uint8Array {
  if (values.length === 1) return values[0];
  const parts = values.flatMap((value) => {
    const { length } = value;
    if (length > MAX_BYTES) throw wrongValue('keys', `at most ${MAX_BYTES} bytes in a column`, length, row);
    return [[length >>> 8, length & 255], value, [0]];
  });
  return concat(...parts);
}

/** The values, with a byte between two of them. */
export const separatedBy = (byte: number) => (values: readonly Uint8Array[]) =>
  concat(...values.flatMap((value, i) => (i === 0 ? [value] : [[byte], value])));
