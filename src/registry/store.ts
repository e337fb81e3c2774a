import { wrongValue } from '../arguments.js';
import { StoreConflictError, StoreCorruptError, type StoreRefusal, StoreUnavailableError } from '../errors.js';
import { settingNumber } from './values.js';

/**
 * An object under which a store remembers what a lookup found.
 * @inline
 */
export type LookupToken = object;

/**
 * A store keeps ids unique. Every engine implements this contract. The effects of a call are durable when its promise
 * resolves. A call that fails may still have taken effect; every call can be repeated.
 *
 * Every method throws `StoreUnavailableError`, `StoreConflictError` and `StoreCorruptError`, and never an error of the
 * engine's client; a closed store throws a `StoreUnavailableError` that is not transient. Whoever calls a method repeats
 * it after a transient error (see `retrying`); a store may have repeated it before.
 *
 * Every method except `setting`, `now` and `replaceState` fails with a `StoreConflictError` that is not transient if the
 * store was restored, moved or replaced since this object first used it, if only to read a setting; or if it would give
 * something new in a store that was moved away.
 *
 * Keys are of any length, may be empty, and have no lone surrogate. A call may have any number of them. Ids are 1 to
 * 2^64 - 1, prefixes 0 to 2^32 - 1, shards 0 to 2^20 - 1. The value of a setting may be empty, or megabytes long.
 */
export interface Store extends AsyncDisposable {
  /** How long a step of a call waits for a server or other programs, in milliseconds; absent if there is no limit. */
  readonly timeoutMs?: number | undefined;

  /** The clock by which leases end, in Unix milliseconds: the server's, or this machine's if there is no server. */
  now(): Promise<number>;

  /**
   * The ids of keys, in the order of the keys; 0 for a key that has none.
   * @param token an empty object, for the store to remember what it found until `assign` gets the same object
   */
  lookup(space: Space, keys: readonly string[], token?: LookupToken): Promise<BigUint64Array>;

  /** The keys of ids, in the order of the ids; undefined for an id that the store does not have. */
  resolve(space: Space, ids: BigUint64Array): Promise<(string | undefined)[]>;

  /**
   * Gives ids to the keys that have none: `block.base` plus the next numbers of the block's counter, in the order of
   * the keys. A key is added completely or not at all; a call that fails may have added the first keys. A number is
   * never given twice. Numbers that `skippedSetting` counts come before all that the counter gives.
   * @param keys different from each other
   * @param token what `lookup` got for these keys, if they need not be looked up again
   * @returns the ids of all keys; undefined if those of new keys would pass `block.max`, and nothing has been done then
   * @throws StoreConflictError if other callers took the same keys or numbers first
   * @throws RangeError if a key is longer than the store can keep; nothing has been done
   */
  assign(space: Space, block: Block, keys: readonly string[], token?: LookupToken): Promise<BigUint64Array | undefined>;

  /** The last number given by a counter, skipped numbers included; 0 at first. */
  counter(space: Space, prefix: number): Promise<bigint>;

  /** The value of a setting; undefined if it is not set. */
  setting(name: string): Promise<string | undefined>;

  /**
   * Sets a setting that has the expected value, atomically.
   * @param expected the value that it must have now; undefined if it must not be set
   * @returns whether it was set
   */
  replaceSetting(name: string, expected: string | undefined, value: string): Promise<boolean>;

  /**
   * Replaces the state of the store, which `STATE_SETTING` holds, if it is still the expected one. When this resolves,
   * no call that began under the earlier state can change anything any more. If the new state is incomplete, this object
   * alone may use the store; see `StateGuard`.
   * @param expected the value of the setting; undefined if the store has not been made yet
   * @returns whether it was replaced
   */
  replaceState(expected: string | undefined, state: string): Promise<boolean>;

  /**
   * Where the store is: what the engine's own restore of a backup changes, and nothing else does. The state of the store
   * holds it. In another place the store is a restored copy, which lacks what was given after the backup: calls that would
   * give something new fail with a `StoreConflictError` that is not transient. Absent if the engine knows no such place.
   * @param known the place that the state holds
   * @returns `known`, if the store is still there
   */
  place?(known: string | undefined): Promise<string>;

