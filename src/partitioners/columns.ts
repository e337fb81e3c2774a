import { wrongValue } from '../arguments.js';
import { bytesColumnOf, type KeyColumn, spansOf } from '../columns/keys.js';
import type { HashColumn } from '../kernels/types.js';
import { type KeyHasher, ofBytes } from './hash.js';

// Keys of several columns, and NULL, for the systems that have a rule for them.

/** A column of keys, and how its kind is hashed. */
export interface HashedKeys {
  readonly hasher: KeyHasher;
  readonly column: KeyColumn;
}

/** The same of a kind that is hashed by its bytes. */
type HashedBytes = HashedKeys & { readonly hasher: Required<Pick<KeyHasher, 'spans'>> };

export interface Hashes {
  [row: number]: number | bigint;
}

/** How a system hashes several columns. Some also hash NULL. */
export interface Combination {
  /** How many columns a key may have. */
  readonly most: number;
  readonly takesNull: boolean;
  /** Hashes rows from..to, at most a piece of them. */
  hash(columns: readonly HashedKeys[], from: number, to: number, hashes: HashColumn): void;
}

const MAX_COLUMNS = 255;

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

const MAX_BYTES = 65_535;

/** The bytes of columns are hashed together, each after its length in two bytes, and before a zero. One column is as it is. */
export function joined(hash: Parameters<typeof ofBytes>[0]): Combination {
  const whole = ofBytes(hash);
  return {
    most: MAX_COLUMNS,
    takesNull: false,
    hash(columns: readonly HashedBytes[], from, to, hashes) {
      const rows = to - from;
      // Copies, because the spans of encoded keys are valid until the next ones.
      const parts = columns.map(({ hasher, column }) => {
        const { data, starts, ends } = hasher.spans(column, from, to);
        return Array.from(starts, (start, row) => data.slice(start, ends[row]));
      });
      const bytes = parts[0].map((_, row) => composite(parts, row, from));
      whole.column({ kind: 'bytes', rows, memory: [], spans: spansOf(bytesColumnOf(bytes)) }, 0, rows, hashes);
    },
  };
}

/** @param from the number of the first row, for an error */
function composite(parts: readonly (readonly Uint8Array[])[], row: number, from: number): Uint8Array {
  if (parts.length === 1) return parts[0][row];
  const values = parts.map((part) => part[row]);
  const bytes = new Uint8Array(values.reduce((sum, { length }) => sum + length + 3, 0));
  let at = 0;
  for (const value of values) {
    if (value.length > MAX_BYTES)
      throw wrongValue('keys', `at most ${MAX_BYTES} bytes in a column`, value.length, from + row);
    bytes.set([value.length >>> 8, value.length & 255], at);
    bytes.set(value, at + 2);
    at += value.length + 3;
  }
  return bytes;
}
