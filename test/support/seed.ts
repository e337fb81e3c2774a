import fc from 'fast-check';

// One fixed seed for all properties, so that a red run can be run again. fast-check prints it, with
// the shrunk counterexample, when a property fails; SEED=… tries another.
export const SEED = Number(process.env.SEED ?? 20231101);

fc.configureGlobal({ seed: SEED, numRuns: 200 });