  /**
   * Leases one of the shards 0 to `shards` - 1 that nobody holds by the store's clock: the first whose mark is not
   * after `mintFrom`, otherwise the one with the earliest mark. If many ask at once, it may be another. A shard whose
   * mark is too far ahead (see `isTooFarAhead`) is skipped. `FLOOR_SETTING` counts as a mark of all shards. The token is
   * larger than all earlier ones of the shard; no record is ever deleted.
   * @returns undefined if all are held
   * @throws RangeError if `mintUntil` is too far ahead of the store's clock
   * @throws StoreCorruptError if the marks of all shards are too far ahead
   */
  acquireLease(
    request: LeaseRequest & { readonly shards: number; readonly mintFrom: number },
  ): Promise<LeaseGrant | undefined>;

  /**
   * Prolongs a lease that this owner and token still hold, and raises the mark to `mintUntil`.
   * @returns whether they still hold it
   * @throws RangeError if `mintUntil` is too far ahead of the store's clock
   */
  renewLease(request: LeaseRequest & LeaseHolder): Promise<boolean>;

  /**
   * Ends a lease if this owner and token hold it, and sets the mark to what has really been minted. The holder mints
   * nothing more.
   */
  releaseLease(holder: LeaseHolder & { readonly owner: string; readonly mintedUntil: number }): Promise<void>;

  /** The records of all shards that have ever been leased, ascending by shard. */
  shards(): Promise<readonly (ShardRecord & { readonly shard: number })[]>;

  /**
   * Ends the lease of a shard, whoever holds it. The mark stays, so the next holder starts after all that the present
   * one may still mint. @returns whether somebody held it
   */
  freeShard(shard: number): Promise<boolean>;

  /** Sets the mark of a shard to the store's clock. Nothing else ever lowers a mark that a holder may have minted up to. */
  resetMark(shard: number): Promise<MarkReset>;

  /** How many keys have an id. */
  count(space: Space): Promise<number>;

  /**
   * All keys that have an id when it begins, each once, with their ids, in pieces that fit into memory, in the store's own
   * order. Keys that get an id meanwhile may be among them.
   */
  entries(space: Space): AsyncIterable<Entries>;

  /** The last number of every counter, by prefix, without skipped numbers. */
  counters(space: Space): Promise<Map<number, bigint>>;

  /**
   * Adds entries with their ids, for a copy; existing entries stay.
   * @throws StoreConflictError if one of the keys has another id, or one of the ids another key
   */
  restore(space: Space, entries: Entries): Promise<void>;

  /** Raises counters, for a copy; larger ones stay. */
  restoreCounters(space: Space, counters: ReadonlyMap<number, bigint>): Promise<void>;

  /** Adds the records of shards, for a copy, or merges them with those that the store has; see `mergeRecords`. */
  restoreShards(records: readonly (ShardRecord & { readonly shard: number })[]): Promise<void>;

  /**
   * Runs the engine's own check, which reads everything; absent if the engine has none.
   * @throws StoreCorruptError if it finds damage
   */
  check?(): Promise<void>;

  /**
   * Writes a snapshot to a new file, while others use the store; absent if the engine has its own tool.
   * @throws StoreConflictError if the store was moved away: the snapshot could not be restored
   */
  backup?(path: string): Promise<void>;

  /** Ends the use of the store. It can be called again. A call that has not ended gives its result or a `StoreUnavailableError`. */
  close(): Promise<void>;
}

/** What all stores can be opened with. */
export interface OpenOptions {
  /**
   * Fails if the store is missing, instead of making a new one; false by default. Set it wherever the store should have
   * ids or leases already: a new one would give the same numbers again.
   */
  mustExist?: boolean | undefined;
  /** The identity that the store must have, as `storeState` shows it: fails if it is missing or another store. */
  expect?: string | undefined;
}

/** Keys and ids in different spaces are independent. */
export type Space = 'strings' | 'types';
/** In the order of their names, in which etcd has their keys. */
export const SPACES: readonly Space[] = ['strings', 'types'];

export const MAX_TYPE = 65_535;

/** Where new ids come from. */
export interface Block {
  readonly prefix: number;
  /** The id is base + n, where n counts from 1 to max. */
  readonly base: bigint;
  readonly max: bigint;
}

/** Keys and their ids, row by row. */
export interface Entries {
  readonly keys: readonly string[];
  readonly ids: BigUint64Array;
}

/**
 * The result of resetting a mark; see `markReset`. Nothing was done unless it is `reset`.
 * @inline
 */
type MarkReset = 'reset' | 'held' | 'alive' | 'near' | 'absent';

export interface LeaseRequest {
  readonly owner: string;
  readonly ttlMs: number;
  /** Ids may be minted up to this instant, in Unix milliseconds. The store keeps it when the lease has ended. */
  readonly mintUntil: number;
}

