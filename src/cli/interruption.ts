import { discardUnfinished } from '../node/index.js';

/** Lets Ctrl-C and the like take away what is half-written before they end the process as ever. */
export function cleanUpWhenInterrupted(): void {
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.once(signal, () => {
      discardUnfinished();
      process.kill(process.pid, signal); // there is no handler any more
    });
  }
}
