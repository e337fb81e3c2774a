type Environment = { readonly MODE?: string };

/** Whether this is `npm run test:all`, which tries more of everything than the quick run does. */
export const IS_FULL = (import.meta as ImportMeta & { env?: Environment }).env?.MODE === 'all';

/** So many in the full run, and a fifth of them in the quick one. */
export function scaled(count: number): number {
  return IS_FULL ? count : Math.ceil(count / 5);
}
