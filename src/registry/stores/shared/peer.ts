import type { StoreUnavailableError } from '../../../errors.js';
import { unavailable } from '../../store.js';

/** The error for a package that programs install beside this one. @param needs what needs it, and when */
export function missingPeer(needs: string, name: string, cause?: unknown, why = ''): StoreUnavailableError {
  return unavailable(`${needs}: npm install ${name}${why}`, cause);
}
