import { discardUnfinished } from '../node/index.js';

/** Lets Ctrl-C and the like take away what is half-written before they end the process as ever. */
export function cleanUpWhenInterrupted(): void {
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    const onSignal = () => {
      discardUnfinished();
      process.off(signal, onSignal); // not sooner: a second one would end the process before all is taken away
      process.kill(process.pid, signal);
    };
    process.on(signal, onSignal);
  }
}
