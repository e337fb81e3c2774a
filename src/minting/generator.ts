import { checkInteger, checkOneOf, checkOptions, checkRecord, wrongKind } from '../arguments.js';
import { ClockBackwardsError, LayoutExpiredError, LeaseLostError, SequenceExhaustedError } from '../errors.js';
import type { Layout } from '../layout/layout.js';
import { layouts } from '../layout/presets.js';
import { u64 } from '../u64.js';
import type { ShardLease } from './lease.js';
import { type Shape, shapeOf } from './shape.js';

/**
 * What to do for want of a time unit: `throw`; `wait` for the clock; or `borrow` units that are yet to
 * come, so that ids run ahead of the clock until it has caught up.
 */
export type MintPolicy = 'throw' | 'wait' | 'borrow';

/** Remembers, across restarts, until when ids may have been minted. */
export interface HighWater {
  /** What was saved last, in Unix milliseconds, or nothing. */
  load(): number | undefined;
  /** Called before ids of up to this instant are given; has to be durable when it returns. */
  save(unixMs: number): void;
}

export interface SnowflakeGeneratorOptions {
  /** With a timestamp field and, below it, one named `sequence` or `increment`; `layouts.snowflake` unless given. */
  layout?: Layout | undefined;
  /**
   * The number in all other fields, taken together, most significant first; no two generators may have the
   * same at one time. Or a lease of one.
   */
  shard: number | ShardLease;
  /** Unix milliseconds; `Date.now` unless given. */
  clock?: (() => number) | undefined;
  /** When the clock shows an earlier unit than it has before, or than the high-water mark; `throw` unless given. */
  onClockBackwards?: MintPolicy | undefined;
  /** When a unit's sequence numbers have all been given; `wait` unless given. */
  onSequenceExhausted?: MintPolicy | undefined;
  /** The longest to wait at a time, and the furthest that ids may run ahead of the clock; 5,000 unless given. */
  maxWaitMs?: number | undefined;
  /** Lest a restart with the clock set back repeats ids. */
  highWater?: HighWater | undefined;
}

const OPTIONS = [
  'layout',
  'shard',
  'clock',
  'onClockBackwards',
  'onSequenceExhausted',
  'maxWaitMs',
  'highWater',
] as const;
const POLICIES = ['throw', 'wait', 'borrow'] as const;
const MAX_WAIT_MS = 2 ** 31 - 1; // that of a timer
const MAX_IDS = 2 ** 32;

// A mark is saved so far ahead, lest every unit takes a write; so long, at most, a restart has to wait.
const SAVED_AHEAD_MS = 1000;

// A turn of waiting takes 1 µs or more, and the coarsest clock, Firefox's under resistFingerprinting, moves every
// 100 ms: one that has not moved by then stands, as Cloudflare's does until the program awaits something.
const MOST_TURNS = 2 ** 17;

/** The unit and sequence number given last, and the unit that the clock must not be behind. */
interface State {
  readonly unit: number;
  readonly sequence: number;
  readonly seen: number;
}

/** What there is to wait for, and how it is told if that takes too long. */
interface Shortage {
  readonly ms: number;
  error(): Error;
}

/**
 * Mints ids, each larger than the one before: the time, a shard's number and a sequence that starts anew in
 * every time unit. A call that fails leaves everything as it was.
 * @example
 * const generator = new SnowflakeGenerator({ shard: 5 });
 * generator.next(); // a bigint
 * generator.nextMany(1000); // BigUint64Array(1000)
 */
export class SnowflakeGenerator {
  readonly #shape: Shape;
  readonly #lease: ShardLease | undefined;
  readonly #clock: () => number;
  readonly #onClockBackwards: MintPolicy;
  readonly #onSequenceExhausted: MintPolicy;
  readonly #maxWaitMs: number;
  readonly #highWater: HighWater | undefined;
  #savedUntil: number;
  #state: State;

