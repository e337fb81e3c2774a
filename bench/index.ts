// `npm run bench [-- --quick] [--json FILE]`: compares shardbits with its BigInt backend, with loops that are
// written for a single purpose, and with copying the same bytes. Before the options, a word picks another bench: `peers`
// are other libraries and native programs, `files` whole processes, `threads` what more cores give, `choosing` other ways
// to choose a node, `registry` interning, `everywhere` all engines; `day` keeps a day's medians, and `report` writes
// RESULTS.md and the tables of the pages.
import { parseArgs } from 'node:util';
import { GROUPS } from './groups.js';
import { FULL, QUICK, run, writeReport } from './run.js';

const OTHERS: { readonly [word: string]: string } = {
  peers: './peers/index.js',
  files: './peers/files.js',
  choosing: './choosing/index.js',
  registry: './registry/index.js',
  threads: './threads.js',
  everywhere: './everywhere/index.js',
  day: './day.js',
  report: './report.js',
};

const other = OTHERS[process.argv[2] ?? ''];
if (other !== undefined) {
  process.argv.splice(2, 1);
  await import('../test/support/build.js');
  await import(other);
} else {
  const { values } = parseArgs({ options: { quick: { type: 'boolean' }, json: { type: 'string' } } });
  const report = await run(GROUPS, values.quick ? QUICK : FULL);
  if (values.json !== undefined) writeReport(values.json, report);
}
