import { describe, expect, it } from 'vitest';
import { type Keys, Router } from '../../src/index.js';
import { onBothBackends } from '../support/backends.js';
import { randomU64s } from '../support/random.js';

const UNTOUCHED = 0x55555555;
type ErrorClass = typeof TypeError | typeof RangeError;

onBothBackends('new Router', () => {
  it.each<[string, unknown, ErrorClass, RegExp]>([
    ['no options', undefined, TypeError, /"options"/],
    ['null', null, TypeError, /"options"/],
    ['a number', 10, TypeError, /"options"/],
    ['no shards', {}, TypeError, /"shards"/],
    ['0 shards', { shards: 0 }, RangeError, /^"shards": expected an integer from 1 to 2147483647, got 0$/],
    ['negative shards', { shards: -3 }, RangeError, /"shards".*got -3/],
    ['2^31 shards', { shards: 2 ** 31 }, RangeError, /"shards".*got 2147483648/],
    ['2^31 shards by fastrange', { shards: 2 ** 31, strategy: 'fastrange' }, RangeError, /"shards"/],
    ['2.5 shards', { shards: 2.5 }, RangeError, /"shards".*got 2\.5/],
    ['NaN shards', { shards: Number.NaN }, RangeError, /"shards".*got NaN/],
    ['shards as text', { shards: '10' }, TypeError, /"shards"/],
    ['shards as a bigint', { shards: 10n }, TypeError, /"shards"/],
    [
      'an unknown strategy',
      { shards: 3, strategy: 'ring' },
      RangeError,
      /"strategy".*'jump'.*'fastrange'.*'modulo'.*got "ring"/,
    ],
    ['a strategy by the name of a method', { shards: 3, strategy: 'toString' }, RangeError, /"strategy"/],
    ['a strategy of another kind', { shards: 3, strategy: 1 }, TypeError, /"strategy"/],
    ['an unknown hash', { shards: 3, hash: 'murmur' }, RangeError, /"hash".*got "murmur"/],
    ['a hash of another kind', { shards: 3, hash: () => 0n }, TypeError, /"hash"/],
    ['a seed that is a number', { shards: 3, seed: 1 }, TypeError, /"seed"/],
    ['a misspelt option', { shards: 3, straregy: 'jump' }, RangeError, /straregy/],
    ['down as a number', { shards: 3, down: 1 }, TypeError, /"down"/],
    ['down as text', { shards: 3, down: '1' }, TypeError, /"down"/],
    ['down as an object', { shards: 3, down: { 1: true } }, TypeError, /"down"/],
    ['null for down', { shards: 3, down: null }, TypeError, /"down"/],
    ['null for the strategy', { shards: 3, strategy: null }, TypeError, /"strategy"/],
    ['null for the hash', { shards: 3, hash: null }, TypeError, /"hash"/],
    ['null for the seed', { shards: 3, seed: null }, TypeError, /"seed"/],
    ['text in down', { shards: 3, down: ['1'] }, TypeError, /"down"/],
    ['a bigint in down', { shards: 3, down: [1n] }, TypeError, /"down"/],
    ['a shard in down that there is not', { shards: 3, down: [0, 3] }, RangeError, /"down".*from 0 to 2, got 3/],
    ['a negative shard in down', { shards: 3, down: [-1] }, RangeError, /"down".*got -1/],
    ['half a shard in down', { shards: 3, down: [0.5] }, RangeError, /"down".*got 0\.5/],
    ['all shards down', { shards: 3, down: [0, 1, 2] }, RangeError, /"down"/],
    ['the only shard down', { shards: 1, down: [0] }, RangeError, /"down"/],
  ])('refuses %s', (_, options, error, message) => {
    expect(() => new Router(options as never)).toThrow(error);
    expect(() => new Router(options as never)).toThrow(message);
  });

  it('takes down from anything that can be gone through, in any order and with repeats', () => {
    function* generate() {
      yield* [7, 3, 7];
    }
    for (const down of [
      [7, 3],
      new Set([3, 7]),
      Uint8Array.of(3, 7, 3),
      generate(),
      new Map([
        [7, 'a'],
        [3, 'b'],
      ]).keys(),
    ]) {
      expect(new Router({ shards: 10, down }).down).toEqual([3, 7]);
    }
    expect(new Router({ shards: 20, down: [10, 9, 2] }).down).toEqual([2, 9, 10]);
    expect(new Router({ shards: 10, down: [] }).down).toEqual([]);
  });
});

