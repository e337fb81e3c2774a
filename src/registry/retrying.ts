import { StoreConflictError, StoreUnavailableError } from '../errors.js';

// With half of all tries lost to others, one in 65,536 calls runs out of them.
const TRIES = 16;
const FIRST_WAIT_MS = 2;
const LONGEST_WAIT_MS = 500;

/**
 * Does something from the start again for as long as others were faster or the store is away, after waits that
 * are ever longer.
 */
export async function retrying<T>(work: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      return await work();
    } catch (error) {
      const isPassing = error instanceof StoreConflictError || error instanceof StoreUnavailableError;
      if (!isPassing || tries === TRIES) throw error;
      const most = Math.min(FIRST_WAIT_MS * 2 ** tries, LONGEST_WAIT_MS);
      await new Promise((resolve) => setTimeout(resolve, Math.random() * most));
    }
  }
}
