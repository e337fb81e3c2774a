import { discardUnfinished } from '../node/index.js';

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
type Signal = (typeof SIGNALS)[number];

// A store that does not answer must not keep the process alive for longer.
const CLEAN_UP_MS = 3000;

// Ctrl-C reaches all processes of a terminal, and npm sends it to its children once more. Both count as one signal.
const SAME_SIGNAL_MS = 100;

/**
 * Removes half-written files when a signal such as Ctrl-C comes, before the signal ends the process as usual.
 * @returns a function to call when no file is half-written any more: it leaves signals to the system again
 */
export function cleanUpWhenInterrupted(): () => void {
  const stop = listen((signal) => end(signal, stop));
  return stop;
}

/**
 * Runs work that has to clean up before a signal ends the process. The first signal aborts the work, and ends the
 * process as usual when the work has settled, or after three seconds. A second signal ends it at once.
 * @param work must stop soon after its signal is aborted; errors that it throws then are not reported
 */
export async function interruptible(work: (signal: AbortSignal) => Promise<void>): Promise<void> {
  const aborting = new AbortController();
  let received: Signal | undefined;
  let receivedAt = 0;
  const stop = listen((signal) => {
    if (received === undefined) {
      received = signal;
      receivedAt = performance.now();
      setTimeout(end, CLEAN_UP_MS, signal, stop);
      aborting.abort();
    } else if (performance.now() > receivedAt + SAME_SIGNAL_MS) {
      end(signal, stop);
    }
  });
  try {
    await work(aborting.signal);
  } catch (error) {
    if (received === undefined) throw error;
  } finally {
    if (received !== undefined) end(received, stop);
    stop();
  }
}

/** Takes signals from the system, until the function that it returns is called. */
function listen(onSignal: (signal: Signal) => void): () => void {
  for (const signal of SIGNALS) process.on(signal, onSignal);
  return () => {
    for (const signal of SIGNALS) process.off(signal, onSignal);
  };
}

function end(signal: Signal, stop: () => void): void {
  discardUnfinished();
  stop(); // only now: before that, a second signal would end the process before all files are removed
  // Windows says SIGHUP when a console is closed, but sends none.
  if (process.platform === 'win32' && signal === 'SIGHUP') process.exit(129);
  process.kill(process.pid, signal);
}
