import { checkInteger, checkOneOf, namesIn, wordsOf, wrongKind, wrongValue } from '../../arguments.js';
import { type Combination, nullAs } from '../columns.js';
import { des } from '../des.js';
import { int32Decimal, int64Decimal, reverseBytes, u64Decimal, widened } from '../encodings.js';
import { hashersOf, ofValues } from '../hash.js';
import { Bounds, type Configuration, type ShardConfiguration, type System, shardsOr } from '../system.js';

type HashVindex = 'xxhash' | 'hash' | 'binary_md5';

/** Either the number of shards, whose ranges are as equal as their bounds allow, or the key ranges of all shards. */
export interface VitessOptions {
  /** The number of shards, 1 to 65536. Their bounds have two digits up to 256 shards, and four above. */
  shards?: number | undefined;
  /** The names of the shards, ascending: `['-40', '40-80', '80-']`. */
  ranges?: readonly string[] | undefined;
  /** The vindex of the table, `xxhash` by default. `hash` has only integers, and `multicol` keys of several columns. */
  vindex?: HashVindex | 'multicol' | undefined;
  /** Of `multicol`, the `column_vindex`: that of each column, `hash` by default. */
  columnVindexes?: readonly HashVindex[] | undefined;
  /** Of `multicol`, the `column_bytes`: how many bytes of a keyspace id each column has, 8 in all at most; by default equal parts. */
  columnBytes?: readonly number[] | undefined;
}

const MAX_SHARDS = 65536;

const ofTexts = (hash: 'xxh64' | 'md5High') =>
  hashersOf(hash, { ...widened(int32Decimal, int64Decimal), u64: u64Decimal });

const desOf = (ids: BigInt64Array, hashes: BigUint64Array) => des(wordsOf(ids), wordsOf(hashes));

interface Vindex extends Pick<Configuration, 'hashers' | 'finalize'> {
  /** The hash of NULL, which is that of the empty text. */
  readonly ofNull?: bigint;
}

/** How each vindex makes a keyspace id of a column. */
const VINDEXES: Record<HashVindex, Vindex> = {
  /** The hash is written little-endian, and compared byte by byte. */
  xxhash: { hashers: ofTexts('xxh64'), finalize: reverseBytes, ofNull: 0xef46db3751d8e999n },
  hash: {
    hashers: widened(
      ofValues(BigUint64Array, (ids: Int32Array, hashes) => desOf(BigInt64Array.from(ids, BigInt), hashes)),
      ofValues(BigUint64Array, desOf),
    ),
  },
  /** An id has 16 bytes. The first 8 decide, because a bound has no more. */
  binary_md5: { hashers: ofTexts('md5High'), ofNull: 0xd41d8cd98f00b204n },
};

/**
 * The keyspace ids of Vitess, and the shards whose key ranges contain them.
 * Source: vitessio/vitess `vtgate/vindexes/xxhash.go`, `hash.go`, `binarymd5.go`, `multicol.go`, `key/key.go`.
 */
export const vitess: System<VitessOptions> = {
  options: ['shards', 'ranges', 'vindex', 'columnVindexes', 'columnBytes'],
  count: 'shards',
  max: MAX_SHARDS,
  choice: { option: 'vindex', values: [...namesIn(VINDEXES), 'multicol'], without: 'one of them' },
  configure({ vindex = 'xxhash', columnVindexes, columnBytes, ...options }) {
    checkOneOf('vindex', vindex, [...namesIn(VINDEXES), 'multicol']);
    const { json, ...placing } = shardsOr('ranges', options, [MAX_SHARDS, ofEqualShards], ofRanges);
    const more = vindex === 'xxhash' ? {} : { vindex };
    const ofColumns = { ...(columnVindexes && { columnVindexes }), ...(columnBytes && { columnBytes }) };
    const [given] = Object.keys(ofColumns);
    if (given !== undefined && vindex !== 'multicol')
      throw wrongValue('vindex', `multicol, which has ${given}`, vindex);
    const { ofNull, ...how } = VINDEXES[vindex === 'multicol' ? 'hash' : vindex];
    const ofOne = ofNull === undefined ? undefined : nullAs(ofNull);
    const columns = vindex === 'multicol' ? multicol(columnVindexes, columnBytes) : ofOne;
    return { ...placing, ...how, columns, tokens: 'u64', json: { ...json, ...more, ...ofColumns } };
  },
};

const MAX_BYTES = 8;

