import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { agrees, compare, meetDemand } from '../../docs/how-many-prefixes/compare.js';
import {
  demandOf,
  meetingOdds,
  roundLosers,
  steadyConflicts,
  steadyConflictsExponential,
  writersFor,
} from '../../docs/how-many-prefixes/formulas.js';
import { Counters, Ledger, Random, simulateRounds, simulateSteady } from '../../docs/how-many-prefixes/simulation.js';
import { randomU64s } from '../support/random.js';
import { SEED } from '../support/seed.js';

// docs/how-many-prefixes.md has the figures that the formulas give.

const page = readFileSync('docs/how-many-prefixes.md', 'utf8');

/** The cells of the only table of a page, its header row first. */
function tableOf(text: string): string[][] {
  const lines = text.split('\n').filter((line) => line.startsWith('|') && !/^[|:\- ]+$/.test(line));
  return lines.map((line) => line.split('|').slice(1, -1)).map((cells) => cells.map((cell) => cell.trim()));
}

/** The number in a cell such as "10,000 in flight". */
function numberIn(cell: string | undefined): number {
  return Number(/[\d,]+/.exec(cell ?? '')?.[0].replaceAll(',', ''));
}

function percent(share: number): string {
  return `${(100 * share).toPrecision(3)} %`;
}

it('every figure in the table is what the formula gives', () => {
  const [header = [], ...rows] = tableOf(page);
  const writers = header.slice(1).map(numberIn);
  expect(writers).toEqual([1500, 10_000, 10_000_000]);
  expect(rows).toHaveLength(5);
  expect(rows).toEqual(
    rows.map(([bits = '']) => [bits, ...writers.map((count) => percent(steadyConflicts(count, 2 ** Number(bits))))]),
  );
});

it('the figures of the advice hold', () => {
  const prose = page.replace(/\s+/g, ' ');
  const commits = numberIn(/up to [\d,]+ commits in flight/.exec(prose)?.[0]);
  const perSecond = numberIn(/[\d,]+ commits a second if each takes 10 ms/.exec(prose)?.[0]);
  const { commits: inFlight, writers = Number.POSITIVE_INFINITY } = demandOf(perSecond, 1, 2 ** 14);
  expect(inFlight).toBe(commits);
  expect(steadyConflicts(writers, 2 ** 14)).toBeLessThan(0.1);
  const batch = numberIn(/these should have [\d,]+ strings or more/.exec(prose)?.[0]);
  const conflicts = (block: number) => steadyConflicts(demandOf(1e9, block, 2 ** 14).writers as number, 2 ** 14);
  expect(conflicts(batch)).toBeLessThan(0.1);
  expect(conflicts(batch / 10)).toBeGreaterThan(0.5);
});

describe('formulas', () => {
  it('a round of 100 has 0.30 losers of 2^14 prefixes, one of 1,000 has 29.9', () => {
    expect(roundLosers(100, 2 ** 14)).toBeCloseTo(0.3, 2);
    expect(roundLosers(1000, 2 ** 14)).toBeCloseTo(29.9, 1);
  });

  it('1,500 in flight meet another with 8.7 % of 2^14 prefixes, with 0.14 % of 2^20', () => {
    expect((100 * meetingOdds(1500, 2 ** 14)).toFixed(1)).toBe('8.7');
    expect((100 * meetingOdds(1500, 2 ** 20)).toFixed(2)).toBe('0.14');
  });

  it('1,500 writers without a pause conflict somewhat less, as those that meet may fail themselves', () => {
    expect((100 * steadyConflicts(1500, 2 ** 14)).toFixed(1)).toBe('8.4');
    expect((100 * steadyConflicts(1500, 2 ** 20)).toFixed(2)).toBe('0.14');
  });

  it('on one counter all but one conflict', () => {
    expect(meetingOdds(100, 1)).toBe(1);
    expect(roundLosers(100, 1)).toBe(99);
    expect(steadyConflicts(100, 1)).toBe(0.99);
  });

  it('on one counter with varying lengths, commits are as far apart as equal birthdays', () => {
    // 24.617 people on average until two of them share one of 365 birthdays: the last is the one that commits.
    expect(1 / (1 - steadyConflictsExponential(365, 1)) + 1).toBeCloseTo(24.617, 3);
  });

  it('one writer has no conflicts, and many prefixes leave C / P of them, whatever the model', () => {
    for (const formula of [meetingOdds, steadyConflicts, steadyConflictsExponential]) {
      expect(formula(1, 1)).toBe(0);
      expect(formula(1, 2 ** 14)).toBe(0);
      expect((formula(10, 2 ** 32) * 2 ** 32) / 9).toBeCloseTo(1, 6);
    }
    expect(roundLosers(1, 1)).toBe(0);
    expect((roundLosers(10, 2 ** 32) * 2 ** 32) / 45).toBeCloseTo(1, 6); // one for each of 45 pairs
  });

  it('as many writers as it takes for so many commits, if the prefixes can have them', () => {
    const writers = writersFor(1500, 2 ** 14) ?? 0;
    expect(writers * (1 - steadyConflicts(writers, 2 ** 14))).toBeCloseTo(1500, 6);
    expect(writersFor(2 ** 14, 2 ** 14)).toBeUndefined();
    expect(writersFor(1, 1)).toBe(1);
    expect(writersFor(2, 1)).toBeUndefined();
  });

  it('a block of numbers divides the commits, and the most strings a second are a block a prefix in 10 ms', () => {
    expect(demandOf(150_000, 1, 2 ** 14)).toEqual({ commits: 1500, writers: 1652, ceiling: 1_638_400 });
    expect(demandOf(150_000, 1000, 2 ** 14)).toEqual({ commits: 1.5, writers: 2, ceiling: 1_638_400_000 });
    expect(demandOf(1_000_000_000, 1, 2 ** 20)).toEqual({ commits: 1e7, writers: undefined, ceiling: 104_857_600 });
  });
});

