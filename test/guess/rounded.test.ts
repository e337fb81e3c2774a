import { describe, expect, it } from 'vitest';
import { guess, roundedIn, roundedRange, roundedWords } from '../../src/guess/index.js';
import { layouts } from '../../src/index.js';
import { randomU64s } from '../support/random.js';

/** Ids as Discord makes them, over ten years. */
const ids = (count: number) => randomU64s(count, 1).map((dice) => (dice >> 4n) % (320_000_000_000n << 22n));
const asDoubles = (some: BigUint64Array) => some.map((id) => BigInt(Number(id).toString()));
const inSheet = (some: BigUint64Array) => some.map((id) => BigInt(`${id}`.slice(0, 15).padEnd(`${id}`.length, '0')));

describe('rounded ids', () => {
  it('are told, with what rounded them', () => {
    expect(roundedIn(BigUint64Array.of(1306705919916249000n))).toEqual({ rows: 1, by: 'double' });
    expect(roundedIn(BigUint64Array.of(1306705919916240000n))).toEqual({ rows: 1, by: 'spreadsheet' });
    const some = ids(1000);
    expect(roundedIn(asDoubles(some))).toMatchObject({ by: 'double' });
    expect(roundedIn(asDoubles(some))?.rows).toBeGreaterThan(600);
    expect(roundedIn(inSheet(some))).toMatchObject({ by: 'spreadsheet' });
    expect(roundedIn(inSheet(some))?.rows).toBeGreaterThan(980); // some have fewer digits
  });

  it('are told where they are a few of many', () => {
    const some = ids(1000);
    some.set(inSheet(some.subarray(0, 10)));
    expect(roundedIn(some)?.rows).toBeGreaterThanOrEqual(10);
  });

  it.each([
    ['double', '1254789961450596900 1418968499750008000 1164697166829640700'],
    ['double', '636009965114711300 636009956139287200 636009964495742800'],
    ['spreadsheet', '1462917477411740000 1821504102737840000'],
    ['spreadsheet', '81384788765712300 81384788765718800 41771983423143900'],
  ])('are told where all of a few are: %s, %s', (by, text) => {
    const some = BigUint64Array.from(text.split(' '), BigInt);
    expect(roundedIn(some)).toEqual({ rows: some.length, by });
    expect(guess(some, { now: Date.UTC(2026, 10, 23) }).rounded).toEqual({ rows: some.length, by });
    expect(roundedIn(BigUint64Array.of(...some, 5n, 2n ** 40n))).toEqual({ rows: some.length, by });
    expect(roundedIn(BigUint64Array.of(...some, 1821504102737842437n))?.rows).not.toBe(some.length);
  });

  it.each([
    ['exact ids', '1462917477411741696 1821504102737842437 1593572310593806338'],
    ['the same id several times', '430628086183100400 430628086183100400 430628086183100400'],
    ['times in microseconds, of a clock in nanoseconds', '1732635907481936000 1732635907491937000 1732635908481939000'],
    ['times of .NET', '637134336123450000 637135200678910000'],
    ['amounts', '1500000000000000000 250000000000000000 7125000000000000000'],
    ['small numbers', '1000 20000 300000 9007199254740000'],
  ])('are not %s', (_, text) => {
    expect(
      guess(BigUint64Array.from(text.split(' '), BigInt), { now: Date.UTC(2026, 10, 23) }).rounded,
    ).toBeUndefined();
  });

  const columns = 100_000;
  it.each([2, 3, 10])('are told wrongly of fewer than 1 in 10,000 columns of %d exact ids', (rows) => {
    const random = ids(columns * rows);
    const first = random.map((id) => (id >> 22n) << 22n);
    const counted = random.map((id) => (id >> 12n) << 12n);
    for (const [kind, column] of Object.entries({ random, first, counted })) {
      let told = 0;
      for (let at = 0; at < column.length; at += rows) if (roundedIn(column.subarray(at, at + rows))) told++;
      expect(told / columns, kind).toBeLessThan(0.0001);
    }
  });

  it('are not found among others', () => {
    for (const count of [1, 2, 10, 1000, 100_000]) expect(roundedIn(ids(count)), `${count} ids`).toBeUndefined();
    const known = Array.from(randomU64s(1000, 2), (dice) =>
      layouts.twitter.minIdAt(1.4e12 + Number(dice % 1_000_000_000n)),
    );
    expect(roundedIn(BigUint64Array.from(known))).toBeUndefined();
    expect(roundedIn(BigUint64Array.of(9_007_199_254_740_000n, 1000n, 0n))).toBeUndefined();
  });
});

describe('a rounded number stands for the integers', () => {
  it.each([
    ['1.23457E+18', 1234565000000000000n, 1234575000000000000n],
    ['1,23457E+18', 1234565000000000000n, 1234575000000000000n],
    ['7.9155723368987E+017', 791557233689865000n, 791557233689875000n],
    ['5e3', 4500n, 5500n],
    ['1541815603606036500.0', 1541815603606036352n, 1541815603606036608n],
    ['1.5418156036060365e+18', 1541815603606036352n, 1541815603606036608n],
    ['1541815603606036480.00', 1541815603606036352n, 1541815603606036608n],
    ['1234567.0', 1234567n, 1234567n],
  ])('that a program writes as %s', (text, from, to) => {
    expect(roundedRange(text)).toEqual({ from, to });
  });

  it('that are the same double, if it is written with all digits', () => {
    for (const id of ids(1000)) {
      const { from, to } = roundedRange(Number(id).toExponential()) ?? { from: 0n, to: 0n };
      expect(id >= from && id <= to).toBe(true);
      if (/\.\d{15}/.test(Number(id).toExponential())) {
        expect([Number(from), Number(to)]).toEqual([Number(id), Number(id)]);
        expect(Number(from - 1n)).not.toBe(Number(id));
        expect(Number(to + 1n)).not.toBe(Number(id));
      }
    }
  });

  it.each([
    '1541815603606036480',
    '1.5',
    '1.5e0',
    'e5',
    '',
    '1e400',
    '1.9e19',
    '-1e18',
    '1.2.3e5',
    '0e5',
  ])('of no other text: %j', (text) => expect(roundedRange(text)).toBeUndefined());
});

describe('what is still known of a rounded number', () => {
  const NOW = Date.UTC(2026, 10, 23);

  it('is from where to where it may be, and its dates in the commonest services', () => {
    expect(roundedWords('1.54182E+18', NOW)).toBe(
      'a program rounded the id, which was from 1541815000000000000 to 1541825000000000000; if it is a Discord id, it is of 2026-08-25 14:22 to 15:02 UTC; if it is a tweet, it is of 2022-06-28 16:05 to 16:45 UTC. Get the ids as text to have all digits',
    );
    expect(roundedWords('8.58147E+17', NOW)).toContain('; if it is a Discord id, it is of 2021-06-26');
    expect(roundedWords('1541815603606036500.0', NOW)).toContain('; if it is a tweet, it is of 2022-06-28 16:07 UTC.');
  });

  it('has a range only, if no service fits', () => {
    expect(roundedWords('1.7E+19', NOW)).toMatch(/^a program rounded the id, which was from \d+ to \d+\. Get /);
  });

  it.each(['1541815603606036480', '1.5e3', '12.0', 'x'])('is nothing of %s', (text) => {
    expect(roundedWords(text, NOW)).toBeUndefined();
  });
});
