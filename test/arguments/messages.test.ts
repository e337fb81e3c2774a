import { expect, test } from 'vitest';
import * as api from '../../src/index.js';
import { onBothBackends } from '../support/backends.js';

const { layouts, Router } = api;
const message = (call: () => unknown): string => {
  try {
    call();
  } catch (error) {
    return `${(error as Error).name}: ${(error as Error).message}`;
  }
  return 'no error';
};
const snowflake = { timestamp: 1, shard: 1, sequence: 1 };

onBothBackends('messages', () => {
  test("the contract's example, to the letter", () => {
    expect(message(() => new Router({ shards: 0 }))).toBe(
      'RangeError: "shards": expected an integer from 1 to 2147483647, got 0',
    );
  });

  test.each<[what: string, call: () => unknown, got: string]>([
    ['a number for a bigint', () => api.jumpHash(5 as never, 10), 'TypeError .*"key": .*bigint.* got 5$'],
    ['a bigint for a number', () => api.jumpHash(5n, 10n as never), 'TypeError .*"buckets": .*integer.* got 10n$'],
    ['a numeral for a number', () => api.jumpHash(5n, '10' as never), 'TypeError .*"buckets": .*integer.* got "10"$'],
    ['a fraction', () => api.jumpHash(5n, 1.5), 'RangeError .*"buckets": .*from 1 to 2147483647, got 1.5$'],
    ['NaN', () => api.fastRange(5n, Number.NaN), 'RangeError .*"n": .*from 1 to 4294967295, got NaN$'],
    ['a negative bigint', () => api.fastRange(-1n, 5), 'RangeError .*"hash": .*0 to 2\\^64 - 1, got -1n$'],
    ['a key beyond 64 bits', () => api.xxh64(2n ** 64n), 'RangeError .*"data": .*got 18446744073709551616n$'],
    ['nothing', () => api.xxh64(undefined as never), 'TypeError .*"data": .*got undefined$'],
    ['null', () => api.typedKey('a', null as never), 'TypeError .*"key": .*string.* got null$'],
    [
      'a value of a field',
      () => layouts.snowflake.pack({ ...snowflake, shard: 1024 }),
      'RangeError .*"values.shard": .*0 to 1023, got 1024$',
    ],
    [
      'a value below a smallest one',
      () => layouts.ragedb.pack({ local: 1, type: 0, shard: 1 }),
      'RangeError .*"values.type": .*1 to 65535, got 0$',
    ],
    [
      'a date',
      () => layouts.snowflake.minIdAt(new Date(0)),
      'RangeError .*"date": .*2023-01-01T00:00:00.000Z.*2092-09-06T15:47:35.551Z.*1970-01-01T00:00:00.000Z$',
    ],
    ['an invalid date', () => layouts.snowflake.minIdAt(new Date(Number.NaN)), 'RangeError .*"date": .*Invalid Date$'],
    ['a row', () => api.groupByShard(Uint32Array.of(0, 1, 7), 4), 'RangeError .*"shards" row 2: .*0 to 3, got 7$'],
    ['a text among keys', () => api.xxh64Many(['a', 'b', 3 as never]), 'TypeError .*"keys" row 2: .*string, got 3$'],
    [
      'an element',
      () => layouts.snowflake.packMany({ ...snowflake, shard: Int16Array.of(1, -7) }),
      'RangeError .*"columns.shard" row 1: .*0 to 1023, got -7$',
    ],
    [
      'an element of floats',
      () => layouts.snowflake.packMany({ ...snowflake, shard: Float32Array.of(1, 0.5) }),
      'RangeError .*"columns.shard" row 1: .*got 0.5$',
    ],
    [
      'an element of bigints',
      () => layouts.snowflake.packMany({ ...snowflake, shard: BigInt64Array.of(-1n) }),
      'RangeError .*"columns.shard" row 0: .*got -1n$',
    ],
    [
      'an id',
      () => layouts.snowflake.unpackMany(BigUint64Array.of(0n, 2n ** 63n)),
      'RangeError .*"ids" row 1: .*63 bits, got 9223372036854775808n$',
    ],
    [
      'an id without a type',
      () => layouts.ragedb.unpackMany(BigUint64Array.of(67109888n, 5n)),
      'RangeError .*"ids" row 1: .*type.*1, got 0',
    ],
    [
      'the length of out',
      () => api.xxh64Many(['a'], { out: new BigUint64Array(3) }),
      'RangeError .*"out": .*1.*got 3$',
    ],
    [
      'the type of out',
      () => api.xxh64Many(['a'], { out: new Uint32Array(1) as never }),
      'TypeError .*"out": .*BigUint64Array, got .*Uint32Array',
    ],
    [
      'a strategy',
      () => new Router({ shards: 4, strategy: 'Jump' as never }),
      "RangeError .*'jump', 'fastrange', 'modulo', got \"Jump\"$",
    ],
    [
      'a misspelt option',
      () => new Router({ shards: 4, shard: 5 } as never),
      'RangeError .*"options": .*shards.*"shard"$',
    ],
    [
      'a misspelt field',
      () => layouts.snowflake.pack({ ...snowflake, shrad: 1 } as never),
      'RangeError .*"values": .*shard.*"shrad"$',
    ],
    ['a backend', () => api.setBackend('WASM' as never), 'RangeError .*"which": .*got "WASM"$'],
  ])('%s', (_, call, expected) => {
    expect(message(call).replace(': ', ' ')).toMatch(new RegExp(`^${expected}`));
  });

  test('what came is told in few words, however large', () => {
    const long = 'x'.repeat(100_000);
    expect(message(() => api.parseLayout(long)).length).toBeLessThan(500);
    expect(message(() => api.jumpHash(long as never, 5)).length).toBeLessThan(500);
    expect(message(() => api.jumpHash(new Array(100_000).fill(1) as never, 5)).length).toBeLessThan(500);
    expect(message(() => layouts.snowflake.unpack('9'.repeat(100_000))).length).toBeLessThan(500);
  });

  test('what came can be anything, also what has no text', () => {
    const strange = [
      Object.create(null),
      Symbol('s'),
      () => 1,
      new Proxy({}, {}),
      { toString: null, toJSON: () => 1n },
    ];
    for (const value of strange) {
      for (const call of [
        () => api.jumpHash(value as never, 5),
        () => api.xxh64(value as never),
        () => api.xxh64Many(value as never),
        () => layouts.snowflake.unpack(value as never),
        () => api.setBackend(value as never),
      ]) {
        expect(message(call)).toMatch(/^TypeError: ".+expected .+, got /);
      }
    }
  });
});

onBothBackends('rejections', () => {
  test('loadBackend never throws at once', async () => {
    for (const source of [null, 5, new Uint8Array(3)]) {
      const promise = api.loadBackend(source as never);
      expect(promise).toBeInstanceOf(Promise);
      await expect(promise).rejects.toThrow(/"source"/);
    }
  });

  test('loadBackend hands on what its promise of a response rejects with', async () => {
    const gone = new Error('offline');
    await expect(api.loadBackend(Promise.reject(gone))).rejects.toBe(gone);
  });
});

onBothBackends('what failed leaves no trace', () => {
  test('a stream goes on as if a wrong update had not been', () => {
    const stream = new api.Xxh64(7n).update('ab');
    for (const data of [5, null, [1], 5n]) expect(() => stream.update(data as never)).toThrow(TypeError);
    expect(() => stream.reset(5 as never)).toThrow(TypeError);
    expect(stream.update('c').digest()).toBe(api.xxh64('abc', 7n));
  });

  test('a wrong backend leaves the choice as it was', async () => {
    const before = api.getBackend();
    expect(() => api.setBackend('other' as never)).toThrow(RangeError);
    await expect(api.loadBackend(new Uint8Array(8))).rejects.toThrow(RangeError);
    expect(api.getBackend()).toBe(before);
  });
});
