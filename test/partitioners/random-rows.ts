// Random keys of several columns, of every kind and with NULL: the same ones on every run with the same `SEED`.
import type { KeyKind, PartitionColumn, PartitionKeys, PartitionValue } from '../../src/partitioners/index.js';
import { randomU64s } from '../support/random.js';
import { SEED } from '../support/seed.js';
import { randomKeys, uuidText } from './random-keys.js';
import { bytesColumn } from './samples.js';

/** Rows of a key of several columns. Dates and times are numbers: days, or microseconds. */
export interface RandomRows {
  readonly kinds: readonly KeyKind[];
  readonly columns: readonly (readonly PartitionValue[])[];
}

const POOL = 5000;
const NULLS = 5n; // one in so many
const DAY_US = 86_400_000_000n;
const TIMES = [0n, DAY_US - 1n, ...Array.from(randomU64s(POOL), (dice) => dice % DAY_US)];

/** The first and the last day of dates and timestamps: those of the years 1 to 9999. */
type Days = readonly [first: number, last: number];
const DAYS: Days = [-719_162, 2_932_896];

/**
 * Keys of two columns and of three, with each of some kinds in each place.
 * @returns the kinds of their columns: as many pairs, and as many triples, as there are kinds
 */
export function signaturesOf(kinds: readonly KeyKind[]): KeyKind[][] {
  const ofKind = (i: number) => kinds[i % kinds.length];
  return [
    ...kinds.map((kind, i) => [kind, ofKind(i + 5)]),
    ...kinds.map((kind, i) => [kind, ofKind(2 * i + 3), ofKind(i + 9)]),
  ];
}

/** @param options.hasNull whether a fifth of the values is NULL */
export function randomRows(
  kinds: readonly KeyKind[],
  count: number,
  { hasNull = false, days = DAYS }: { readonly hasNull?: boolean; readonly days?: Days } = {},
): RandomRows {
  const seed = SEED + kinds.join().length;
  const columns = kinds.map((kind, i) => {
    const pool = poolOf(kind, days);
    return Array.from(randomU64s(count, seed + 1000 * i), (dice) => {
      if (hasNull && dice % NULLS === 0n) return null;
      return pool[Number((dice >> 8n) % BigInt(pool.length))];
    });
  });
  return { kinds, columns };
}

const pools = new Map<string, readonly PartitionValue[]>();

function poolOf(kind: KeyKind, days: Days): readonly PartitionValue[] {
  const name = `${kind} ${days}`;
  const pool = pools.get(name) ?? newPool(kind, days);
  pools.set(name, pool);
  return pool;
}

function newPool(kind: KeyKind, [first, last]: Days): readonly PartitionValue[] {
  const integers = () => Array.from(randomKeys('int64', POOL).keys as BigInt64Array);
  switch (kind) {
    case 'text':
      // PostgreSQL has no NUL, and UTF-8 no lone surrogates.
      return ['\\N', ...(randomKeys(kind, POOL).keys as string[]).map((key) => wellFormed(key.replaceAll('\0', '')))];
    case 'bytes':
      return randomKeys(kind, POOL).rows;
    case 'uuid':
      return randomKeys(kind, POOL).rows.map(uuidText);
    case 'u64':
      return integers().map((value) => BigInt.asUintN(64, value));
    case 'int64':
      return integers();
    case 'decimal':
      return integers().map(
        (value) =>
          `${value / 100n}.${String(value % 100n)
            .replace('-', '')
            .padStart(2, '0')}`,
      );
    case 'date': {
      const days = Array.from(randomU64s(POOL), (dice) => first + Number(dice % BigInt(last - first)));
      return [0, -1, 10_956, 10_957, first, last, ...days];
    }
    case 'time':
      return TIMES;
    case 'timestamp':
      return poolOf('date', [first, last]).map((day, i) => BigInt(day as number) * DAY_US + TIMES[i % TIMES.length]);
    default: {
      const bits = Number(/\d+/.exec(kind));
      const wrap = kind.startsWith('u') ? BigInt.asUintN : BigInt.asIntN;
      return integers().map((value) => Number(wrap(bits, value)));
    }
  }
}

const wellFormed = (text: string): string => Buffer.from(text).toString();

/** A value as it is written. Bytes are in hex. */
export function textOf(kind: KeyKind, value: PartitionValue): string {
  switch (kind) {
    case 'bytes':
      return Buffer.from(value as Uint8Array).toString('hex');
    case 'date':
      return new Date(Number(value) * 86_400_000).toISOString().slice(0, 10);
    case 'time':
      return timestampText(value as bigint).slice(11);
    case 'timestamp':
      return timestampText(value as bigint);
    default:
      return String(value);
  }
}

function timestampText(us: bigint): string {
  const ms = (us - (((us % 1000n) + 1000n) % 1000n)) / 1000n;
  const digits = String(us - ms * 1000n).padStart(3, '0');
  return new Date(Number(ms)).toISOString().replace('Z', digits);
}

const ARRAYS = {
  ...{ int8: Int8Array, int16: Int16Array, int32: Int32Array, int64: BigInt64Array },
  ...{ uint8: Uint8Array, uint16: Uint16Array, uint32: Uint32Array, u64: BigUint64Array },
  ...{ date: Int32Array, time: BigInt64Array, timestamp: BigInt64Array },
};

/** A column as `routeMany` takes it: a typed array or a BytesColumn, if it can be one. */
function columnOf(kind: KeyKind, values: readonly PartitionValue[]): PartitionColumn {
  if (values.includes(null)) return values;
  if (kind === 'bytes') return bytesColumn(values as Uint8Array[]);
  if (!Object.hasOwn(ARRAYS, kind)) return values;
  return (ARRAYS[kind as keyof typeof ARRAYS] as typeof Int32Array).from(values as number[]);
}

export const keysOf = ({ kinds, columns }: RandomRows): PartitionKeys =>
  kinds.map((kind, i) => columnOf(kind, columns[i]));

/** The values of each row as texts, or null. */
export function textRows({ kinds, columns }: RandomRows): (string | null)[][] {
  return Array.from(columns[0], (_, row) =>
    kinds.map((kind, i) => {
      const value = columns[i][row];
      return value === null ? null : textOf(kind, value);
    }),
  );
}

export const columnNames = ({ kinds }: RandomRows): string[] => kinds.map((_, i) => `k${i}`);
