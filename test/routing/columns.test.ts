import { describe, expect, it } from 'vitest';
import { fastRange, fastRangeMany, jumpHash, jumpHashMany } from '../../src/index.js';
import { onBothBackends } from '../support/backends.js';
import { randomU64s } from '../support/random.js';

const U64_MAX = 0xffffffffffffffffn;
const UNTOUCHED = 0x55555555;

const FUNCTIONS = [
  { name: 'jumpHashMany', many: jumpHashMany, one: jumpHash, max: 2 ** 31 - 1 },
  { name: 'fastRangeMany', many: fastRangeMany, one: fastRange, max: 2 ** 32 - 1 },
] as const;

onBothBackends('a column gives what each of its keys gives:', () => {
  describe.each(FUNCTIONS)('$name', ({ many, one, max }) => {
    const edges = [0n, 1n, 2n, (1n << 32n) - 1n, 1n << 32n, (1n << 63n) - 1n, 1n << 63n, U64_MAX - 1n, U64_MAX];

    it.each([1, 2, 3, 7, 10, 1000, 1024, 65535, 65537, 1e6, 2 ** 31 - 1, 2 ** 31, 2 ** 32 - 1])('for n = %i', (n) => {
      if (n > max) return expect(() => many(new BigUint64Array(1), n)).toThrow(RangeError);
      const keys = BigUint64Array.from([...edges, ...randomU64s(1000)]);
      expect(many(keys, n)).toEqual(Uint32Array.from(keys, (key) => one(key, n)));
    });

    // Around the four or eight that are worked on together, at every place where it can end.
    it('of every length from 0 to 40', () => {
      const keys = randomU64s(41);
      for (let length = 0; length <= 40; length++) {
        const column = keys.subarray(1, 1 + length);
        expect(many(column, 1000)).toEqual(Uint32Array.from(column, (key) => one(key, 1000)));
      }
    });

    // Around the blocks of 1020 of jump hash and the pieces of 16384 that cross to WebAssembly.
    const BLOCK = [1013, 1014, 1019, 1020, 1021, 1026, 1031, 1032, 2039, 2040, 2041];
    it.each([...BLOCK, 16383, 16384, 16385, 32769])('of %i rows', (rows) => {
      const keys = randomU64s(rows);
      expect(many(keys, 1024)).toEqual(Uint32Array.from(keys, (key) => one(key, 1024)));
    });

    it('of signed keys, by the same bits', () => {
      const keys = randomU64s(100);
      const signed = new BigInt64Array(keys.buffer) as unknown as BigUint64Array;
      expect(many(signed, 1000)).toEqual(many(keys, 1000));
    });

    it('on shared memory', () => {
      const keys = new BigUint64Array(new SharedArrayBuffer(800));
      keys.set(randomU64s(100));
      const out = new Uint32Array(new SharedArrayBuffer(400));
      expect(many(keys, 1000, { out })).toBe(out);
      expect(Uint32Array.from(out)).toEqual(Uint32Array.from(keys, (key) => one(key, 1000)));
    });

    it('into out, and not beside it', () => {
      const keys = randomU64s(20_000);
      const around = new Uint32Array(20_002).fill(UNTOUCHED);
      const out = around.subarray(1, 20_001);
      expect(many(keys, 77, { out })).toBe(out);
      expect(out).toEqual(many(keys, 77));
      expect([around[0], around[20_001]]).toEqual([UNTOUCHED, UNTOUCHED]);
      expect(keys).toEqual(randomU64s(20_000));
    });
  });
});
