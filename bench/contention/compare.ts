import type { Ledger } from './counters.js';
import { meetingOdds, roundLosers, steadyConflicts, steadyConflictsExponential, writersFor } from './model.js';
import { type Situation, simulateRounds, simulateSteady } from './simulate.js';

/** A part of all transactions, on paper and as simulated, if it was. */
export interface Compared {
  expected: number;
  simulated?: number;
  /** How far they may be apart. */
  tolerance?: number;
}

/** What happens to some transactions in flight on some prefixes. */
export interface Case {
  writers: number;
  prefixBits: number;
  meeting: Compared;
  losing: Compared;
  conflicting: Compared;
  conflictingExponential: Compared;
  /** Numbers given twice, or left out, in any of the simulations. */
  wrongNumbers: number;
}

/** Conflicts to count, where the most transactions of a kind that are simulated have as many. */
const CONFLICTS = 10_000;
const LEAST = 1_000_000;
const MOST = { round: 20_000_000, fixed: 20_000_000, exponential: 5_000_000 };
/** Cycles of a prefix, from one commit to the next, to count at least. */
const CYCLES = 10;
/** Above this, a heap of all writers' times takes minutes. */
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
    // Those that meet do so in pairs: twice the variance.
    meeting: compared(meetingOdds(writers, prefixes), round.meetings, round.attempts, { variance: 2 }),
    losing: compared(losing, round.conflicts, round.attempts),
    conflicting: fixed.compared,
    conflictingExponential: exponential.compared,
    wrongNumbers: wrong(round.ledger) + fixed.wrongNumbers + exponential.wrongNumbers,
  };
}

/** Strings a second that are wanted of so many prefixes, in blocks, and what that takes. */
export interface Demand {
  stringsPerSecond: number;
  block: number;
  prefixBits: number;
  /** The most that there can be. */
  ceiling: number;
  /** Unless it is above the ceiling. */
  met?: { writers: number; conflicting: Compared; simulatedStringsPerSecond: number; wrongNumbers: number };
}

/** How long a transaction takes wherever strings a second are spoken of, in seconds, whatever it takes. */
export const LATENCY = 0.01;

export function meetDemand(stringsPerSecond: number, block: number, prefixBits: number, seed: number): Demand {
  const prefixes = 2 ** prefixBits;
  const demand = { stringsPerSecond, block, prefixBits, ceiling: (prefixes * block) / LATENCY };
  const needed = writersFor((stringsPerSecond * LATENCY) / block, prefixes);
  if (needed === undefined) return demand;
  const writers = Math.ceil(needed);
  const { compared, commits, attempts, wrongNumbers } = steady({ writers, prefixBits, block, seed }, 'fixed');
  const simulatedStringsPerSecond = ((commits / attempts) * writers * block) / LATENCY;
  return { ...demand, met: { writers, conflicting: compared, simulatedStringsPerSecond, wrongNumbers } };
}

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
  // Whole cycles: prefixes that all began at once stay in step for long where writers are many.
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
 * Four standard deviations of independent trials, of `variance` times their variance: conflicts in a round or in
 * a cycle scatter less than that, by 0.01 to 1.03 of it over 200 seeds. And a conflict more or less at the edge of the count, for each of the `inUse`
 * prefixes that has a cycle there.
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
