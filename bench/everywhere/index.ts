// `npm run bench -- everywhere [--only node20,chromium] [--json FILE]`: compares shardbits with BigInt in every engine, one
// after the other, with the packed package. test/everywhere starts the engines.
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { NotHere } from '../../test/everywhere/row.js';
import { type Scratch, withScratch } from '../../test/everywhere/scratch.js';
import { machine } from '../machine.js';
import { ENGINES, type Engine } from './engines.js';
import { differences, type TimedEngine, writeEngineReport } from './results.js';
import { plainTables } from './table.js';

const { values } = parseArgs({ options: { only: { type: 'string' }, json: { type: 'string' } } });
const engines = chosen(values.only);
const timed: TimedEngine[] = [];
const missing: { name: string; why: string }[] = [];
const here = machine();

await withScratch(async (scratch) => {
  await scratch.prepare([{ from: join(import.meta.dirname, 'program.ts'), format: 'esm' }]);
  for (const engine of engines) await timeIn(engine, scratch);
});
const report = { machine: here, engines: timed, missing };
console.log(plainTables(report));
for (const difference of differences(timed)) {
  console.error(difference);
  process.exitCode = 1;
}
if (values.json !== undefined && !process.exitCode) writeEngineReport(values.json, report);

async function timeIn(engine: Engine, scratch: Scratch): Promise<void> {
  const { name, javascript } = engine;
  const from = performance.now();
  try {
    const { version, backend, failures, figures } = await engine.run(scratch);
    if (failures.length > 0) throw new Error(failures.join('\n'));
    if (backend !== 'wasm') throw new Error(`the backend is '${backend}', not 'wasm'`);
    timed.push({ name, javascript, version, figures });
    console.error(`${name}: ${((performance.now() - from) / 1000).toFixed(0)} s`);
  } catch (error) {
    const { message } = error as Error;
    const isHere = !(error instanceof NotHere);
    missing.push({ name, why: isHere ? 'failed' : message });
    console.error(isHere ? `${name}: ${message}` : `${name} is not here: ${message}`);
    // In CI, every engine must be there.
    if (isHere || process.env.CI !== undefined) process.exitCode = 1;
  }
}

/** @param only the names from the command line, such as `node20,webkit` */
function chosen(only: string | undefined): readonly Engine[] {
  if (only === undefined) return ENGINES;
  const named = new Map(ENGINES.map((engine) => [engine.name.toLowerCase().replace(' ', ''), engine]));
  return only.split(',').map((name) => {
    const engine = named.get(name.toLowerCase());
    if (engine === undefined) throw new Error(`--only: expected some of ${[...named.keys()].join(',')}, got "${name}"`);
    return engine;
  });
}
