import { hasCode, StoreConflictError, StoreCorruptError, StoreUnavailableError } from '../../errors.js';

type Etcd3Module = typeof import('etcd3');

// etcd's messages, which come with various codes: https://github.com/etcd-io/etcd/blob/main/api/v3rpc/rpctypes/error.go
const TOO_LARGE = /request is too large|received message larger than max/; // the second one from 2 MiB on
const LASTING = new RegExp(`database space exceeded|permission denied|not enabled|${TOO_LARGE.source}`, 'i');
const CORRUPT = /corrupt/i;
const HINTS: readonly (readonly [RegExp, string])[] = [
  [
    /database space exceeded/,
    'etcd has no space left. Compact and defragment it, or raise --quota-backend-bytes, then disarm its alarm',
  ],
  [TOO_LARGE, 'the request is too large for etcd. Raise --max-request-bytes'],
];

/** Turns an error of etcd3 into an error of the store. */
export function etcdError(etcd3: Etcd3Module, error: unknown): Error {
  if (hasCode(error, 'ERR_STORE_UNAVAILABLE')) return error;
  const cause = error instanceof Error ? error : new Error(String(error));
  // The etcd lease ran out before it was used: the machine has been asleep.
  if (error instanceof etcd3.EtcdLeaseInvalidError) return new StoreConflictError(cause.message, { cause });
  if (error instanceof etcd3.GRPCDataLossError || CORRUPT.test(cause.message)) {
    return new StoreCorruptError(`etcd has found damage: ${cause.message}`, { cause });
  }
  const hint = HINTS.find(([pattern]) => pattern.test(cause.message))?.[1];
  const message = hint === undefined ? `etcd: ${cause.message}` : `${hint} (${cause.message})`;
  return new StoreUnavailableError(message, { isTransient: isPassing(etcd3, error), cause });
}

/** Whether the same request may succeed on another member, or a moment later. */
export function isPassing(etcd3: Etcd3Module, error: unknown): boolean {
  if (!(error instanceof Error) || LASTING.test(error.message) || CORRUPT.test(error.message)) return false;
  return etcd3.isRecoverableError(error) || /auth store is old/.test(error.message);
}

/** Whether an error says that an etcd lease has run out. */
export function isLeaseGone(error: unknown): boolean {
  return hasCode(error, 'ERR_STORE_CONFLICT') && error.cause !== undefined;
}
