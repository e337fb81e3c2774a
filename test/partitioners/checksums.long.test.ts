import { describe, expect, it } from 'vitest';
import { wasm } from '../../src/kernels/index.js';
import { onBothBackends } from '../support/backends.js';
import { utf8 } from '../support/bytes.js';
import { IS_WHOLE } from '../support/scale.js';
import { CASSANDRA_CHECKSUMS, DISCORD_CHECKSUM, INTEGER_CHECKSUM, TEXT_CHECKSUMS } from '../vectors/partitioners.js';
import { bytesColumn, make } from './samples.js';

const ROWS = 1_000_000;

// Shared by all tests.
const texts = Array.from({ length: ROWS }, (_, row) => `user:${row}`);
const bytes = bytesColumn(texts.map(utf8));
const int32s = Int32Array.from(texts, (_, row) => row);
const int64s = BigInt64Array.from(int32s, BigInt);
const ids = int64s.map((i) => BigInt.asUintN(63, i * 0x9e3779b97f4a7c15n));

/** FNV-1a 64 of a column as little-endian u32, in hex. It works on two halves, in integers: a tenth of the time of BigInt. */
function fnv1a(column: Uint32Array): string {
  let high = 0xcbf29ce4;
  let low = 0x84222325;
  const bytes = new Uint8Array(column.buffer, column.byteOffset, column.byteLength);
  for (let i = 0; i < bytes.length; i++) {
    low ^= bytes[i];
    // Times 2^40 + 0x1b3.
    const carry = (Math.imul(low >>> 16, 0x1b3) + (Math.imul(low & 0xffff, 0x1b3) >>> 16)) >>> 16;
    high = (Math.imul(high, 0x1b3) + carry + (low << 8)) | 0;
    low = Math.imul(low, 0x1b3);
  }
  return hex((BigInt(high >>> 0) << 32n) | BigInt(low >>> 0));
}

const hex = (checksum: bigint): string => checksum.toString(16).padStart(16, '0');

/** The shards of a million keys, one by one. */
function oneByOne<Key>(keys: { readonly [row: number]: Key }, route: (key: Key) => number): Uint32Array {
  const shards = new Uint32Array(ROWS);
  for (let row = 0; row < ROWS; row++) shards[row] = route(keys[row]);
  return shards;
}

onBothBackends('the checksum of a million keys', (kernels) => {
  // BigInt takes eight times as long, and gives the same results in agree.test.ts.
  const describeHere = describe.runIf(IS_WHOLE || kernels === wasm);
  const cases = TEXT_CHECKSUMS.map((one) => [`${one.system} ${JSON.stringify(one.options)}`, one] as const);

  describeHere.each(cases)('%s', (_, { system, options, checksum }) => {
    const made = make(system, options);

    it('as strings', () => {
      expect(fnv1a(made.routeMany(texts))).toBe(hex(checksum));
    });

    it('as a BytesColumn', () => {
      expect(fnv1a(made.routeMany(bytes))).toBe(hex(checksum));
    });

    it.runIf(IS_WHOLE)('one by one', () => {
      expect(fnv1a(oneByOne(texts, (key) => made.route(key)))).toBe(hex(checksum));
    });
  });

  describeHere.each([
    ['int32', int32s],
    ['int64', int64s],
  ] as const)('postgres, integers as %s', (key, integers) => {
    const made = make(INTEGER_CHECKSUM.system, { ...INTEGER_CHECKSUM.options, key });

    it('as a column', () => {
      expect(fnv1a(made.routeMany(integers))).toBe(hex(INTEGER_CHECKSUM.checksum));
    });

    it.runIf(IS_WHOLE)('one by one', () => {
      const shards = oneByOne<number | bigint>(integers, (integer) => made.route(integer));
      expect(fnv1a(shards)).toBe(hex(INTEGER_CHECKSUM.checksum));
    });
  });

  describeHere('discord', () => {
    const made = make(DISCORD_CHECKSUM.system, DISCORD_CHECKSUM.options);

    it('as a column', () => {
      expect(fnv1a(made.routeMany(ids))).toBe(hex(DISCORD_CHECKSUM.checksum));
    });

    it.runIf(IS_WHOLE)('one by one', () => {
      expect(fnv1a(oneByOne<bigint>(ids, (id) => made.route(id)))).toBe(hex(DISCORD_CHECKSUM.checksum));
    });
  });

  describeHere('cassandra', () => {
    const ring = BigInt64Array.from({ length: 256 }, (_, i) => BigInt(i - 128) << 56n);
    const made = make('cassandra', { tokens: ring });

    it.each([
      ['strings', texts],
      ['a BytesColumn', bytes],
    ])('tokens of %s', (_, keys) => {
      const words = new Uint32Array(made.tokens(keys).buffer);
      expect(fnv1a(words.filter((_, at) => at % 2 === 1))).toBe(hex(CASSANDRA_CHECKSUMS.high));
      expect(fnv1a(words.filter((_, at) => at % 2 === 0))).toBe(hex(CASSANDRA_CHECKSUMS.low));
    });

    it.runIf(IS_WHOLE)('one by one, around a ring', () => {
      const owners = Uint32Array.from(made.tokens(texts) as BigInt64Array, (token) => {
        return Number(BigInt.asUintN(8, -(-token >> 56n) + 128n));
      });
      expect(made.routeMany(texts)).toEqual(owners);
      expect(oneByOne(texts, (key) => made.route(key))).toEqual(owners);
    });
  });
});
