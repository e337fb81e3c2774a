import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { IdSet } from '../../src/sets/index.js';
import { testManyIds } from './many-ids.js';
import { anId, ascending, column, expectIds, manyIds, someIds } from './samples.js';

const OPERATIONS = ['and', 'or', 'andNot', 'xor'] as const;

/** The same, by JavaScript's sets. */
function expected(operation: (typeof OPERATIONS)[number], a: Iterable<bigint>, b: Iterable<bigint>): BigUint64Array {
  const [left, right] = [new Set(a), new Set(b)];
  const inBoth = [...left].filter((id) => right.has(id));
  const leftOnly = [...left].filter((id) => !right.has(id));
  const rightOnly = [...right].filter((id) => !left.has(id));
  const parts = { and: [inBoth], or: [inBoth, leftOnly, rightOnly], andNot: [leftOnly], xor: [leftOnly, rightOnly] };
  return column(parts[operation].flat()).sort();
}

describe('a set of ids, as JavaScript has it', () => {
  it('from a column: ascending, without duplicates', () => {
    fc.assert(
      fc.property(someIds, (ids) => {
        const given = column(ids);
        using set = IdSet.from(given);
        expectIds(given, column(ids));
        expectIds(set.toColumn(), ascending(ids));
        expectIds(column(set), ascending(ids));
        expect(set.size).toBe(new Set(ids).size);
      }),
    );
  });

  it.each(OPERATIONS)('%s', (operation) => {
    fc.assert(
      fc.property(someIds, someIds, fc.boolean(), (a, b, some) => {
        const shared = some ? [...b, ...a.slice(0, a.length >> 1)] : b;
        using left = IdSet.from(column(a));
        using right = IdSet.from(column(shared));
        using result = left[operation](right);
        const ids = expected(operation, a, shared);
        expectIds(result.toColumn(), ids);
        expect(result.size).toBe(ids.length);
        expectIds(left.toColumn(), ascending(a));
        expectIds(right.toColumn(), ascending(shared));
      }),
    );
  });

  it.each(OPERATIONS)('%s with itself and with nothing', (operation) => {
    const ids = manyIds(1000);
    const set = IdSet.from(ids);
    expectIds(set[operation](set).toColumn(), expected(operation, ids, ids));
    expectIds(set[operation](new IdSet()).toColumn(), expected(operation, ids, []));
    expectIds(new IdSet()[operation](set).toColumn(), expected(operation, [], ids));
    expect(new IdSet()[operation](new IdSet()).size).toBe(0);
  });

  it('add, has and delete', () => {
    const step = fc.tuple(fc.constantFrom('add', 'has', 'delete'), anId);
    fc.assert(
      fc.property(someIds, fc.array(step, { maxLength: 60 }), (ids, steps) => {
        using set = IdSet.from(column(ids));
        const model = new Set(ids);
        for (const [what, id] of steps) {
          if (what === 'add') expect(set.add(id)).toBe(set);
          else if (what === 'has') expect(set.has(id)).toBe(model.has(id));
          else expect(set.delete(id)).toBe(model.delete(id));
          if (what === 'add') model.add(id);
          expect(set.size).toBe(model.size);
        }
        expect(ids.every((id) => set.has(id) === model.has(id))).toBe(true);
        expectIds(set.toColumn(), ascending(model));
      }),
    );
  });

  it('what an operation gives has no part in its sets', () => {
    const [a, b] = [IdSet.from(column([1n, 2n ** 40n])), IdSet.from(column([2n]))];
    const all = a.or(b).add(3n);
    a.delete(1n);
    b.free();
    expect([...all]).toEqual([1n, 2n, 3n, 2n ** 40n]);
    expect([...a]).toEqual([2n ** 40n]);
  });

  it('equals', () => {
    fc.assert(
      fc.property(someIds, someIds, (a, b) => {
        using left = IdSet.from(column(a));
        using right = IdSet.from(column(b));
        expect(left.equals(right)).toBe(ascending(a).join() === ascending(b).join());
        expect(left.equals(IdSet.from(column(a).reverse()))).toBe(true);
      }),
    );
    expect(IdSet.from(column([1n, 2n])).equals(IdSet.from(column([1n, 3n])))).toBe(false);
    expect(IdSet.from(column([1n])).equals(IdSet.from(column([2n ** 32n + 1n])))).toBe(false);
  });
});

describe('at the bounds', () => {
  const bounds = [0n, 2n ** 32n - 1n, 2n ** 32n, 2n ** 63n - 1n, 2n ** 63n, 2n ** 64n - 1n];

  it('every id of them', () => {
    const set = new IdSet();
    for (const id of [...bounds].reverse()) set.add(id);
    expect([...set]).toEqual(bounds);
    expectIds(set.toColumn(), column(bounds));
    expect(IdSet.from(column(bounds)).equals(set)).toBe(true);
    for (const id of bounds) {
      expect([set.has(id), set.has(id ^ 2n), set.delete(id), set.delete(id), set.has(id)]).toEqual([
        ...[true, false, true, false, false],
      ]);
    }
    expect([set.size, [...set]]).toEqual([0, []]);
  });

  it('a BigInt64Array, as the same bits', () => {
    const set = IdSet.from(BigInt64Array.of(-1n, -(2n ** 63n), 5n));
    expect([...set]).toEqual([5n, 2n ** 63n, 2n ** 64n - 1n]);
  });

  it('columns that begin in the midst of memory, or in shared memory', () => {
    const buffer = new SharedArrayBuffer(40);
    new BigUint64Array(buffer).set([9n, 3n, 2n ** 40n, 3n, 8n]);
    expect([...IdSet.from(new BigUint64Array(buffer, 8, 3))]).toEqual([3n, 2n ** 40n]);
  });

  it('no ids', () => {
    const set = IdSet.from(new BigUint64Array(0));
    expect([set.size, set.has(0n), set.delete(0n), [...set], set.toColumn()]).toEqual([
      ...[0, false, false, [], new BigUint64Array(0)],
    ]);
    expect(set.equals(new IdSet())).toBe(true);
  });
});

describe('many ids', () => testManyIds(50_000));

describe('an iteration', () => {
  it('of a set that is changed meanwhile goes on', () => {
    const set = IdSet.from(BigUint64Array.from({ length: 10_000 }, (_, row) => BigInt(row)));
    const seen: bigint[] = [];
    for (const id of set) {
      seen.push(id);
      set.delete(id);
      if (id === 5n) set.add(2n ** 50n);
      if (id === 100n) for (let next = 9_000n; next < 10_000n; next++) set.delete(next);
    }
    expect(seen).toEqual(Array.from({ length: 9_000 }, (_, row) => BigInt(row)));
    expect([...set]).toEqual([2n ** 50n]);
  });

  it('ends early, and several go on side by side', () => {
    const set = IdSet.from(BigUint64Array.from({ length: 10_000 }, (_, row) => BigInt(row) << 20n));
    const [a, b] = [set[Symbol.iterator](), set[Symbol.iterator]()];
    for (let row = 0n; row < 9_000n; row++) expect([a.next().value, b.next().value]).toEqual([row << 20n, row << 20n]);
    for (const id of set) {
      expect(id).toBe(0n);
      break;
    }
  });
});
