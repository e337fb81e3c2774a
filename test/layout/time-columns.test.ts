import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  defineLayout,
  type FieldPlace,
  type Layout,
  type LayoutTime,
  layouts,
  type TimeUnit,
} from '../../src/index.js';
import { onBothBackends } from '../support/backends.js';
import { numberTimeMask } from '../support/number-times.js';
import { randomU64s } from '../support/random.js';
import { scaled } from '../support/scale.js';
import { wrong } from '../support/wrong-argument.js';

// Numbers are Unix milliseconds and bigints are units, one by one and in columns.

const EPOCH = Date.UTC(2024, 0, 1, 0, 0, 0, 123);
const ROWS = scaled(20_000, 20);
const SENTINEL = 0xababababababababn;

/** A unit in microseconds, and the bits that hold it until after 2248. */
const UNITS = [
  { unit: 's', us: 1_000_000n, bits: 40 },
  { unit: '10ms', us: 10_000n, bits: 44 },
  { unit: 'ms', us: 1000n, bits: 44 },
  { unit: '10us', us: 10n, bits: 50 },
  { unit: 'us', us: 1n, bits: 54 },
] as const satisfies readonly { unit: TimeUnit; us: bigint; bits: number }[];

const FIRST_BEYOND = 2n ** 43n * 1000n + 1n; // microseconds

const timed = (unit: TimeUnit, bits: number, epoch = EPOCH) =>
  defineLayout({ timestamp: { bits, epoch, unit }, low: 10 });

/** The microseconds that a number of milliseconds is nearest to: exact, and half ones up. */
function microseconds(ms: number): bigint {
  const whole = Math.floor(ms);
  const fraction = BigInt(Math.round((ms - whole) * 2 ** 20)); // of numbers from 2^33 on a multiple of 2^-20
  return BigInt(whole) * 1000n + ((fraction * 1000n + 2n ** 19n) >> 20n);
}

const floorDiv = (a: bigint, b: bigint) => a / b - (a % b < 0n ? 1n : 0n);

/** The unit that a time is in, in integers: whole milliseconds for units of milliseconds. */
function unitAt(ms: number, us: bigint, epoch = EPOCH): bigint {
  const time = us >= 1000n ? BigInt(Math.floor(ms)) * 1000n : microseconds(ms);
  return floorDiv(time - BigInt(epoch) * 1000n, us);
}

const PRESETS = Object.entries<Layout>(layouts).filter(([, { time }]) => time !== undefined);
const ALL: (readonly [string, Layout])[] = [
  ...PRESETS,
  ...UNITS.map(({ unit }) => [unit, timed(unit, 36) as Layout] as const),
  ['us before 1970', defineLayout({ low: 12, born: { bits: 52, epoch: -EPOCH, unit: 'us' } })],
  ['53 bits of ms', defineLayout({ timestamp: { bits: 52, min: 7 }, low: 12 })],
  ['an epoch at the end of time', defineLayout({ timestamp: { bits: 48, epoch: 8.64e15 }, low: 16 })],
  ['an epoch before all time', defineLayout({ timestamp: { bits: 53, epoch: -8.64e15 }, low: 11 })],
];

