import { checkInteger, checkOneOf, checkOptions, checkRecord, wrongKind } from '../arguments.js';
import { ClockBackwardsError, LayoutExpiredError, LeaseLostError, SequenceExhaustedError } from '../errors.js';
import type { Layout } from '../layout/layout.js';
import { layouts } from '../layout/presets.js';
import { u64 } from '../u64.js';
import { Call, CallQueue, type Position } from './calls.js';
import { type HighWater, holds, takeHold } from './high-water.js';
import type { ShardLease } from './lease.js';
import { type Shape, shapeOf } from './shape.js';

/**
 * What to do when the clock has no unit of time to give ids of: `throw` an error; `wait` for the clock; or `borrow`
 * later units, so that ids run ahead of the clock until it has caught up.
 */
export type MintPolicy = 'throw' | 'wait' | 'borrow';

export interface SnowflakeGeneratorOptions {
  /** Needs a timestamp field and, below it, one named `sequence` or `increment`; `layouts.snowflake` by default. */
  layout?: Layout | undefined;
  /**
   * The number in all other fields, taken together, most significant first; or the lease of such a number. No two
   * generators may have the same number at one time, unless they share its lease.
   */
  shard: number | ShardLease;
  /** Returns Unix milliseconds; `Date.now` by default. */
  clock?: (() => number) | undefined;
  /** What to do when the clock is behind the time that it has shown before, or the high-water mark; default `throw`. */
  onClockBackwards?: MintPolicy | undefined;
  /** What to do when all sequence numbers of a unit have been given; default `wait`. */
  onSequenceExhausted?: MintPolicy | undefined;
  /**
   * The longest that one call waits, with all its waits added up and however many other calls wait, and the furthest
   * that ids may run ahead of the clock. In milliseconds, 5,000 by default. A call fails if it asks for more ids than
   * that time has units for: `layouts.snowflake` has 4,096 ids a millisecond, so 5,000 ms are enough for 20 million.
   */
  maxWaitMs?: number | undefined;
  /**
   * Keeps a restart from repeating ids while the clock is behind. One generator at a time may use it: a second one
   * takes it over, and the first then fails with LeaseLostError as soon as it needs to save.
   */
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
const MAX_WAIT_MS = 2 ** 31 - 1; // the most that a timer takes
const MAX_IDS = 2 ** 32;

// A mark is saved so far ahead, so that not every unit takes a write. A restart after a crash waits that long at most.
const SAVED_AHEAD_MS = 1000;

// A turn of waiting takes 1 µs or more, and the coarsest clock, Firefox's under resistFingerprinting, moves every
// 100 ms. A clock that has not moved by then stands still, as Cloudflare's does until the program awaits something.
const MOST_TURNS = 2 ** 17;

/** How long until there are ids again, and the error for a call that cannot wait that long. */
interface Shortage {
  readonly ms: number;
  error(why?: string): Error;
}

/**
 * Mints ids, each larger than the one before: the time, a shard's number and a sequence that starts anew in
 * every time unit.
 *
 * A call that fails has given no id. It gives its numbers back only if nobody else has been given a later one in the
 * meantime: a position that others have built upon is never rolled back. Otherwise its numbers stay unused.
 * @example
 * const generator = new SnowflakeGenerator({ shard: 5 });
 * generator.next(); // a bigint
 * generator.nextMany(1000); // BigUint64Array(1000)
 */
export class SnowflakeGenerator {
  readonly #shape: Shape;
  readonly #step: bigint;
  readonly #lease: ShardLease | undefined;
  readonly #clock: () => number;
  readonly #onClockBackwards: MintPolicy;
  readonly #onSequenceExhausted: MintPolicy;
  readonly #maxWaitMs: number;
  readonly #highWater: HighWater | undefined;
  readonly #queue = new CallQueue((call) => this.#advance(call));
  /** The first unit that this generator may use. */
  readonly #first: number;
  #isClosed = false;
  #savedUntil: number;
  /** The mark that this generator wrote into its lease last; any other one is somebody else's. */
  #ownMark: number | undefined;
  /** The first unit that others on the lease have not taken. It is not rolled back when a call fails. */
  #free = Number.NEGATIVE_INFINITY;

