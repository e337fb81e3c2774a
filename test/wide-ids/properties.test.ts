import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { timesOf, wideIdKindOf } from '../../src/wide-ids/index.js';
import { anyCharacter } from '../support/characters.js';
import { scaled } from '../support/scale.js';
import type { WideKind } from '../vectors/wide-ids.js';
import { columnOf } from './texts.js';
import { ARBITRARY_IDS, nearestMs, READERS, WRITERS } from './written.js';

const KINDS = Object.keys(READERS) as WideKind[];
const runs = { numRuns: scaled(1000, 20) };

/** The time of one text, as a string and as bytes; undefined if it is refused. */
function timeOf(text: string, kind: WideKind): number | undefined {
  const times = [[text], columnOf([text])].map((texts) => {
    try {
      return timesOf(texts, kind)[0];
    } catch (error) {
      expect(error).toMatchObject({ name: 'RangeError', argument: 'texts', row: 0 });
      return undefined;
    }
  });
  expect(times[1]).toBe(times[0]);
  return times[0];
}

describe.each(KINDS)('%s', (kind) => {
  it('times are those of the specification', () => {
    fc.assert(
      fc.property(ARBITRARY_IDS[kind], (text) => {
        expect(timeOf(text, kind)).toBe(nearestMs(READERS[kind](text) as bigint));
        expect(wideIdKindOf(text)).toBe(kind);
      }),
      runs,
    );
  });

  it('a time that is written is read again', () => {
    const seconds = fc.integer({ min: 1400000000, max: 2 ** 32 - 1 });
    fc.assert(
      fc.property(seconds, fc.bigInt({ min: 0n, max: 2n ** 128n - 1n }), (time, rest) => {
        expect(timeOf(WRITERS[kind](time, rest), kind)).toBe(time * 1000);
      }),
      runs,
    );
  });

  it('with another character anywhere they are refused, or of the time that the specification gives', () => {
    const character = fc.oneof(
      fc.constantFrom(...'0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ-_{} \n\0/:@[`'),
      fc.string({ unit: anyCharacter, minLength: 1, maxLength: 2 }),
    );
    fc.assert(
      fc.property(ARBITRARY_IDS[kind], fc.nat(), character, (id, place, other) => {
        const at = place % id.length;
        const text = id.slice(0, at) + other + id.slice(at + 1);
        const micros = READERS[kind](text);
        expect(timeOf(text, kind)).toBe(micros === undefined ? undefined : nearestMs(micros));
        if (micros !== undefined) expect(wideIdKindOf(text)).toBe(kind);
        else if (kind !== 'uuid') expect(wideIdKindOf(text)).toBeUndefined();
      }),
      runs,
    );
  });

  it('one that is longer, shorter or cut in two is refused', () => {
    fc.assert(
      fc.property(ARBITRARY_IDS[kind], fc.nat(), fc.string(), (id, place, more) => {
        const at = place % id.length;
        for (const text of [
          id.slice(0, at),
          id.slice(at + 1),
          `${id}0`,
          `0${id}`,
          id.slice(0, at) + more + id.slice(at),
        ]) {
          expect(timeOf(text, kind) === undefined).toBe(READERS[kind](text) === undefined);
        }
      }),
      runs,
    );
  });

  it('columns are as their rows', () => {
    fc.assert(
      fc.property(fc.array(ARBITRARY_IDS[kind], { maxLength: 50 }), (texts) => {
        const expected = Float64Array.from(texts, (text) => timesOf([text], kind)[0]);
        expect(timesOf(texts, kind)).toEqual(expected);
        expect(timesOf(columnOf(texts), kind)).toEqual(expected);
      }),
    );
  });
});

describe('UUIDs of version 1 and 6', () => {
  it('of one time are of one time, to the nearest microsecond', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 0n, max: 2n ** 60n - 1n }), (ticks) => {
        const hex = ticks.toString(16).padStart(15, '0');
        const first = `${hex.slice(7)}-${hex.slice(3, 7)}-1${hex.slice(0, 3)}-8000-000000000000`;
        const sixth = `${hex.slice(0, 8)}-${hex.slice(8, 12)}-6${hex.slice(12)}-8000-000000000000`;
        const [one, six] = timesOf([first, sixth], 'uuid');
        expect(one).toBe(six);
        expect(one).toBe(nearestMs(READERS.uuid(first) as bigint));
      }),
      runs,
    );
  });

  it.each([
    [0n, 0],
    [4n, 0],
    [5n, 0.001],
    [9999n, 1],
    [-4n, 0],
    [-5n, 0],
    [-6n, -0.001],
    [17000000000000004n, 1700000000000],
    [17000000000000005n, 1700000000000.001],
    [17000000000009995n, 1700000000001],
  ])('%d times 100 ns after 1970 are %d ms', (ticks, ms) => {
    const hex = (0x1b21dd213814000n + ticks).toString(16).padStart(15, '0');
    const [time] = timesOf([`${hex.slice(0, 8)}-${hex.slice(8, 12)}-6${hex.slice(12)}-8000-000000000000`], 'uuid');
    expect(time + 0).toBe(ms);
  });
});
