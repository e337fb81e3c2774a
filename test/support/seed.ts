import fc from 'fast-check';
import { scaled } from './scale.js';

type Environment = { readonly SEED?: string };

// Vitest's, also in a browser; Node's, where the bench takes random data from here.
const env = (import.meta as ImportMeta & { env?: Environment }).env ?? (process.env as Environment);

/** Of all random data, so that a red run can be run again. SEED=… tries another. */
export const SEED = Number(env.SEED ?? 20231101);

fc.configureGlobal({ seed: SEED, numRuns: scaled(200) });
