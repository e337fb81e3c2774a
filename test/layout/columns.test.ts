import { expect, it, onTestFinished, test, vi } from 'vitest';
import { defineLayout, layouts, setBackend } from '../../src/index.js';
import { jsKernels } from '../../src/kernels/js/core.js';
import { onBothBackends } from '../support/backends.js';
import { randomU64s } from '../support/random.js';
import { inAnotherRealm } from '../support/realm.js';
import { wrong } from '../support/wrong-argument.js';

// A 53-bit field over an 11-bit one: every element type fits the upper.
const layout = defineLayout({ v: 53, low: 11 });

const INPUTS = [
  ['Uint8Array', Uint8Array.of(0, 1, 127, 128, 255)],
  ['Uint8ClampedArray', Uint8ClampedArray.of(0, 1, 127, 128, 255)],
  ['Int8Array', Int8Array.of(0, 1, 126, 127, 5)],
  ['Uint16Array', Uint16Array.of(0, 1, 255, 256, 65535)],
  ['Int16Array', Int16Array.of(0, 1, 255, 256, 32767)],
  ['Uint32Array', Uint32Array.of(0, 1, 65536, 2 ** 31, 2 ** 32 - 1)],
  ['Int32Array', Int32Array.of(0, 1, 65536, 2 ** 30, 2 ** 31 - 1)],
  ['Float32Array', Float32Array.of(0, 1, 65536, 2 ** 24, 2 ** 52)],
  ['Float64Array', Float64Array.of(0, 1, 2 ** 32, 2 ** 52 + 1, 2 ** 53 - 1)],
  ['BigUint64Array', BigUint64Array.of(0n, 1n, 2n ** 32n, 2n ** 52n + 1n, 2n ** 53n - 1n)],
  ['BigInt64Array', BigInt64Array.of(0n, 1n, 2n ** 32n, 2n ** 52n + 1n, 2n ** 53n - 1n)],
] as const;

const expectedIds = (values: ArrayLike<number | bigint>, low: (row: number) => bigint) =>
  BigUint64Array.from(Array.from(values, (value, row) => BigInt(value) * 2048n + low(row)));

test('columns that another thread changes while they are packed make no ids', () => {
  setBackend('bigint');
  const packing = vi.spyOn(jsKernels, 'pack').mockReturnValue(false); // what it saw is not there any more
  onTestFinished(() => {
    packing.mockRestore();
    setBackend('auto');
  });
  const out = new BigUint64Array(2).fill(7n);
  const columns = { v: Uint8Array.of(1, 2), low: 0 };
  for (const options of [undefined, { out }]) {
    expect(() => layout.packMany(columns, options)).toThrow(
      expect.objectContaining({ code: 'ERR_OUT_OF_RANGE', argument: 'columns' }),
    );
  }
  expect(out).toEqual(BigUint64Array.of(7n, 7n));
});

