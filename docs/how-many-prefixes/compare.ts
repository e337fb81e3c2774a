import {
  demandOf,
  LATENCY,
  meetingOdds,
  roundLosers,
  steadyConflicts,
  steadyConflictsExponential,
} from './formulas.js';
import { type Ledger, type Situation, simulateRounds, simulateSteady } from './simulation.js';

/** A share of all transactions: what a formula expects, and what a simulation has counted if there was one. */
export interface Compared {
  expected: number;
  simulated?: number;
  /** How far apart they may be. */
  tolerance?: number;
}

/** What happens to so many transactions in flight on so many prefixes. */
export interface Case {
  writers: number;
  prefixBits: number;
  meeting: Compared;
  losing: Compared;
  conflicting: Compared;
  conflictingExponential: Compared;
  /** How many blocks of numbers were given twice, or left some out, in all the simulations. */
  wrongNumbers: number;
}

/** A simulation has as many transactions as are expected to have so many conflicts, but not more than MOST. */
const CONFLICTS = 10_000;
const LEAST = 1_000_000;
const MOST = { round: 4_000_000, fixed: 4_000_000, exponential: 2_000_000 };
/** The fewest cycles of a prefix, from one commit to the next, that are counted. */
const CYCLES = 4;
/** The most writers whose lengths vary: with more, the heap of their times takes minutes. */
const EXPONENTIAL_WRITERS = 1_000_000;

export function compare(writers: number, prefixBits: number, seed: number): Case {
  const prefixes = 2 ** prefixBits;
  const losing = roundLosers(writers, prefixes) / writers;
  const rounds = Math.ceil(attemptsFor(losing, MOST.round) / writers);
  const round = simulateRounds({ writers, prefixBits, seed, rounds });
  const fixed = steady({ writers, prefixBits, seed }, 'fixed');
  const exponential =
    writers > EXPONENTIAL_WRITERS
      ? { compared: { expected: steadyConflictsExponential(writers, prefixes) }, wrongNumbers: 0 }
      : steady({ writers, prefixBits, seed }, 'exponential');
  return {
    writers,
    prefixBits,
    // Transactions meet in pairs, so the variance is twice that of independent ones.
    meeting: compared(meetingOdds(writers, prefixes), round.meetings, round.attempts, { variance: 2 }),
    losing: compared(losing, round.conflicts, round.attempts),
    conflicting: fixed.compared,
    conflictingExponential: exponential.compared,
    wrongNumbers: wrong(round.ledger) + fixed.wrongNumbers + exponential.wrongNumbers,
  };
}

/** What happens if as many writers as {@link demandOf} says are to give ids to so many strings a second. */
export interface MetDemand {
  writers: number;
  conflicting: Compared;
  simulatedStringsPerSecond: number;
  wrongNumbers: number;
}

/** @returns undefined if there are too few prefixes */
export function meetDemand(
  stringsPerSecond: number,
  block: number,
  prefixBits: number,
  seed: number,
): MetDemand | undefined {
  const { writers } = demandOf(stringsPerSecond, block, 2 ** prefixBits);
  if (writers === undefined) return undefined;
  const { compared, commits, attempts, wrongNumbers } = steady({ writers, prefixBits, block, seed }, 'fixed');
  const simulatedStringsPerSecond = ((commits / attempts) * writers * block) / LATENCY;
  return { writers, conflicting: compared, simulatedStringsPerSecond, wrongNumbers };
}

/** Whether the two are close enough, or nothing was simulated. */
export function agrees({ expected, simulated, tolerance = 0 }: Compared): boolean {
  return simulated === undefined || Math.abs(simulated - expected) <= tolerance + 1e-12;
}

interface Steady {
  compared: Compared;
  commits: number;
  attempts: number;
  wrongNumbers: number;
}

function steady(situation: Situation, latency: 'fixed' | 'exponential'): Steady {
  const { writers } = situation;
  const prefixes = 2 ** situation.prefixBits;
  const formula = latency === 'fixed' ? steadyConflicts : steadyConflictsExponential;
  const expected = formula(writers, prefixes);
  // Whole cycles: prefixes that all began at once stay in step for long if writers are many.
  const cycle = prefixes + writers - 1;
  const cycles = Math.max(CYCLES, Math.ceil(attemptsFor(expected, MOST[latency]) / cycle));
  const { attempts, commits, conflicts, ledger } = simulateSteady({
    ...situation,
    latency,
    attempts: cycles * cycle,
    warmUp: 2 * writers,
  });
  const inUse = Math.min(writers, prefixes);
  return {
    compared: compared(expected, conflicts, attempts, { inUse }),
    commits,
    attempts,
    wrongNumbers: wrong(ledger),
  };
}

function attemptsFor(conflicting: number, most: number): number {
  return Math.min(most, Math.max(LEAST, CONFLICTS / conflicting));
}

/**
 * The tolerance is four standard deviations of independent trials, with `variance` times their variance; over 200
 * seeds, conflicts in a round or a cycle had 0.01 to 1.03 times that variance. In addition, each of the `inUse` prefixes
 * that has a cycle at the edge of the count may have one conflict more or less.
 */
function compared(
  expected: number,
  count: number,
  attempts: number,
  { variance = 1, inUse = 0 }: { variance?: number; inUse?: number } = {},
): Compared {
  const deviation = Math.sqrt((variance * expected * (1 - expected)) / attempts);
  return { expected, simulated: count / attempts, tolerance: 4 * deviation + (inUse * expected) / attempts };
}

function wrong({ duplicates, skipped }: Ledger): number {
  return duplicates + skipped;
}
