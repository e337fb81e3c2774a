import { abortable } from '../abortable.js';
import { hasCode } from '../errors.js';
import { notify, type OnEvent } from './events.js';
import type { Store } from './store.js';

// If others win half of all tries, one call in 65,536 fails.
const MOST_CONFLICTS = 16;
const FIRST_WAIT_MS = 2;
const LONGEST_WAIT_MS = 500;
// An unavailable store may take long to fail, because it retries by itself.
const AWAY_MS = 10_000;

export interface RetryOptions {
  /** Stops waiting, even for a store that does not answer. What the store has begun may still take effect. */
  readonly signal?: AbortSignal | undefined;
  readonly onEvent?: OnEvent | undefined;
}

/**
 * Runs work, and runs it again after longer and longer pauses, as long as it fails because other callers were faster or
 * the store is temporarily unavailable.
 * @param store called again for its `timeoutMs` while it is unavailable; ten seconds by default and at most
 * @throws the signal's reason as soon as it is aborted
 */
export async function retrying<T>(
  store: Pick<Store, 'timeoutMs'>,
  work: () => Promise<T>,
  { signal, onEvent }: RetryOptions = {},
): Promise<T> {
  const awayMs = Math.min(store.timeoutMs ?? AWAY_MS, AWAY_MS);
  const began = performance.now();
  let conflicts = 0;
  for (let tries = 1; ; tries++) {
    signal?.throwIfAborted();
    try {
      return await abortable(work(), signal);
    } catch (error) {
      const reason = passing(error);
      if (reason === undefined) throw error;
      if (reason === 'conflict' && ++conflicts === MOST_CONFLICTS) throw error;
      if (reason === 'unavailable' && performance.now() - began >= awayMs) throw error;
      notify(onEvent, { type: 'retry', reason, tries });
      await pause(Math.random() * Math.min(FIRST_WAIT_MS * 2 ** tries, LONGEST_WAIT_MS), signal);
    }
  }
}

function passing(error: unknown): 'conflict' | 'unavailable' | undefined {
  if (hasCode(error, 'ERR_STORE_CONFLICT') && error.isTransient) return 'conflict';
  return hasCode(error, 'ERR_STORE_UNAVAILABLE') && error.isTransient ? 'unavailable' : undefined;
}

/** @throws the signal's reason as soon as it is aborted */
export function pause(ms: number, signal?: AbortSignal): Promise<void> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const passed = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, ms);
  });
  return abortable(passed, signal).finally(() => clearTimeout(timer));
}

/** Waits until a promise is settled, for at most `ms` milliseconds. */
export async function settled(promise: Promise<unknown>, ms: number): Promise<void> {
  await abortable(promise, AbortSignal.timeout(ms)).catch(() => {});
}
