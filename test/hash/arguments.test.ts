import { expect, it } from 'vitest';
import { type Keys, xxh64, xxh64Many } from '../../src/index.js';
import { onBothBackends } from '../support/backends.js';

const UNTOUCHED = 0x5555555555555555n;
const TWO_64 = 1n << 64n;

/** That a batch is refused so, and that nothing was written to `out`. */
function expectRefused(keys: unknown, error: typeof TypeError | typeof RangeError, message: RegExp, rows = 3): void {
  const out = new BigUint64Array(rows).fill(UNTOUCHED);
  const hash = () => xxh64Many(keys as Keys, { out });
  expect(hash).toThrow(error);
  expect(hash).toThrow(message);
  expect(out).toEqual(new BigUint64Array(rows).fill(UNTOUCHED));
}

onBothBackends('xxh64 refuses', () => {
  it.each<[string, unknown]>([
    ['a number', 42],
    ['nothing', undefined],
    ['null', null],
    ['a boolean', false],
    ['an Array of bytes', [1, 2, 3]],
    ['an Array of strings', ['a']],
    ['a BytesColumn', { data: new Uint8Array(1), offsets: Uint32Array.of(0, 1) }],
    ['a String object', Object('a')],
    ['a symbol', Symbol('a')],
    ['a function', () => 'a'],
    ['a date', new Date(0)],
  ])('%s', (_, data) => {
    expect(() => xxh64(data as never)).toThrow(TypeError);
    expect(() => xxh64(data as never)).toThrow(/"data"/);
  });

  it.each([-1n, TWO_64, -TWO_64, TWO_64 + 1n])('the bigint %s, as only seeds wrap', (key) => {
    expect(() => xxh64(key)).toThrow(RangeError);
    expect(() => xxh64(key)).toThrow(new RegExp(`"data".*got ${key}n`));
  });
});

onBothBackends('xxh64Many refuses', () => {
  it.each<[string, unknown]>([
    ['one string', 'abc'],
    ['nothing', undefined],
    ['null', null],
    ['a number', 3],
    ['a Uint8Array', new Uint8Array(3)],
    ['a Uint32Array', new Uint32Array(3)],
    ['a Float64Array', new Float64Array(3)],
    ['an ArrayBuffer', new ArrayBuffer(24)],
    ['an object of no known kind', { offsets: new Uint32Array(4) }],
    ['a Set', new Set(['a', 'b', 'c'])],
  ])('%s', (_, keys) => expectRefused(keys, TypeError, /"keys"/));

  it.each<[string, unknown]>([
    ['a number', 5],
    ['a bigint', 5n],
    ['null', null],
    ['bytes', new Uint8Array(1)],
    ['a String object', Object('a')],
  ])('strings with %s among them, and names the row', (_, wrong) => {
    expectRefused(['a', wrong, 'b'], TypeError, /"keys" row 1\b/);
    expectRefused([wrong, 'a', 'b'], TypeError, /"keys" row 0\b/);
    const texts: unknown[] = new Array(20_000).fill('a');
    texts[19_999] = wrong;
    expectRefused(texts, TypeError, /"keys" row 19999\b/, 20_000);
  });

  it('strings with a hole among them', () => {
    const texts = ['a'];
    texts[2] = 'b';
    expectRefused(texts, TypeError, /"keys" row 1\b/);
  });

  it.each<[string, unknown, RegExp]>([
    ['data of another kind', { data: new Uint16Array(3), offsets: new Uint32Array(4) }, /keys\.data/],
    ['text for data', { data: 'abc', offsets: new Uint32Array(4) }, /keys\.data/],
    ['a buffer for data', { data: new ArrayBuffer(3), offsets: new Uint32Array(4) }, /keys\.data/],
    ['no offsets', { data: new Uint8Array(3) }, /keys\.offsets/],
    ['an Array for offsets', { data: new Uint8Array(3), offsets: [0, 1, 2, 3] }, /keys\.offsets/],
    ['signed offsets', { data: new Uint8Array(3), offsets: Int32Array.of(0, 1, 2, 3) }, /keys\.offsets/],
    ['64-bit offsets', { data: new Uint8Array(3), offsets: BigUint64Array.of(0n, 1n, 2n, 3n) }, /keys\.offsets/],
  ])('a column with %s', (_, keys, message) => expectRefused(keys, TypeError, message));

  it.each<[string, number[], RegExp]>([
    ['that descend', [0, 2, 1, 3], /offsets.*\b2\b/],
    ['that descend at the end', [0, 1, 3, 2], /offsets.*\b3\b/],
    ['past the data', [0, 1, 2, 11], /offsets.*\b3\b.*got 11/],
    ['all past the data', [11, 11, 11, 11], /offsets.*\b0\b.*got 11/],
    ['near 2^32', [0, 1, 2, 0xffffffff], /offsets.*\b3\b.*got 4294967295/],
  ])('a column with offsets %s, and names the element', (_, offsets, message) => {
    expectRefused({ data: new Uint8Array(10), offsets: Uint32Array.from(offsets) }, RangeError, message);
  });

  it.each<[string, unknown]>([
    ['a bigint, as if it were the seed', 5n],
    ['null', null],
    ['an array, as if it were out', new Array(1)],
  ])('options that are %s', (_, options) => {
    expect(() => xxh64Many(['a'], options as never)).toThrow(TypeError);
  });

  it('an option that there is not', () => {
    expect(() => xxh64Many(['a'], { sead: 1n } as never)).toThrow(/sead/);
  });
});
