import { checkInteger, wrongValue } from '../arguments.js';

const MAX_IDS = 2 ** 32;

// A turn of the waiting loop takes 1 µs or more, and the coarsest clock, Firefox's with resistFingerprinting, moves
// every 100 ms. A clock that has not moved by then stands still, as Cloudflare's does until the program awaits
// something.
const MOST_TURNS = 2 ** 17;

/** The position of a generator. */
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
  /** How long it has to wait now, if it has to. */
  waitMs = 0;
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

  /** Whether it may wait this many milliseconds more. */
  canWait(ms: number, maxWaitMs: number): boolean {
    this.waitMs = ms;
    const waited = this.wait();
    return waited + ms <= maxWaitMs && (waited > 0 || ++this.#turns <= MOST_TURNS);
  }
}
