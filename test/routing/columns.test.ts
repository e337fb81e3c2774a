import { describe, expect, it } from 'vitest';
import { fastRange, fastRangeMany, jumpHash, jumpHashMany } from '../../src/index.js';
import { onBothBackends } from '../support/backends.js';
import { randomU64s } from '../support/random.js';

const U64_MAX = 0xffffffffffffffffn;
const UNTOUCHED = 0x55555555;

const FUNCTIONS = [
  { name: 'jumpHashMany', many: jumpHashMany, one: jumpHash, max: 2 ** 31 - 1, keys: 'keys', count: 'buckets' },
  { name: 'fastRangeMany', many: fastRangeMany, one: fastRange, max: 2 ** 32 - 1, keys: 'hashes', count: 'n' },
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

onBothBackends('a column is refused', () => {
  describe.each(FUNCTIONS)('by $name', ({ many, max, keys: keysName, count }) => {
    const named = (name: string) => new RegExp(`"${name}"`);

    it.each<[string, unknown]>([
      ['an Array', [1n]],
      ['a Uint32Array', Uint32Array.of(1)],
      ['a Float64Array', Float64Array.of(1)],
      ['strings', ['a']],
      ['one u64', 1n],
      ['nothing', undefined],
      ['null', null],
    ])('if it is %s', (_, wrong) => {
      expect(() => many(wrong as never, 10)).toThrow(TypeError);
      expect(() => many(wrong as never, 10)).toThrow(named(keysName));
    });

    it('if there are too few or too many to choose from, also if it is empty', () => {
      for (const wrong of [0, -1, 1.5, max + 1, Number.NaN]) {
        expect(() => many(randomU64s(3), wrong)).toThrow(RangeError);
        expect(() => many(new BigUint64Array(), wrong)).toThrow(RangeError);
        expect(() => many(randomU64s(3), wrong)).toThrow(named(count));
      }
      expect(() => many(randomU64s(3), '3' as never)).toThrow(TypeError);
      expect(() => many(randomU64s(3), 3n as never)).toThrow(TypeError);
    });

    it('if out is of another length or kind, and then nothing is written', () => {
      for (const length of [0, 2, 4]) {
        const out = new Uint32Array(length).fill(UNTOUCHED);
        expect(() => many(randomU64s(3), 10, { out })).toThrow(RangeError);
        expect(out.every((value) => value === UNTOUCHED)).toBe(true);
      }
      for (const out of [new Int32Array(3), new BigUint64Array(3), [0, 0, 0], null]) {
        expect(() => many(randomU64s(3), 10, { out: out as never })).toThrow(TypeError);
        expect(() => many(randomU64s(3), 10, { out: out as never })).toThrow(/"out"/);
      }
    });

    it('if out covers any of it', () => {
      const keys = randomU64s(10);
      for (const at of [0, 4, 20, 40]) {
        const out = new Uint32Array(keys.buffer, at, 10);
        expect(() => many(keys, 10, { out })).toThrow(RangeError);
      }
      expect(keys).toEqual(randomU64s(10));
    });
  });
});
