import { describe, expect, it } from 'vitest';
import { IdSet, loadSets } from '../../src/sets/index.js';

const NO_BIGINT = [undefined, null, 5, '5', {}, [1n], true];
const NO_U64 = [-1n, 2n ** 64n, -(2n ** 63n), 2n ** 70n];
const detached = new BigUint64Array(2);
structuredClone(detached.buffer, { transfer: [detached.buffer] });
await loadSets(); // in browsers it is not there from the start
const set = IdSet.from(BigUint64Array.of(1n));

describe.each(['has', 'add', 'delete'] as const)('%s', (method) => {
  it.each(NO_BIGINT)('of %o: a TypeError', (id) => {
    expect(() => set[method](id as never)).toThrow(TypeError);
    expect(() => set[method](id as never)).toThrow(/^"id": expected a bigint from 0 to 2\^64 - 1, got /);
  });

  it.each(NO_U64)('of %o: a RangeError', (id) => {
    expect(() => set[method](id)).toThrow(RangeError);
    expect(() => set[method](id)).toThrow(`"id": expected a bigint from 0 to 2^64 - 1, got ${id}n`);
    expect(set.size).toBe(1);
  });
});

it.each([undefined, null, [1n], new Uint32Array(2), new Set([1n]), detached, new ArrayBuffer(8)])('from %o', (ids) => {
  expect(() => IdSet.from(ids as never)).toThrow(TypeError);
  expect(() => IdSet.from(ids as never)).toThrow(/^"ids": expected /);
});

it.each([undefined, null, 'bytes', [1, 2], {}, detached])('deserialize of %o', (bytes) => {
  expect(() => IdSet.deserialize(bytes as never)).toThrow(TypeError);
  expect(() => IdSet.deserialize(bytes as never)).toThrow(/^"bytes": expected /);
});

it.each(['and', 'or', 'andNot', 'xor', 'equals'] as const)('%s of no set', (operation) => {
  for (const other of [undefined, null, new Set([1n]), [1n], BigUint64Array.of(1n), {}]) {
    expect(() => set[operation](other as never)).toThrow(TypeError);
    expect(() => set[operation](other as never)).toThrow(/^"other": expected an IdSet, got /);
  }
});
