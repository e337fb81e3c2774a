import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { RoaringArenaAllocator } from 'roaring-wasm';
import { describe, expect, it } from 'vitest';
import { IdSet } from '../../src/sets/index.js';
import { expectIds, large } from './samples.js';

it('grows while ids are written', () => {
  // roaring-wasm fails at that, given more than a million at once: first in this file, while its memory is small.
  const ids = new BigUint64Array(12_000_000);
  const words = new Uint32Array(ids.buffer);
  for (let row = 0; row < ids.length; row++) words[2 * row] = 300 * row;
  using set = IdSet.from(ids);
  expect(set.size).toBe(ids.length);
  expectIds(set.toColumn(), ids);
});

describe('the memory of sets, of which roaring-wasm has 2 GB', () => {
  it('is given back by free, and by using', () => {
    const [set, none] = [large(), new IdSet()];
    for (let copies = 0; copies < 100; copies++) {
      set.or(none).free();
      using copy = none.xor(set);
      expect(copy.size).toBe(set.size);
    }
    set.free();
  });

  it('is given back some time after a set has become unreachable', async () => {
    setFlagsFromString('--expose-gc');
    const gc = runInNewContext('gc') as () => void;
    const [set, none] = [large(), new IdSet()];
    for (let copies = 0; copies < 200; copies++) {
      expect(set.or(none).size).toBe(set.size);
      if (copies % 20 === 19) {
        gc();
        await new Promise((resolve) => setTimeout(resolve));
      }
    }
    set.free();
  });

  it("does not go with a program's own arena", () => {
    const a = IdSet.from(BigUint64Array.of(1n, 2n));
    const sets = new RoaringArenaAllocator().with(() => {
      const b = IdSet.from(BigUint64Array.of(2n, 2n ** 40n, 2n ** 40n + 1n)).add(7n);
      return [b, a.and(b), a.or(b), a.andNot(b), a.xor(b), IdSet.deserialize(b.serialize())];
    });
    expect(sets.map((set) => [...set].length)).toEqual([4, 1, 5, 1, 4, 4]);
    for (const set of sets) set.free();
  });
});

describe('a set that has been freed', () => {
  const freed = IdSet.from(BigUint64Array.of(1n));
  const set = IdSet.from(BigUint64Array.of(1n));
  freed.free();

  it('is refused', () => {
    const uses = [
      () => freed.size,
      () => freed.has(1n),
      () => freed.add(1n),
      () => freed.delete(1n),
      () => [...freed],
      () => freed.toColumn(),
      () => freed.serialize(),
      () => freed.equals(freed),
      () => freed.or(set),
    ];
    for (const use of uses) {
      expect(use).toThrow(TypeError);
      expect(use).toThrow('"this": expected a set, got a set that has been freed');
    }
  });

  it('is refused as the other one', () => {
    for (const use of [() => set.and(freed), () => set.xor(freed), () => set.equals(freed)]) {
      expect(use).toThrow(TypeError);
      expect(use).toThrow('"other": expected a set, got a set that has been freed');
    }
    expect([...set]).toEqual([1n]);
  });

  it('can be freed again', () => {
    freed.free();
    freed[Symbol.dispose]();
  });

  it('ends an iteration', () => {
    const set = IdSet.from(BigUint64Array.from({ length: 5000 }, (_, row) => BigInt(row)));
    expect(() => {
      for (const id of set) if (id === 10n) set.free();
    }).toThrow(TypeError);
  });
});
