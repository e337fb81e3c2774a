/**
 * Tells an event, and ignores what comes of that: what the listener throws or returns, and the reason if it returns a
 * promise that rejects.
 */
export function notify<E>(onEvent: ((event: E) => void) | undefined, event: E): void {
  try {
    const returned: unknown = onEvent?.(event);
    Promise.resolve(returned).catch(() => {});
  } catch {}
}
