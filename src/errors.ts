import { type ArgumentProblem, message as shown } from './arguments.js';

/**
 * WebAssembly cannot be compiled or run here: it is missing, lacks SIMD, is forbidden by the runtime or by
 * a Content-Security-Policy without `'wasm-unsafe-eval'`, or cannot get memory. The `bigint` backend gives
 * the same results.
 */
export class CompileBlockedError extends Error {
  override readonly name = 'CompileBlockedError';
  readonly code = 'ERR_COMPILE_BLOCKED';

  /**
   * Made when the core cannot be started.
   * @param cause what the engine threw
   */
  constructor(cause: unknown) {
    super(`WebAssembly is not available here: ${cause instanceof Error ? cause.message : String(cause)}`, { cause });
  }
}

/** The clock is behind the newest id, and `onClockBackwards` or `maxWaitMs` does not let the generator wait or borrow. */
export class ClockBackwardsError extends Error {
  override readonly name = 'ClockBackwardsError';
  readonly code = 'ERR_CLOCK_BACKWARDS';
}

/** A unit of time has no ids left, and `onSequenceExhausted` or `maxWaitMs` does not let the generator wait or borrow. */
export class SequenceExhaustedError extends Error {
  override readonly name = 'SequenceExhaustedError';
  readonly code = 'ERR_SEQUENCE_EXHAUSTED';
}

/** The current time is past the largest value of the layout's timestamp field. */
export class LayoutExpiredError extends Error {
  override readonly name = 'LayoutExpiredError';
  readonly code = 'ERR_LAYOUT_EXPIRED';
}

/**
 * The generator may no longer mint with its shard number: the lease has ended, another generator has taken over the
 * high-water mark, or the generator has been closed. Or the lease is still held, but the clock is past the times that
 * it allows: release it, and take another one.
 */
export class LeaseLostError extends Error {
  override readonly name = 'LeaseLostError';
  readonly code = 'ERR_LEASE_LOST';
}

/** All prefixes that were tried are full: they have no numbers left for new ids. */
export class InternExhaustedError extends Error {
  override readonly name = 'InternExhaustedError';
  readonly code = 'ERR_INTERN_EXHAUSTED';
}

/** @inline */
interface StoreErrorOptions extends ErrorOptions {
  /** Whether the same call may succeed later. The default is true. */
  readonly isTransient?: boolean | undefined;
  readonly reason?: StoreRefusal | undefined;
}

/** Why a store, or a step of an operator, is refused for good, as data. @inline */
export type StoreRefusal =
  | 'same store' // both names lead to one store
  | 'same identity' // one store was moved to the other, or is a copy of its files
  | 'absent' // there is no store
  | 'moved' // the store was moved away, to `movedTo`
  | 'not moved' // it was not moved away, so no second store can be lost
  | 'incomplete' // a restore or a move of the store is not complete
  | 'taken back' // it is the second store of a move that was taken back
  | 'given up' // it took the place of the other store, and was given up as lost
  | 'in use' // the second store has something already
  | 'not moving' // the first store is not being moved to the second one
  | 'wrong way' // it is the second store that is being moved, to the first one
  | 'complete' // the move is complete, so it cannot be taken back
  | 'exhausted' // no numbers would be left
  | ('held' | 'alive' | 'near'); // the mark of a shard is or may be in use

abstract class PassingError extends Error {
  /** Whether the same call may succeed later. */
  readonly isTransient: boolean;
  /** Why the call is refused, if a step of an operator is, or the store has been moved away or is incomplete. */
  readonly reason: StoreRefusal | undefined;

  /**
   * Made by stores, also by those of your own.
   * @param message what went wrong; its control characters are shown as escapes
   */
  constructor(message: string, { isTransient = true, reason, ...options }: StoreErrorOptions = {}) {
    super(shown(message), options);
    this.isTransient = isTransient;
    this.reason = reason;
  }
}

/**
 * The store could not complete the call: it cannot be reached, is closed, full or read-only, or refuses this user. The
 * call may still have taken effect.
 */
export class StoreUnavailableError extends PassingError {
  override readonly name = 'StoreUnavailableError';
  readonly code = 'ERR_STORE_UNAVAILABLE';
}

/**
 * The call contradicts what the store already holds or what another process has just written. The conflicting piece of
 * the call has changed nothing; earlier pieces of a large call stay.
 */
export class StoreConflictError extends PassingError {
  override readonly name = 'StoreConflictError';
  readonly code = 'ERR_STORE_CONFLICT';
}

/** The contents of the store are not valid: the file is damaged, cut short, or not a store of shardbits. */
export class StoreCorruptError extends Error {
  override readonly name = 'StoreCorruptError';
  readonly code = 'ERR_STORE_CORRUPT';

