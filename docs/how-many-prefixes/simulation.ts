import { SPLIT_MIX_STEP, splitMix64 } from '../../test/support/split-mix.js';

// Simulates transactions that each take the next numbers of a random prefix, to compare with formulas.ts.

/** The last number that each prefix has given. It only grows, so it also serves as the version of the counter. */
export class Counters {
  protected readonly last: Float64Array; // numbers up to 2^53

  constructor(prefixes: number) {
    this.last = new Float64Array(prefixes);
  }

  read(prefix: number): number {
    return this.last[prefix];
  }

  /** Sets a counter that is still as it was read. @returns false if it is not, which is a conflict */
  commit(prefix: number, seen: number, next: number): boolean {
    if (this.last[prefix] !== seen) return false;
    this.last[prefix] = next;
    return true;
  }
}

/** Notes all numbers that are given, without looking at counters: those of each prefix must be 1, 2, 3, … */
export class Ledger {
  /** How many blocks had numbers that were given before. */
  duplicates = 0;
  /** How many blocks left out numbers before them. */
  skipped = 0;
  readonly #given: Float64Array;

  constructor(prefixes: number) {
    this.#given = new Float64Array(prefixes);
  }

  take(prefix: number, first: number, count: number): void {
    const given = this.#given[prefix];
    if (first <= given) this.duplicates++;
    else if (first > given + 1) this.skipped++;
    this.#given[prefix] = Math.max(given, first + count - 1);
  }
}

const VALUES = 4096;

/** SplitMix64 as 32-bit words, the lower one of each value first: always the same words for a seed. */
export class Random {
  #state: bigint;
  #words: Uint32Array = new Uint32Array();
  #at = 0;

  constructor(seed: number) {
    this.#state = BigInt(seed);
  }

  /** 0 to 2^32 - 1. */
  next(): number {
    if (this.#at === this.#words.length) this.#fill();
    return this.#words[this.#at++];
  }

  /** Exponentially distributed, 1 on average. */
  nextExponential(): number {
    return -Math.log((this.next() + 0.5) / 2 ** 32);
  }

  #fill(): void {
    this.#words = new Uint32Array(splitMix64(VALUES, this.#state).buffer);
    this.#state += BigInt(VALUES) * SPLIT_MIX_STEP;
    this.#at = 0;
  }
}

/** The order in which the transactions of writers end. */
interface Schedule {
  /** The writer whose transaction ends next; it starts another at once. */
  next(): number;
}

/** All transactions are equally long, so they end in the order in which they started. */
class InTurn implements Schedule {
  readonly #writers: number;
  #last = -1;

  constructor(writers: number) {
    this.#writers = writers;
  }

  next(): number {
    this.#last = this.#last + 1 === this.#writers ? 0 : this.#last + 1;
    return this.#last;
  }
}

/** The lengths of transactions are exponentially distributed: a heap holds the times at which they end. */
class Exponential implements Schedule {
  readonly #random: Random;
  readonly #endsAt: Float64Array;
  readonly #heap: Uint32Array;
  #hasBegun = false;

  constructor(writers: number, random: Random) {
    this.#random = random;
    this.#endsAt = Float64Array.from({ length: writers }, () => random.nextExponential());
    this.#heap = Uint32Array.from(this.#endsAt.keys()).sort((a, b) => this.#timeOf(a) - this.#timeOf(b));
  }

  next(): number {
    if (this.#hasBegun) this.#restartFirst();
    this.#hasBegun = true;
    return this.#heap[0];
  }

  #restartFirst(): void {
    const heap = this.#heap;
    const writer = heap[0];
    const time = this.#timeOf(writer) + this.#random.nextExponential();
    this.#endsAt[writer] = time;
    let hole = 0;
    for (let child = 1; child < heap.length; child = 2 * hole + 1) {
      const right = child + 1;
      if (right < heap.length && this.#timeOf(heap[right]) < this.#timeOf(heap[child])) child = right;
      if (this.#timeOf(heap[child]) >= time) break;
      heap[hole] = heap[child];
      hole = child;
    }
    heap[hole] = writer;
  }

  #timeOf(writer: number): number {
    return this.#endsAt[writer];
  }
}

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
