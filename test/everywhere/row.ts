import type { Outcome } from './program/checks.js';
import type { Scratch } from './scratch.js';

/** One thing to run the package on. */
export interface Row {
  readonly name: string;
  /** Which it has to have by itself; none where nothing runs. */
  readonly backend: 'wasm' | 'bigint' | '';
  run(scratch: Scratch): Promise<Outcome>;
}

/** What a row needs is not on this machine; the message says what to install. */
export class NotHere extends Error {}

/** What a program has printed last. */
export function outcomeOf<T = Outcome>(stdout: string): T {
  return JSON.parse(stdout.trim().split('\n').at(-1) ?? '');
}

/** Several runs as one; they have to be on the same backend. */
export function together(outcomes: readonly Outcome[]): Outcome {
  const [first] = outcomes as [Outcome];
  return {
    version: first.version,
    backend: [...new Set(outcomes.map(({ backend }) => backend))].join(' and '),
    checks: outcomes.reduce((sum, { checks }) => sum + checks, 0),
    failures: outcomes.flatMap(({ failures }) => failures),
  };
}
