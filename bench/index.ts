// `npm run bench [-- --quick] [--json FILE]`: shardbits against its BigInt twin, loops written for just the
// one purpose, and copying the same bytes. bench/peers has other libraries and native programs.
// `npm run bench -- registry`: interning, by store.
import { parseArgs } from 'node:util';
import { GROUPS } from './groups.js';
import { FULL, QUICK, run, writeReport } from './run.js';

const { values, positionals } = parseArgs({
  options: { quick: { type: 'boolean' }, json: { type: 'string' } },
  allowPositionals: true,
});
const groups = positionals[0] === 'registry' ? [(await import('./areas/registry.js')).registry] : GROUPS;
const report = await run(groups, values.quick ? QUICK : FULL);
if (values.json !== undefined) writeReport(values.json, report);