export interface LeaseHolder {
  readonly shard: number;
  readonly token: bigint;
}

export interface LeaseGrant extends LeaseHolder {
  /** Up to when earlier holders may have minted ids, in Unix milliseconds; 0 if there were no holders. */
  readonly mintedUntil: number;
}

/** The setting with how many numbers every counter of a space has skipped; absent if it has skipped none. */
export const skippedSetting = (space: Space): string => `skipped:${space}`;

/** The setting with the last token that may have been given: new ones are larger. Absent if none were skipped. */
export const TOKENS_SETTING = 'tokens';

/** The setting with an instant, in Unix milliseconds, before which no lease may mint. Absent if none was set. */
export const FLOOR_SETTING = 'floor';

/** The setting with how many bits of the ids of strings are the prefix. Absent until the first string is interned. */
export const PREFIX_BITS_SETTING = 'prefixBits';
export const DEFAULT_PREFIX_BITS = 14;

/**
 * The setting with the shard map that was published last, and when: `{"published": Unix milliseconds, "map": its JSON}`.
 * Absent until the first one is published.
 */
export const MAP_SETTING = 'map';

/** How many versions of the shard map a store keeps, with the current one. */
export const MAX_MAP_VERSIONS = 100;

/** The setting that has an earlier version of the map, just as `MAP_SETTING` had it; empty if it is no longer kept. */
export const mapSlotSetting = (version: number): string => `map:${version % MAX_MAP_VERSIONS}`;

/** The setting that lists the earlier versions of the map which are kept. Absent while there are none. */
export const MAP_HISTORY_SETTING = 'map:history';

/** The error of a call that would fail again. */
export function unavailable(message: string, cause?: unknown): StoreUnavailableError {
  return new StoreUnavailableError(message, { isTransient: false, ...(cause !== undefined && { cause }) });
}

export const closed = (): StoreUnavailableError => unavailable('the store is closed');

/** The error of a step that an operator cannot take, or of a call that contradicts the store for good. */
export function refused(reason: StoreRefusal | undefined, message: string): StoreConflictError {
  return new StoreConflictError(message, { isTransient: false, reason });
}

export function contradicts(id: bigint): StoreConflictError {
  return refused(undefined, `the store has another id for the string of id ${id}, or another string for that id`);
}

/** What a store keeps about a shard, for ever. */
export interface ShardRecord {
  /** Who leased it last. */
  readonly owner: string;
  readonly token: bigint;
  /** When the lease ends, by the store's clock, in Unix milliseconds; 0 if it was given back, or an operator ended it. */
  readonly expires: number;
  /**
   * Until when holders whose lease an operator ended may still mint, by the store's clock, in Unix milliseconds; 0 if there
   * were none.
   */
  readonly strayUntil: number;
  /** The `ttlMs` of the last lease; or a longer one of a holder that may still mint after an operator has ended its lease. */
  readonly ttlMs: number;
  /** The mark: up to when ids may have been minted, by the clocks of the holders, in Unix milliseconds. */
  readonly mintedUntil: number;
}

/** How far clocks may differ before one is taken for wrong. */
export const MAX_AHEAD_MS = 3_600_000;

export const DEFAULT_TTL_MS = 30_000;

/**
 * Whether a mark can only come from a clock that was wrong: a holder's mark is `ttlMs`, or up to a second more, ahead of
 * its clock, and clocks that differ by more than an hour are taken for wrong. Such a mark would block a shard until then.
 * @param ttlMs of the lease that set the mark
 */
export function isTooFarAhead(mark: number, ttlMs: number, now: number): boolean {
  return mark > now + ttlMs + MAX_AHEAD_MS;
}

/**
 * Whether the mark of a shard may be reset. Not if somebody holds the shard; nor if the mark is in the future, but near
 * enough for correct clocks, because ids up to it may have been minted; nor if a holder whose lease was ended by an
 * operator may be alive, because it may mint up to the mark.
 */
export function markReset(record: ShardRecord | undefined, now: number): MarkReset {
  if (record === undefined) return 'absent';
  const { expires, strayUntil, mintedUntil, ttlMs } = record;
  if (expires > now) return 'held';
  if (mintedUntil > now && !isTooFarAhead(mintedUntil, ttlMs, now)) return 'near';
  return strayUntil > now ? 'alive' : 'reset';
}