describe('simulation', () => {
  const situation = { prefixBits: 6, writers: 50, seed: SEED };
  const steady = { ...situation, latency: 'fixed', attempts: 20_000, warmUp: 100 } as const;

  it('is the same for a seed, and another for another', () => {
    for (const latency of ['fixed', 'exponential'] as const) {
      const run = (seed: number) => simulateSteady({ ...steady, latency, seed });
      expect(run(1)).toEqual(run(1));
      expect(run(1).commits).not.toBe(run(2).commits);
    }
    expect(simulateRounds({ ...situation, rounds: 100 })).toEqual(simulateRounds({ ...situation, rounds: 100 }));
  });

  it('draws the numbers of SplitMix64', () => {
    const random = new Random(SEED);
    const words = new Uint32Array(randomU64s(10_000).buffer);
    expect(words.every((word) => random.next() === word)).toBe(true);
  });

  it('agrees with the formulas, and gives no number twice and leaves none out', () => {
    for (const [writers, prefixBits] of [
      [10, 0],
      [10, 8],
      [1500, 4],
      [1500, 14],
    ] as const) {
      const { meeting, losing, conflicting, conflictingExponential, wrongNumbers } = compare(writers, prefixBits, SEED);
      expect([meeting, losing, conflicting, conflictingExponential].filter((compared) => !agrees(compared))).toEqual(
        [],
      );
      expect(wrongNumbers).toBe(0);
    }
  });

  it('takes a simulation that is off by more than its tolerance for a disagreement', () => {
    expect(agrees({ expected: 0.5, simulated: 0.52, tolerance: 0.01 })).toBe(false);
    expect(agrees({ expected: 0.5, simulated: 0.49, tolerance: 0.011 })).toBe(true);
    const { conflicting } = compare(1500, 14, SEED); // what meets another is not what conflicts
    expect(agrees({ ...conflicting, expected: meetingOdds(1500, 2 ** 14) })).toBe(false);
  });

  it('blocks divide transactions in flight: as many strings, next to no conflicts', () => {
    const [one, blocks] = [meetDemand(150_000, 1, 14, SEED), meetDemand(150_000, 1000, 14, SEED)];
    expect(one?.writers).toBe(1652);
    expect(one?.conflicting.simulated).toBeCloseTo(0.092, 2);
    expect(blocks?.writers).toBe(2);
    expect(blocks?.conflicting.simulated).toBeLessThan(0.0002);
    expect(blocks?.wrongNumbers).toBe(0);
    expect(meetDemand(1_000_000_000, 1, 20, SEED)).toBeUndefined();
  });

  it('gives every number of every prefix once, in order, in blocks too', () => {
    for (const block of [1, 7]) {
      const ids = new Set<string>();
      const highest = new Map<number, number>();
      class Watched extends Counters {
        override commit(prefix: number, seen: number, next: number): boolean {
          if (!super.commit(prefix, seen, next)) return false;
          for (let n = seen + 1; n <= next; n++) ids.add(`${prefix} ${n}`);
          highest.set(prefix, next);
          return true;
        }
      }
      const { commits } = simulateSteady({ ...steady, warmUp: 0, block }, new Watched(2 ** 6));
      expect(ids.size).toBe(commits * block);
      expect([...highest.values()].reduce((sum, n) => sum + n, 0)).toBe(commits * block);
    }
  });

  it('notices numbers given twice by counters that do not look for conflicts', () => {
    class LastWriteWins extends Counters {
      override commit(prefix: number, _seen: number, next: number): boolean {
        this.last[prefix] = next;
        return true;
      }
    }
    const { conflicts, ledger } = simulateSteady(steady, new LastWriteWins(2 ** 6));
    expect(conflicts).toBe(0);
    expect(ledger.duplicates).toBeGreaterThan(1000);
  });

  it('notices numbers left out', () => {
    const ledger = new Ledger(2);
    ledger.take(0, 1, 5);
    ledger.take(1, 1, 5);
    ledger.take(0, 6, 5);
    expect(ledger).toMatchObject({ duplicates: 0, skipped: 0 });
    ledger.take(1, 7, 5);
    ledger.take(0, 10, 5);
    expect(ledger).toMatchObject({ duplicates: 1, skipped: 1 });
  });
});
