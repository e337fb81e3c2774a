import { makeVector, type Vector } from 'apache-arrow';
import { expect, it } from 'vitest';
import { unpackVector } from '../../src/arrow/index.js';
import { defineLayout, layouts } from '../../src/index.js';
import { onBothBackends } from '../support/backends.js';
import { randomU64s } from '../support/random.js';
import { lengths } from './samples.js';

const ids = randomU64s(300).map((id) => id >> 1n); // snowflake has 63 bits

onBothBackends('unpackVector', () => {
  it('gives the columns of unpackMany, with the chunks of the ids', () => {
    const vector = makeVector([ids.slice(0, 100), ids.slice(0, 0), ids.slice(100)]);
    const fields = unpackVector(layouts.snowflake, vector);
    const expected = layouts.snowflake.unpackMany(ids);
    expect(Object.keys(fields)).toEqual(Object.keys(expected));
    for (const name of ['timestamp', 'shard', 'sequence'] as const) {
      expect(lengths(fields[name])).toEqual([100, 0, 200]);
      expect([...fields[name]]).toEqual([...expected[name]]);
    }
    expect(fields.shard.toArray()).toEqual(expected.shard);
    expect(fields.sequence.toArray()).toEqual(expected.sequence);
  });

  const EPOCH = Date.UTC(2024, 0);

  it.each([
    ['s', EPOCH, 36, 'MILLISECOND'],
    ['10ms', EPOCH, 40, 'MILLISECOND'],
    ['ms', EPOCH, 42, 'MILLISECOND'],
    ['ms', -8.64e15, 53, 'MILLISECOND'],
    ['10us', EPOCH, 48, 'MICROSECOND'],
    ['us', EPOCH, 52, 'MICROSECOND'],
    ['us', -EPOCH, 52, 'MICROSECOND'],
  ] as const)('gives times as timestamps: %s since %i in %i bits as %s', (unit, epoch, bits, type) => {
    const layout = defineLayout({ born: { bits, epoch, unit }, low: 8 });
    const some = randomU64s(300).map((id) => id & layout.mask);
    const vector = makeVector([some.slice(0, 100), some.slice(100)]);
    const { born } = unpackVector(layout, vector, { fields: ['born'] });
    expect(String(born.type)).toBe(`Timestamp<${type}>`);
    expect(lengths(born)).toEqual([100, 200]);
    expect([...born]).toEqual([...layout.unpackMany(some).born]);
    const wide = unpackVector(layout, vector, { wide: true }).born;
    expect(String(wide.type)).toBe('Uint64');
    expect(wide.toArray()).toEqual(layout.unpackMany(some, { wide: true }).born);
  });

  it('gives exact microseconds, however far the epoch is', () => {
    const layout = defineLayout({ timestamp: { bits: 64, epoch: -8639999999999999, unit: 'us' } });
    const { timestamp } = unpackVector(layout, makeVector(BigUint64Array.of(8640000000000000123n)));
    expect(timestamp.data[0]?.values).toEqual(BigInt64Array.of(1123n));
    expect(timestamp.get(0)).toBe(1.123);
  });

  it('refuses a time that a number cannot be, by its row of the whole vector, but for units', () => {
    const layout = defineLayout({ timestamp: { bits: 64, unit: 'us' } });
    const vector = makeVector([new BigUint64Array(7), BigUint64Array.of(0n, 2n ** 63n)]);
    expect(() => unpackVector(layout, vector)).toThrow(
      expect.objectContaining({ argument: 'vector', row: 8, got: 2n ** 63n, code: 'ERR_OUT_OF_RANGE' }),
    );
    expect(unpackVector(layout, vector, { wide: true }).timestamp.get(8)).toBe(2n ** 63n);
  });

  it('has the narrowest types, or all of 64 bits', () => {
    const layout = defineLayout({ a: 1, b: 9, c: 17, d: 33 });
    const vector = makeVector(BigUint64Array.of(0n, layout.mask));
    const types = (vectors: Record<string, Vector>) => Object.values(vectors).map(({ type }) => String(type));
    expect(types(unpackVector(layout, vector))).toEqual(['Uint8', 'Uint16', 'Uint32', 'Float64']);
    expect(types(unpackVector(layout, vector, { wide: true }))).toEqual(new Array(4).fill('Uint64'));
    const wide = defineLayout({ all: 64 });
    expect(unpackVector(wide, vector).all.toArray()).toEqual(BigUint64Array.of(0n, layout.mask));
  });

  it('gives the fields asked for, of a slice, also of signed ids', () => {
    const signed = makeVector(new BigInt64Array(ids.buffer));
    const { shard, ...rest } = unpackVector(layouts.snowflake, signed.slice(10, 20), { fields: ['shard'] });
    expect(rest).toEqual({});
    expect(shard.toArray()).toEqual(layouts.snowflake.unpackMany(ids.slice(10, 20)).shard);
    expect(unpackVector(layouts.snowflake, signed.slice(3, 3)).shard.length).toBe(0);
  });

  it('refuses an id beyond the layout, by its row of the whole vector', () => {
    const vector = makeVector([new BigUint64Array(7), new BigUint64Array(0), BigUint64Array.of(0n, 2n ** 63n)]);
    const refused = () => unpackVector(layouts.snowflake, vector);
    expect(refused).toThrow(RangeError);
    expect(refused).toThrow('"vector" row 8: expected an id of at most 63 bits, got 9223372036854775808n');
    expect(refused).toThrow(expect.objectContaining({ row: 8 }));
    const typeless = makeVector([BigUint64Array.of(65538n), BigUint64Array.of(5n)]);
    expect(() => unpackVector(layouts.ragedb, typeless)).toThrow(
      '"vector" row 1: expected an id whose type is at least 1',
    );
  });
});
