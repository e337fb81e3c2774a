import type { Outcome } from './checks.js';

/** Runs a program and sends what it says of itself to where its platform can: the page's server, or standard output. */
export async function report<T extends Outcome>(run: () => Promise<T>): Promise<void> {
  const text = JSON.stringify(await run().catch(failed));
  if ('document' in globalThis) await fetch('/report', { method: 'POST', body: text });
  else console.log(text);
}

function failed(error: unknown): Outcome {
  const failure = error instanceof Error ? (error.stack ?? String(error)) : String(error);
  return { version: '', backend: '', checks: 0, failures: [failure] };
}
