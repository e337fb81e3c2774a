import fc from 'fast-check';
import { RoaringBitmap32 } from 'roaring-wasm';
import { describe, expect, it } from 'vitest';
import { IdSet } from '../../src/sets/index.js';
import { sameBytes } from '../support/bytes.js';
import { IS_WHOLE, scaled } from '../support/scale.js';
import { wrong } from '../support/wrong-argument.js';
import { BAD, CANONICAL, OTHERS } from '../vectors/roaring64.js';
import { ascending, column, expectIds, manyIds, someIds } from './samples.js';

/** Either a set, sound and with bytes of its own, or a RangeError that names the bytes. */
function readOrRefuse(bytes: Uint8Array): 'read' | 'refused' {
  try {
    using set = IdSet.deserialize(bytes);
    const ids = set.toColumn();
    using same = IdSet.from(ids);
    expect(ids.length).toBe(set.size);
    expect(ids.every((id, row) => row === 0 || id > ids[row - 1])).toBe(true);
    expect(sameBytes(set.serialize(), same.serialize())).toBe(true);
    return 'read';
  } catch (error) {
    if (!(error instanceof RangeError && error.message.startsWith('"bytes": expected '))) throw error;
    return 'refused';
  }
}

describe('known bytes', () => {
  it.each(CANONICAL)('$name: written', ({ ids, bytes }) => {
    expect(IdSet.from(column(ids)).serialize()).toEqual(bytes);
    expect(IdSet.from(column(ids).reverse()).serialize()).toEqual(bytes);
  });

  it.each([...CANONICAL, ...OTHERS])('$name: read', ({ ids, bytes }) => {
    const set = IdSet.deserialize(bytes);
    expect([...set]).toEqual(ids);
    expect(set.size).toBe(ids.length);
    expect(set.equals(IdSet.from(column(ids)))).toBe(true);
    expect(set.serialize()).toEqual(IdSet.from(column(ids)).serialize());
  });

  it('are read from wherever they lie', () => {
    const { bytes, ids } = CANONICAL[2];
    const shared = new SharedArrayBuffer(bytes.length + 2);
    new Uint8Array(shared, 1).set(bytes);
    const views = [bytes.buffer, new Uint8Array(shared, 1, bytes.length), new DataView(shared, 1, bytes.length)];
    for (const view of views) expect([...IdSet.deserialize(view as ArrayBuffer)]).toEqual(ids);
  });
});

describe('there and back', () => {
  it('any set; and with the same bytes however it was made', () => {
    fc.assert(
      fc.property(someIds, someIds, (a, b) => {
        using set = IdSet.from(column(a));
        using other = IdSet.from(column(b));
        const bytes = set.serialize();
        using read = IdSet.deserialize(bytes);
        expectIds(read.toColumn(), ascending(a));
        expect(read.equals(set)).toBe(true);

        using all = set.or(other);
        for (const id of b) if (!set.has(id)) all.delete(id); // out of runs, too, which serialize has made
        using apart = set.xor(other);
        using again = apart.xor(other);
        for (const same of [read, all, again]) expect(sameBytes(same.serialize(), bytes)).toBe(true);
      }),
    );
  });

  it('is not taken for another set where roaring-wasm has kept a run', () => {
    const set = IdSet.from(BigUint64Array.from({ length: 100 }, (_, row) => BigInt(row)));
    set.serialize();
    for (let id = 2n; id < 100n; id++) set.delete(id);
    expect(set.serialize()).toEqual(IdSet.from(BigUint64Array.of(0n, 1n)).serialize());
  });

  it('many ids', () => {
    const ids = manyIds(scaled(1_000_000));
    const set = IdSet.deserialize(IdSet.from(ids).serialize());
    expectIds(set.toColumn(), ascending(ids));
  });

  it('can be gone on with', () => {
    const set = IdSet.from(BigUint64Array.from({ length: 1000 }, (_, row) => BigInt(row)));
    set.serialize();
    expect(
      set
        .add(1000n)
        .add(2n ** 40n)
        .delete(500n),
    ).toBe(true);
    expect(set.size).toBe(1001);
    expect([...set]).toEqual(
      [...Array.from({ length: 1001 }, (_, row) => BigInt(row)), 2n ** 40n].filter((id) => id !== 500n),
    );
  });
});

describe('bytes that are no set', () => {
  const STEP = IS_WHOLE ? 41 : 401; // of large ones

  it.each(BAD)('%s: refused', (_, bytes, message) => {
    expect(() => IdSet.deserialize(Uint8Array.from(bytes))).toThrow(RangeError);
    expect(() => IdSet.deserialize(Uint8Array.from(bytes))).toThrow(message);
    expect(() => IdSet.deserialize(Uint8Array.from(bytes))).toThrow(wrong('bytes'));
  });

  it.each([...CANONICAL, ...OTHERS])('$name: cut off anywhere, or with more behind it, refused', ({ bytes }) => {
    for (let length = 0; length < bytes.length; length++) {
      expect(() => IdSet.deserialize(bytes.subarray(0, length))).toThrow(RangeError);
    }
    expect(() => IdSet.deserialize(Uint8Array.of(...bytes, 0))).toThrow(RangeError);
  });

  it.each([...CANONICAL, ...OTHERS])('$name: with a byte changed, a set or refused', ({ bytes }) => {
    for (let at = 0; at < bytes.length; at += at < 100 ? 1 : STEP) {
      for (const flip of [1, 2, 0x80, 0xff]) {
        const changed = bytes.slice();
        changed[at] = changed[at] ^ flip;
        readOrRefuse(changed);
      }
    }
  });

  it('random changes of random sets: a set or refused', () => {
    const changes = fc.array(fc.tuple(fc.nat(), fc.nat(255)), { minLength: 1, maxLength: 4 });
    const seen = { read: 0, refused: 0 };
    fc.assert(
      fc.property(someIds, changes, (ids, places) => {
        const bytes = IdSet.from(column(ids)).serialize();
        for (const [place, value] of places) bytes[place % bytes.length] = value;
        seen[readOrRefuse(bytes)]++;
      }),
      { numRuns: 200 },
    );
    expect(Math.min(seen.read, seen.refused)).toBeGreaterThan(10);
  });

  it('is more than roaring-wasm would refuse', () => {
    const [, bytes] = BAD.find(([name]) => name === 'runs that overlap') ?? [];
    const bitmap = RoaringBitmap32.deserialize(Uint8Array.from(bytes ?? []).subarray(12), 'portable');
    expect([bitmap.size, new Set(bitmap).size]).toEqual([6, 4]);
  });
});
