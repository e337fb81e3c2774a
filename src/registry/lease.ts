import { checkCalls, checkGiven, checkInteger, checkRecord, checkString, MAX_TIMER_MS } from '../arguments.js';
import { hasCode, LeaseLostError, type StoreConflictError } from '../errors.js';
import type { ShardLease } from '../minting/lease.js';
import { notify } from '../notify.js';
import { abortable, type OnEvent, pause, retrying, settled, turns } from './calls.js';
import { DEFAULT_TTL_MS, type LeaseGrant, type LeaseRequest, type Store } from './store.js';

// A store identifies the holder of a lease by a text that no other holder has: the owner's name and a random id.

export function ownerOf(holder: string): string {
  const end = holder.lastIndexOf(' ');
  return end < 0 ? holder : holder.slice(0, end);
}

export interface LeaseOptions {
  store: Store;
  /** How many shards there are, 1 to 2^20. The lease is for one of 0 to `shards` - 1. */
  shards: number;
  /**
   * The name that `leases(store)` shows; `shardbits` by default. Processes with the same name are different holders.
   */
  owner?: string | undefined;
  /**
   * How long the lease lasts unless it is renewed, in milliseconds, 100 to 2^31 - 1; 30,000 by default. It is
   * renewed after every third of that.
   */
  ttlMs?: number | undefined;
  /**
   * Stops waiting for a free shard, or for a store that does not answer. The call then fails with the signal's reason,
   * at once or within a second: a lease that the store is about to give is given back first.
   */
  signal?: AbortSignal | undefined;
  /** Called with retries, and when the lease is taken, is renewed, cannot be renewed, or is lost. */
  onEvent?: OnEvent | undefined;
}

const OPTIONS = ['store', 'shards', 'owner', 'ttlMs', 'signal', 'onEvent'] as const;
const MIN_TTL_MS = 100;
const RENEWALS_A_TTL = 3;
// After a renewal that failed or is not answered, until the lease ends.
const TRIES_A_TTL = 30;
// The longest time until a shard that another holder gives back is noticed.
const MAX_PAUSE_MS = 1000;
// A lease that the store gives after its caller has given up is given back in this time, unless the store is away.
const GIVING_BACK_MS = 1000;
// A lease waits for the time at which it begins if that is at most this far ahead, or may be the end of a lease that an
// operator has ended. A later time comes from clocks that differ.
const MAX_START_MS = 10_000;
// The holder stops this much of `ttlMs` early, because the store's clock may run faster than its own.
const MARGIN = 0.1;
const MAX_UNIT_MS = 1000; // of layouts

/** Who leases from a store. A lease counts from when it is asked for, so nobody may wait for others after that. */
const turnsOf = new WeakMap<Store, ReturnType<typeof turns>>();

/**
 * Leases a shard number that nobody else has, and renews the lease until it is released or lost. It waits while all
 * shards are taken. A lease does not keep the process alive.
 *
 * Clocks of machines may differ: the ids of a holder begin after all times at which earlier holders may have minted.
 * The lease comes when this machine's clock shows that time, unless that takes longer than both ten seconds and `ttlMs`:
 * then it comes at once, and the generator's policy decides. A lease that has ended by then is not given: another one is
 * asked for.
 * @returns a lease for `SnowflakeGenerator`
 * @throws TypeError or RangeError for options of the wrong kind or value
 * @throws RangeError if this machine's clock is more than an hour ahead of the store's
 * @throws StoreUnavailableError, StoreConflictError, StoreCorruptError from the store; the signal's reason
 * @example
 * const lease = await leaseShard({ store, shards: 1024 });
 * const generator = new SnowflakeGenerator({ shard: lease });
 * // …
 * await lease.release();
 */
