import { createInterface } from 'node:readline';
import { discardUnfinished } from '../../node/index.js';
import { UsageError } from '../options/usage.js';
import { streams } from '../streams.js';
import { say } from './messages.js';

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
  process.kill(process.pid, signal);
}

/** Throws if an action needs confirmation and nobody can be asked. Call this before anything is opened. */
export function checkCanAsk(action: string, { yes }: { readonly yes?: boolean | undefined }): void {
  if (yes || streams().stdin.isTTY) return;
  throw new UsageError(
    `${action} asks for confirmation, and standard input is not a terminal; add --yes to go ahead without being asked`,
  );
}

/**
 * Says on the terminal what an action does and asks whether to go ahead.
 * @param explanation a line each
 * @throws Error unless the answer is yes
 */
export async function confirm(...explanation: readonly string[]): Promise<void> {
  say(...explanation);
  streams().stderr.write('Go ahead? [y/N] ');
  // In terminal mode Ctrl-C would not be a signal.
  const lines = createInterface({ input: streams().stdin, terminal: false });
  const { value: answer = '', done } = await lines[Symbol.asyncIterator]().next();
  lines.close();
  if (done) streams().stderr.write('\n'); // the user has not pressed Enter
  if (!/^y(es)?$/i.test(answer.trim())) throw new Error('not confirmed; nothing was changed');
}
