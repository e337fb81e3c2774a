import { Counters, Ledger } from './counters.js';
import { Random } from './random.js';
import { Exponential, InTurn } from './schedule.js';

/** Optimistic transactions: each reads the counter of a random prefix, and commits if it has not changed since. */
export interface Situation {
  /** 0 to 20: 2^20 counters take 16 MB. */
  readonly prefixBits: number;
  /** Transactions in flight. */
  readonly writers: number;
  /** How many numbers a commit takes; 1 by default. */
  readonly block?: number;
  readonly seed: number;
}

export interface Outcome {
  attempts: number;
  commits: number;
  conflicts: number;
  ledger: Ledger;
}

/** The transactions that are under way. */
class InFlight {
  readonly #prefixes: Uint32Array;
  readonly #seen: Float64Array;
  readonly #mask: number;
  readonly #block: number;
  readonly #random: Random;
  readonly #counters: Counters;
  readonly #ledger: Ledger;

  constructor({ prefixBits, writers, block = 1 }: Situation, random: Random, counters: Counters, ledger: Ledger) {
    this.#prefixes = new Uint32Array(writers);
    this.#seen = new Float64Array(writers);
    this.#mask = 2 ** prefixBits - 1;
    this.#block = block;
    this.#random = random;
    this.#counters = counters;
    this.#ledger = ledger;
  }

  begin(writer: number): number {
    const prefix = this.#random.next() & this.#mask;
    this.#prefixes[writer] = prefix;
    this.#seen[writer] = this.#counters.read(prefix);
    return prefix;
  }

  /** @returns whether it has committed */
  end(writer: number): boolean {
    const prefix = this.#prefixes[writer];
    const seen = this.#seen[writer];
    if (!this.#counters.commit(prefix, seen, seen + this.#block)) return false;
    this.#ledger.take(prefix, seen + 1, this.#block);
    return true;
  }
}

/** Rounds: all writers read, then all try to commit. `meetings` counts transactions that share their prefix. */
export function simulateRounds(situation: Situation & { rounds: number }): Outcome & { meetings: number } {
  const { prefixBits, writers, rounds, seed } = situation;
  const ledger = new Ledger(2 ** prefixBits);
  const inFlight = new InFlight(situation, new Random(seed), new Counters(2 ** prefixBits), ledger);
  const picks = new Uint32Array(writers);
  const onPrefix = new Uint32Array(2 ** prefixBits);
  let commits = 0;
  let meetings = 0;
  for (let round = 0; round < rounds; round++) {
    for (let writer = 0; writer < writers; writer++) {
      const prefix = inFlight.begin(writer);
      picks[writer] = prefix;
      onPrefix[prefix]++;
    }
    for (let writer = 0; writer < writers; writer++) {
      if (inFlight.end(writer)) commits++;
      if (onPrefix[picks[writer]] > 1) meetings++;
    }
    for (const prefix of picks) onPrefix[prefix] = 0; // not fill(0): prefixes may be many more than picks
  }
  const attempts = writers * rounds;
  return { attempts, commits, conflicts: attempts - commits, meetings, ledger };
}

/** Writers that work without a pause, for `attempts` transactions after `warmUp` others that are not counted. */
export function simulateSteady(
  situation: Situation & { attempts: number; warmUp: number; latency: 'fixed' | 'exponential' },
  counters = new Counters(2 ** situation.prefixBits),
): Outcome {
  const { prefixBits, writers, attempts, warmUp, latency, seed } = situation;
  const random = new Random(seed);
  const schedule = latency === 'fixed' ? new InTurn(writers) : new Exponential(writers, random);
  const ledger = new Ledger(2 ** prefixBits);
  const inFlight = new InFlight(situation, random, counters, ledger);
  for (let writer = 0; writer < writers; writer++) inFlight.begin(writer);
  let commits = 0;
  for (let attempt = -warmUp; attempt < attempts; attempt++) {
    const writer = schedule.next();
    const hasCommitted = inFlight.end(writer);
    if (hasCommitted && attempt >= 0) commits++;
    inFlight.begin(writer);
  }
  return { attempts, commits, conflicts: attempts - commits, ledger };
}
