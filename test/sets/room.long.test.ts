import { RoaringUint8Array } from 'roaring-wasm';
import { expect, it } from 'vitest';
import { IdSet } from '../../src/sets/index.js';
import { IS_FULL, scaled } from '../support/scale.js';
import { expectIds } from './samples.js';

// Of the 2 GB there are; in the quick run, others are taken first.
const FREE_MB = IS_FULL ? 2048 : 256;

/** 16 MB: 2,048 containers of bits. */
const large = (): IdSet => {
  const ids = new BigUint64Array(2048 * 4097);
  const words = new Uint32Array(ids.buffer);
  for (let row = 0; row < ids.length; row++) words[2 * row] = Math.floor(row / 4097) * 65536 + 15 * (row % 4097);
  return IdSet.from(ids);
};

it('where memory ends, every way to make sets is refused, and those there are stay as they were', () => {
  const taken = Array.from({ length: (2048 - FREE_MB) / 128 }, () => new RoaringUint8Array(2 ** 27));
  const [set, none, column] = [
    large(),
    new IdSet(),
    BigUint64Array.from({ length: 1e6 }, (_, row) => BigInt(row) << 9n),
  ];
  const bytes = set.serialize();
  const copies: IdSet[] = [];
  const small: IdSet[] = [];
  const untilFull = (make: () => unknown) => {
    for (;;) {
      try {
        make();
      } catch (error) {
        expect(error).toBeInstanceOf(RangeError);
        expect(String(error)).toMatch(/roaring-wasm: no room for \d+ bytes in its 2 GB; free sets/);
        return;
      }
    }
  };
  untilFull(() => copies.push(set.or(none)));
  expect(copies.length).toBeGreaterThan(FREE_MB / 20);
  untilFull(() => copies.push(IdSet.deserialize(bytes)));
  untilFull(() => small.push(IdSet.from(column)));
  for (const copy of copies.splice(0, scaled(5))) copy.free();
  const added = new IdSet();
  let next = 0n;
  untilFull(() => {
    added.add(next * 65536n);
    next++;
  });
  expect(next).toBeGreaterThan(1000n);
  expectIds(
    added.toColumn(),
    BigUint64Array.from({ length: Number(next) }, (_, row) => BigInt(row) * 65536n),
  );

  expect(copies.every((copy) => copy.size === set.size && copy.equals(set))).toBe(true);
  expect(small.every((copy) => copy.size === column.length)).toBe(true);
  for (const copy of copies.splice(0, 10)) copy.free();
  expect(set.xor(none).equals(set)).toBe(true);
  for (const copy of copies) copy.free();
  expect(IdSet.deserialize(bytes).equals(set)).toBe(true);
  for (const memory of taken) memory.dispose();
});
