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
      expect(fields[name].toArray()).toEqual(expected[name]);
    }
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
