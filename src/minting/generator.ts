import {
  checkFunction,
  checkGiven,
  checkInteger,
  checkOneOf,
  checkRecord,
  MAX_TIMER_MS,
  showInstant,
} from '../arguments.js';
import { ClockBackwardsError, LayoutExpiredError, LeaseLostError, SequenceExhaustedError } from '../errors.js';
import type { IdLayout } from '../layout/id-layout.js';
import { type Layout, layoutOf, layouts } from '../layout/layout.js';
import { firstUnitFrom, msToUnit, unitToMs } from '../layout/time.js';
import type { FieldSpecs, IfField, IfTime } from '../layout/types.js';
import { notify } from '../notify.js';
import { Call, type MintEvent, type MintPolicy, type Position } from './call.js';
import { checkInstant, type HighWater, type ShardLease } from './lease.js';
import { idsOfShard, type ShardIds } from './shard-ids.js';

export interface SnowflakeGeneratorOptions<S extends FieldSpecs = FieldSpecs> {
  /**
   * Needs a field that holds time and, below it, one named `sequence` or `increment`; `layouts.snowflake` by default.
   */
  layout?: (IdLayout<S> & IfTime<S, IfField<S, 'sequence' | 'increment', unknown>>) | undefined;
  /**
   * The number in all other fields, taken together, most significant first; or the lease of such a number. Two
   * generators may have the same number at the same time only if they share its lease.
   */
  shard: number | ShardLease;
  /** Returns Unix milliseconds; `Date.now` by default. */
  clock?: (() => number) | undefined;
  /**
   * What to do when the clock is behind a time that it showed before, or behind the high-water mark; default `throw`.
   */
  onClockBackwards?: MintPolicy | undefined;
  /** What to do when all sequence numbers of a unit have been given; default `wait`. */
  onSequenceExhausted?: MintPolicy | undefined;
  /**
   * The longest that one call waits in all, however many other calls wait, and the furthest that ids may run ahead of
   * the clock. In milliseconds, 5,000 by default. A call fails if it asks for more ids than can be given in that time:
   * `layouts.snowflake` has 4,096 ids a millisecond, so 5,000 ms are enough for 20 million.
   */
  maxWaitMs?: number | undefined;
  /**
   * Keeps a restart from repeating ids when the clock is behind. One generator at a time may use it: a second one
   * takes it over, and the first one fails with LeaseLostError as soon as it has to save.
   */
  highWater?: HighWater | undefined;
  /**
   * Called with each event as it happens: the clock goes back, a call has waited, ids are borrowed. It should return
   * quickly, because the call goes on when it has returned. What it throws or returns is ignored. It may mint, too.
   */
  onEvent?: ((event: MintEvent) => void) | undefined;
}

const OPTIONS = [
  'layout',
  'shard',
  'clock',
  'onClockBackwards',
  'onSequenceExhausted',
  'maxWaitMs',
  'highWater',
  'onEvent',
] as const;
const POLICIES = ['throw', 'wait', 'borrow'] as const;

// A mark is saved this far ahead, so that few units need a write. A restart after a crash waits that long at most.
const SAVED_AHEAD_MS = 1000;

type Policies = Readonly<Record<'onClockBackwards' | 'onSequenceExhausted', MintPolicy>>;

/** The generator that loaded a mark last. Marks that are files watch for other processes themselves. */
const holders = new WeakMap<HighWater, SnowflakeGenerator>();

/**
 * Mints ids, each larger than the one before. An id holds the time, a shard's number and a sequence number, which
 * starts again in every unit of time.
 *
 * A call that fails has given no id. If no other call has been given a later id in the meantime, the ids that the call
 * had taken are given to the next one. Otherwise they stay unused.
 * @example
 * const generator = new SnowflakeGenerator({ shard: 5 });
 * generator.next(); // a bigint
 * generator.nextMany(1000); // BigUint64Array(1000)
 */
