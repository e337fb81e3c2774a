import type { ArgumentProblem } from '../../index.js';

/** Why the library refuses something, for people: without the name that it has for the argument. */
export function refusalOf(error: unknown): string {
  const { expected, got, message } = error as Error & Partial<ArgumentProblem>;
  if (expected === undefined) return message;
  const shown = typeof got === 'string' ? JSON.stringify(got) : got instanceof Date ? got.toISOString() : String(got);
  return `expected ${expected}, got ${shown}`;
}
