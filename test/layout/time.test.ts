import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type IdLayout, type Layout, layouts } from '../../src/index.js';
import { onBothBackends } from '../support/backends.js';
import { wrong } from '../support/wrong-argument.js';
import { onBothEntries } from './entries.js';

/** Milliseconds a unit; time-columns.test.ts has the presets that count less. */
const UNITS = {
  snowflake: 1,
  twitter: 1,
  instagram: 1,
  discord: 1,
  mastodon: 1,
  sonyflake: 10,
  uidGenerator: 1000,
  tidb: 1,
  linkedin: 1,
  tsid: 1,
  hazelcast: 1,
  threads: 1,
};

function timedOf<L extends IdLayout>(presets: { readonly [name: string]: L }) {
  return Object.entries(UNITS).map(([name, unitMs]) => ({ name, unitMs, layout: presets[name] }));
}

const epochOf = (layout: IdLayout): number => layout.dateOf(0n).getTime();

/** A layout, an instant it can hold, and any values for the fields below the timestamp. */
const idAtInstant = <L extends IdLayout>(presets: { readonly [name: string]: L }) =>
  fc.constantFrom(...timedOf(presets)).chain(({ layout, unitMs }) => {
    const units = (layout.expiresAt().getTime() - epochOf(layout)) / unitMs;
    const lowBits = BigInt(layout.bits - (layout.fields.timestamp?.bits ?? 0));
    return fc.record({
      layout: fc.constant(layout),
      unitMs: fc.constant(unitMs),
      ms: fc.integer({ min: 1, max: units - 1 }).map((unit) => epochOf(layout) + unit * unitMs),
      within: fc.integer({ min: 0, max: unitMs - 1 }),
      low: fc.bigInt({ min: 0n, max: (1n << lowBits) - 1n }),
    });
  });