export class SnowflakeGenerator<const S extends FieldSpecs = FieldSpecs> {
  readonly layout: Layout;
  /** The shard that it mints for. */
  readonly shard: number;
  /** How many shards the layout has, each with ids of its own. */
  readonly shards: number;
  readonly #shardIds: ShardIds;
  readonly #lease: Omit<ShardLease, 'token' | 'release' | 'lost'>;
  readonly #clock: () => number;
  readonly #policies: Policies;
  readonly #maxWaitMs: number;
  readonly #onEvent: SnowflakeGeneratorOptions['onEvent'];
  /** Undefined when another generator has taken it over. */
  #highWater: HighWater | undefined;
  #isClosed = false;
  #savedUntil = Number.POSITIVE_INFINITY;
  /** The lease's mark as this generator knows it. If the lease has another one, another generator raised it. */
  #mark = Number.NaN;
  /** The first unit that others on the lease have not taken. It is not rolled back when a call fails. */
  #free = 0;
  #at: Position;
  /** The unit that the clock showed last. */
  #shown = Number.POSITIVE_INFINITY;
  /** The last unit of which `onEvent` knows that it is borrowed. */
  #told = -1;
  /**
   * The calls that wait without blocking the thread, in the order in which they came. Only the first one waits for the
   * clock, and it has waited longest: when it gives up, the next one is served at once. So no call waits longer than
   * it may, and the calls behind the first take no numbers that they would have to give back.
   */
  readonly #calls = new Map<Call, [resolve: (ids: BigUint64Array) => void, reject: (error: unknown) => void]>();
  #timer: ReturnType<typeof setTimeout> | undefined;

  /**
   * Makes a generator for a shard. It gives no id of a time before the start of its lease or the high-water mark.
   * @throws TypeError if an option is of the wrong kind
   * @throws RangeError if an option is out of range or unknown, or the layout cannot be minted with
   */
  constructor(options: SnowflakeGeneratorOptions<S>) {
    const {
      layout = layouts.snowflake,
      shard,
      clock = Date.now,
      onClockBackwards = 'throw',
      onSequenceExhausted = 'wait',
      maxWaitMs = 5000,
      highWater,
      onEvent,
    } = checkGiven(options, OPTIONS);
    // A number is a lease that never ends.
    this.#lease =
      typeof shard === 'object' && shard !== null
        ? shard
        : { shard, notBefore: Number.NEGATIVE_INFINITY, validUntil: () => Number.POSITIVE_INFINITY };
    this.layout = layoutOf('layout', layout);
    this.shard = this.#lease.shard;
    this.#shardIds = idsOfShard(this.layout, this.shard);
    this.shards = this.#shardIds.shards;
    checkFunction('clock', clock);
    this.#clock = clock;
    this.#policies = {
      onClockBackwards: checkOneOf('onClockBackwards', onClockBackwards, POLICIES),
      onSequenceExhausted: checkOneOf('onSequenceExhausted', onSequenceExhausted, POLICIES),
    };
    this.#maxWaitMs = checkInteger('maxWaitMs', maxWaitMs, 0, MAX_TIMER_MS);
    if (onEvent !== undefined) checkFunction('onEvent', onEvent);
    this.#onEvent = onEvent;
    let start = checkInstant('shard.notBefore', this.#lease.notBefore);
    if (highWater !== undefined) {
      checkRecord('highWater', highWater);
      checkFunction('highWater.load', highWater.load);
      checkFunction('highWater.save', highWater.save);
      start = Math.max(start, checkInstant('highWater', highWater.load() ?? start));
      // The generator that had it may still mint up to what it saved.
      const before = holders.get(highWater);
      if (before) before.#highWater = undefined;
      holders.set(highWater, this);
      this.#highWater = highWater;
      this.#savedUntil = start;
    }
    this.#at = { id: -1n, unit: -1, left: 0, seen: Math.max(this.#shardIds.min, firstUnitFrom(start, this.#shardIds)) };
  }

