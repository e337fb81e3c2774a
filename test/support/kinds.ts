// The kinds of files of tests, as patterns. Those that are not here, `.server` ones among them, run in `npm test`.

/**
 * These do not run in `npm test`, but in `npm run test:all`, and the first two in `npm run test:sweeps`: both are modes of
 * Vitest.
 */
export const SWEEP = 'test/**/*.sweep.test.ts';
export const LONG = 'test/**/*.long.test.ts';
export const RELEASE = 'test/**/*.release.test.ts';
/** These try a store in memory in `npm test`, and all stores in the other two. */
export const SUITES = [
  'test/conformance/{contention,copies,damaged-values,identity,interner,lease,map-history,moves,published-map,store,type-registry}.test.ts',
  'test/registry/event-loop.test.ts',
  'test/simulation/steps.test.ts',
];

/** In the full run these run after the others, on their own, because they expect answers within a time. */
export const TIMED = [
  'test/cli/{etcd-tls.long,mint-stuck.sweep,postgres-tls.long}.test.ts',
  'test/conformance/etcd-{cluster,errors,races}.long.test.ts',
  'test/conformance/{lease-time,postgres-answers,sqlite-concurrent,sqlite-waiting}.sweep.test.ts',
  'test/conformance/postgres-{hashes,silent,standby}.long.test.ts',
  'test/inspector/million.long.test.ts',
  'test/minting/wait-time.sweep.test.ts',
];