onBothEntries('dates', ({ defineLayout, layouts }) => {
  const TIMED = timedOf<IdLayout>(layouts);

  test.each(TIMED)('$name: the bits of dateOf(0n) and expiresAt are all of the timestamp', ({ layout, unitMs }) => {
    const units = (layout.expiresAt().getTime() - epochOf(layout)) / unitMs;
    expect(units).toBe(2 ** (layout.fields.timestamp?.bits ?? 0) - 1);
  });

  test('minIdAt and maxIdAt bracket exactly the ids of their unit of time', () => {
    fc.assert(
      fc.property(idAtInstant<IdLayout>(layouts), ({ layout, unitMs, ms, within, low }) => {
        const min = layout.minIdAt(new Date(ms + within));
        const max = layout.maxIdAt(new Date(ms + within));
        expect(layout.dateOf(min + low).getTime()).toBe(ms);
        expect(layout.dateOf(min).getTime()).toBe(ms);
        expect(layout.dateOf(max).getTime()).toBe(ms);
        expect(min + low <= max).toBe(true);
        expect(layout.dateOf(min - 1n).getTime()).toBe(ms - unitMs);
        expect(layout.dateOf(max + 1n).getTime()).toBe(ms + unitMs);
      }),
    );
  });

  test('the times of ids are exact, also near the top of the low bits, where doubles are off by one', () => {
    let wrongInDoubles = 0;
    fc.assert(
      fc.property(idAtInstant<IdLayout>(layouts), ({ layout, unitMs, ms }) => {
        const id = layout.maxIdAt(new Date(ms));
        expect(layout.dateOf(id).getTime()).toBe(ms);
        const lowBits = layout.bits - (layout.fields.timestamp?.bits ?? 0);
        expect(id >> BigInt(lowBits)).toBe(BigInt((ms - epochOf(layout)) / unitMs));
        const inDoubles = epochOf(layout) + Math.floor(Number(id) / 2 ** lowBits) * unitMs;
        if (inDoubles !== ms) wrongInDoubles++;
        expect(layout.unpack(id).timestamp).toBe(ms);
      }),
    );
    expect(wrongInDoubles).toBeGreaterThan(0);
  });

  test('a Date counts by its whole units: seconds, tens of milliseconds', () => {
    const { uidGenerator, sonyflake } = layouts;
    for (const date of ['2024-03-01T10:30:15.000Z', '2024-03-01T10:30:15.001Z', '2024-03-01T10:30:15.999Z']) {
      const timestamp = new Date(date);
      const id = uidGenerator.pack({ timestamp, worker: 5, sequence: 1 });
      expect(id >> 35n).toBe(245615415n);
      expect(uidGenerator.unpack(id).timestamp).toBe(Date.parse('2024-03-01T10:30:15Z'));
      expect(uidGenerator.minIdAt(timestamp)).toBe(245615415n << 35n);
    }
    for (const date of ['2024-03-01T10:30:15.500Z', '2024-03-01T10:30:15.509Z']) {
      const timestamp = new Date(date);
      const id = sonyflake.pack({ timestamp, sequence: 1, machine: 5 });
      expect(id >> 24n).toBe(29975941550n);
      expect(sonyflake.unpack(id).timestamp).toBe(Date.parse('2024-03-01T10:30:15.500Z'));
      expect(sonyflake.maxIdAt(timestamp)).toBe((29975941550n << 24n) | 0xffffffn);
    }
    const next = sonyflake.pack({ timestamp: new Date('2024-03-01T10:30:15.510Z'), sequence: 1, machine: 5 });
    expect(next >> 24n).toBe(29975941551n);
    expect(sonyflake.unpack(next).timestamp).toBe(Date.parse('2024-03-01T10:30:15.510Z'));
  });

  test('units begin at the epoch, wherever that lies in a second', () => {
    const layout = defineLayout({ timestamp: { bits: 20, epoch: 1234, unit: 's' }, sequence: 4 });
    expect(layout.pack({ timestamp: new Date(2233), sequence: 0 })).toBe(0n);
    expect(layout.pack({ timestamp: new Date(2234), sequence: 0 })).toBe(16n);
    expect(layout.dateOf(16n).getTime()).toBe(2234);
  });

  test('an epoch before 1970, a Date as an epoch, and a time that is not on top', () => {
    const epoch = new Date('1900-01-01T00:00:00Z');
    const layout = defineLayout({ shard: 6, born: { bits: 44, epoch, unit: 'ms' } });
    const id = layout.pack({ shard: 3, born: new Date('1969-07-20T20:17:40.001Z') });
    expect(layout.dateOf(id).toISOString()).toBe('1969-07-20T20:17:40.001Z');
    expect(layout.minIdAt(epoch)).toBe(0n);
    expect(layout.maxIdAt(epoch)).toBe(63n << 44n);
    expect(layout.fields.born.epoch).toBe(epoch.getTime());
  });

  test.each(TIMED)('$name: the first and last instants are accepted, those before and after refused', ({
    layout,
    unitMs,
  }) => {
    const first = epochOf(layout);
    const last = layout.expiresAt().getTime() + unitMs - 1;
    const others = Object.fromEntries(Object.keys(layout.fields).map((name) => [name, 1]));
    expect(layout.minIdAt(new Date(first))).toBe(0n);
    expect(layout.maxIdAt(new Date(last))).toBe(layout.mask);
    expect(layout.dateOf(layout.pack({ ...others, timestamp: new Date(last) })).getTime()).toBe(last - unitMs + 1);
    for (const ms of [first - 1, last + 1, Number.NaN]) {
      expect(() => layout.minIdAt(new Date(ms))).toThrow(wrong('date'));
      expect(() => layout.maxIdAt(new Date(ms))).toThrow(RangeError);
      expect(() => layout.pack({ ...others, timestamp: new Date(ms) })).toThrow(wrong('values.timestamp'));
    }
  });

  test('minIdAt respects the smallest values of other fields, so that its id unpacks', () => {
    const layout = defineLayout({ timestamp: 41, type: { bits: 8, min: 3 }, sequence: 4 });
    expect(layout.unpack(layout.minIdAt(new Date(7)))).toEqual({ timestamp: 7, type: 3, sequence: 0 });
    expect(layout.unpack(layout.maxIdAt(new Date(7)))).toEqual({ timestamp: 7, type: 255, sequence: 15 });
  });

  test('minIdAt and maxIdAt refuse an instant below the smallest value of the timestamp itself', () => {
    const layout = defineLayout({ timestamp: { bits: 41, min: 100 }, sequence: 4 });
    expect(() => layout.pack({ timestamp: new Date(99), sequence: 0 })).toThrow(RangeError);
    expect(() => layout.minIdAt(new Date(99))).toThrow(RangeError);
    expect(() => layout.maxIdAt(new Date(99))).toThrow(RangeError);
    expect(layout.minIdAt(new Date(100))).toBe(1600n);
  });

  test('Dates are exact however far they lie from the epoch', () => {
    const layout = defineLayout({ timestamp: { bits: 64, epoch: -8.64e15 } });
    const date = new Date(8.64e15 - 1);
    expect(layout.dateOf(17279999999999999n)).toEqual(date);
    expect(layout.minIdAt(date)).toBe(17279999999999999n);
    expect(layout.pack({ timestamp: date })).toBe(17279999999999999n);
  });

  test('an instant beyond what a Date holds is refused, and not an Invalid Date', () => {
    const layout = defineLayout({ timestamp: 64 });
    expect(layout.dateOf(8640000000000000n).getTime()).toBe(8.64e15);
    expect(() => layout.dateOf(8640000000000001n)).toThrow(RangeError);
    expect(() => layout.expiresAt()).toThrow(expect.objectContaining({ code: 'ERR_OUT_OF_RANGE', argument: 'this' }));
  });

  test('without a timestamp field there are no dates, and a Date fits no field', () => {
    const pinterest: IdLayout = layouts.pinterest;
    expect(() => pinterest.dateOf(1n)).toThrow(TypeError);
    expect(() => pinterest.minIdAt(new Date())).toThrow(TypeError);
    expect(() => pinterest.maxIdAt(new Date())).toThrow(TypeError);
    expect(() => pinterest.expiresAt()).toThrow(TypeError);
    expect(() => pinterest.pack({ shard: 1, type: 1, local: new Date(5) })).toThrow(TypeError);
    expect(() => (layouts.twitter as IdLayout).shardOf(1n)).toThrow(TypeError);
  });
});