/** The record of a shard in two stores: the later lease, and the later of all instants until which anybody may mint. */
export function mergeRecords(kept: ShardRecord | undefined, given: ShardRecord): ShardRecord {
  if (kept === undefined) return given;
  const last = given.token >= kept.token ? given : kept;
  return {
    ...last,
    ttlMs: Math.max(kept.ttlMs, given.ttlMs),
    strayUntil: Math.max(kept.strayUntil, given.strayUntil),
    mintedUntil: Math.max(kept.mintedUntil, given.mintedUntil),
  };
}

/**
 * The record of a lease that is given or renewed. It ends no stray holder.
 * @param grant the token, and up to when ids may have been minted before
 * @param kept the record until now
 */
export function heldRecord(
  { owner, ttlMs, mintUntil }: LeaseRequest,
  { token, mintedUntil }: Pick<ShardRecord, 'token' | 'mintedUntil'>,
  kept: ShardRecord | undefined,
  now: number,
): ShardRecord {
  const { strayUntil = 0, ttlMs: before = 0 } = kept ?? {};
  return {
    owner,
    token,
    expires: now + ttlMs,
    mintedUntil: Math.max(mintedUntil, mintUntil),
    strayUntil,
    ttlMs: strayUntil > now ? Math.max(before, ttlMs) : ttlMs,
  };
}

/** @throws RangeError if a holder asks for a mark that is too far ahead, because its clock is more than an hour ahead */
export function checkMark({ mintUntil, ttlMs }: LeaseRequest, now: number): void {
  if (!isTooFarAhead(mintUntil, ttlMs, now)) return;
  const [ours, theirs] = [mintUntil - ttlMs, now].map((ms) => new Date(ms).toISOString());
  throw wrongValue('clock', `at most an hour ahead of the store's clock (${theirs})`, ours, undefined, `${ours}`);
}

export function allTooFarAhead(shards: number): StoreCorruptError {
  return new StoreCorruptError(
    `all ${shards} shards are marked as minted until more than an hour after the store's clock: a clock was wrong. ` +
      'Check the clocks. Then, when its holder is gone, reset the mark of each shard, with: ' +
      'shardbits leases --store STORE --reset-mark SHARD',
  );
}

export function recordsByShard(records: Parameters<Store['restoreShards']>[0]): Map<number, ShardRecord> {
  const merged = new Map<number, ShardRecord>();
  for (const { shard, ...record } of records) merged.set(shard, mergeRecords(merged.get(shard), record));
  return merged;
}

/**
 * The record of a lease that an operator ends. Its holder may still mint no longer than the lease, which ends earlier than
 * the record says if the clock has been set back since.
 */
export function endedRecord(kept: ShardRecord, now: number): ShardRecord {
  const strayUntil = Math.max(kept.strayUntil, Math.min(kept.expires, now + kept.ttlMs));
  return { ...kept, expires: 0, strayUntil };
}

/** What may have been given or minted even if no record says so, because records were lost with a later state. */
type Lost = Pick<ShardRecord, 'token' | 'mintedUntil'>;

/** @param settings the values of `TOKENS_SETTING` and `FLOOR_SETTING` */
export function lostBy(tokens: string | undefined, floor: string | undefined): Lost {
  return { token: settingNumber(TOKENS_SETTING, tokens), mintedUntil: Number(settingNumber(FLOOR_SETTING, floor)) };
}

/**
 * Chooses a free shard: the first one whose ids may be minted now, otherwise the one with the earliest mark.
 * @param recordOf the record of a shard that has been leased before
 * @throws StoreCorruptError if the marks of all shards are too far ahead
 */
export function chooseShard(
  { shards, mintFrom }: { readonly shards: number; readonly mintFrom: number },
  recordOf: (shard: number) => Partial<ShardRecord> | undefined,
  now: number,
  lost: Lost,
): LeaseGrant | undefined {
  let best: LeaseGrant | undefined;
  let tooFarAhead = 0;
  for (let shard = 0; shard < shards; shard++) {
    const { token = 0n, expires = 0, mintedUntil: mark = 0, ttlMs = 0 } = recordOf(shard) ?? {};
    if (mark > lost.mintedUntil && isTooFarAhead(mark, ttlMs, now)) tooFarAhead++;
    else if (expires <= now) {
      const mintedUntil = Math.max(mark, lost.mintedUntil);
      const grant = { shard, token: (token > lost.token ? token : lost.token) + 1n, mintedUntil };
      if (mintedUntil <= mintFrom) return grant;
      if (best === undefined || mintedUntil < best.mintedUntil) best = grant;
    }
  }
  if (tooFarAhead === shards) throw allTooFarAhead(shards);
  return best;
}