onBothBackends('times', () => {
  test.each(ALL)('of any id of %s come back as they were', (_, layout) => {
    const name = layout.time?.name as string;
    const min = layout.places.reduce((id, place) => id | (BigInt(place.min) << BigInt(place.shift)), 0n);
    const mask = numberTimeMask(layout);
    const ids = randomU64s(ROWS).map((id) => (id & mask) | min);
    ids.set([min, mask]);
    const columns = layout.unpackMany(ids);
    const wide = layout.unpackMany(ids, { wide: true });
    expect(columns[name]).toBeInstanceOf(Float64Array);
    expect(wide[name]).toBeInstanceOf(BigUint64Array);
    expect(layout.packMany(columns)).toEqual(ids);
    expect(layout.packMany(wide)).toEqual(ids);
    expect(layout.datesOf(ids)).toEqual(columns[name]);
    const some = ids.subarray(0, 500);
    const values = Array.from(some, (id) => layout.unpack(id));
    expect(Float64Array.from(values, (one) => one[name] as number)).toEqual(columns[name]?.subarray(0, 500));
    expect(BigUint64Array.from(values, (one) => layout.pack(one))).toEqual(some);
  });

  test('of now come back as they were, wherever a millisecond is a unit', () => {
    for (const [, layout] of PRESETS.filter(([, { time }]) => time?.unit === 'ms')) {
      const now = Date.now();
      const others = Object.fromEntries(layout.places.map(({ name, min }) => [name, min]));
      expect(layout.unpack(layout.pack({ ...others, timestamp: now })).timestamp).toBe(now);
      const ids = layout.packMany({ ...others, timestamp: Float64Array.of(now, now + 1) });
      expect([...layout.datesOf(ids)]).toEqual([now, now + 1]);
    }
  });

  test.each(UNITS)('of any instant count for the unit they are in: $unit', ({ unit, us, bits }) => {
    const layout = timed(unit, bits);
    const instants = fc.double({ min: EPOCH, max: 2 ** 42, noNaN: true });
    fc.assert(
      fc.property(fc.array(instants, { minLength: 1, maxLength: 50 }), (times) => {
        const units = times.map((ms) => unitAt(ms, us));
        const timestamp = Float64Array.from(times);
        const ids = layout.packMany({ timestamp, low: 5 });
        expect(ids).toEqual(BigUint64Array.from(units, (value) => (value << 10n) | 5n));
        expect(times.map((ms) => layout.pack({ timestamp: ms, low: 5 }))).toEqual([...ids]);
        expect(layout.minIdAt(times[0])).toBe(ids[0] & ~1023n);
        expect(layout.maxIdAt(times[0])).toBe(ids[0] | 1023n);
        const begins = units.map((value) => Number(BigInt(EPOCH) * 1000n + value * us) / 1000);
        expect([...layout.unpackMany(ids).timestamp]).toEqual(begins);
      }),
    );
  });

  test.each(UNITS)('between two units count for the earlier one, and at the next for that: $unit', ({
    unit,
    us,
    bits,
  }) => {
    const layout = timed(unit, bits);
    const unitMs = Number(us) / 1000;
    const next = unitMs < 1 ? [0.02, 0.019] : [3 * unitMs, 3 * unitMs - 0.001];
    const [at, before] = next.map((ms) => layout.minIdAt(EPOCH + ms) >> 10n);
    const third = unit === 'us' ? 20n : unit === '10us' ? 2n : 3n;
    expect([at, before]).toEqual([third, third - 1n]);
  });

  test('in microseconds are the nearest ones, where Math.round(ms * 1000) is off', () => {
    const layout = timed('us', 54, 0);
    // From 2^42 ms on, in the year 2109.
    const all = BigUint64Array.from({ length: 1999 }, (_, i) => 4398046511104001n + BigInt(i));
    const times = Float64Array.from(all, (us) => Number(us) / 1000);
    expect(BigUint64Array.from(times, (ms) => layout.pack({ timestamp: ms, low: 0 }) >> 10n)).toEqual(all);
    expect(Float64Array.from(all, (us) => layout.unpack(us << 10n).timestamp as number)).toEqual(times);
    const wrong = all.filter((us, i) => BigInt(Math.round((times[i] as number) * 1000)) !== us);
    expect(wrong.length).toBeGreaterThan(100);
    const ids = BigUint64Array.from(wrong, (us) => us << 10n);
    expect(layout.packMany({ timestamp: Float64Array.from(wrong, (us) => Number(us) / 1000), low: 0 })).toEqual(ids);
  });

  test('go in as one value for all rows: a Date, a number or a bigint', () => {
    const low = Uint16Array.of(1, 2, 3);
    for (const { unit, us, bits } of UNITS) {
      const layout = timed(unit, bits);
      const units = 123456789000n / us;
      const ms = EPOCH + 123456789;
      const expected = BigUint64Array.of(1n, 2n, 3n).map((value) => (units << 10n) | value);
      for (const timestamp of [new Date(ms), ms, units]) expect(layout.packMany({ timestamp, low })).toEqual(expected);
    }
  });

  test('go in as units from either column of 64 bits, also beyond what numbers hold', () => {
    const all = defineLayout({ timestamp: { bits: 64, unit: 'us' } });
    const units = BigUint64Array.of(0n, 5n, 2n ** 63n, 2n ** 64n - 1n);
    expect(all.packMany({ timestamp: units })).toEqual(units);
    expect(all.packMany({ timestamp: new BigInt64Array(units.buffer) })).toEqual(units);
    expect(all.unpackMany(units, { wide: true }).timestamp).toEqual(units);
    expect(all.unpackMany(units, { out: { timestamp: new BigUint64Array(4) } }).timestamp).toEqual(units);
  });

  test('minus zero and the smallest fractions are the instant of 1970, and what is before it is refused', () => {
    for (const { unit, bits } of UNITS) {
      const layout = timed(unit, bits, 0);
      for (const ms of [-0, 0, Number.MIN_VALUE]) {
        expect(layout.pack({ timestamp: ms, low: 1 })).toBe(1n);
        expect(layout.packMany({ timestamp: Float64Array.of(ms), low: 1 })[0]).toBe(1n);
      }
      for (const ms of [-1, -0.001, -1e300, Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY]) {
        expect(() => layout.pack({ timestamp: ms, low: 1 })).toThrow(RangeError);
        expect(() => layout.packMany({ timestamp: Float64Array.of(0, ms), low: 1 })).toThrow(
          expect.objectContaining({ argument: 'columns.timestamp', row: 1, got: ms, code: 'ERR_OUT_OF_RANGE' }),
        );
        expect(() => layout.minIdAt(ms)).toThrow(wrong('date'));
      }
    }
  });
});

