import { checkOptions, checkSignal, showInstant, wrongValue } from '../arguments.js';
import { hasCode } from '../errors.js';
import { notify } from '../notify.js';
import { MAX_AHEAD_MS, type Store } from './store.js';

/** Options for one call of an interner or a type registry. */
export interface CallOptions {
  /** Ends the call with the signal's reason. What the store has begun may still take effect. */
  readonly signal?: AbortSignal | undefined;
}

export function callOf(options: CallOptions | undefined): CallOptions {
  const call = checkOptions(options, ['signal']);
  if (call.signal !== undefined) checkSignal('signal', call.signal);
  return call;
}

/** What happens between a registry and its store, for metrics. */
export type RegistryEvent =
  | {
      /** A call is made again, after a conflict or because the store was unavailable. */
      readonly type: 'retry';
      readonly reason: 'conflict' | 'unavailable';
      /** How many tries there have been. */
      readonly tries: number;
    }
  | {
      /** The store gave ids to new strings or types, durably. */
      readonly type: 'commit';
      readonly ms: number;
      /** How many strings were asked for. */
      readonly keys: number;
      /** How many numbers the prefix has left. */
      readonly room: bigint;
    }
  | {
      /** A random prefix had no room left, and another one is tried. */
      readonly type: 'full';
      readonly prefix: number;
    }
  | {
      /** A lease was taken or renewed. */
      readonly type: 'lease';
      readonly shard: number;
      /** How much time the lease had left, in milliseconds; `ttlMs` when it is taken. */
      readonly marginMs: number;
    }
  | {
      /** A lease could not be renewed; the holder tries again. */
      readonly type: 'renewal-failed';
      readonly shard: number;
      readonly marginMs: number;
      readonly error: unknown;
    }
  | {
      /** A lease ended without being released. */
      readonly type: 'lost';
      readonly shard: number;
      readonly error: Error;
    }
  | {
      /** `watchMap` has tried in vain to read the map for as long as a call does; it goes on. */
      readonly type: 'unavailable';
      readonly error: unknown;
    };

/**
 * Called with each event as it happens. It should return quickly, because the work goes on when it has returned. What it
 * throws or returns is ignored, and so is the reason if it returns a promise that rejects: metrics that fail must not
 * cost an id or a lease.
 */
export type OnEvent = (event: RegistryEvent) => void;

// A call whose answer is at hand resolves in a microtask. A loop that awaits nothing else keeps timers from running, such
// as those that renew leases.
const MAX_MS = 5;

// These are taken when the module is loaded, so that tests with a clock of their own do not wait for ever. Only Node, Bun
// and Deno have setImmediate. Browsers delay nested timers by 4 ms, which is bearable every 5 ms.
const now = performance.now.bind(performance);
const nextTurn: (turn: () => void) => unknown = typeof setImmediate === 'function' ? setImmediate : setTimeout;

let turned = now();

/** Lets timers and others' work run, if calls that are answered at once have gone on for 5 ms. */
export function letOthersRun(): Promise<void> | undefined {
  if (now() - turned < MAX_MS) return undefined;
  return new Promise<void>((resolve) => nextTurn(resolve)).then(() => {
    turned = now();
  });
}

export async function answered<T>(answer: T): Promise<T> {
  await letOthersRun();
  return answer;
}

// Each conflict means that another caller got on. So a count of them says nothing: among a thousand, most lose many times.
const CONFLICTS_MS = 60_000;
const FIRST_WAIT_MS = 2;
const MAX_WAIT_MS = 500;
// An unavailable store may take long to fail, because it retries by itself.
const AWAY_MS = 10_000;

export interface RetryOptions extends CallOptions {
  readonly onEvent?: OnEvent | undefined;
}

/**
 * Runs work, and runs it again after longer and longer pauses, as long as it fails because other callers were faster or
 * the store is temporarily unavailable.
 * @param store called again for its `timeoutMs` while it is unavailable, ten seconds by default and at most; and for a
 *   minute while others are faster
 * @throws the signal's reason as soon as it is aborted, even if the store does not answer
 */