  // The position: the unit and sequence number given last, and the latest unit that the clock has shown.
  #unit: number;
  #sequence: number;
  #seen: number;
  /** The id at that position, so that the next one takes one addition. */
  #id: bigint;

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
    this.#first = Math.max(time.min, Math.ceil(this.#unitAt(taken)));
    this.#step = 1n << sequence.shift;
    this.#unit = this.#first - 1;
    this.#sequence = sequence.max;
    this.#seen = this.#first;
    this.#id = this.#idAt(this.#unit, this.#sequence);
  }

  /**
   * Gives the next id. If it has to wait, it blocks the thread; {@link SnowflakeGenerator.nextAsync} does not.
   * @throws ClockBackwardsError, SequenceExhaustedError as the policies say; if the wait would exceed `maxWaitMs`; or
   *   on Cloudflare, where no clock moves until the program awaits something
   * @throws LayoutExpiredError if the layout's timestamp field cannot hold the time any more
   * @throws LeaseLostError if the lease of the shard has ended, another generator has taken over the high-water mark,
   *   or this generator has been closed
   */
  next(): bigint {
    if (this.#reach() !== undefined) return this.nextMany(1)[0] as bigint;
    this.#sequence++;
    this.#id = u64(this.#id + this.#step);
    return this.#id;
  }

  /**
   * Gives the next ids, in blocks of consecutive sequence numbers. Blocks the thread if it has to wait.
   * @param n how many, 0 to 2^32
   * @throws as {@link SnowflakeGenerator.next}; the call has given no id then
   */
  nextMany(n: number): BigUint64Array {
    const call = new Call(checkInteger('n', n, 0, MAX_IDS));
    for (;;) {
      const ms = this.#advance(call);
      if (ms === undefined) return call.ids;
      sleepSync(ms);
    }
  }

  /**
   * Gives the next id, and waits without blocking the thread. Calls that wait are served in the order in which they
   * came. It rejects with the errors of {@link SnowflakeGenerator.next}.
   */
  async nextAsync(): Promise<bigint> {
    return (await this.nextManyAsync(1))[0] as bigint;
  }

  /**
   * Gives the next ids, and waits without blocking the thread. Calls that wait are served in the order in which they
   * came. Ids that `next` and `nextMany` give in the meantime lie between these. It rejects with the errors of
   * {@link SnowflakeGenerator.nextMany}.
   */
  async nextManyAsync(n: number): Promise<BigUint64Array> {
    return this.#queue.run(new Call(checkInteger('n', n, 0, MAX_IDS)));
  }

  /**
   * Ends the minting: every later call, and every call that waits, fails with LeaseLostError. The high-water mark is
   * given up and then says exactly until when ids were given, so that a restart does not have to wait for what was
   * saved ahead. The lease of the shard, if there is one, stays: release it yourself. Closing again does nothing.
   * @throws what `highWater.close` throws; the generator is closed then, too
   */
  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#queue.wake();
    if (this.#highWater && holds(this.#highWater, this)) {
      this.#highWater.close?.(this.#unit < this.#first ? undefined : this.#endOf(this.#unit));
    }
  }

  /** Gives a call what there is; returns how many milliseconds it has to wait for more, if it has to. */
  #advance(call: Call): number | undefined {
    try {
      while (call.filled < call.ids.length) {
        if (!this.#isAt(call.to)) call.from = this.#position(); // others have minted since: those before are fixed
        const lack = this.#reach();
        if (lack) return this.#waitFor(lack, call);
        this.#fill(call);
        call.to = this.#position();
      }
      return undefined;
    } catch (error) {
      this.#giveBack(call);
      throw error;
    }
  }

