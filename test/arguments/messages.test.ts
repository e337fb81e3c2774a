import { expect, test } from 'vitest';
import * as api from '../../src/index.js';
import { onBothBackends } from '../support/backends.js';

// What the table of wrong arguments does not check of messages.

const { layouts, Router } = api;
const message = (call: () => unknown): string => {
  try {
    call();
  } catch (error) {
    return `${(error as Error).name}: ${(error as Error).message}`;
  }
  return 'no error';
};

onBothBackends('messages', () => {
  test("the contract's example, to the letter", () => {
    expect(message(() => new Router({ shards: 0 }))).toBe(
      'RangeError: "shards": expected an integer from 1 to 2147483647, got 0',
    );
  });

  test('an id with a field below its smallest value: the field, and the id', () => {
    expect(message(() => layouts.ragedb.unpackMany(BigUint64Array.of(67109888n, 5n)))).toBe(
      'RangeError: "ids" row 1: expected an id whose type is at least 1, got 5n',
    );
  });

  test('what came is told in few words, however large', () => {
    const long = 'x'.repeat(100_000);
    expect(message(() => api.parseLayout(long)).length).toBeLessThan(500);
    expect(message(() => api.jumpHash(long as never, 5)).length).toBeLessThan(500);
    expect(message(() => api.jumpHash(new Array(100_000).fill(1) as never, 5)).length).toBeLessThan(500);
    expect(message(() => layouts.snowflake.unpack('9'.repeat(100_000))).length).toBeLessThan(500);
  });
});

onBothBackends('rejections', () => {
  test('loadBackend hands on what its promise of a response rejects with', async () => {
    const gone = new Error('offline');
    await expect(api.loadBackend(Promise.reject(gone))).rejects.toBe(gone);
  });
});
