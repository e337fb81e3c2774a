// `npm run bench [-- --quick] [--json FILE]`: shardbits against its BigInt twin, loops written for just the
// one purpose, and copying the same bytes. bench/peers adds other libraries and native programs.
import { parseArgs } from 'node:util';
import { hashing } from './areas/hashing.js';
import { bitFields } from './areas/layouts.js';
import { routing } from './areas/routing.js';
import { stringHashing, stringRouting } from './areas/strings.js';
import { decimalText } from './areas/text.js';
import { FULL, type Group, QUICK, run, writeReport } from './run.js';

export const GROUPS: readonly Group[] = [routing, hashing, stringHashing, stringRouting, bitFields, decimalText];

if (process.argv[1] === import.meta.filename) {
  const { values } = parseArgs({ options: { quick: { type: 'boolean' }, json: { type: 'string' } } });
  const report = await run(GROUPS, values.quick ? QUICK : FULL);
  if (values.json !== undefined) writeReport(values.json, report);
}