  /**
   * Gives the next id. If it has to wait, it blocks the thread; {@link SnowflakeGenerator.nextAsync} does not.
   * @throws ClockBackwardsError, SequenceExhaustedError as the policies say; if the wait would exceed `maxWaitMs`; or
   *   on Cloudflare, where no clock moves until the program awaits something
   * @throws LayoutExpiredError if the time is past the end of the layout's timestamp field
   * @throws LeaseLostError if the lease of the shard has ended, another generator has taken over the high-water mark,
   *   or this generator has been closed
   */
  next(): bigint {
    if (!this.#reach()) return this.nextMany(1)[0];
    this.#at.left--;
    this.#at.id += this.#shardIds.step;
    return this.#at.id;
  }

  /**
   * Gives the next ids, in blocks of consecutive sequence numbers. If it has to wait, it blocks the thread.
   * @param n how many, 0 to 2^32
   * @throws RangeError if `n` is out of range or more than fit into memory
   * @throws as {@link SnowflakeGenerator.next}; the call has given no id then
   */
  nextMany(n: number): BigUint64Array {
    const call = new Call(n);
    try {
      while (!this.#advance(call)) {
        try {
          Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, call.waitMs);
        } catch {} // where blocking is forbidden, this loop does the waiting
      }
      return call.ids;
    } finally {
      this.#tellWait(call);
    }
  }

  /** Gives the next id as {@link SnowflakeGenerator.nextManyAsync} does: it waits without blocking the thread. */
  async nextAsync(): Promise<bigint> {
    return (await this.nextManyAsync(1))[0];
  }

  /**
   * Gives the next ids, and waits without blocking the thread. Calls that wait are served in the order in which they
   * came. Ids that `next` and `nextMany` give in the meantime lie between these. It rejects with the errors of
   * {@link SnowflakeGenerator.nextMany}.
   */
  nextManyAsync(n: number): Promise<BigUint64Array> {
    return new Promise((resolve, reject) => {
      const call = new Call(n);
      const [first] = this.#calls.keys();
      this.#calls.set(call, [resolve, reject]);
      if (first === undefined) return this.#serve();
      call.wait();
      call.reason = first.reason;
    });
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
    this.#serve();
    const { unit } = this.#at;
    this.#highWater?.close?.(unit < 0 ? undefined : this.#endOf(unit));
  }

  /** Serves the calls that wait, up to the first one that has to go on waiting. */
  #serve(): void {
    clearTimeout(this.#timer);
    for (const [call, [resolve, reject]] of this.#calls) {
      try {
        if (!this.#advance(call)) {
          this.#timer = setTimeout(() => this.#serve(), call.waitMs);
          return;
        }
        resolve(call.ids);
      } catch (error) {
        reject(error);
      }
      this.#calls.delete(call);
      this.#tellWait(call);
    }
  }

  /** A call has ended. This comes last, because `onEvent` could mint. */
  #tellWait(call: Call): void {
    const { reason } = call;
    call.reason = undefined; // when `onEvent` closes the generator, a call may end within itself
    if (reason !== undefined) notify(this.#onEvent, { type: 'wait', reason, ms: call.wait() });
  }

