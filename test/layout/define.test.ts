import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { defineLayout, type IdLayout, Layout, layouts } from '../../src/index.js';
import { wrong } from '../support/wrong-argument.js';
import { onBothEntries } from './entries.js';

const bitsOf = (layout: IdLayout): [string, number][] =>
  Object.entries(layout.fields).map(([name, { bits }]) => [name, bits]);

/** The contract's list, with the published widths. */
const PRESETS = [
  ['clientEntity', 'client:22,entity:40'],
  ['pinterest', 'shard:16,type:10,local:36'],
  ['ragedb', 'local:38,type:16,shard:10'],
  ['snowflake', 'timestamp:41,shard:10,sequence:12'],
  ['twitter', 'timestamp:41,datacenter:5,worker:5,sequence:12'],
  ['instagram', 'timestamp:41,shard:13,sequence:10'],
  ['discord', 'timestamp:42,worker:5,process:5,increment:12'],
  ['mastodon', 'timestamp:48,tail:16'],
  ['sonyflake', 'timestamp:39,sequence:8,machine:16'],
  ['uidGenerator', 'timestamp:28,worker:22,sequence:13'],
  ['interned', 'prefix:14,sequence:50'],
  ['atproto', 'timestamp:53,clock:10'],
  ['tidb', 'timestamp:46,logical:18'],
  ['linkedin', 'timestamp:41,tail:22'],
  ['tsid', 'timestamp:42,tail:22'],
  ['cockroachdb', 'timestamp:48,node:15'],
  ['hazelcast', 'timestamp:41,sequence:6,node:16'],
  ['threads', 'timestamp:41,shard:13,sequence:10'],
] as const;

onBothEntries('the presets', ({ layouts, parseLayout }) => {
  const presets: { readonly [name: string]: IdLayout } = layouts;

  test.each(PRESETS)('%s is %s, and parseLayout knows it by name', (name, spec) => {
    const layout = presets[name];
    expect(bitsOf(layout).map(([field, bits]) => `${field}:${bits}`)).toEqual(spec.split(','));
    expect(parseLayout(name).fields).toEqual(layout.fields);
    expect(parseLayout(name).mask).toBe(layout.mask);
  });

  test('none other exist', () => {
    expect(Object.keys(layouts).sort()).toEqual(PRESETS.map(([name]) => name).sort());
  });
});

