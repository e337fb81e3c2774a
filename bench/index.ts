// `npm run bench [-- --quick] [--json FILE]`: compares shardbits with its BigInt backend, with loops that are
// written for a single purpose, and with copying the same bytes. bench/peers has other libraries and native
// programs. bench/registry times interning.
import { parseArgs } from 'node:util';
import { GROUPS } from './groups.js';
import { FULL, QUICK, run, writeReport } from './run.js';

const { values } = parseArgs({ options: { quick: { type: 'boolean' }, json: { type: 'string' } } });
const report = await run(GROUPS, values.quick ? QUICK : FULL);
if (values.json !== undefined) writeReport(values.json, report);