onBothBackends('columns', () => {
  test.each(INPUTS)('%s goes in as integers', (_, v) => {
    const low = Uint16Array.of(0, 1, 2046, 2047, 5);
    expect(layout.packMany({ v, low })).toEqual(expectedIds(v, (row) => BigInt(low[row])));
  });

  test.each(INPUTS)('%s as a subarray at an odd place of its buffer', (_, v) => {
    const size = v.BYTES_PER_ELEMENT;
    const buffer = new ArrayBuffer(size * 9).slice(0);
    new Uint8Array(buffer).fill(0xff); // what lies around must not be read
    const column = new (v.constructor as typeof Uint8Array)(buffer, size * 3, v.length);
    column.set(v as Uint8Array);
    expect(layout.packMany({ v: column, low: 5 })).toEqual(expectedIds(v, () => 5n));
    const rest = layout.packMany({ v: column.subarray(1, 4), low: 5 });
    expect(rest).toEqual(expectedIds(v, () => 5n).slice(1, 4));
  });

  test.each(INPUTS)('%s in shared memory', (_, v) => {
    const column = new (v.constructor as typeof Uint8Array)(new SharedArrayBuffer(v.byteLength));
    column.set(v as unknown as Uint8Array);
    const out = new BigUint64Array(new SharedArrayBuffer(v.length * 8));
    expect(layout.packMany({ v: column, low: 5 }, { out })).toBe(out);
    expect([...out]).toEqual([...expectedIds(v, () => 5n)]);
  });

  test('ids and results may lie in shared memory', () => {
    const ids = new BigUint64Array(new SharedArrayBuffer(40), 8, 3);
    ids.set([2049n, 4098n, 2n ** 64n - 1n]);
    const out = { low: new Uint16Array(new SharedArrayBuffer(6)) };
    const { v, low } = layout.unpackMany(ids, { out });
    expect(low).toBe(out.low);
    expect([...low]).toEqual([1, 2, 2047]);
    expect(v).toEqual(Float64Array.of(1, 2, 2 ** 53 - 1));
  });

  test('a BigInt64Array is read as the same bits', () => {
    const all = defineLayout({ all: 64 });
    expect(all.packMany({ all: BigInt64Array.of(-1n, -(2n ** 63n), 5n) })).toEqual(
      BigUint64Array.of(2n ** 64n - 1n, 2n ** 63n, 5n),
    );
    const ids = BigInt64Array.of(-1n, -(2n ** 63n), 2049n);
    expect(layout.unpackMany(ids)).toEqual({
      v: Float64Array.of(2 ** 53 - 1, 2 ** 52, 1),
      low: Uint16Array.of(2047, 0, 1),
    });
  });

  test('columns of another realm are columns', () => {
    const foreign = <T>(code: string): T => inAnotherRealm(code) as T;
    const v = foreign<BigUint64Array>('new BigUint64Array([1n, 2n])');
    const low = foreign<Uint16Array>('new Uint16Array([3, 4])');
    const out = foreign<BigUint64Array>('new BigUint64Array(2)');
    expect([...layout.packMany({ v, low }, { out })]).toEqual([2051n, 4100n]);
    const columns = { v: foreign<BigUint64Array>('new BigUint64Array(2)') };
    expect([...layout.unpackMany(out, { out: columns }).low]).toEqual([3, 4]);
    expect([...columns.v]).toEqual([1n, 2n]);
  });

  test('a Date of another realm is a Date', () => {
    const timestamp = inAnotherRealm('new Date(1709289015500)') as Date;
    expect(layouts.snowflake.pack({ timestamp, shard: 5, sequence: 123 })).toBe(154173452582932603n);
    expect(defineLayout({ timestamp: { bits: 41, epoch: timestamp } }).fields.timestamp.epoch).toBe(1709289015500);
  });

  test('scalars mix with columns, whichever field they fill', () => {
    const { snowflake } = layouts;
    const expected = BigUint64Array.of(0n, 1n, 4095n).map((n) => (7n << 22n) | (5n << 12n) | n);
    expect(snowflake.packMany({ timestamp: 1672531200007, shard: 5n, sequence: Uint16Array.of(0, 1, 4095) })).toEqual(
      expected,
    );
    const shard = Uint8Array.of(0, 5, 255);
    expect(snowflake.packMany({ timestamp: 7n, shard, sequence: 9 })).toEqual(
      BigUint64Array.of(0n, 5n, 255n).map((n) => (7n << 22n) | (n << 12n) | 9n),
    );
  });

  test('scalars alone give one row', () => {
    expect(layout.packMany({ v: 3, low: 4n })).toEqual(BigUint64Array.of(3n * 2048n + 4n));
    const out = new BigUint64Array(1);
    expect(layout.packMany({ v: 3, low: 4 }, { out })).toBe(out);
    expect(out[0]).toBe(3n * 2048n + 4n);
  });

  test('columns without rows give none, with scalars beside them or not', () => {
    expect(layout.packMany({ v: new Uint8Array(0), low: new BigUint64Array(0) })).toEqual(new BigUint64Array(0));
    expect(layout.packMany({ v: 5, low: new Uint8Array(0) })).toEqual(new BigUint64Array(0));
    expect(layout.unpackMany(new BigUint64Array(0))).toEqual({ v: new Float64Array(0), low: new Uint16Array(0) });
  });

  test('inputs stay as they were', () => {
    const v = Uint32Array.of(1, 2);
    const low = Int16Array.of(3, 4);
    const ids = layout.packMany({ v, low });
    const before = ids.slice();
    layout.unpackMany(ids);
    expect([v, low, ids]).toEqual([Uint32Array.of(1, 2), Int16Array.of(3, 4), before]);
  });
});

