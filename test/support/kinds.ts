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

/**
 * These need only JavaScript, except for `NOT_PURE`. They also run in Chromium, and on other platforms in emulators:
 * test/everywhere/suites.sweep.test.ts.
 */
export const PURE = [
  'test/{arguments,hash,ids,kernels,layout,minting,partitioners,routing,sets}/**/*.test.ts',
  'test/map/{arguments,determinism,json}.test.ts',
];
/** What is in the same folders, but needs Node.js, a server or another program, or measures the memory of a process. */
export const NOT_PURE = [
  'test/layout/sql-{documented,in-*}.test.ts',
  'test/partitioners/{in-*,md5,options,ragedb-end-to-end}.test.ts',
  'test/sets/{bytes,memory,room}.*',
  'test/**/*.server.test.ts',
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