/** The first bytes of the ids of all columns, one after the other. */
function multicol(vindexes: readonly HashVindex[] = [], given: readonly number[] = []): Combination {
  checkEach('columnVindexes', vindexes, (name, vindex) => checkOneOf(name, vindex, namesIn(VINDEXES)));
  checkEach('columnBytes', given, (name, bytes) => checkInteger(name, bytes, 1, MAX_BYTES));
  const vindexOf = (column: number) => VINDEXES[vindexes[column] ?? 'hash'];
  return {
    most: MAX_BYTES,
    takesNull: false,
    isAlways: true,
    hashersOf(column, columns) {
      bytesOf(given, columns);
      if (vindexes.length > columns) throw wrongValue('columnVindexes', `${columns} vindexes`, vindexes.length);
      return vindexOf(column).hashers;
    },
    hash(columns, from, to, hashes: BigUint64Array) {
      const ids = new BigUint64Array(hashes.length);
      const bytes = bytesOf(given, columns.length);
      let left = 64n;
      hashes.fill(0n);
      for (const [i, { hasher, column }] of columns.entries()) {
        hasher.column(column, from, to, ids);
        vindexOf(i).finalize?.(ids);
        const bits = BigInt(8 * bytes[i]);
        left -= bits;
        for (let row = 0; row < ids.length; row++) hashes[row] |= (ids[row] >> (64n - bits)) << left;
      }
    },
  };
}

function checkEach<T>(name: string, values: readonly T[], check: (name: string, value: T) => void): void {
  if (!Array.isArray(values)) throw wrongKind(name, 'an array', values);
  for (const [i, value] of values.entries()) check(`${name}[${i}]`, value);
}

/** The bytes of each column. Those that are not given share the rest, the first ones the more. */
function bytesOf(given: readonly number[], columns: number): number[] {
  const bytes = [...given];
  let rest = bytes.reduce((left, count) => left - count, MAX_BYTES);
  if (bytes.length > columns) throw wrongValue('columnBytes', `${columns} numbers`, bytes.length);
  if (rest < columns - bytes.length)
    throw wrongValue('columnBytes', `at most ${MAX_BYTES} bytes in all columns`, given);
  while (bytes.length < columns) {
    const share = Math.ceil(rest / (columns - bytes.length));
    rest -= share;
    bytes.push(share);
  }
  return bytes;
}

/** Shard i starts at floor(i * 2^bits / n) in the first bits of a keyspace id. */
function ofEqualShards(n: number): ShardConfiguration {
  const bits = n > 256 ? 16 : 8;
  return {
    shards: n,
    toShard: {
      column(tokens: BigUint64Array, indices) {
        const words = wordsOf(tokens);
        for (let i = 0; i < indices.length; i++) {
          // At most 2^32 - 1: the largest i whose start is not above.
          indices[i] = (((words[2 * i + 1] >>> (32 - bits)) + 1) * n - 1) / 2 ** bits;
        }
      },
    },
    json: { shards: n },
  };
}

function ofRanges(ranges: readonly string[]): ShardConfiguration {
  const starts = startsOf(ranges);
  // A range ends before the next one starts, and only the first one starts at 0.
  const ends = new Bounds(BigUint64Array.from(starts.slice(1), (start) => start - 1n));
  return {
    shards: starts.length,
    toShard: { column: (tokens: BigUint64Array, indices) => ends.countBelow(tokens, 0, indices) },
    json: { ranges: [...ranges] },
  };
}

const RANGE = /^((?:[0-9a-f]{2}){0,8})-((?:[0-9a-f]{2}){0,8})$/i;

/** Every range starts where the one before it ends. */
function startsOf(ranges: readonly string[]): bigint[] {
  if (!Array.isArray(ranges)) throw wrongKind('ranges', 'an array of key ranges', ranges);
  if (ranges.length === 0) throw wrongValue('ranges', 'at least one key range', ranges);
  let previousEnd = '';
  return Array.from(ranges, (range: string, row) => {
    if (typeof range !== 'string') throw wrongKind('ranges', 'a string', range, row);
    const [, start = '', end = ''] =
      RANGE.exec(range) ?? wrong('a key range such as 40-80, with up to 16 digits in a bound');
    if (bound(start) !== bound(previousEnd)) wrong(`a key range that starts with "${previousEnd}-"`);
    if (row === ranges.length - 1) {
      if (end !== '') wrong('a key range without an end, because it is the last one');
    } else if (end === '' || bound(end) <= bound(start)) wrong(`a key range that ends above "${start}"`);
    previousEnd = end;
    return bound(start);

    function wrong(expected: string): never {
      throw wrongValue('ranges', expected, range, row);
    }
  });
}

/** A bound of fewer than 8 bytes is padded with zeros at its end. */
function bound(digits: string): bigint {
  return BigInt(`0x${digits.padEnd(16, '0')}`);
}
