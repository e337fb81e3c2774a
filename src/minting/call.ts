import { checkInteger, wrongValue } from '../arguments.js';

const MAX_IDS = 2 ** 32;

// A turn of the waiting loop takes 1 µs or more, and the coarsest clock, Firefox's with resistFingerprinting, moves
// every 100 ms. A clock that has not moved by then stands still, as Cloudflare's does until the program awaits
// something.
const MAX_TURNS = 2 ** 17;

/**
 * What to do when the current unit of time has no ids to give: `throw` an error; `wait` for the clock; or `borrow` ids
 * from later units, so that ids run ahead of the clock until it has caught up.
 */
export type MintPolicy = 'throw' | 'wait' | 'borrow';

/** What `SnowflakeGenerator` tells its `onEvent`, for metrics. */
export type MintEvent =
  | {
      /**
       * The clock is behind, and shows an earlier time than when it was asked before. This is told once for each time
       * that the clock goes back, not for each call or each look at the clock until it has caught up.
       */
      readonly type: 'clock-backwards';
      /** How far it is behind the latest time that it showed before, the high-water mark or the start of the lease. */
      readonly behindMs: number;
      /** What is done: what `onClockBackwards` says, or `throw` if that would exceed `maxWaitMs`. */
      readonly action: MintPolicy;
    }
  | {
      /** A call that had to wait has its ids, or has failed. */
      readonly type: 'wait';
      /** `clock-backwards` if the call waited for a clock that was behind, even if it waited for other units, too. */
      readonly reason: WaitReason;
      /** How long it waited in all, also behind other calls: from when it first had to wait until it ended. */
      readonly ms: number;
    }
  | {
      /** Ids of a unit of time that the clock has not reached are about to be given. This is told once for a unit. */
      readonly type: 'borrow';
      /** How far the start of the unit is ahead of the clock. */
      readonly aheadMs: number;
    };

/** @inline */
type WaitReason = 'clock-backwards' | 'sequence-exhausted';

export interface Position {
  /** The id that it gave last, and the unit of that id. Both are -1 before the first one. */
  id: bigint;
  unit: number;
  /** How many ids of the unit are left. */
  left: number;
  /** The latest unit that the clock has shown. */
  seen: number;
}

/** One call for ids: what it has been given so far, and how long it has waited. */
export class Call {
  readonly ids: BigUint64Array;
  filled = 0;
  /** All ids after this position, up to the last one, are the call's own. It may give them back. */
  from: Position | undefined;
  last: bigint | undefined;
  waitMs = 0;
  reason: WaitReason | undefined;
  #waitingSince: number | undefined;
  #turns = 0;

  constructor(n: number) {
    checkInteger('n', n, 0, MAX_IDS);
    try {
      this.ids = new BigUint64Array(n);
    } catch {
      throw wrongValue('n', 'ids that fit into memory', n);
    }
  }

  /** Begins to wait, unless it already waits. Returns how long it has waited, by the monotonic clock. */
  wait(): number {
    const now = performance.now();
    this.#waitingSince ??= now;
    return now - this.#waitingSince;
  }

  canWait(ms: number, maxWaitMs: number): boolean {
    this.waitMs = ms;
    const waited = this.wait();
    return waited + ms <= maxWaitMs && (waited > 0 || ++this.#turns <= MAX_TURNS);
  }
}