describe('defineLayout', () => {
  test('bits, mask and the order of fields', () => {
    const layout = defineLayout({ zebra: 3, apple: { bits: 7 }, mango: 1 });
    expect(layout).toBeInstanceOf(Layout);
    expect(layout.bits).toBe(11);
    expect(layout.mask).toBe(0x7ffn);
    expect(Object.keys(layout.fields)).toEqual(['zebra', 'apple', 'mango']);
    expect(Object.keys(layout.unpack(0n))).toEqual(['zebra', 'apple', 'mango']);
    expect(Object.keys(layout.unpackMany(new BigUint64Array(1)))).toEqual(['zebra', 'apple', 'mango']);
  });

  test('fields go by the layout, in whatever order values come', () => {
    const layout = defineLayout({ high: 4, low: 4 });
    expect(layout.pack({ low: 2, high: 1 })).toBe(0x12n);
    expect(layout.packMany({ low: 2, high: Uint8Array.of(1) })).toEqual(BigUint64Array.of(0x12n));
  });

  test('takes the fields of a layout again', () => {
    for (const layout of Object.values(layouts) as unknown as Layout[]) {
      const again = defineLayout(layout.fields);
      expect(again.fields).toEqual(layout.fields);
      expect(Object.keys(again.fields)).toEqual(Object.keys(layout.fields));
      expect([again.bits, again.mask]).toEqual([layout.bits, layout.mask]);
    }
    const timed = defineLayout({ at: { bits: 30, epoch: new Date(5000), unit: 's' }, n: { bits: 3, min: 2 } });
    const again = defineLayout(timed.fields);
    expect(again.expiresAt()).toEqual(timed.expiresAt());
    expect(() => again.pack({ at: 1, n: 1 })).toThrow(RangeError);
  });

  test('exactly 64 bits: in one field, in two, in 64', () => {
    const one = defineLayout({ all: 64 });
    expect(one.mask).toBe(2n ** 64n - 1n);
    expect(one.pack({ all: 2n ** 64n - 1n })).toBe(2n ** 64n - 1n);
    expect(one.unpack(2n ** 64n - 1n)).toEqual({ all: 2n ** 64n - 1n });

    const two = defineLayout({ high: 63, low: 1 });
    expect(two.unpack(2n ** 64n - 1n)).toEqual({ high: 2n ** 63n - 1n, low: 1 });

    const many = defineLayout(Object.fromEntries(Array.from({ length: 64 }, (_, i) => [`bit${i}`, 1])));
    expect(many.bits).toBe(64);
    expect(many.unpack(1n << 63n).bit0).toBe(1);
    expect(many.unpack(1n).bit63).toBe(1);
    expect(many.packMany(many.unpackMany(BigUint64Array.of(0xdeadbeef12345678n)))[0]).toBe(0xdeadbeef12345678n);
  });

  test('names that objects inherit are names like any other', () => {
    const layout = defineLayout({ constructor: 8, toString: 8, hasOwnProperty: 8, valueOf: 8 });
    const values = { constructor: 1, toString: 2, hasOwnProperty: 3, valueOf: 4 };
    expect(layout.pack(values)).toBe(0x01020304n);
    expect(layout.unpack(0x01020304n)).toEqual(values);
    expect(() => layout.pack({ constructor: 1, toString: 2, hasOwnProperty: 3 } as never)).toThrow(
      wrong('values.valueOf'),
    );
    const out = { toString: new Uint8Array(1) };
    const columns = layout.unpackMany(BigUint64Array.of(0x01020304n), { out: out as never });
    expect(columns.toString).toBe(out.toString);
    expect(columns.constructor).toEqual(Uint8Array.of(1));
  });

  test('Layout.from takes the JSON of a layout', () => {
    for (const layout of Object.values<Layout>(layouts)) {
      const again = Layout.from(JSON.parse(JSON.stringify(layout)));
      expect(again).toBeInstanceOf(Layout);
      expect([again.places, again.time, again.fields]).toEqual([layout.places, layout.time, layout.fields]);
    }
  });
});

onBothEntries('a layout that is defined', ({ defineLayout }) => {
  test('cannot be changed from outside, by its fields or by what it was made of', () => {
    const given = { a: { bits: 4 }, b: 4 };
    const layout = defineLayout(given);
    given.a.bits = 8;
    expect(() => Object.assign(layout.fields.a, { bits: 8 })).toThrow(TypeError);
    expect(() => Object.assign(layout.fields, { c: { bits: 8, min: 0 } })).toThrow(TypeError);
    expect(() => Object.assign(layout, { mask: 0n })).toThrow(TypeError);
    expect(() => Object.assign(layout.places, { length: 0 })).toThrow(TypeError);
    expect(() => Object.assign(layout.places[0] as object, { shift: 0 })).toThrow(TypeError);
    const { time } = defineLayout({ at: { bits: 40, unit: 'ms' } });
    expect(() => Object.assign(time as object, { epoch: 5 })).toThrow(TypeError);
    expect(layout.pack({ a: 1, b: 1 })).toBe(0x11n);
  });

  test('`timestamp` holds milliseconds since 1970 unless it says otherwise', () => {
    const layout = defineLayout({ timestamp: 42, sequence: 12 });
    expect(layout.dateOf(1709289015500n << 12n).toISOString()).toBe('2024-03-01T10:30:15.500Z');
    expect(layout.fields.timestamp).toEqual({ bits: 42, min: 0, epoch: 0, unit: 'ms' });
  });

  test('the smallest value can be the largest, and no larger', () => {
    const layout = defineLayout({ a: { bits: 5, min: 31 } });
    expect(layout.pack({ a: 31 })).toBe(31n);
    expect(() => layout.pack({ a: 30 })).toThrow(RangeError);
    expect(() => defineLayout({ a: { bits: 5, min: 32 } })).toThrow(RangeError);
    expect(defineLayout({ a: { bits: 64, min: 2 ** 53 - 1 } }).fields.a.min).toBe(2 ** 53 - 1);
  });
});