  /** Gives a call all ids that can be given now. Returns false if it needs more and has to wait. */
  #advance(call: Call): boolean {
    const ids = call.ids;
    const step = this.#shardIds.step;
    try {
      while (call.filled < ids.length) {
        if (!this.#reach(call)) return false;
        const at = this.#at;
        const from = call.filled;
        const end = Math.min(ids.length, from + at.left);
        ids[from] = at.id + step;
        // V8 does this in machine words: 1 ns an id, where a sum that is kept outside of the array takes 4.
        for (let i = from + 1; i < end; i++) ids[i] = ids[i - 1] + step;
        at.id = ids[end - 1];
        at.left -= end - from;
        call.last = at.id;
        call.filled = end;
      }
      return true;
    } catch (error) {
      if (call.from && call.last === this.#at.id) this.#at = call.from; // no other call has taken ids since
      throw error;
    }
  }

  /**
   * Moves to the unit of the next id, if it is another one. Afterwards that unit has an id left, is within the layout,
   * the lease and the high-water mark, and no other generator on the lease uses it. If the call has to wait for the
   * unit, this returns false and does not move.
   */
  #reach(call?: Call): boolean {
    // The user's functions run first: they could mint, and the position must not change below.
    const clock = checkInstant('clock', this.#clock());
    const validUntil = this.#lease.validUntil();
    const shown = msToUnit(clock, this.#shardIds);
    const isBack = shown < this.#shown && shown < this.#at.seen;
    this.#shown = shown;
    if (isBack && this.#onEvent) {
      const behindMs = unitToMs(this.#at.seen, this.#shardIds) - clock;
      const action = this.#actionFor('onClockBackwards', behindMs, call);
      notify(this.#onEvent, { type: 'clock-backwards', behindMs, action });
    }
    for (;;) {
      if (this.#isClosed) throw new LeaseLostError('this generator has been closed');
      const at = this.#at;
      const seen = Math.max(at.seen, shown);
      if (shown < seen && this.#mustWait('onClockBackwards', clock, seen, call)) return false;
      let unit = at.unit;
      if (seen > unit || at.left === 0) {
        const mark = checkInstant('shard.mintedUntil', this.#lease.mintedUntil ?? this.#lease.notBefore);
        if (mark !== this.#mark) this.#free = firstUnitFrom(mark, this.#shardIds);
        this.#mark = mark;
        unit = Math.max(seen, unit + 1, this.#free);
        if (unit > seen && this.#mustWait('onSequenceExhausted', clock, unit, call)) return false;
      }
      const end = this.#endOf(unit);
      if (unit > this.#shardIds.max) {
        throw new LayoutExpiredError(`the layout's timestamps end before ${showInstant(end)}`);
      }
      if (!(end <= validUntil)) {
        const when = validUntil === Number.NEGATIVE_INFINITY ? 'has ended' : `ends before ${showInstant(end)}`;
        const cause = this.#lease.lossReason;
        throw new LeaseLostError(`the lease of shard ${this.shard} ${when}`, cause && { cause });
      }
      if (end <= this.#savedUntil) {
        if (call && call.last !== at.id) call.from = { ...at }; // the first block, or others have minted since
        if (unit !== at.unit) {
          if (unit > shown && unit > this.#told && this.#onEvent) {
            this.#told = unit;
            notify(this.#onEvent, { type: 'borrow', aheadMs: unitToMs(unit, this.#shardIds) - clock }); // this could mint
            continue;
          }
          this.#mark = Math.max(this.#mark, end);
          this.#lease.mintedUntil = this.#mark;
          at.unit = unit;
          at.left = this.#shardIds.count;
          at.id = this.#shardIds.base + BigInt(unit) * this.#shardIds.unitStep;
        }
        at.seen = seen;
        return true;
      }
      if (!this.#highWater) throw new LeaseLostError('another generator holds the high-water mark');
      const mark = end + SAVED_AHEAD_MS;
      this.#highWater.save(mark); // this could mint, too
      this.#savedUntil = mark;
    }
  }

  /** Whether a call has to wait for a unit that the clock has not reached, or else may borrow ids from it. */
  #mustWait(option: keyof Policies, clock: number, unit: number, call: Call | undefined): boolean {
    const start = unitToMs(unit, this.#shardIds);
    const isBack = option === 'onClockBackwards';
    const action = this.#actionFor(option, start - clock, call);
    if (action === 'throw') {
      throw new (isBack ? ClockBackwardsError : SequenceExhaustedError)(
        `the clock shows ${showInstant(clock)}, but the next id needs ${showInstant(start)} or later (${option}: ${this.#policies[option]}, maxWaitMs: ${this.#maxWaitMs})`,
      );
    }
    if (action === 'borrow') return false;
    if (call && (isBack || !call.reason)) call.reason = isBack ? 'clock-backwards' : 'sequence-exhausted';
    return true;
  }

  /** What is done about a unit that begins so many milliseconds after what the clock shows. */
  #actionFor(option: keyof Policies, ms: number, call: Call | undefined): MintPolicy {
    const policy = this.#policies[option];
    const isAllowed = policy === 'wait' && call ? call.canWait(ms, this.#maxWaitMs) : ms <= this.#maxWaitMs;
    return isAllowed ? policy : 'throw';
  }

  /** In whole milliseconds, as a lease's mark is. */
  #endOf(unit: number): number {
    return Math.ceil(unitToMs(unit + 1, this.#shardIds));
  }
}
