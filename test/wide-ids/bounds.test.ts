import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { defineLayout } from '../../src/index.js';
import {
  maxObjectIdAt,
  maxUlidAt,
  maxUuidAt,
  minObjectIdAt,
  minUlidAt,
  minUuidAt,
  timesOf,
  wideIdKindOf,
} from '../../src/wide-ids/index.js';
import { scaled } from '../support/scale.js';
import { WIDE_ID_VECTORS } from '../vectors/wide-ids.js';
import { READERS } from './written.js';

const runs = { numRuns: scaled(2000) };

/** `last` is the last time in milliseconds that ids of the kind can have. */
const PAIRS = [
  { kind: 'uuid', min: minUuidAt, max: maxUuidAt, unitMs: 1, last: 2 ** 48 - 1 },
  { kind: 'ulid', min: minUlidAt, max: maxUlidAt, unitMs: 1, last: 2 ** 48 - 1 },
  { kind: 'objectid', min: minObjectIdAt, max: maxObjectIdAt, unitMs: 1000, last: 2 ** 32 * 1000 - 1 },
] as const;

describe('known bounds', () => {
  it.each([
    // RFC 9562, appendix A.6: 2022-02-22 14:22:22 -05:00 is unix_ts_ms 0x017F22E279B0. The rest by section 5.7.
    [minUuidAt, '2022-02-22T19:22:22Z', '017f22e2-79b0-7000-8000-000000000000'],
    [maxUuidAt, '2022-02-22T19:22:22Z', '017f22e2-79b0-7fff-bfff-ffffffffffff'],
    // README of ulid on npm, "Seed Time": 1469918176385 gives 01ARYZ6S41…; the first and the last ULID of ulid/spec.
    [minUlidAt, 1469918176385, '01ARYZ6S410000000000000000'],
    [maxUlidAt, 1469918176385, '01ARYZ6S41ZZZZZZZZZZZZZZZZ'],
    [minUlidAt, 0, '00000000000000000000000000'],
    [maxUlidAt, 281474976710655, '7ZZZZZZZZZZZZZZZZZZZZZZZZZ'],
    // MongoDB manual, "ObjectId.getTimestamp()": 507c7f79… is of 2012-10-15T21:26:17Z.
    [minObjectIdAt, '2012-10-15T21:26:17Z', '507c7f790000000000000000'],
    [maxObjectIdAt, '2012-10-15T21:26:17Z', '507c7f79ffffffffffffffff'],
    // By the definitions: the first and the last time of each.
    [minUuidAt, 0, '00000000-0000-7000-8000-000000000000'],
    [maxUuidAt, 2 ** 48 - 1, 'ffffffff-ffff-7fff-bfff-ffffffffffff'],
    [minObjectIdAt, 0, '000000000000000000000000'],
    [maxObjectIdAt, '2106-02-07T06:28:15Z', 'ffffffffffffffffffffffff'],
  ] as const)('%o of %s: %s', (bound, date, text) => {
    expect(bound(typeof date === 'string' ? new Date(date) : date)).toBe(text);
    expect(bound(typeof date === 'string' ? Date.parse(date) : new Date(date))).toBe(text);
  });

  it.each(PAIRS)('$kind: the known ids of a time lie between its bounds', ({ kind, min, max }) => {
    const isBounded = (text: string) => kind !== 'uuid' || text.charAt(14) === '7';
    const vectors = WIDE_ID_VECTORS.filter((vector) => vector.kind === kind && isBounded(vector.text));
    expect(vectors.length).toBeGreaterThan(2);
    for (const { text, ms } of vectors) {
      const inCase = kind === 'ulid' ? text.toUpperCase() : text.toLowerCase();
      expect([max(ms), inCase, min(ms)].sort()).toEqual([min(ms), inCase, max(ms)]);
    }
  });
});

describe.each(PAIRS)('the bounds of $kind', ({ kind, min, max, unitMs, last }) => {
  const times = fc.oneof(
    fc.integer({ min: 0, max: last }),
    fc.integer({ min: 0, max: last }).map((ms) => ms - (ms % unitMs)),
    fc.constantFrom(0, 1, unitMs - 1, unitMs, last - unitMs, last - 1, last),
  );
  /** When the unit of a time begins. */
  const unitOf = (ms: number) => ms - (ms % unitMs);

  it('have the unit of the time, and are the first and the last of it', () => {
    fc.assert(
      fc.property(times, (ms) => {
        for (const text of [min(ms), max(ms), min(new Date(ms)), max(new Date(ms))]) {
          expect(timesOf([text], kind)[0]).toBe(unitOf(ms));
          expect(READERS[kind](text)).toBe(BigInt(unitOf(ms)) * 1000n);
          expect(wideIdKindOf(text)).toBe(kind);
        }
        expect(min(new Date(ms))).toBe(min(ms));
        expect(max(new Date(ms))).toBe(max(ms));
        expect(min(unitOf(ms))).toBe(min(ms));
        expect(min(ms) < max(ms)).toBe(true);
        if (unitOf(ms) > 0) expect(max(ms - unitMs) < min(ms)).toBe(true);
      }),
      runs,
    );
  });

  it('sort as their times do', () => {
    fc.assert(
      fc.property(times, times, (one, other) => {
        const [before, after] = [one, other].map(unitOf).sort((a, b) => a - b);
        expect(min(before) <= min(after)).toBe(true);
        expect(max(before) <= max(after)).toBe(true);
        expect(max(before) < min(after)).toBe(before < after);
      }),
      runs,
    );
  });

  it('round and refuse times as minIdAt does', () => {
    const bits = kind === 'objectid' ? 32 : 48;
    const layout = defineLayout({ timestamp: { bits, epoch: 0, unit: kind === 'objectid' ? 's' : 'ms' } });
    const anyTime = fc.oneof(
      times.chain((ms) => fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }).map((part) => ms + part)),
      fc.double(),
      fc.constantFrom(-1, -0.001, -0, last + 1, last + 0.999, 2 ** 53),
    );
    const unitOfId = (text: string) => BigInt(timesOf([text], kind)[0] / unitMs);
    fc.assert(
      fc.property(anyTime, (ms) => {
        for (const date of [ms, new Date(ms)]) {
          expect(outcome(() => unitOfId(min(date)))).toBe(outcome(() => layout.minIdAt(date)));
          expect(outcome(() => unitOfId(max(date)))).toBe(outcome(() => layout.maxIdAt(date)));
        }
      }),
      runs,
    );
  });
});

/** What a call gives, or its error. */
function outcome(call: () => unknown): string {
  try {
    return String(call());
  } catch (error) {
    return String(error);
  }
}
