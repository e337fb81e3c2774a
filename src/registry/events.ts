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

/** Tells an event, and ignores what comes of that. */
export function notify(onEvent: OnEvent | undefined, event: RegistryEvent): void {
  try {
    const returned: unknown = onEvent?.(event);
    Promise.resolve(returned).catch(() => {});
  } catch {}
}