  /**
   * @throws TypeError if an option is of the wrong kind
   * @throws RangeError if an option is out of range or unknown, or the layout cannot be minted with
   */
  constructor(options: SnowflakeGeneratorOptions) {
    checkRecord('options', options);
    const {
      layout = layouts.snowflake,
      shard,
      clock = Date.now,
      highWater,
      ...policies
    } = checkOptions(options, OPTIONS);
    const { onClockBackwards = 'throw', onSequenceExhausted = 'wait', maxWaitMs = 5000 } = policies;
    this.#lease = typeof shard === 'object' && shard !== null ? shard : undefined;
    this.#shape = shapeOf(layout as Layout, this.#lease ? this.#lease.shard : (shard as number));
    if (typeof clock !== 'function') throw wrongKind('clock', 'a function', clock);
    this.#clock = clock;
    this.#onClockBackwards = checkOneOf('onClockBackwards', onClockBackwards, POLICIES);
    this.#onSequenceExhausted = checkOneOf('onSequenceExhausted', onSequenceExhausted, POLICIES);
    this.#maxWaitMs = checkInteger('maxWaitMs', maxWaitMs, 0, MAX_WAIT_MS);
    this.#highWater = highWater;
    this.#savedUntil = this.#loadMark();
    const { time, sequence } = this.#shape;
    const taken = Math.max(this.#savedUntil, this.#lease?.notBefore ?? Number.NEGATIVE_INFINITY);
    const first = Math.max(time.min, Math.ceil(this.#unitAt(taken)));
    this.#state = { unit: first - 1, sequence: sequence.max, seen: first };
  }

  /**
   * The next id. Waits, where it may, by holding up the thread; {@link SnowflakeGenerator.nextAsync} does not.
   * @throws ClockBackwardsError, SequenceExhaustedError as the policies have it, or after `maxWaitMs`, or where
   *   no clock moves until the program awaits something (Cloudflare)
   * @throws LayoutExpiredError if the layout's timestamp has come to its end
   * @throws LeaseLostError if the lease of the shard has ended
   */
  next(): bigint {
    return this.nextMany(1)[0] as bigint;
  }

  /**
   * The next ids, in blocks of consecutive sequence numbers.
   * @param n 0 to 2^32
   * @throws as {@link SnowflakeGenerator.next}; none has been given then
   */
  nextMany(n: number): BigUint64Array {
    const minting = this.#mint(n);
    for (;;) {
      const { done, value } = minting.next();
      if (done) return value;
      sleepSync(value);
    }
  }

  /** As {@link SnowflakeGenerator.next}, but waits without holding up the thread. */
  async nextAsync(): Promise<bigint> {
    return (await this.nextManyAsync(1))[0] as bigint;
  }

  /**
   * As {@link SnowflakeGenerator.nextMany}, but waits without holding up the thread. Ids that others are
   * given in the meantime lie between these.
   */
  async nextManyAsync(n: number): Promise<BigUint64Array> {
    const minting = this.#mint(n);
    for (;;) {
      const { done, value } = minting.next();
      if (done) return value;
      await new Promise((resolve) => setTimeout(resolve, value));
    }
  }

  /** Mints; yields how many milliseconds it has to wait. */
  *#mint(n: number): Generator<number, BigUint64Array> {
    const ids = new BigUint64Array(checkInteger('n', n, 0, MAX_IDS));
    const before = this.#state;
    let mine = before;
    try {
      let waitingSince: number | undefined;
      let turns = 0;
      for (let filled = 0; filled < n; ) {
        const got = this.#fill(ids, filled);
        mine = this.#state;
        if (typeof got === 'number') {
          filled = got;
          waitingSince = undefined;
        } else {
          if (waitingSince === undefined) turns = 0;
          waitingSince ??= performance.now();
          const waited = performance.now() - waitingSince;
          if (waited + got.ms > this.#maxWaitMs || (++turns > MOST_TURNS && waited === 0)) throw got.error();
          yield got.ms;
        }
      }
    } catch (error) {
      if (this.#state === mine) this.#state = before; // unless, in a wait, others have gone on from there
      throw error;
    }
    return ids;
  }

  /** Fills ids from a row on with those of one unit; returns up to where, or what it lacks. */
  #fill(ids: BigUint64Array, from: number): number | Shortage {
    const { base, time, sequence } = this.#shape;
    const clock = this.#now();
    const seen = Math.max(this.#state.seen, Math.floor(this.#unitAt(clock)));
    let { unit, sequence: last } = this.#state;
    const isBehind = this.#unitAt(clock) < this.#state.seen;
    if (isBehind) {
      const error = () =>
        new ClockBackwardsError(`the clock shows ${dateOf(clock)}, ids may be of ${dateOf(this.#startOf(seen))}`);
      const lack = this.#lack(this.#onClockBackwards, this.#startOf(seen) - clock, error);
      if (lack) return lack;
    }
    if (seen > unit) {
      unit = seen;
      last = sequence.min - 1;
    } else if (last >= sequence.max) {
      unit++;
      last = sequence.min - 1;
      const error = () =>
        new SequenceExhaustedError(
          `all ${sequence.max - sequence.min + 1} ids of ${dateOf(this.#startOf(unit - 1))} have been given`,
        );
      const lack = this.#lack(this.#onSequenceExhausted, this.#startOf(unit) - clock, error);
      if (lack) return lack;
    }
    this.#checkMayMint(unit, clock);
    const end = Math.min(ids.length, from + sequence.max - last);
    let id = base | (BigInt(unit) << time.shift) | (BigInt(last + 1) << sequence.shift);
    const step = 1n << sequence.shift;
    for (let i = from; i < end; i++) {
      ids[i] = id;
      id = u64(id + step);
    }
    this.#state = { unit, sequence: last + end - from, seen };
    return end;
  }

  /** What a policy says to a lack of so many milliseconds: nothing if they are borrowed. */
  #lack(policy: MintPolicy, ms: number, error: () => Error): Shortage | undefined {
    if (policy === 'throw' || (policy === 'borrow' && ms > this.#maxWaitMs)) throw error();
    return policy === 'wait' ? { ms, error } : undefined;
  }

  #checkMayMint(unit: number, clock: number): void {
    const end = this.#startOf(unit + 1);
    if (unit > this.#shape.time.max)
      throw new LayoutExpiredError(`the layout's timestamps end before ${dateOf(this.#startOf(unit))}`);
    if (this.#lease && end > this.#lease.validUntil()) {
      throw new LeaseLostError(`the lease of shard ${this.#lease.shard} does not last until ${dateOf(end)}`);
    }
    if (this.#highWater && end > this.#savedUntil) {
      const mark = Math.max(end, clock) + SAVED_AHEAD_MS;
      this.#highWater.save(mark);
      this.#savedUntil = mark;
    }
  }

  #loadMark(): number {
    const mark = this.#highWater?.load() ?? Number.NEGATIVE_INFINITY;
    if (typeof mark !== 'number' || Number.isNaN(mark)) throw wrongKind('highWater', 'to load Unix milliseconds', mark);
    return mark;
  }

  #now(): number {
    const clock = this.#clock();
    if (typeof clock !== 'number' || !Number.isFinite(clock))
      throw wrongKind('clock', 'Unix milliseconds from it', clock);
    return clock;
  }

  /** Units since the epoch, with a fraction. */
  #unitAt(unixMs: number): number {
    return (unixMs - this.#shape.epoch) / this.#shape.unitMs;
  }

  #startOf(unit: number): number {
    return this.#shape.epoch + unit * this.#shape.unitMs;
  }
}

/** An instant as a message shows it; beyond what a Date holds, in milliseconds. */
function dateOf(unixMs: number): string {
  const date = new Date(unixMs);
  return Number.isNaN(date.getTime()) ? `${unixMs} ms` : date.toISOString();
}

/** Holds up the thread, or does not where that is forbidden: then the caller's loop does. */
function sleepSync(ms: number): void {
  try {
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
  } catch {}
}
