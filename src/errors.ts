/**
 * WebAssembly cannot be compiled or run here: it is missing or without SIMD, forbidden by the runtime
 * or by a Content-Security-Policy without `'wasm-unsafe-eval'`, or it has no memory to give. The
 * `bigint` backend gives the same results.
 */
export class CompileBlockedError extends Error {
  override readonly name = 'CompileBlockedError';
  readonly code = 'ERR_COMPILE_BLOCKED';

  /** @param cause what the engine threw */
  constructor(cause: unknown) {
    super(`WebAssembly is not available here: ${cause instanceof Error ? cause.message : String(cause)}`, { cause });
  }
}

/** The clock shows an earlier time than ids have been minted at, and the policy is not to make up for it. */
export class ClockBackwardsError extends Error {
  override readonly name = 'ClockBackwardsError';
  readonly code = 'ERR_CLOCK_BACKWARDS';
}

/** All sequence numbers of a time unit have been given, and the policy is not to make up for it. */
export class SequenceExhaustedError extends Error {
  override readonly name = 'SequenceExhaustedError';
  readonly code = 'ERR_SEQUENCE_EXHAUSTED';
}

/** The timestamp field of a layout cannot hold the time any more. */
export class LayoutExpiredError extends Error {
  override readonly name = 'LayoutExpiredError';
  readonly code = 'ERR_LAYOUT_EXPIRED';
}

/**
 * A generator may not mint with its shard number any more: the lease has ended, another generator has taken over the
 * high-water mark, or the generator has been closed.
 */
export class LeaseLostError extends Error {
  override readonly name = 'LeaseLostError';
  readonly code = 'ERR_LEASE_LOST';
}

/** No prefix that was tried has numbers left for new ids. */
export class InternExhaustedError extends Error {
  override readonly name = 'InternExhaustedError';
  readonly code = 'ERR_INTERN_EXHAUSTED';
}

/** @inline */
interface StoreErrorOptions extends ErrorOptions {
  /** True by default. */
  readonly isTransient?: boolean | undefined;
}

abstract class PassingError extends Error {
  /** Whether the same call may succeed later. */
  readonly isTransient: boolean;

  constructor(message: string, { isTransient = true, ...options }: StoreErrorOptions = {}) {
    super(message, options);
    this.isTransient = isTransient;
  }
}

/**
 * The store could not do its part: it cannot be reached, is closed, full or read-only, or refuses this user. The call
 * may still have taken effect.
 */
export class StoreUnavailableError extends PassingError {
  override readonly name = 'StoreUnavailableError';
  readonly code = 'ERR_STORE_UNAVAILABLE';
}

/**
 * The call would contradict what the store holds, or what others have written first. What conflicts has changed nothing;
 * earlier pieces of a large call stay.
 */
export class StoreConflictError extends PassingError {
  override readonly name = 'StoreConflictError';
  readonly code = 'ERR_STORE_CONFLICT';
}

/** What the store holds cannot be right: the file is damaged, cut short, or not a store of shardbits. */
export class StoreCorruptError extends Error {
  override readonly name = 'StoreCorruptError';
  readonly code = 'ERR_STORE_CORRUPT';
}

/** The store has another version of the shard map than the one before the map that was to be published. */
export class MapConflictError extends Error {
  override readonly name = 'MapConflictError';
  readonly code = 'ERR_MAP_CONFLICT';
  /** The version that the store has; 0 if it has no map. */
  readonly version: number;

  /**
   * @param version what the store has
   * @param refused what was to be published
   */
  constructor(version: number, refused: number) {
    const kept = version === 0 ? 'no map' : `version ${version} of the map`;
    super(`the store has ${kept}; version ${refused} cannot be published, the next one is ${version + 1}`);
    this.version = version;
  }
}