onBothBackends('columns that come out', () => {
  const NARROWEST: [upTo: number, type: string][] = [
    [8, 'Uint8Array'],
    [16, 'Uint16Array'],
    [32, 'Uint32Array'],
    [53, 'Float64Array'],
    [64, 'BigUint64Array'],
  ];

  test.each(Array.from({ length: 64 }, (_, i) => i + 1))('%i bits come out in the narrowest type', (bits) => {
    const name = NARROWEST.find(([upTo]) => bits <= upTo)?.[1];
    const one = defineLayout({ f: bits });
    const largest = 2n ** BigInt(bits) - 1n;
    const { f } = one.unpackMany(BigUint64Array.of(0n, 1n, largest >> 1n, largest));
    expect(f.constructor.name).toBe(name);
    expect(Array.from(f as Uint8Array, BigInt)).toEqual([0n, 1n, largest >> 1n, largest]);
    expect(one.unpackMany(BigUint64Array.of(largest), { wide: true }).f).toEqual(BigUint64Array.of(largest));
  });

  const five = defineLayout({ a: 4, b: 12, c: 20, d: 1, e: 27 });
  const ids = randomU64s(50);
  const all = five.unpackMany(ids);

  test('`fields` picks some, in its order', () => {
    const some = five.unpackMany(ids, { fields: ['d', 'b'] });
    expect(Object.keys(some)).toEqual(['d', 'b']);
    expect(some).toEqual({ d: all.d, b: all.b });
    expect(five.unpackMany(ids, { fields: [] })).toEqual({});
    expect(five.unpackMany(ids, { fields: ['c'], wide: true }).c).toEqual(BigUint64Array.from(all.c, BigInt));
  });

  test('`out` may give some columns, and wider ones', () => {
    const out = { a: new BigUint64Array(50), c: new Float64Array(50), d: new Uint32Array(50) };
    const columns = five.unpackMany(ids, { out });
    expect([columns.a, columns.c, columns.d].map((column, i) => column === [out.a, out.c, out.d][i])).toEqual([
      true,
      true,
      true,
    ]);
    for (const name of ['a', 'b', 'c', 'd', 'e'] as const) {
      expect(Array.from<number | bigint, number>(columns[name], Number)).toEqual(Array.from(all[name], Number));
    }
    expect(columns.b).toBeInstanceOf(Uint16Array);
  });

  test('`wide` goes for the columns that `out` does not give', () => {
    const out = { a: new Uint8Array(50) };
    const columns = five.unpackMany(ids, { out, wide: true, fields: ['a', 'b'] });
    expect(columns.a).toBe(out.a);
    expect(columns.b).toBeInstanceOf(BigUint64Array);
  });

  test('results at an odd place of a buffer leave what lies around', () => {
    const memory = new Uint16Array(60).fill(0xaaaa);
    const out = { b: memory.subarray(3, 53) };
    five.unpackMany(ids, { fields: ['b'], out });
    expect([...out.b]).toEqual([...all.b]);
    expect([...memory.subarray(0, 3), ...memory.subarray(53)]).toEqual(new Array(10).fill(0xaaaa));
    const around = new BigUint64Array(60).fill(0xaaaan);
    five.packMany(all, { out: around.subarray(7, 57) });
    expect([...around.subarray(7, 57)]).toEqual([...ids]);
    expect([...around.subarray(0, 7), ...around.subarray(57)]).toEqual(new Array(10).fill(0xaaaan));
  });
});

