import { describe, expect, it } from 'vitest';
import { agrees, type Compared, compare, meetDemand } from '../../docs/how-many-prefixes/compare.js';
import { demandOf } from '../../docs/how-many-prefixes/formulas.js';
import { SEED } from '../support/seed.js';

// All formulas compared with simulations, each case with a seed of its own.

const PREFIX_BITS = [0, 4, 8, 10, 12, 14, 16, 18, 20];
/** Of writers so many that a simulation takes long, and of demands. */
const FEWER_PREFIX_BITS = [0, 14, 16, 20];
/** 1,500 and 10^7 give 150,000 and a billion strings a second one by one; 2 and 10,000 do so in blocks of 1,000. */
const WRITERS = [2, 10, 100, 1500, 10_000, 10_000_000];
const DEMANDS = [
  { stringsPerSecond: 150_000, blocks: [1, 1000] },
  { stringsPerSecond: 1_000_000_000, blocks: [1, 1000, 10_000, 100_000] },
];

const CASES = WRITERS.flatMap((writers) =>
  (writers < 1_000_000 ? PREFIX_BITS : FEWER_PREFIX_BITS).map((prefixBits) => ({ writers, prefixBits })),
);
const DEMAND_CASES = DEMANDS.flatMap(({ stringsPerSecond, blocks }) =>
  blocks.flatMap((block) => FEWER_PREFIX_BITS.map((prefixBits) => ({ stringsPerSecond, block, prefixBits }))),
);

/** Cases for `it.each`, each with a name and a seed of its own. */
function named<T>(cases: readonly T[], nameOf: (one: T) => string): [string, T, number][] {
  return cases.map((one, row) => [nameOf(one), one, SEED + row]);
}

function expectAgreement(compared: readonly Compared[], wrongNumbers: number): void {
  expect(compared.filter((one) => !agrees(one))).toEqual([]);
  expect(wrongNumbers).toBe(0);
}

describe('formulas agree with simulations, and no number is given twice or left out', () => {
  it.each(
    named(CASES, ({ writers, prefixBits }) => `${writers.toLocaleString('en')} in flight, prefixBits ${prefixBits}`),
  )('%s', (_name, { writers, prefixBits }, seed) => {
    const { meeting, losing, conflicting, conflictingExponential, wrongNumbers } = compare(writers, prefixBits, seed);
    expectAgreement([meeting, losing, conflicting, conflictingExponential], wrongNumbers);
  });

  it.each(
    named(DEMAND_CASES, ({ stringsPerSecond, block, prefixBits }) => {
      const [strings, numbers] = [stringsPerSecond.toLocaleString('en'), block.toLocaleString('en')];
      return `${strings} strings a second in blocks of ${numbers}, prefixBits ${prefixBits}`;
    }),
  )('%s', (_name, { stringsPerSecond, block, prefixBits }, seed) => {
    const { ceiling } = demandOf(stringsPerSecond, block, 2 ** prefixBits);
    const met = meetDemand(stringsPerSecond, block, prefixBits, seed);
    expect(met !== undefined).toBe(stringsPerSecond <= ceiling);
    if (met === undefined) return;
    expect(met.simulatedStringsPerSecond).toBeGreaterThan(0.99 * stringsPerSecond);
    expectAgreement([met.conflicting], met.wrongNumbers);
  });
});
