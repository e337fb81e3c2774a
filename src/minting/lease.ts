import { wrongKind } from '../arguments.js';

/**
 * A shard number that nobody else has for a while. Ids minted with it are unique because no other holder uses their
 * timestamps: these begin at `notBefore`, after everything that earlier holders may have minted, and end before
 * `validUntil()`, where the next holder begins.
 */
export interface ShardLease {
  readonly shard: number;
  /** Larger than the token of every earlier lease of this shard. */
  readonly token: bigint;
  /** The first instant that ids may have, in Unix milliseconds. */
  readonly notBefore: number;
  /** The instant that ids may not reach, in Unix milliseconds; minus infinity once the lease is lost. */
  validUntil(): number;
  /**
   * The instant up to which ids have been minted with this lease, in whole Unix milliseconds: the end of the last unit
   * of which any generator gave an id. `SnowflakeGenerator` reads and raises it before it gives ids of another unit, so
   * that several generators on one lease never give the same id. Code that mints with the lease in another way has to
   * raise it, too, because `release()` hands it to the store, and the next holder starts there. It is never lowered.
   */
  mintedUntil?: number | undefined;
  /** Gives the shard back. */
  release(): Promise<void>;
  /** Resolves, with the reason, when the lease is lost; never while it is held. */
  readonly lost: Promise<Error>;
  /** Why the lease has ended; undefined while it is held. The LeaseLostError of a generator has it as its `cause`. */
  readonly lossReason?: Error | undefined;
}

/** Remembers, across restarts, until when ids may have been minted. */
export interface HighWater {
  /**
   * Called once by each new generator, which from then on is the only one that may save.
   * @returns the mark that was saved last, in Unix milliseconds; undefined if there is none
   */
  load(): number | undefined;
  /** Called before ids up to this instant are given. The mark must be durable when this returns. */
  save(unixMs: number): void;
  /**
   * Called when the generator is closed. The generator mints nothing more.
   * @param mintedUntil the instant up to which it has given ids, in whole Unix milliseconds. It is usually earlier
   *   than what was saved, and the next generator can start there. If it is left out, the generator has given no ids,
   *   and the mark stays as it is
   */
  close?(mintedUntil?: number): void;
}

export function checkInstant(argument: string, unixMs: number): number {
  if (typeof unixMs !== 'number' || Number.isNaN(unixMs)) throw wrongKind(argument, 'Unix milliseconds', unixMs);
  return unixMs;
}
