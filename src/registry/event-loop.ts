// A call whose answer is at hand resolves in a microtask. A loop that awaits nothing else keeps timers from running, such
// as those that renew leases.

const LONGEST_MS = 5;

// These are taken when the module is loaded, so that tests with a clock of their own do not wait for ever. Only Node, Bun
// and Deno have setImmediate. Browsers delay nested timers by 4 ms, which is bearable every 5 ms.
const now = performance.now.bind(performance);
const nextTurn: (turn: () => void) => unknown = typeof setImmediate === 'function' ? setImmediate : setTimeout;

let turned = now();

/** Lets timers and others' work run, if calls that are answered at once have gone on for 5 ms. */
export function letOthersRun(): Promise<void> | undefined {
  if (now() - turned < LONGEST_MS) return undefined;
  return new Promise((resolve) => {
    nextTurn(() => {
      turned = now();
      resolve();
    });
  });
}

/** An answer that was at hand. */
export async function answered<T>(answer: T): Promise<T> {
  await letOthersRun();
  return answer;
}