/** Layouts that reach beyond numbers, with the last unit that a number is and the first that none is. */
const LIMITS = [
  { name: 'us', layout: timed('us', 54, 0), last: 2n ** 43n * 1000n },
  { name: '10us', layout: timed('10us', 54, 0), last: 2n ** 43n * 100n },
  { name: '10us, unit across the limit', layout: timed('10us', 54, 1), last: 2n ** 43n * 100n - 100n },
  { name: 'ms', layout: timed('ms', 54, 0), last: 2n ** 53n },
  { name: '10ms', layout: timed('10ms', 54, 0), last: 2n ** 53n / 10n },
  { name: 's', layout: timed('s', 54, 0), last: 2n ** 53n / 1000n },
  { name: 'ms since the end of time', layout: timed('ms', 54, 8.64e15), last: 2n ** 53n - 8640000000000000n },
  {
    name: 'us in 63 bits',
    layout: defineLayout({ timestamp: { bits: 63, unit: 'us' }, low: 1 }),
    last: 2n ** 43n * 1000n,
  },
] as { name: string; layout: ReturnType<typeof timed>; last: bigint }[];

onBothBackends('times that numbers cannot be', () => {
  test.each(LIMITS)('are refused, but not as units: $name', ({ layout, last }) => {
    const { shift } = layout.places[0] as { shift: number };
    const id = (units: bigint) => units << BigInt(shift);
    const ids = BigUint64Array.of(id(last), id(last - 1n));
    const { timestamp } = layout.unpackMany(ids);
    expect(layout.unpack(id(last)).timestamp).toBe(timestamp[0]);
    expect(layout.pack({ timestamp: timestamp[0], low: 0 })).toBe(id(last));
    expect(layout.packMany({ timestamp, low: 0 })).toEqual(ids);
    const expected = 'an id whose timestamp in milliseconds is exact as a number (wide columns hold units)';
    const beyond = id(last + 1n);
    const refused = { argument: 'id', expected, got: beyond, code: 'ERR_OUT_OF_RANGE' };
    expect(() => layout.unpack(beyond)).toThrow(expect.objectContaining(refused));
    const out = { timestamp: new Float64Array(2).fill(7), low: new Uint16Array(2).fill(7) };
    const row = { ...refused, argument: 'ids', row: 1 };
    const column = BigUint64Array.of(id(last), beyond);
    expect(() => layout.unpackMany(column, { out })).toThrow(expect.objectContaining(row));
    expect(() => layout.datesOf(column, { out: out.timestamp })).toThrow(expect.objectContaining(row));
    expect([...out.timestamp, ...out.low]).toEqual([7, 7, 7, 7]);
    expect([...layout.unpackMany(column, { fields: ['low'] }).low]).toEqual([0, 0]); // without the time
    expect(layout.unpackMany(column, { wide: true }).timestamp).toEqual(BigUint64Array.of(last, last + 1n));
    expect(layout.pack({ timestamp: last + 1n, low: 0 })).toBe(beyond);
    expect(layout.packMany({ timestamp: BigUint64Array.of(last + 1n), low: 0 })[0]).toBe(beyond);
  });

  test.each(LIMITS)('go into no id, alone or in columns, and nothing is written: $name', ({ name, layout }) => {
    const most = name.includes('us') ? 2 ** 43 : 2 ** 53;
    for (const ms of [most + 1, most + 2, most * 2, most + (most < 2 ** 50 ? 0.005 : 4), Number.MAX_VALUE]) {
      if (ms === most) continue; // 2^53 + 1 is not a number in JavaScript
      const out = new BigUint64Array(3).fill(SENTINEL);
      const timestamp = Float64Array.of(most - 5000, ms, Number.NaN);
      expect(() => layout.pack({ timestamp: ms, low: 0 })).toThrow(
        /^"values.timestamp": expected Unix milliseconds from/,
      );
      expect(() => layout.packMany({ timestamp, low: 0 }, { out })).toThrow(
        expect.objectContaining({ argument: 'columns.timestamp', row: 1, got: ms }),
      );
      expect(() => layout.minIdAt(ms)).toThrow(RangeError);
      expect(() => layout.maxIdAt(ms)).toThrow(RangeError);
      expect(out).toEqual(new BigUint64Array(3).fill(SENTINEL));
    }
  });

  test('a layout whose times all are beyond takes and gives units only', () => {
    const layout = defineLayout({ timestamp: { bits: 20, epoch: 8.64e15, unit: 'us' }, low: 4 });
    const ids = BigUint64Array.of(16n, 32n);
    expect(layout.unpackMany(ids, { wide: true }).timestamp).toEqual(BigUint64Array.of(1n, 2n));
    expect(layout.packMany({ timestamp: BigUint64Array.of(1n, 2n), low: 0 })).toEqual(ids);
    expect(layout.dateOf(16n).getTime()).toBe(8.64e15);
    expect(layout.minIdAt(new Date(8.64e15))).toBe(0n);
    expect(() => layout.unpack(16n)).toThrow(RangeError);
    expect(() => layout.unpackMany(ids)).toThrow(expect.objectContaining({ argument: 'ids', row: 0, got: 16n }));
    expect(layout.unpackMany(new BigUint64Array(0)).timestamp).toEqual(new Float64Array(0));
    expect(() => layout.pack({ timestamp: 8.64e15, low: 0 })).toThrow(RangeError);
    expect(() => layout.packMany({ timestamp: Float64Array.of(8.64e15), low: 0 })).toThrow(
      wrong('columns.timestamp', 0),
    );
  });

  test('before the first number: microseconds since the beginning of time', () => {
    const layout = defineLayout({ timestamp: { bits: 64, epoch: -8.64e15, unit: 'us' } });
    const first = 8640000000000000000n - 2n ** 43n * 1000n;
    expect(layout.unpack(first).timestamp).toBe(-(2 ** 43));
    expect(layout.pack({ timestamp: -(2 ** 43) })).toBe(first);
    expect(layout.unpackMany(BigUint64Array.of(first, first + 1n)).timestamp).toEqual(
      Float64Array.of(-(2 ** 43), -(2 ** 43) + 0.001),
    );
    expect(() => layout.unpack(first - 1n)).toThrow(RangeError);
    expect(() => layout.unpackMany(BigUint64Array.of(first, first - 1n))).toThrow(wrong('ids', 1));
    expect(layout.dateOf(first - 1n).getTime()).toBe(-(2 ** 43) - 1);
    expect(FIRST_BEYOND + 8640000000000000000n < 2n ** 64n).toBe(true);
    expect(() => layout.unpack(FIRST_BEYOND + 8640000000000000000n)).toThrow(RangeError);
  });

  test('a smallest time is in units', () => {
    const layout = defineLayout({ timestamp: { bits: 40, unit: 's', epoch: 500, min: 3 }, low: 4 });
    expect(layout.pack({ timestamp: 3500, low: 0 })).toBe(48n);
    expect(layout.pack({ timestamp: 3n, low: 0 })).toBe(48n);
    for (const timestamp of [3499, 2n, new Date(3499)]) {
      expect(() => layout.pack({ timestamp, low: 0 })).toThrow(RangeError);
    }
    expect(() => layout.packMany({ timestamp: Float64Array.of(3500, 3499), low: 0 })).toThrow(/row 1/);
    expect(() => layout.unpackMany(BigUint64Array.of(48n, 47n), { fields: ['low'] })).toThrow(wrong('ids', 1));
  });
});

