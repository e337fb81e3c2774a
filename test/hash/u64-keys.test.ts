import fc from 'fast-check';
import { expect, it } from 'vitest';
import { xxh64, xxh64Many } from '../../src/index.js';
import { onBothBackends } from '../support/backends.js';
import { randomU64s } from '../support/random.js';

const U64_MAX = 0xffffffffffffffffn;
const u64 = fc.bigInt({ min: 0n, max: U64_MAX });

/** The 8 bytes of a key, least significant first. */
function littleEndian(key: bigint): Uint8Array {
  return Uint8Array.from({ length: 8 }, (_, i) => Number((key >> BigInt(8 * i)) & 0xffn));
}

onBothBackends('a u64 is hashed as its 8 bytes, little-endian', () => {
  it.each([0n, 1n, 0xffn, 0x0102030405060708n, 1n << 63n, (1n << 63n) - 1n, U64_MAX])('%s', (key) => {
    expect(xxh64(key)).toBe(xxh64(littleEndian(key)));
    expect(xxh64Many(BigUint64Array.of(key))).toEqual(BigUint64Array.of(xxh64(littleEndian(key))));
  });

  it('whatever the key and the seed', () => {
    fc.assert(
      fc.property(u64, u64, (key, seed) => {
        expect(xxh64(key, seed)).toBe(xxh64(littleEndian(key), seed));
      }),
    );
  });

  it('is not its decimal digits, nor its shortest bytes', () => {
    expect(xxh64(42n)).not.toBe(xxh64('42'));
    expect(xxh64(42n)).not.toBe(xxh64(Uint8Array.of(42)));
  });

  // Around the four or eight keys that are hashed together, and around an internal piece.
  it.each([0, 1, 2, 3, 4, 5, 7, 8, 9, 16383, 16384, 16385, 32769])('in a column of %i', (rows) => {
    const keys = randomU64s(rows);
    const hashes = xxh64Many(keys, { seed: 9n });
    expect(hashes).toEqual(BigUint64Array.from(keys, (key) => xxh64(key, 9n)));
    const data = new Uint8Array(keys.buffer);
    const offsets = Uint32Array.from({ length: rows + 1 }, (_, row) => row * 8);
    expect(hashes).toEqual(xxh64Many({ data, offsets }, { seed: 9n }));
  });

  it('in a BigInt64Array by the same bits', () => {
    const keys = randomU64s(1000);
    keys.set([0n, 1n << 63n, U64_MAX, (1n << 63n) - 1n]);
    expect(xxh64Many(new BigInt64Array(keys.buffer))).toEqual(xxh64Many(keys));
    expect(xxh64Many(BigInt64Array.of(-1n))).toEqual(BigUint64Array.of(xxh64(U64_MAX)));
  });

  it('in a column that begins anywhere in its buffer, or lies on shared memory', () => {
    const keys = randomU64s(70);
    const within = new BigUint64Array(new ArrayBuffer(72 * 8), 8, 70);
    const shared = new BigUint64Array(new SharedArrayBuffer(72 * 8), 16, 70);
    within.set(keys);
    shared.set(keys);
    const expected = BigUint64Array.from(keys, (key) => xxh64(key));
    expect(xxh64Many(keys)).toEqual(expected);
    expect(xxh64Many(within)).toEqual(expected);
    expect(xxh64Many(shared)).toEqual(expected);
    expect(xxh64Many(keys.subarray(1))).toEqual(expected.subarray(1));
  });

  it('without a change to the keys', () => {
    const keys = randomU64s(100);
    xxh64Many(keys);
    expect(keys).toEqual(randomU64s(100));
  });
});
