import { constants } from 'node:os';
import { hasCode, STORE_ERRORS, StoreCorruptError, StoreUnavailableError } from '../../errors.js';

const { errno } = constants;

// lmdb.h: MDB_PAGE_NOTFOUND, MDB_CORRUPTED, MDB_VERSION_MISMATCH, MDB_INVALID
const CORRUPT = [-30797, -30796, -30794, -30793];
const PASSING: readonly unknown[] = [errno.EAGAIN, errno.EINTR, errno.EBUSY, errno.EMFILE, errno.ENFILE, errno.ENOMEM];
const PASSING_NAMES: readonly unknown[] = ['EAGAIN', 'EINTR', 'EBUSY', 'EMFILE', 'ENFILE', 'ENOMEM'];

const HINTS = new Map<unknown, string>([
  [-30790, 'too many processes have the file open'], // MDB_READERS_FULL
  [-30792, 'the address space has no room for the file'], // MDB_MAP_FULL
  [errno.ENOSPC, 'the disk is full'],
]);

/** Turns an error of LMDB or the file system into an error of the store. Errors of the store stay as they are. */
export function lmdbError(path: string, error: unknown): unknown {
  if (hasCode(error, ...STORE_ERRORS) || error instanceof RangeError || error instanceof TypeError) return error;
  const { code, message } = error as { code?: unknown; message?: string };
  const hint = HINTS.get(code);
  const text = `${path}: ${hint === undefined ? message : `${hint} (${message})`}`;
  if (CORRUPT.includes(code as number)) return damaged(path, String(message), error);
  const isTransient = PASSING.includes(code) || PASSING_NAMES.includes(code);
  return new StoreUnavailableError(text, { isTransient, cause: error });
}

export function unavailable(path: string, why: string, cause?: unknown): StoreUnavailableError {
  return new StoreUnavailableError(`${path}: ${why}`, { isTransient: false, cause });
}

export function damaged(path: string, why: string, cause?: unknown): StoreCorruptError {
  return new StoreCorruptError(`${path}: ${why}`, { cause });
}