export async function leaseShard(options: LeaseOptions): Promise<ShardLease & AsyncDisposable> {
  const known = checkGiven(options, OPTIONS);
  const { store, shards, owner = 'shardbits', ttlMs = DEFAULT_TTL_MS, signal, onEvent } = known;
  checkRecord('store', store);
  checkInteger('shards', shards, 1, 2 ** 20);
  checkInteger('ttlMs', ttlMs, MIN_TTL_MS, MAX_TIMER_MS);
  checkCalls({ signal, onEvent });
  const holder = `${checkString('owner', owner)} ${crypto.randomUUID()}`;

  const inTurn = turnsOf.get(store) ?? turns();
  turnsOf.set(store, inTurn);
  let asking: Promise<HeldLease | undefined> = Promise.resolve(undefined);
  async function acquire(): Promise<HeldLease | undefined> {
    const asked = performance.now();
    const mintFrom = Date.now();
    const mintUntil = markFrom(mintFrom, ttlMs);
    const grant = await store.acquireLease({ shards, owner: holder, ttlMs, mintFrom, mintUntil });
    if (grant === undefined) return undefined;
    const lease = new HeldLease(grant, { store, owner: holder, ttlMs, onEvent }, asked, mintUntil);
    if (!signal?.aborted) notify(onEvent, { type: 'lease', shard: grant.shard, marginMs: ttlMs });
    return lease;
  }

  // The time of the tries counts from the turn. The turn ends when the store has answered, even if nobody waits any more.
  const acquireInTurn = () =>
    inTurn(() =>
      retrying(store, () => (asking = acquire()), { signal, onEvent }).finally(() => asking.catch(() => {})),
    );

  try {
    for (;;) {
      const lease = await abortable(acquireInTurn(), signal);
      if (lease !== undefined) {
        const msToStart = () => lease.notBefore - Date.now();
        const mostMs = Math.max(ttlMs, MAX_START_MS);
        for (let ms = msToStart(); ms > 0 && ms <= mostMs; ms = msToStart()) await pause(ms, signal);
        if (lease.validUntil() !== Number.NEGATIVE_INFINITY) return lease;
        const { shard, token, notBefore: mintedUntil } = lease; // nobody has minted with it
        await settled(store.releaseLease({ shard, token, owner: holder, mintedUntil }), GIVING_BACK_MS);
      }
      await pause(Math.min(ttlMs / RENEWALS_A_TTL, MAX_PAUSE_MS), signal);
    }
  } catch (error) {
    // Nobody else would release the lease, and the caller may close the store next.
    if (signal?.aborted) {
      const givenBack = asking.then((lease) => lease?.release());
      await settled(givenBack, GIVING_BACK_MS);
    }
    throw error;
  }
}

/** How long a holder uses its lease, unless it is renewed. */
const heldMs = (ttlMs: number): number => ttlMs * (1 - MARGIN);

/**
 * Up to when a holder asks to mint, if it asks now. An id's whole unit must end before that. For as long as the lease
 * is held, the current unit of every layout does. A lease of ten seconds or more does not need the longer time.
 */
function markFrom(now: number, ttlMs: number): number {
  return now + Math.max(ttlMs, Math.ceil(heldMs(ttlMs)) + MAX_UNIT_MS);
}

type Holder = Pick<LeaseRequest, 'owner' | 'ttlMs'> & Pick<LeaseOptions, 'store' | 'onEvent'>;

class HeldLease implements ShardLease, AsyncDisposable {
  readonly shard: number;
  readonly token: bigint;
  readonly notBefore: number;
  readonly lost: Promise<Error>;
  mintedUntil: number;
  lossReason: Error | undefined;
  readonly #holder: Holder;
  /** When the lease ends, on the monotonic clock. */
  #deadline = 0;
  #mintUntil = 0;
  #end: ((reason: Error) => void) | undefined;
  #isReleasing = false;
  #released: Promise<void> | undefined;
  #renewalError: unknown;
  #renewing: ReturnType<typeof setTimeout> | undefined;
  #ending: ReturnType<typeof setTimeout> | undefined;

  constructor(grant: LeaseGrant, holder: Holder, asked: number, mintUntil: number) {
    this.shard = grant.shard;
    this.token = grant.token;
    this.notBefore = grant.mintedUntil;
    this.mintedUntil = grant.mintedUntil;
    this.#holder = holder;
    this.lost = new Promise((resolve) => {
      this.#end = resolve;
    });
    this.#renewed(asked, mintUntil);
  }