  /** Rolls back what a call that fails was given, unless others have gone on from there. */
  #giveBack({ from, to }: Call): void {
    if (from === undefined || !this.#isAt(to)) return;
    this.#unit = from.unit;
    this.#sequence = from.sequence;
    this.#seen = from.seen;
    this.#id = this.#idAt(from.unit, from.sequence);
  }

  #position(): Position {
    return { unit: this.#unit, sequence: this.#sequence, seen: this.#seen };
  }

  // Two positions with the same numbers are the same one: between them is at most what was given back.
  #isAt(position: Position | undefined): boolean {
    return position?.unit === this.#unit && position.sequence === this.#sequence;
  }

  /** How long a call has to wait for what it lacks, if all its waits together stay within `maxWaitMs`. */
  #waitFor({ ms, error }: Shortage, call: Call): number {
    const now = performance.now();
    call.waitingSince ??= now;
    const waited = now - call.waitingSince;
    if (waited + ms > this.#maxWaitMs || (++call.turns > MOST_TURNS && waited === 0)) {
      throw error(`; a call waits ${this.#maxWaitMs} ms at most (maxWaitMs)`);
    }
    return ms;
  }

  /**
   * Moves on to the unit that the next id is of, if it is another one. Afterwards that unit has a sequence number
   * left, is within the layout, the lease and the high-water mark, and no other generator on the lease uses it. Where
   * an id is lacking it changes nothing, and returns what to wait for.
   */
  #reach(): Shortage | undefined {
    if (this.#isClosed) throw new LeaseLostError('this generator has been closed');
    // The functions that the user has provided run first: they could mint, and the position must not change below.
    const clock = this.#now();
    const validUntil = this.#lease ? this.#lease.validUntil() : Number.POSITIVE_INFINITY;
    for (;;) {
      const shown = Math.floor(this.#unitAt(clock));
      const seen = Math.max(this.#seen, shown);
      if (shown < seen) {
        const lack = this.#lack(this.#onClockBackwards, this.#startOf(seen) - clock, this.#clockBackwards(clock, seen));
        if (lack) return lack;
      }
      let unit = this.#unit;
      if (seen > unit || this.#sequence >= this.#shape.sequence.max) {
        unit = Math.max(seen, unit + 1, this.#freeUnit());
        if (unit > seen) {
          const lack = this.#lack(this.#onSequenceExhausted, this.#startOf(unit) - clock, this.#exhausted(unit - 1));
          if (lack) return lack;
        }
      }
      if (unit > this.#shape.time.max) {
        throw new LayoutExpiredError(`the layout's timestamps end before ${dateOf(this.#startOf(unit))}`);
      }
      const end = this.#startOf(unit + 1);
      if (!(end <= validUntil)) {
        throw new LeaseLostError(`the lease of shard ${this.#lease?.shard} does not last until ${dateOf(end)}`);
      }
      if (end > this.#savedUntil && this.#highWater) {
        this.#save(this.#highWater, Math.max(end, clock) + SAVED_AHEAD_MS);
        continue; // saving could have minted, too
      }
      if (unit !== this.#unit) this.#moveTo(unit);
      this.#seen = seen;
      return undefined;
    }
  }

  #moveTo(unit: number): void {
    if (this.#lease) {
      const mark = Math.max(this.#endOf(unit), this.#lease.mintedUntil ?? Number.NEGATIVE_INFINITY);
      if (this.#lease.mintedUntil !== mark) this.#lease.mintedUntil = mark;
      this.#ownMark = mark;
    }
    this.#unit = unit;
    this.#sequence = this.#shape.sequence.min - 1;
    this.#id = this.#idAt(unit, this.#sequence);
  }

  /** Fills a call with ids of the unit, which has some. */
  #fill(call: Call): void {
    const { ids, filled } = call;
    const step = 1n << this.#shape.sequence.shift;
    const end = Math.min(ids.length, filled + this.#shape.sequence.max - this.#sequence);
    let id = u64(this.#id + step);
    for (let i = filled; i < end; i++) {
      ids[i] = id;
      id = u64(id + step);
    }
    this.#id = ids[end - 1] as bigint;
    this.#sequence += end - filled;
    call.filled = end;
  }

  /** What a policy does about a lack of so many milliseconds. It returns nothing if they are borrowed. */
  #lack(policy: MintPolicy, ms: number, error: Shortage['error']): Shortage | undefined {
    if (policy === 'throw' || (policy === 'borrow' && ms > this.#maxWaitMs)) throw error();
    return policy === 'wait' ? { ms, error } : undefined;
  }

  #clockBackwards(clock: number, seen: number): Shortage['error'] {
    return (why = '') =>
      new ClockBackwardsError(
        `the clock shows ${dateOf(clock)}, ids may be of ${dateOf(this.#startOf(seen))} or later${why}`,
      );
  }

  #exhausted(unit: number): Shortage['error'] {
    const { min, max } = this.#shape.sequence;
    return (why = '') =>
      new SequenceExhaustedError(`all ${max - min + 1} ids of ${dateOf(this.#startOf(unit))} have been given${why}`);
  }

  /** The first unit that others on the lease have not taken, as far as they have said. */
  #freeUnit(): number {
    const mark = this.#lease?.mintedUntil;
    if (mark !== undefined && mark !== this.#ownMark) {
      if (typeof mark !== 'number' || Number.isNaN(mark)) {
        throw wrongKind('shard.mintedUntil', 'Unix milliseconds', mark);
      }
      this.#free = Math.max(this.#free, Math.ceil(this.#unitAt(mark)));
    }
    return this.#free;
  }

  #save(highWater: HighWater, mark: number): void {
    if (!holds(highWater, this)) {
      throw new LeaseLostError('another generator has taken over the high-water mark of this one');
    }
    highWater.save(mark);
    this.#savedUntil = Math.max(this.#savedUntil, mark);
  }

  #loadMark(): number {
    const highWater = this.#highWater;
    if (highWater === undefined) return Number.NEGATIVE_INFINITY;
    checkRecord('highWater', highWater);
    if (typeof highWater.load !== 'function' || typeof highWater.save !== 'function') {
      throw wrongKind('highWater', 'an object with load and save', highWater);
    }
    const mark = highWater.load() ?? Number.NEGATIVE_INFINITY;
    if (typeof mark !== 'number' || Number.isNaN(mark)) throw wrongKind('highWater', 'to load Unix milliseconds', mark);
    takeHold(highWater, this);
    return mark;
  }

  #now(): number {
    const clock = this.#clock();
    if (typeof clock !== 'number' || !Number.isFinite(clock))
      throw wrongKind('clock', 'Unix milliseconds from it', clock);
    return clock;
  }

  #idAt(unit: number, sequence: number): bigint {
    const { base, time, sequence: field } = this.#shape;
    return base + (BigInt(unit) << time.shift) + (BigInt(sequence) << field.shift); // sequence may be -1: none yet
  }

  /** Units since the epoch, with a fraction. */
  #unitAt(unixMs: number): number {
    return (unixMs - this.#shape.epoch) / this.#shape.unitMs;
  }

  #startOf(unit: number): number {
    return this.#shape.epoch + unit * this.#shape.unitMs;
  }

  /** The end of a unit, rounded up to a whole millisecond. */
  #endOf(unit: number): number {
    return Math.ceil(this.#startOf(unit + 1));
  }
}

/** An instant as a message shows it; beyond what a Date holds, in milliseconds. */
function dateOf(unixMs: number): string {
  const date = new Date(unixMs);
  return Number.isNaN(date.getTime()) ? `${unixMs} ms` : date.toISOString();
}

/** Blocks the thread. Where that is forbidden it returns at once, and the caller's loop does the waiting. */
function sleepSync(ms: number): void {
  try {
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
  } catch {}
}
