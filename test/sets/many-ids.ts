import { expect, it } from 'vitest';
import { IdSet } from '../../src/sets/index.js';
import { ascending, expectIds, manyIds } from './samples.js';

/** Tests what sets do with so many ids. */
export function testManyIds(many: number): void {
  it(`${many} of a hundred high words`, () => {
    const ids = manyIds(many);
    const set = IdSet.from(ids);
    const distinct = ascending(ids);
    expect(set.size).toBe(distinct.length);
    expectIds(set.toColumn(), distinct);
    let row = 0;
    for (const id of set) if (id !== distinct[row++]) expect(id).toBe(distinct[row - 1]);
    expect(row).toBe(distinct.length);
    expect(ids.every((id) => set.has(id))).toBe(true);
    const even = IdSet.from(ids.filter((id) => id % 2n === 0n));
    expectIds(
      set.andNot(even).toColumn(),
      distinct.filter((id) => id % 2n === 1n),
    );
    expectIds(
      set.and(even).toColumn(),
      distinct.filter((id) => id % 2n === 0n),
    );
  });

  it(`${many / 10}, each with a high word of its own`, () => {
    const ids = BigUint64Array.from({ length: many / 10 }, (_, row) => BigInt(Math.imul(row, 40503) >>> 0) << 32n);
    using set = IdSet.from(ids);
    expectIds(set.toColumn(), ascending(ids));
    using same = IdSet.deserialize(set.serialize());
    expect(same.equals(set)).toBe(true);
  });
}
