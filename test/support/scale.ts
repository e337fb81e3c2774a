type Environment = { readonly MODE?: string; readonly SHARE?: string };

// As in seed.ts: of Node, or what Vitest passes on to a browser.
const env: Environment = globalThis.process?.env ?? (import.meta as ImportMeta & { env?: Environment }).env;
const share = env.SHARE ?? '1';

/** Whether this is `npm run test:all`, which tries more of everything than the quick run does. */
export const IS_FULL = env.MODE === 'all';

/** So many in the full run, and a fifth of them in the quick one. */
export function scaled(count: number): number {
  return IS_FULL ? count : Math.ceil(count / 5);
}

/** Whether the longest sweeps are made whole: `SHARE=0.2 npm run test:all` makes a fifth of them. */
export const IS_WHOLE = IS_FULL && share === '1';

/** So many in a whole sweep of the full run, and as many of them as `SHARE` says. */
export function swept(count: number): number {
  return Math.ceil(count * Number(share));
}