  validUntil(): number {
    // The process may have been paused, so that no timer ran.
    if (performance.now() >= this.#deadline) this.#lose('it could not be renewed in time', this.#renewalError);
    return this.#end === undefined ? Number.NEGATIVE_INFINITY : this.#mintUntil;
  }

  /** If this fails, call it again. For a lost lease it does nothing. */
  async release(): Promise<void> {
    if (this.#end === undefined && !this.#isReleasing) return;
    this.#isReleasing = true;
    this.#released ??= this.#release().catch((error) => {
      this.#released = undefined;
      throw error;
    });
    await this.#released;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.release();
  }

  async #release(): Promise<void> {
    this.#close('it was released'); // first, so that nothing more is minted
    const { shard, token } = this;
    // If the user's code has set it to something else, everything that may have been minted counts.
    const minted = Number.isFinite(this.mintedUntil) ? Math.ceil(this.mintedUntil) : this.#mintUntil;
    const mintedUntil = Math.max(this.notBefore, minted);
    const { store, owner, onEvent } = this.#holder;
    try {
      await retrying(store, () => store.releaseLease({ shard, token, owner, mintedUntil }), { onEvent });
    } catch (error) {
      // A store that was restored or moved away has no lease of this holder any more, or gives none.
      if (!isReplaced(error)) throw error;
    }
  }

  /** @param asked when the request was sent: the store counts from then or later */
  #renewed(asked: number, mintUntil: number): void {
    // An earlier renewal may be answered after a later one.
    this.#deadline = Math.max(this.#deadline, asked + heldMs(this.#holder.ttlMs));
    this.#mintUntil = Math.max(this.#mintUntil, mintUntil);
    this.#renewalError = undefined;
    clearTimeout(this.#ending);
    this.#endLater();
    this.#renewIn(this.#holder.ttlMs / RENEWALS_A_TTL);
  }

  #endLater(): void {
    const end = () => {
      if (this.validUntil() !== Number.NEGATIVE_INFINITY) this.#endLater(); // a timer may be early
    };
    this.#ending = inBackground(end, Math.max(0, this.#deadline - performance.now()) + 1);
  }

  #renewIn(ms: number): void {
    clearTimeout(this.#renewing);
    this.#renewing = inBackground(() => this.#renew(), ms);
  }

  async #renew(): Promise<void> {
    const { shard, token } = this;
    const { store, owner, ttlMs, onEvent } = this.#holder;
    const asked = performance.now();
    const mintUntil = markFrom(Date.now(), ttlMs);
    this.#renewIn(ttlMs / (2 * RENEWALS_A_TTL)); // if this one is not answered: a renewal can be made again
    try {
      const isOurs = await store.renewLease({ shard, token, owner, ttlMs, mintUntil });
      if (this.#end === undefined) return;
      if (!isOurs) return this.#lose('an operator ended it, or another holder has it');
      const marginMs = this.#deadline - performance.now();
      this.#renewed(asked, mintUntil);
      notify(onEvent, { type: 'lease', shard, marginMs });
    } catch (error) {
      if (this.#end === undefined) return;
      // The store was restored, moved or replaced: no later renewal can succeed.
      if (isReplaced(error)) return this.#lose(error.message, error);
      this.#renewalError = error;
      notify(onEvent, { type: 'renewal-failed', shard, marginMs: this.#deadline - performance.now(), error });
      this.#renewIn(ttlMs / TRIES_A_TTL); // until the deadline
    }
  }

  #lose(why: string, cause?: unknown): void {
    const error = this.#close(why, cause);
    if (error !== undefined) notify(this.#holder.onEvent, { type: 'lost', shard: this.shard, error });
  }

  #close(why: string, cause?: unknown): LeaseLostError | undefined {
    if (this.#end === undefined) return undefined;
    const options = cause === undefined ? undefined : { cause };
    const error = new LeaseLostError(`the lease of shard ${this.shard} has ended: ${why}`, options);
    this.lossReason = error;
    this.#end(error);
    this.#end = undefined;
    clearTimeout(this.#renewing);
    clearTimeout(this.#ending);
    return error;
  }
}

function isReplaced(error: unknown): error is StoreConflictError {
  return hasCode(error, 'ERR_STORE_CONFLICT') && !error.isTransient;
}

/** A timer that does not keep the process alive, where that is possible. */
function inBackground(work: () => void, ms: number): ReturnType<typeof setTimeout> {
  const timer = setTimeout(work, ms);
  if (typeof timer === 'object') timer.unref?.();
  return timer;
}
