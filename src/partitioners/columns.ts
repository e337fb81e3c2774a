import { wrongValue } from '../arguments.js';
import { bytesColumnOf, type KeyColumn, spansOf } from '../columns/keys.js';
import type { HashColumn, Spans } from '../kernels/types.js';
import { type KeyHasher, ofBytes } from './hash.js';

// Keys of several columns, and NULL, for the systems that have a rule for them.

/** A column of keys, and how its kind is hashed. */
export interface HashedKeys {
  readonly hasher: KeyHasher;
  readonly column: KeyColumn;
}

/** How a system hashes several columns. Some also hash NULL. */
export interface Combination {
  /** How many columns a key may have. */
  readonly most: number;
  /** Whether values may be NULL. */
  readonly takesNull: boolean;
  /**
   * Hashes rows from..to, at most a piece of them.
   * @returns the first row that a hasher refuses, counted from `from`, or -1
   */
  hash(columns: readonly HashedKeys[], from: number, to: number, hashes: HashColumn): number;
}

const MAX_COLUMNS = 255;

/**
 * The hashes of columns become one, from the first to the last.
 * @param start what the first hash is put into; undefined: the first hash itself
 * @param ofNull the hash of NULL; `skipped`: it changes nothing; undefined: it is refused
 */
export function folded<T extends number | bigint>(
  step: (before: T, hash: T) => T,
  { start, ofNull, most = MAX_COLUMNS }: { start?: T; ofNull?: T | 'skipped'; most?: number },
): Combination {
  return {
    most,
    takesNull: ofNull !== undefined,
    hash(columns, from, to, hashes) {
      const ofColumn = new (hashes.constructor as new (rows: number) => HashColumn)(to - from);
      for (const [i, { hasher, column }] of columns.entries()) {
        const bad = hasher.column(column, from, to, ofColumn);
        if (bad >= 0) return bad;
        for (let row = 0; row < ofColumn.length; row++) {
          const before = (i === 0 ? start : hashes[row]) as T | undefined;
          const isNull = column.nulls?.[from + row] === 1;
          // Without a rule for NULL, callers have refused it, or leave out what comes of it.
          const hash = (isNull && ofNull !== undefined ? ofNull : ofColumn[row]) as T | 'skipped';
          if (hash === 'skipped') hashes[row] = before as never;
          else hashes[row] = (before === undefined ? hash : step(before, hash)) as never;
        }
      }
      return -1;
    },
  };
}

/** One column, whose NULL has a hash. */
export const nullAs = <T extends number | bigint>(ofNull: T): Combination =>
  folded<T>((_, hash) => hash, { ofNull, most: 1 });

/** The hash of a column is the seed of the next one. NULL leaves it as it is. */
export function chained(
  seed: number,
  hashOf: (data: Uint8Array, start: number, end: number, seed: number) => number,
): Combination {
  return {
    most: MAX_COLUMNS,
    takesNull: true,
    hash(columns, from, to, hashes: Uint32Array) {
      hashes.fill(seed);
      for (const { hasher, column } of columns) {
        const { data, starts, ends } = bytesIn(hasher, column, from, to);
        for (let row = 0; row < hashes.length; row++) {
          if (column.nulls?.[from + row] !== 1) hashes[row] = hashOf(data, starts[row], ends[row], hashes[row]);
        }
      }
      return -1;
    },
  };
}

const bytesIn = ({ spans }: KeyHasher, column: KeyColumn, from: number, to: number): Spans =>
  (spans as NonNullable<KeyHasher['spans']>)(column, from, to);

const MAX_BYTES = 65_535;

/** The bytes of columns are hashed together, each after its length in two bytes, and before a zero. One column is as it is. */
export function joined(hash: Parameters<typeof ofBytes>[0]): Combination {
  const whole = ofBytes(hash);
  return {
    most: MAX_COLUMNS,
    takesNull: false,
    hash(columns, from, to, hashes) {
      const rows = to - from;
      // Copies, because the spans of encoded keys are valid until the next ones.
      const parts = columns.map(({ hasher, column }) => {
        const { data, starts, ends } = bytesIn(hasher, column, from, to);
        return Array.from(starts, (start, row) => data.slice(start, ends[row]));
      });
      const bytes = Array.from({ length: rows }, (_, row) =>
        composite(
          parts.map((part) => part[row]),
          from + row,
        ),
      );
      return whole.column({ kind: 'bytes', rows, memory: [], spans: spansOf(bytesColumnOf(bytes)) }, 0, rows, hashes);
    },
  };
}

function composite(values: readonly Uint8Array[], row: number): Uint8Array {
  if (values.length === 1) return values[0];
  const bytes = new Uint8Array(values.reduce((sum, { length }) => sum + length + 3, 0));
  let at = 0;
  for (const value of values) {
    if (value.length > MAX_BYTES) throw wrongValue('keys', `at most ${MAX_BYTES} bytes in a column`, value.length, row);
    bytes.set([value.length >>> 8, value.length & 255], at);
    bytes.set(value, at + 2);
    at += value.length + 3;
  }
  return bytes;
}