onBothBackends('packMany into an array of the caller', () => {
  it.each([0, 1, 5, 16_384, 16_385])('gives the same ids as without, also after other calls: %i rows', (rows) => {
    const columns = (mask: bigint) => ({ v: randomU64s(rows).map((v) => v & mask), low: 7 });
    const [first, second] = [columns(2n ** 53n - 1n), columns(0xffffn)];
    const fresh = layout.packMany(first);
    const out = new BigUint64Array(rows);
    expect(layout.packMany(first, { out })).toBe(out);
    const shorter = { out: new BigUint64Array(rows >> 1) };
    layout.packMany({ v: second.v.subarray(0, rows >> 1), low: 7 }, shorter);
    const other = layout.packMany(second, { out: new BigUint64Array(rows) });
    expect(out).toEqual(fresh);
    expect(fresh).toEqual(expectedIds(first.v, () => 7n));
    expect(other).toEqual(expectedIds(second.v, () => 7n));
    expect(shorter.out).toEqual(other.slice(0, rows >> 1));
  });

  it('writes nothing if the last value does not fit, and is right in the next call', () => {
    const out = BigUint64Array.of(1n, 2n, 3n);
    const bad = { v: BigUint64Array.of(5n, 6n, 2n ** 53n), low: 0 };
    expect(() => layout.packMany(bad, { out })).toThrow(wrong('columns.v', 2));
    expect(out).toEqual(BigUint64Array.of(1n, 2n, 3n));
    layout.packMany({ v: Uint8Array.of(0, 1, 2), low: 1 }, { out });
    expect(out).toEqual(BigUint64Array.of(1n, 2049n, 4097n));
  });

  const small = defineLayout({ timestamp: { bits: 41, epoch: 1000 }, v: 6 });

  it.each<[what: string, field: 'timestamp' | 'v', good: ArrayBufferView & ArrayLike<number | bigint>, bad: unknown[]]>(
    [
      ['Uint8Array', 'v', new Uint8Array(20), [64, 255]],
      ['Uint8ClampedArray', 'v', new Uint8ClampedArray(20), [64]],
      ['Int8Array', 'v', new Int8Array(20), [64, -1]],
      ['Uint16Array', 'v', new Uint16Array(20), [64, 0x100, 0x8000]],
      ['Int16Array', 'v', new Int16Array(20), [64, -1]],
      ['Uint32Array', 'v', new Uint32Array(20), [64, 2 ** 31]],
      ['Int32Array', 'v', new Int32Array(20), [64, -1]],
      ['Float32Array', 'v', new Float32Array(20), [64, -1, 0.5, Number.NaN]],
      ['Float64Array', 'v', new Float64Array(20), [64, -1, -0.25, 0.5, 2 ** 52, 2 ** 53, 1e300, Number.NaN, -Infinity]],
      ['BigUint64Array', 'v', new BigUint64Array(20), [64n, 2n ** 52n, 2n ** 63n]],
      ['BigInt64Array', 'v', new BigInt64Array(20), [64n, -1n]],
      [
        'Unix milliseconds',
        'timestamp',
        new Float64Array(20).fill(5000.7),
        [999.9, 1000 + 2 ** 41, -5, 8.64e15, Number.NaN],
      ],
      ['units of time', 'timestamp', new BigUint64Array(20), [2n ** 41n, 2n ** 63n]],
    ],
  )('writes nothing if the first or the last of %s does not fit, in shared memory or not', (_, field, good, bad) => {
    const Type = good.constructor as typeof Uint8Array;
    for (const Memory of [ArrayBuffer, SharedArrayBuffer]) {
      const own = new Type(new Memory(good.byteLength) as ArrayBuffer);
      const out = new BigUint64Array(new Memory(160) as ArrayBuffer);
      for (const rows of [1, 7, 8, 20]) {
        for (const value of bad) {
          for (const row of new Set([0, rows - 1])) {
            own.set(good as Uint8Array);
            own[row] = value as number;
            const columns = { timestamp: 1000, v: 0, [field]: own.subarray(0, rows) } as never;
            out.fill(7n);
            expect(() => small.packMany(columns, { out: out.subarray(0, rows) })).toThrow(
              wrong(`columns.${field}`, row),
            );
            expect(out.every((id) => id === 7n)).toBe(true);
          }
        }
      }
    }
  });

  it('needs no WeakRef, which workerd does not always have', () => {
    vi.stubGlobal('WeakRef', undefined);
    onTestFinished(() => void vi.unstubAllGlobals());
    const v = randomU64s(50_000).map((bits) => bits >> 11n);
    const out = new BigUint64Array(v.length);
    for (const low of [1, 2]) expect(layout.packMany({ v, low }, { out })).toEqual(layout.packMany({ v, low }));
  });
});