export async function retrying<T>(
  store: Pick<Store, 'timeoutMs'>,
  work: () => Promise<T>,
  { signal, onEvent }: RetryOptions = {},
): Promise<T> {
  const awayMs = Math.min(store.timeoutMs ?? AWAY_MS, AWAY_MS);
  const began = performance.now();
  let reached = began; // when the store last answered
  for (let tries = 1; ; tries++) {
    signal?.throwIfAborted();
    try {
      return await abortable(work(), signal);
    } catch (error) {
      const reason = passing(error);
      if (reason === undefined) throw error;
      const now = performance.now();
      if (reason === 'conflict') reached = now;
      if (reason === 'conflict' ? now - began >= CONFLICTS_MS : now - reached >= awayMs) throw error;
      notify(onEvent, { type: 'retry', reason, tries });
      await pause(Math.random() * Math.min(FIRST_WAIT_MS * 2 ** tries, MAX_WAIT_MS), signal);
    }
  }
}

function passing(error: unknown): 'conflict' | 'unavailable' | undefined {
  if (hasCode(error, 'ERR_STORE_CONFLICT') && error.isTransient) return 'conflict';
  return hasCode(error, 'ERR_STORE_UNAVAILABLE') && error.isTransient ? 'unavailable' : undefined;
}

// As many as a client of PostgreSQL has connections by default: more would wait in the client.
const AT_ONCE = 10;

/**
 * Makes what lets a few calls run at once. The others wait here, and not in a store or its client. If the store was
 * unavailable to one, those that wait fail with the same error.
 */
export function turns() {
  let running = 0;
  const waiting: { readonly go: () => void; readonly fail: (error: unknown) => void }[] = [];
  return async <T>(work: () => Promise<T>): Promise<T> => {
    if (running < AT_ONCE) running++;
    else await new Promise<void>((go, fail) => waiting.push({ go, fail }));
    try {
      return await work();
    } catch (error) {
      if (passing(error) === 'unavailable') for (const { fail } of waiting.splice(0)) fail(error);
      throw error;
    } finally {
      const next = waiting.shift();
      if (next === undefined) running--;
      else next.go();
    }
  };
}

/** Settles as the promise does, or rejects with the signal's reason when the signal is aborted first. */
export function abortable<T>(promise: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return promise;
  return new Promise((resolve, reject) => {
    const onAbort = () => reject(signal.reason);
    if (signal.aborted) onAbort();
    signal.addEventListener('abort', onAbort, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', onAbort));
  });
}

/** @throws the signal's reason as soon as it is aborted */
export function pause(ms: number, signal?: AbortSignal): Promise<void> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const passed = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, ms);
  });
  return abortable(passed, signal).finally(() => clearTimeout(timer));
}

export async function settled(promise: Promise<unknown>, ms: number): Promise<void> {
  await abortable(promise, AbortSignal.timeout(ms)).catch(() => {});
}

// What a restore skips to, and until when nobody may mint, follow from the store's clock. A machine without a battery begins
// at 1970 after every power cut, and two restores would skip to the same numbers.

/** The start of the time from which numbers are made, and its length. */
export const EPOCH = /* @__PURE__ */ Date.UTC(2025, 0);
export const YEARS_139_MS = 2n ** 42n;

/**
 * The store's clock, for something that cannot be undone.
 * @throws RangeError if it is wrong: outside of the years in which numbers are made of it, or, as far as a server has a
 *   clock of its own, more than an hour away from this machine's
 */
export async function checkedClock(store: Store): Promise<number> {
  const now = await retrying(store, () => store.now());
  const here = Date.now();
  const isInRange = now >= EPOCH && now < EPOCH + Number(YEARS_139_MS);
  if (isInRange && Math.abs(now - here) <= MAX_AHEAD_MS) return now;
  const near = `at most an hour from this machine's clock (${showInstant(here)})`;
  const expected = isInRange ? near : 'a time from 2025 to 2164';
  const shown = showInstant(now);
  throw wrongValue('clock', `the store's clock to be ${expected}`, shown, undefined, shown);
}
