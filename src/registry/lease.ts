import { checkInteger, checkOptions, checkRecord, checkString, typeName, wrongKind } from '../arguments.js';
import { LeaseLostError } from '../errors.js';
import type { ShardLease } from '../minting/lease.js';
import { retrying } from './retrying.js';
import type { LeaseGrant, Store } from './store.js';

export interface LeaseOptions {
  store: Store;
  /** How many shard numbers there are; the lease is of one from 0 to one less. */
  shards: number;
  /** Who holds it; a random name unless given. Another process with the same name is another holder. */
  owner?: string | undefined;
  /** How long the lease lasts unless it is prolonged, which is tried three times as often; 30,000 unless given. */
  ttlMs?: number | undefined;
  /** Gives up waiting for a free shard. */
  signal?: AbortSignal | undefined;
}

const MIN_TTL_MS = 100;
const MAX_TTL_MS = 2 ** 31 - 1; // that of a timer
const RENEWALS_A_TTL = 3;
// The store's clock may run faster than ours, and counts from when the request has come.
const MARGIN = 0.1;

/**
 * Leases a shard number that nobody else has for a time, and prolongs it until it is released or lost; waits
 * while all are taken. Does not keep the process alive.
 *
 * Clocks of machines may differ: a shard's next holder waits for its own clock to pass what the holder before
 * may have minted up to, by its clock.
 * @returns a lease for `SnowflakeGenerator`
 * @throws TypeError or RangeError for options of the wrong kind or value; what the store throws; the signal's reason
 * @example
 * const lease = await leaseShard({ store, shards: 1024 });
 * const generator = new SnowflakeGenerator({ shard: lease });
 */
export async function leaseShard(options: LeaseOptions): Promise<ShardLease> {
  checkRecord('options', options);
  const known = ['store', 'shards', 'owner', 'ttlMs', 'signal'] as const;
  const { store, shards, owner = 'shardbits', ttlMs = 30_000, signal } = checkOptions(options, known);
  checkRecord('store', store);
  checkInteger('shards', shards, 1, 2 ** 20);
  checkInteger('ttlMs', ttlMs, MIN_TTL_MS, MAX_TTL_MS);
  if (signal !== undefined && typeName(signal) !== 'AbortSignal') throw wrongKind('signal', 'an AbortSignal', signal);
  const holder = `${checkString('owner', owner)} ${crypto.randomUUID()}`;
  for (;;) {
    const lease = await retrying(async () => {
      signal?.throwIfAborted();
      const asked = performance.now();
      const mintFrom = Date.now();
      const mintUntil = mintFrom + ttlMs;
      const grant = await store.acquireLease({ shards, owner: holder, ttlMs, mintFrom, mintUntil });
      return grant && new HeldLease(store, grant, holder, ttlMs, asked, mintUntil);
    });
    if (lease !== undefined) return lease;
    await pause(ttlMs / RENEWALS_A_TTL, signal);
  }
}

class HeldLease implements ShardLease {
  readonly shard: number;
  readonly token: bigint;
  readonly notBefore: number;
  readonly lost: Promise<Error>;
  readonly #store: Store;
  readonly #owner: string;
  readonly #ttlMs: number;
  /** Until when it is ours, on a clock that nobody sets. */
  #deadline = 0;
  #mintUntil = 0;
  #end: ((reason: Error) => void) | undefined;
  #renewing: ReturnType<typeof setTimeout> | undefined;
  #ending: ReturnType<typeof setTimeout> | undefined;

  constructor(store: Store, grant: LeaseGrant, owner: string, ttlMs: number, asked: number, mintUntil: number) {
    this.shard = grant.shard;
    this.token = grant.token;
    this.notBefore = grant.mintedUntil;
    this.#store = store;
    this.#owner = owner;
    this.#ttlMs = ttlMs;
    this.lost = new Promise((resolve) => {
      this.#end = resolve;
    });
    this.#prolonged(asked, mintUntil);
  }

  validUntil(): number {
    if (this.#end === undefined) return Number.NEGATIVE_INFINITY;
    // Also after a pause in which no timer could run.
    if (performance.now() >= this.#deadline) this.#lose('it could not be prolonged in time');
    return this.#end === undefined ? Number.NEGATIVE_INFINITY : this.#mintUntil;
  }

  async release(): Promise<void> {
    if (this.#end === undefined) return;
    this.#lose('it was released');
    await this.#store.releaseLease({ shard: this.shard, token: this.token, owner: this.#owner });
  }

  /** @param asked when that was asked for: the store counts from then at the earliest */
  #prolonged(asked: number, mintUntil: number): void {
    this.#deadline = asked + this.#ttlMs * (1 - MARGIN);
    this.#mintUntil = Math.max(this.#mintUntil, mintUntil);
    clearTimeout(this.#ending);
    this.#endLater();
    this.#renewLater();
  }

  #endLater(): void {
    const end = () => {
      if (this.validUntil() !== Number.NEGATIVE_INFINITY) this.#endLater(); // a timer may be early
    };
    this.#ending = setTimeout(end, Math.max(0, this.#deadline - performance.now()) + 1);
    unref(this.#ending);
  }

  #renewLater(): void {
    this.#renewing = setTimeout(() => this.#renew(), this.#ttlMs / RENEWALS_A_TTL);
    unref(this.#renewing);
  }

  async #renew(): Promise<void> {
    const asked = performance.now();
    const { shard, token } = this;
    const mintUntil = Date.now() + this.#ttlMs;
    try {
      const isOurs = await this.#store.renewLease({ shard, token, owner: this.#owner, ttlMs: this.#ttlMs, mintUntil });
      if (this.#end === undefined) return;
      if (isOurs) this.#prolonged(asked, mintUntil);
      else this.#lose('another holder has it');
    } catch {
      if (this.#end !== undefined) this.#renewLater(); // until the deadline
    }
  }

  #lose(why: string): void {
    this.#end?.(new LeaseLostError(`the lease of shard ${this.shard} has ended: ${why}`));
    this.#end = undefined;
    clearTimeout(this.#renewing);
    clearTimeout(this.#ending);
  }
}

function unref(timer: unknown): void {
  (timer as { unref?(): void }).unref?.();
}

function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(done, ms);
    function done(): void {
      signal?.removeEventListener('abort', aborted);
      resolve();
    }
    function aborted(): void {
      clearTimeout(timer);
      reject(signal?.reason);
    }
    signal?.addEventListener('abort', aborted, { once: true });
  });
}
