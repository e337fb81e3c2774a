import { AsyncLocalStorage } from 'node:async_hooks';
import type { Readable, Writable } from 'node:stream';

/** What a command line reads and writes. */
export interface Streams {
  readonly stdin: Readable & { readonly isTTY?: boolean };
  readonly stdout: Writable & { readonly isTTY?: boolean };
  readonly stderr: Writable & { readonly isTTY?: boolean };
}

const given = new AsyncLocalStorage<Streams>();

/** Runs work that gets these from {@link streams}. */
export function withStreams<T>(those: Streams, work: () => T): T {
  return given.run(those, work);
}

/** The streams of the command line that is running: by default, those of the process. */
export function streams(): Streams {
  return given.getStore() ?? process;
}

/** Whether a stream is the standard input of the process. */
export const isProcessStdin = (input: unknown): boolean => input === process.stdin;

/** Whether --out, which may be missing, is standard output. */
export function isStdout(out: string | undefined): out is '-' | undefined {
  return out === undefined || out === '-';
}
