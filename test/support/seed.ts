import fc from 'fast-check';

/** Of all random data, so that a red run can be run again. SEED=… tries another. */
export const SEED = Number(process.env.SEED ?? 20231101);

fc.configureGlobal({ seed: SEED, numRuns: 200 });