/** Layouts of which numbers hold some of the times, but not all. */
const IN_PART: (readonly [string, Layout])[] = [
  ['atproto', layouts.atproto as Layout],
  ...LIMITS.map(({ name, layout }) => [name, layout as Layout] as const),
  ['us with a min', defineLayout({ timestamp: { bits: 54, unit: 'us', min: 5 }, low: 10 })],
  ['us from 2024 on', defineLayout({ timestamp: { bits: 53, unit: 'us', epoch: EPOCH }, low: 11 })],
  ['us from 1900 on', defineLayout({ low: 10, timestamp: { bits: 54, unit: 'us', epoch: Date.UTC(1900, 0) } })],
];

onBothBackends('columns of times that numbers hold in part', () => {
  test.each(IN_PART)('have what single ids have, refusals included: %s', (_, layout) => {
    const { shift, mask, min } = layout.places.find(({ name }) => name === 'timestamp') as FieldPlace;
    const { epoch, unitMs } = layout.time as LayoutTime;
    const us = BigInt(unitMs * 1000);
    const counts = [2n ** 53n, 2n ** 43n * 1000n, 2n ** 32n, mask, BigInt(min)]
      .concat([8.64e15, 2 ** 43, 2 ** 53].map((ms) => floorDiv((BigInt(ms) - BigInt(epoch)) * 1000n, us)))
      .flatMap((count) => [count - 2n, count - 1n, count, count + 1n, count + 2n])
      .concat([...randomU64s(200)].flatMap((random, i) => [random & mask, random & (mask >> BigInt(i % 12))]))
      .filter((count) => count >= min && count <= mask);
    const idOf = (count: bigint) => count << BigInt(shift);
    const single = counts.map((count) => resultOf(() => layout.unpack(idOf(count)).timestamp as number));
    const column = counts.map((count) =>
      resultOf(() => layout.unpackMany(BigUint64Array.of(idOf(count))).timestamp?.[0] as number),
    );
    expect(column).toEqual(single.map((one) => (typeof one === 'number' ? one : { ...one, argument: 'ids', row: 0 })));
    const good = counts.filter((_, i) => typeof single[i] === 'number');
    const times = Float64Array.from(good, (count) => {
      const micros = BigInt(epoch) * 1000n + count * us;
      return us < 1000n ? Number(micros) / 1000 : Number(micros / 1000n);
    });
    expect(Float64Array.from(single.filter((one) => typeof one === 'number'))).toEqual(times);
    expect(good.length).toBeGreaterThan(20);
    const ids = BigUint64Array.from(good, idOf);
    expect(layout.datesOf(ids)).toEqual(times);
    expect(layout.packMany({ timestamp: times, ...others(layout) } as never)).toEqual(ids);
  });

  test.each(IN_PART)('take the numbers that single ids take, and refuse the others: %s', (_, layout) => {
    const limits = [0, layout.time?.epoch as number, 2 ** 43, 8.64e15, 2 ** 53, Number.MAX_VALUE];
    const spread = [...randomU64s(200)].map((random) => Number(BigInt.asIntN(54, random)) / 1000);
    const given = limits
      .flatMap((ms) => [ms - 1, ms - 0.0005, ms - 0.001, ms, ms + 0.001, ms + 0.002, ms + 1, ms + 2, -ms])
      .concat([Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY], spread);
    const rest = others(layout);
    const single = given.map((timestamp) => resultOf(() => layout.pack({ timestamp, ...rest } as never)));
    const column = given.map((timestamp) =>
      resultOf(() => layout.packMany({ timestamp: Float64Array.of(timestamp), ...rest } as never)[0]),
    );
    const argument = 'columns.timestamp';
    expect(column).toEqual(single.map((one) => (typeof one === 'bigint' ? one : { ...one, argument, row: 0 })));
  });
});

/** A value for each field but the time. */
function others({ places }: Layout): object {
  return Object.fromEntries(places.filter(({ name }) => name !== 'timestamp').map(({ name }) => [name, 0]));
}

/** What a call gives, or the data of the error that it throws. */
function resultOf<T>(call: () => T): T | object {
  try {
    return call();
  } catch (error) {
    return { name: (error as Error).name, ...(error as object) };
  }
}