onBothEntries('parseLayout', ({ parseLayout }) => {
  test('reads fields, most significant first', () => {
    const layout = parseLayout('timestamp:41,shard:10,sequence:12');
    expect(bitsOf(layout)).toEqual([
      ['timestamp', 41],
      ['shard', 10],
      ['sequence', 12],
    ]);
    expect(layout.pack({ timestamp: 1, shard: 2, sequence: 3 })).toBe((1n << 22n) | (2n << 12n) | 3n);
    expect(layout.dateOf(5n << 22n).getTime()).toBe(5);
  });

  test('a field called like a preset, or like something inherited, is a field', () => {
    expect(bitsOf(parseLayout('snowflake:5'))).toEqual([['snowflake', 5]]);
    expect(bitsOf(parseLayout('constructor:5,toString:6'))).toHaveLength(2);
  });

  test('reads back any widths', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 1, max: 8 }), { minLength: 1, maxLength: 8 }), (widths) => {
        const layout = parseLayout(widths.map((bits, i) => `f${i}:${bits}`).join(','));
        expect(bitsOf(layout).map(([, bits]) => bits)).toEqual(widths);
      }),
    );
  });
});

onBothEntries('what a layout says of itself', ({ defineLayout, layouts }) => {
  test('places: most significant first, as pack and unpack use them', () => {
    expect(layouts.ragedb.places).toEqual([
      { name: 'local', bits: 38, shift: 26, mask: 2n ** 38n - 1n, min: 0 },
      { name: 'type', bits: 16, shift: 10, mask: 65535n, min: 1 },
      { name: 'shard', bits: 10, shift: 0, mask: 1023n, min: 0 },
    ]);
    for (const layout of Object.values<IdLayout>(layouts)) {
      expect(layout.places.map(({ name }) => name)).toEqual(Object.keys(layout.fields));
      expect(layout.places.reduce((sum, { mask, shift }) => sum | (mask << BigInt(shift)), 0n)).toBe(layout.mask);
    }
    expect(() => Object.assign(layouts.ragedb.places[0] as object, { bits: 1 })).toThrow(TypeError);
    expect(() => (layouts.ragedb.places as unknown[]).push(1)).toThrow(TypeError);
  });

  test.each([
    ['s', 1000],
    ['10ms', 10],
    ['ms', 1],
    ['10us', 0.01],
    ['us', 0.001],
  ] as const)('time: its field, epoch and unit: %s', (unit, unitMs) => {
    const layout = defineLayout({ shard: 4, born: { bits: 40, epoch: new Date(5000), unit } });
    expect(layout.time).toEqual({ name: 'born', epoch: 5000, unit, unitMs });
    expect(() => Object.assign(layout.time as object, { epoch: 1 })).toThrow(TypeError);
  });

  test('time: 1970 and milliseconds by default, and none without a field for it', () => {
    expect(defineLayout({ timestamp: 42 }).time).toEqual({ name: 'timestamp', epoch: 0, unit: 'ms', unitMs: 1 });
    expect(layouts.pinterest.time).toBeUndefined();
  });

  test('JSON, from which the same layout is made', () => {
    const own = defineLayout({
      born: { bits: 40, epoch: -8.64e15, unit: '10us', min: 3 },
      n: { bits: 4, min: 2 },
      m: 20,
    });
    for (const layout of [...Object.values<IdLayout>(layouts), own, defineLayout({ timestamp: 64 })]) {
      const again: IdLayout = defineLayout(JSON.parse(JSON.stringify(layout)));
      expect([again.places, again.time, again.fields]).toEqual([layout.places, layout.time, layout.fields]);
    }
    expect(JSON.stringify(layouts.pinterest)).toBe('{"shard":16,"type":10,"local":36}');
    expect(own.toJSON()).toEqual({
      born: { bits: 40, epoch: -8.64e15, unit: '10us', min: 3 },
      n: { bits: 4, min: 2 },
      m: 20,
    });
  });
});