  /**
   * Made by stores, also by those of your own.
   * @param message what is wrong; its control characters are shown as escapes
   */
  constructor(message: string, options?: ErrorOptions) {
    super(shown(message), options);
  }
}

/** What tells one map from another. @inline */
interface MapName {
  readonly version: number;
  readonly digest: string;
  /** The digest of the map that it was made from. */
  readonly parent: string | undefined;
}

/**
 * The map to be published was not made from the map in the store: it is not the next version, or it was made from another
 * map of the version before. Somebody else has published meanwhile, or the change began with an old map. Nothing has been
 * changed. Read the map of the store, and make the change again from it.
 */
export class MapConflictError extends Error {
  override readonly name = 'MapConflictError';
  readonly code = 'ERR_MAP_CONFLICT';
  /** The version of the map in the store; 0 if there is no map. */
  readonly version: number;
  /** The digest of the map in the store; undefined if there is no map. */
  readonly digest: string | undefined;

  /**
   * Made when a map that is published is not the successor of the one in the store.
   * @param kept the map in the store, if there is one
   * @param refused the map that was to be published
   */
  constructor(kept: MapName | undefined, refused: MapName) {
    const { version, digest } = kept ?? { version: 0, digest: undefined };
    const problem = refused.version === version + 1 ? otherParent(kept, refused) : otherVersion(version, refused);
    super(kept === undefined ? problem : `${problem}. Make the change again from the map of the store`);
    this.version = version;
    this.digest = digest;
  }
}

function otherVersion(version: number, refused: MapName): string {
  const kept = version === 0 ? 'no map' : `version ${version} of the map`;
  return `the store has ${kept}; version ${refused.version} cannot be published, the next one is ${version + 1}`;
}

function otherParent(kept: MapName | undefined, { version, parent }: MapName): string {
  const from = parent === undefined ? 'does not say which map it was made from' : `was made from the map ${parent}`;
  const has = kept === undefined ? 'no map' : `another one as version ${kept.version}, ${kept.digest}`;
  return `version ${version} ${from}, but the store has ${has}`;
}

type OwnError =
  | CompileBlockedError
  | ClockBackwardsError
  | SequenceExhaustedError
  | LayoutExpiredError
  | LeaseLostError
  | InternExhaustedError
  | StoreUnavailableError
  | StoreConflictError
  | StoreCorruptError
  | MapConflictError;

export const STORE_ERRORS = ['ERR_STORE_UNAVAILABLE', 'ERR_STORE_CONFLICT', 'ERR_STORE_CORRUPT'] as const;

/** What an error about a line or record may say besides what was expected and what came. */
export interface LineDetails {
  /** Which of the inputs it is in, counted from 0; only if the line or record could be left out. */
  readonly input?: number;
  /** The field of a layout, or the column of a key, that it is about. */
  readonly field?: string;
  /** The names of which one was expected. */
  readonly known?: readonly string[];
  /** Whether the option `raw` helps, with which times are in units of their field. */
  readonly isRawNeeded?: boolean;
  /** Whether it is a record without a key, to which the option `missingKey` of some jobs gives a shard. */
  readonly isKeyMissing?: boolean;
  /** What of its format a record or header gets wrong. */
  readonly syntax?: 'quotes' | 'JSON' | undefined;
  /** The name of a column that the header lacks. */
  readonly lacking?: string;
  /** The name of a column or property that is to be added, and is there already. */
  readonly taken?: string | undefined;
  /** The format in which all of the first lines or records are ids, for the option `text`. */
  readonly text?: string;
}

/** What may be known of something that was caught. Errors of this package, of Node and of clients have some of these. */
export interface ErrorDetails extends LineDetails, Partial<ArgumentProblem> {
  readonly message: string;
  readonly code?: unknown;
  /** The code of an error of SQLite. */
  readonly errcode?: unknown;
  readonly cause?: unknown;
  /** The system call that failed, and the path that it was about. */
  readonly syscall?: unknown;
  readonly errno?: number;
  readonly path?: string;
  /** The line or record that it is about, from 1, and its file. */
  readonly line?: number;
  readonly file?: string;
}

/** The details of what was caught, which may be anything. */
export const detailsOf = (error: unknown): ErrorDetails => (error ?? {}) as ErrorDetails;

/**
 * Whether an error is one of these. Its class would not tell: a program may have this package as ES modules and as
 * CommonJS, and each has classes of its own.
 */
export function hasCode<C extends OwnError['code']>(
  error: unknown,
  ...codes: readonly C[]
): error is Extract<OwnError, { readonly code: C }> {
  return codes.some((code) => code === detailsOf(error).code);
}
