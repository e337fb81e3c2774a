import { describe, expect, it } from 'vitest';
import { roundedIn } from '../../src/guess/index.js';
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

  it('are not found among others', () => {
    for (const count of [1, 2, 10, 1000, 100_000]) expect(roundedIn(ids(count)), `${count} ids`).toBeUndefined();
    const known = Array.from(randomU64s(1000, 2), (dice) =>
      layouts.twitter.minIdAt(1.4e12 + Number(dice % 1_000_000_000n)),
    );
    expect(roundedIn(BigUint64Array.from(known))).toBeUndefined();
    expect(roundedIn(BigUint64Array.of(9_007_199_254_740_000n, 1000n, 0n))).toBeUndefined();
  });
});
