import { stepThrough, wrongValue } from '../arguments.js';
import { type BytesColumn, bytesColumnOf, checkKeys, type Keys, spansOf, textOfSpan } from '../columns/keys.js';
import { kernels } from '../kernels/active.js';
import type { Spans } from '../kernels/types.js';
import { spansOfTexts } from '../partitioners/hash.js';
import { areOf, type KeyKind, keysInRows } from '../partitioners/keys.js';
import type { KeyKinds } from '../partitioners/partitioner.js';
import { rowsOf } from '../routing/routing.js';
import { typedKey } from '../routing/typed-key.js';

/** A column of keys that is tried. @inline */
export type KeysOfOne = Keys | Int32Array;

/** Keys that are tried: a column, or several. @inline */
export type TriedKeys = KeysOfOne | readonly KeysOfOne[];

/** So many columns are tried at most: each may be of three kinds. */
const MAX_COLUMNS = 4;

const areColumns = (keys: TriedKeys): keys is readonly KeysOfOne[] =>
  Array.isArray(keys) && typeof keys[0] === 'object' && keys[0] !== null;

/** The keys of all rows, as one of the kinds that they may be. */
export interface KeyInterpretation {
  readonly kind: KeyKinds;
  readonly keys: TriedKeys;
  /** What `--keys` says of them; the kind by default. */
  readonly word?: string | undefined;
}

/** A column as one of the kinds. */
type ColumnInterpretation = KeyInterpretation & { readonly keys: KeysOfOne };

/**
 * Everything that some keys may be. Texts are also integers or UUIDs if all of them can be read so; integers are also
 * texts in decimal. Several columns are first the text that they are joined to, and then each of their kinds.
 * @param encoded how the keys were written if they are bytes, for `--keys`
 * @throws TypeError or RangeError for what is not a column of keys
 */
export function readingsOf(keys: TriedKeys, encoded?: string): KeyInterpretation[] {
  return areColumns(keys) ? readingsOfColumns(keys) : readingsOfOne('keys', keys, encoded);
}

function readingsOfColumns(columns: readonly KeysOfOne[]): KeyInterpretation[] {
  if (columns.length > MAX_COLUMNS) throw wrongValue('keys', `at most ${MAX_COLUMNS} columns`, columns.length);
  const read = columns.map((column, i) => readingsOfOne(`keys[${i}]`, column));
  const texts = read.map(([text]) => textsOf(text.keys));
  const [{ length }] = texts;
  const other = texts.findIndex((column) => column.length !== length);
  if (other > 0) throw wrongValue(`keys[${other}]`, `${length} rows, as in keys[0]`, texts[other].length);
  const joined = texts.reduceRight((after, column) => after.map((key, row) => typedKey(column[row], key)));
  const all = read.reduce<ColumnInterpretation[][]>(
    (some, column) => some.flatMap((before) => column.map((one) => [...before, one])),
    [[]],
  );
  const inKinds = all.map((one) => ({
    kind: one.map(({ kind }) => kind as KeyKind),
    keys: one.map(({ keys }) => keys),
  }));
  return [{ kind: 'text', keys: joined }, ...inKinds.filter(({ kind }) => !kind.includes('u64'))];
}

function textsOf(keys: KeysOfOne): readonly string[] {
  if (Array.isArray(keys)) return keys;
  const spans = spansOf(keys as BytesColumn);
  return Array.from(spans.starts, (_, row) => textOfSpan(spans, row, Number.POSITIVE_INFINITY));
}

function readingsOfOne(argument: string, keys: KeysOfOne, encoded?: string): ColumnInterpretation[] {
  if (encoded !== undefined) return [{ kind: 'bytes', keys, word: encoded }];
  if (areOf('int32', keys)) return [inDecimal(keys), ...integers(BigInt64Array.from(keys, BigInt))];
  const column = checkKeys(
    argument,
    keys,
    'strings, a BytesColumn, an Int32Array, a BigInt64Array or a BigUint64Array',
  );
  if (column.kind === 'u64') {
    const { buffer, byteOffset, length } = column.keys;
    return [inDecimal(keys as BigUint64Array), ...integers(new BigInt64Array(buffer, byteOffset, length))];
  }
  const readings: ColumnInterpretation[] = [{ kind: 'text', keys }];
  if (column.rows === 0) return readings;
  const spans = spansOfTexts(column, 0, column.rows);
  const int64 = integersIn(spans);
  if (int64 !== undefined) readings.push(...int64);
  else if (unlessRefused(() => keysInRows('uuid', { values: spans }, 'keys'))) readings.push({ kind: 'uuid', keys });
  return readings;
}

const inDecimal = (numbers: ArrayLike<number | bigint>): ColumnInterpretation => ({
  kind: 'text',
  keys: Array.from(numbers, String),
});

