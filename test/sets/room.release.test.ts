import { expect, it } from 'vitest';
import { IdSet } from '../../src/sets/index.js';
import { expectIds, large } from './samples.js';

it('where memory ends, every way to make sets is refused, and those there are stay as they were', () => {
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
  expect(copies.length).toBeGreaterThan(100);
  untilFull(() => copies.push(IdSet.deserialize(bytes)));
  untilFull(() => small.push(IdSet.from(column)));
  for (const copy of copies.splice(0, 5)) copy.free();
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
});