onBothBackends('dates of columns', () => {
  test('packMany takes a Date for all rows, with the same units', () => {
    const timestamp = new Date('2024-03-01T10:30:15.509Z');
    const ids = layouts.sonyflake.packMany({ timestamp, sequence: Uint8Array.of(0, 123, 255), machine: 5 });
    const alone = [0, 123, 255].map((sequence) => layouts.sonyflake.pack({ timestamp, sequence, machine: 5 }));
    expect([...ids]).toEqual(alone);
    expect(ids[1]).toBe(502912846195785733n);
  });

  test('the times of ids are exact', () => {
    fc.assert(
      fc.property(idAtInstant<Layout>(layouts), ({ layout, ms }) => {
        const ids = BigUint64Array.of(layout.maxIdAt(new Date(ms)));
        expect(layout.unpackMany(ids, { fields: ['timestamp'] }).timestamp[0]).toBe(ms);
      }),
    );
  });

  test.each(timedOf<Layout>(layouts))('$name: instants before the first and after the last are refused', ({
    layout,
    unitMs,
  }) => {
    const others = Object.fromEntries(Object.keys(layout.fields).map((name) => [name, 1]));
    for (const ms of [epochOf(layout) - 1, layout.expiresAt().getTime() + unitMs, Number.NaN]) {
      expect(() => layout.packMany({ ...others, timestamp: new Date(ms) })).toThrow(wrong('columns.timestamp'));
    }
  });

  test('a Date fits no field without time', () => {
    const pinterest: Layout = layouts.pinterest;
    expect(() => pinterest.packMany({ shard: new Date(5), type: 1, local: Uint8Array.of(1) })).toThrow(TypeError);
    expect(() => pinterest.datesOf(BigUint64Array.of(1n))).toThrow(TypeError);
  });
});
