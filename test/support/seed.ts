import fc from 'fast-check';
import { scaled } from './scale.js';

type Environment = { readonly SEED?: string };

// The environment of Node.js, in tests and in the bench; in a browser, what Vitest passes to it.
const env: Environment = globalThis.process?.env ?? (import.meta as ImportMeta & { env?: Environment }).env;

/** The seed of all random data, so that a failed run can be repeated. SEED=… sets another one. */
export const SEED = Number(env.SEED ?? 20231101);

fc.configureGlobal({ seed: SEED, numRuns: scaled(200) });