/** Integers as all kinds of integers that hold them. */
function integers(int64: BigInt64Array): ColumnInterpretation[] {
  const readings: ColumnInterpretation[] = [
    { kind: 'int64', keys: int64 },
    { kind: 'u64', keys: new BigUint64Array(int64.buffer, int64.byteOffset, int64.length) },
  ];
  if (int64.some((value) => BigInt.asIntN(32, value) !== value)) return readings;
  return [{ kind: 'int32', keys: Int32Array.from<bigint>(int64, Number) }, ...readings];
}

/** Rows of text as integers, if all are such in decimal. */
function integersIn(spans: Spans): ColumnInterpretation[] | undefined {
  const column = unlessRefused(() => keysInRows('int64', { values: spans }, 'keys'));
  if (column?.kind === 'int64') return integers(column.keys);
  const keys = new BigUint64Array(spans.starts.length);
  return kernels().parseSpans(spans, 'dec', keys) < 0 ? [{ kind: 'u64', keys }] : undefined;
}

/** What `work` gives; undefined if it refuses the keys, the servers or the number of shards. */
export function unlessRefused<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

const FORMS = [
  ['an integer', /^-?\d{1,19}$/],
  ['a UUID', /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i],
] as const;
const MAX_STRAYS = 3;
const MIN_OTHERS = 20;

/** A few rows without which the texts of a column could all be read as integers, or as UUIDs. */
export function straysIn([{ kind, keys }, ...others]: readonly KeyInterpretation[]) {
  const texts = kind === 'text' && others.length === 0 ? textsOf(keys as KeysOfOne) : [];
  for (const [noun, form] of FORMS) {
    const rows = texts.flatMap((text, row) => (form.test(text) ? [] : [row]));
    if (rows.length === 0 || rows.length > MAX_STRAYS || texts.length < MIN_OTHERS * rows.length) continue;
    return { noun, rows, texts: rows.map((row) => texts[row]) };
  }
  return undefined;
}

/** Some keys of a column, or of several, in the order in which their rows are named. */
export function pick(keys: TriedKeys, rows: Uint32Array): TriedKeys {
  return areColumns(keys) ? keys.map((column) => pickOne(column, rows)) : pickOne(keys, rows);
}

function pickOne(keys: KeysOfOne, rows: Uint32Array): KeysOfOne {
  if (Array.isArray(keys)) return Array.from(rows, (row) => keys[row]);
  if ('offsets' in keys) return bytesColumnOf(Array.from(rows, (row) => bytesAt(keys, row)));
  const picked = keys.slice(0, rows.length);
  for (const [i, row] of rows.entries()) picked[i] = keys[row];
  return picked;
}

/** Steps of this share of the rows reach all parts of them evenly: the golden ratio. */
const STEP = 0.6180339887498949;

const MIN_SAMPLED = 64;

/**
 * Up to `most` rows with different keys, from all parts of the column. There are fewer if their keys would have more than
 * `maxBytes`, but at least {@link MIN_SAMPLED}. The same column always gives the same rows.
 */
export function sampleOf(keys: KeysOfOne, most: number, maxBytes: number): Uint32Array {
  const rows = rowsOf(keys);
  const decoder = new TextDecoder('latin1');
  const seen = new Set<string | number | bigint>();
  const sample: number[] = [];
  const step = stepThrough(rows, Math.max(1, Math.round(STEP * rows)));
  let bytes = 0;
  for (let i = 0, row = 0; i < rows && sample.length < most; i++, row = (row + step) % rows) {
    const key = 'offsets' in keys ? decoder.decode(bytesAt(keys, row)) : keys[row];
    if (seen.has(key)) continue;
    seen.add(key);
    sample.push(row);
    bytes += typeof key === 'string' ? key.length : 8;
    if (bytes > maxBytes && sample.length >= MIN_SAMPLED) break;
  }
  return Uint32Array.from(sample);
}

function bytesAt({ data, offsets }: BytesColumn, row: number): Uint8Array {
  return data.subarray(offsets[row], offsets[row + 1]);
}

const COLON = 0x3a;

/** The columns of keys that `typedKey` has joined, or records; the keys as they are if they are not 2 to 4 columns. */
export function columnsIn(keys: BytesColumn, count: number): TriedKeys {
  return count > 1 && count <= MAX_COLUMNS ? split(keys, count) : keys;
}

function split({ data, offsets }: BytesColumn, count: number): BytesColumn[] {
  if (count === 1) return [{ data, offsets }];
  const decoder = new TextDecoder();
  const pairs = Array.from(offsets.subarray(1), (last, row) => {
    const start = data.indexOf(COLON, offsets[row]) + 1;
    const end = start + Number(decoder.decode(data.subarray(offsets[row], start - 1)));
    return [data.subarray(start, end), data.subarray(end + 1, last)];
  });
  const [first, others] = [0, 1].map((i) => bytesColumnOf(pairs.map((pair) => pair[i])));
  return [first, ...split(others, count - 1)];
}
