type Environment = { readonly MODE?: string };

// As in seed.ts: the environment of Node.js, or what Vitest passes to a browser.
const env: Environment = globalThis.process?.env ?? (import.meta as ImportMeta & { env?: Environment }).env;

/** Whether sweeps are made whole: in `npm run test:all`. */
export const IS_WHOLE = env.MODE === 'all';

/** Whether they are made in part, and what the quick run has had is left out: in `npm run test:sweeps`. */
export const IS_PART = env.MODE === 'sweeps';

/** Whether this is one of the two, which try more than the quick run does. */
export const IS_FULL = IS_WHOLE || IS_PART;

/** `count` in the full run, and a fifth of it, or another `part`, in the quick run. */
export function scaled(count: number, part = 5): number {
  return IS_FULL ? count : Math.ceil(count / part);
}

/** `count` in a whole sweep, and a tenth of it in a partial one. */
export function swept(count: number): number {
  return IS_WHOLE ? count : Math.ceil(count / 10);
}
