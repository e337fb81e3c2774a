type Environment = { readonly MODE?: string };

// As in seed.ts: of Node, or what Vitest passes on to a browser.
const env: Environment = globalThis.process?.env ?? (import.meta as ImportMeta & { env?: Environment }).env;

/** Whether sweeps are made whole: in `npm run test:all`. In `npm run test:sweeps` they are made in part. */
export const IS_WHOLE = env.MODE === 'all';

/** Whether this is one of the two, which try more than the quick run does. */
export const IS_FULL = IS_WHOLE || env.MODE === 'sweeps';

/** So many in the full run, and a fifth of them in the quick one. */
export function scaled(count: number): number {
  return IS_FULL ? count : Math.ceil(count / 5);
}

/** So many in a whole sweep, and a tenth of them in another. */
export function swept(count: number): number {
  return IS_WHOLE ? count : Math.ceil(count / 10);
}
