import { detailsOf, StoreUnavailableError } from '../../../errors.js';

/** The error for a package that programs install beside this one. @param needs what needs it, and when */
export function missingPeer(needs: string, name: string, cause?: unknown, why = ''): StoreUnavailableError {
  return new StoreUnavailableError(`${needs}: npm install ${name}${why}`, { isTransient: false, cause });
}

/** @throws StoreUnavailableError if the package cannot be loaded */
export async function importPeer<T>(store: string, name: string, load: () => Promise<T>): Promise<T> {
  try {
    return await load();
  } catch (cause) {
    throw missingPeer(`${store} needs the package "${name}"`, name, cause, ` (${detailsOf(cause).message})`);
  }
}
