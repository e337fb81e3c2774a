import fc from 'fast-check';
import { scaled } from './scale.js';

type Environment = { readonly SEED?: string };

// Of Node, in tests and in the bench; a browser has what Vitest passes on.
const env: Environment = globalThis.process?.env ?? (import.meta as ImportMeta & { env?: Environment }).env;

/** Of all random data, so that a red run can be run again. SEED=… tries another. */
export const SEED = Number(env.SEED ?? 20231101);

fc.configureGlobal({ seed: SEED, numRuns: scaled(200) });
