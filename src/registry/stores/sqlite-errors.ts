import { StoreCorruptError, StoreUnavailableError } from '../../errors.js';
import { resultCode } from './sqlite-driver.js';

/** Whether another connection is writing at the moment. */
export function isBusy(error: unknown): boolean {
  return ['BUSY', 'LOCKED'].includes(resultCode(error) ?? '');
}

/**
 * Turns an error of SQLite or the file system into an error of the store. Other errors stay as they are.
 * @param path the path of the file, for the message
 */
export function sqliteError(error: unknown, path: string): unknown {
  const code = resultCode(error);
  const isOfFileSystem = typeof (error as { syscall?: unknown } | undefined)?.syscall === 'string';
  if (code === undefined && !isOfFileSystem) return error;
  const message = `${path}: ${messageOf(code, error)}`;
  if (code !== undefined && ['CORRUPT', 'NOTADB', 'CONSTRAINT'].includes(code))
    return new StoreCorruptError(message, { cause: error });
  return new StoreUnavailableError(message, { cause: error, isTransient: false });
}

function messageOf(code: string | undefined, error: unknown): string {
  switch (code) {
    case 'NOTADB':
      return 'not a store of shardbits: it is not a SQLite database';
    case 'CORRUPT':
      return 'the file is damaged or cut short; restore a backup';
    case 'FULL':
      return 'no space left on the disk';
    case 'READONLY':
      return 'the file cannot be written to';
    default:
      return (error as Error).message;
  }
}