onBothBackends('Router.route and routeMany refuse', () => {
  const router = new Router({ shards: 10 });
  const plain = new Router({ shards: 10, hash: 'none' });

  it.each<[string, unknown]>([
    ['a number', 42],
    ['nothing', undefined],
    ['null', null],
    ['an Array', ['a']],
    ['an object', {}],
    ['a symbol', Symbol('a')],
  ])('%s as a key', (_, key) => {
    for (const each of [router, plain]) {
      expect(() => each.route(key as never)).toThrow(TypeError);
      expect(() => each.route(key as never)).toThrow(/"key"/);
    }
  });

  it('a bigint that is no u64', () => {
    for (const each of [router, plain]) {
      for (const key of [-1n, 1n << 64n]) {
        expect(() => each.route(key)).toThrow(RangeError);
        expect(() => each.route(key)).toThrow(/"key"/);
      }
    }
  });

  it("strings and bytes, with hash 'none'", () => {
    for (const key of ['a', '42', new Uint8Array(8), new ArrayBuffer(8)]) {
      expect(() => plain.route(key)).toThrow(TypeError);
    }
    for (const keys of [['a'], [], { data: new Uint8Array(8), offsets: Uint32Array.of(0, 8) }] satisfies Keys[]) {
      expect(() => plain.routeMany(keys)).toThrow(TypeError);
      expect(() => plain.routeMany(keys)).toThrow(/"keys".*none/);
    }
  });

  describe.each([
    ['with a hash', router],
    ['without', plain],
  ])('%s', (_, each) => {
    it.each<[string, unknown]>([
      ['one key', 'abc'],
      ['one u64', 5n],
      ['a Uint8Array', new Uint8Array(8)],
      ['a Float64Array', new Float64Array(3)],
      ['nothing', undefined],
      ['a Set', new Set(['a'])],
    ])('%s as keys', (_, keys) => {
      expect(() => each.routeMany(keys as never)).toThrow(TypeError);
      expect(() => each.routeMany(keys as never)).toThrow(/"keys"/);
    });
  });

  it('a bad row by its number, and write nothing', () => {
    const out = new Uint32Array(3).fill(UNTOUCHED);
    expect(() => router.routeMany(['a', 'b', 3] as never, { out })).toThrow(TypeError);
    expect(() => router.routeMany(['a', 'b', 3] as never, { out })).toThrow(/"keys" row 2\b/);
    const offsets = Uint32Array.of(0, 2, 1, 3);
    expect(() => router.routeMany({ data: new Uint8Array(3), offsets }, { out })).toThrow(RangeError);
    expect(out).toEqual(new Uint32Array(3).fill(UNTOUCHED));
  });

  it('an out of another length or kind, or over the keys, and write nothing', () => {
    for (const length of [0, 2, 4]) {
      const out = new Uint32Array(length).fill(UNTOUCHED);
      expect(() => router.routeMany(['a', 'b', 'c'], { out })).toThrow(RangeError);
      expect(out.every((value) => value === UNTOUCHED)).toBe(true);
    }
    for (const out of [new Int32Array(1), new BigUint64Array(1), [0], null]) {
      expect(() => router.routeMany(['a'], { out: out as never })).toThrow(TypeError);
    }
    const keys = randomU64s(4);
    for (const each of [router, plain]) {
      expect(() => each.routeMany(keys, { out: new Uint32Array(keys.buffer, 0, 4) })).toThrow(RangeError);
    }
    expect(keys).toEqual(randomU64s(4));
  });

  it('an out that is the very memory of the data, unless the shards come out right', () => {
    const rows = 20_000;
    const out = new Uint32Array(rows).fill(7);
    const data = new Uint8Array(out.buffer);
    const offsets = new Uint32Array(rows + 1);
    offsets[rows] = data.length;
    const many = new Router({ shards: 2 ** 31 - 1 });
    const expected = many.routeMany({ data: data.slice(), offsets });
    const before = out.slice();
    let refused: unknown;
    try {
      many.routeMany({ data, offsets }, { out });
    } catch (error) {
      refused = error;
    }
    if (refused !== undefined) expect(refused).toBeInstanceOf(RangeError);
    expect(out.at(-1)).toBe((refused === undefined ? expected : before).at(-1));
  });
});
